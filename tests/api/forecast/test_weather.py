"""What a tile's rows are when the answer begins in the middle of it: light, warmth, wind and sun of the same hours."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import orjson
import pytest

from api.core.errors import ApiError
from api.forecast import problems
from api.forecast.production import weather_of
from api.forecast.series import Series
from kernels.packed import Packed, unpack
from kernels.printed import whole_tenths
from tests.api.fabricated import CYCLE, entry
from tiles.product import CORRUPT, FILL

HOURS = 30
SCALES = {"ghi": (0.1, 0.0), "temp_air": (0.01, -100.0), "wind_speed": (0.01, 0.0)}
# No two rows alike, and no day like another.
PACKED = {name: (np.arange(HOURS) * step + 7).astype("<u2") for name, step in (("ghi", 11), ("temp_air", 13))}
PACKED["wind_speed"] = PACKED["ghi"] + 1


def series(hours: int = HOURS) -> Series:
    tile: Any = SimpleNamespace(
        n_times=hours, times=int(CYCLE.timestamp()) + 3600 * np.arange(hours), variables=tuple(SCALES),
        scale=SCALES.__getitem__, row_at=None,
        reader=lambda *names: lambda *_: b"".join(PACKED[name].tobytes() for name in names),
    )  # fmt: skip
    made = entry(product="day", variables=tuple(SCALES))
    return Series("v23b_daily", "production_v2_3b", "ghi", "1", made, tile)


@pytest.fixture
def day() -> Series:
    return series()


@pytest.mark.parametrize("first", [0, 1, 5, 24])
def test_all_of_a_row_is_of_one_hour(day: Series, first: int) -> None:
    packed = day.packed_weather((0, 0))
    assert day.packed_ghi(packed, first) == day.packed((0, 0), first) == tuple(PACKED["ghi"][first:].tolist())
    weather = weather_of(day, packed, first)
    assert weather.sun.unix.tolist() == (day.times[first:] + 1800).tolist()
    assert weather.sun.direction.shape == (HOURS - first, 3)
    for name, values in (("ghi", weather.ghi), ("temp_air", weather.temp_air), ("wind_speed", weather.wind_speed)):
        scale, offset = SCALES[name]
        np.testing.assert_allclose(values, PACKED[name][first:] * scale + offset)
    assert weather_of(day, day.packed_weather((0, 0), 2), first).wind_speed is None


@pytest.mark.parametrize("temperature", [CORRUPT, FILL])
def test_where_there_is_no_light_there_is_no_data_whatever_else_is_damaged(
    day: Series, monkeypatch: pytest.MonkeyPatch, temperature: int
) -> None:
    monkeypatch.setitem(PACKED, "ghi", np.full(HOURS, FILL, "<u2"))
    monkeypatch.setitem(PACKED, "temp_air", np.full(HOURS, temperature, "<u2"))
    for read in (day.packed, day.packed_weather):
        with pytest.raises(ApiError) as refused:
            read((0, 0))
        assert refused.value.problem is problems.NO_CELL


def test_every_value_is_printed_and_summed_as_the_engines_round_it() -> None:
    of = series(CORRUPT)
    packed = np.arange(CORRUPT, dtype="<u2")
    tenths, total, peak = whole_tenths(unpack(Packed(packed.tobytes(), of.units[:1]), 1))
    columns = orjson.loads(of.print(tuple(packed.tolist()), layout="columns"))
    assert columns["ghi_wm2"] == (tenths[0] / 10).tolist()
    sums, days = of.sums(tuple(packed.tolist()), of.days()), of.days()
    assert (sums.total, sums.peak, sums.days) == (total, peak, days.sums(tenths[0]))
