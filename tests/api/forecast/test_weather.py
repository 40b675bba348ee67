"""What a tile's rows are when the answer begins in the middle of it: light, warmth, wind and sun of the same hours."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from api import texts
from api.errors import Unavailable
from api.forecast.body import Series
from api.forecast.production.weather import weather_of
from api.forecast.selection import DAILY
from tests.api.fabricated import CYCLE, entry
from tiles.product import CORRUPT, FILL

HOURS = 30
TIMES = int(CYCLE.timestamp()) + 3600 * np.arange(HOURS)
SCALES = {"ghi": (0.1, 0.0), "temp_air": (0.01, -100.0), "wind_speed": (0.01, 0.0)}
# No two rows alike, and no day like another.
PACKED = {name: (np.arange(HOURS) * step + 7).astype("<u2") for name, step in (("ghi", 11), ("temp_air", 13))}
PACKED["wind_speed"] = PACKED["ghi"] + 1


@pytest.fixture
def day() -> Series:
    tile: Any = SimpleNamespace(
        n_times=HOURS, times=TIMES, variables=tuple(SCALES), scale=SCALES.__getitem__,
        reader=lambda *names: lambda *_: b"".join(PACKED[name].tobytes() for name in names),
    )  # fmt: skip
    return Series(DAILY, entry(product="day", variables=tuple(SCALES)), tile, "1")


@pytest.mark.parametrize("first", [0, 1, 5, 24])
def test_all_of_a_row_is_of_one_hour(day: Series, first: int) -> None:
    packed = day.packed_weather((0, 0))
    assert day.packed_ghi(packed, first) == day.packed((0, 0), first) == tuple(PACKED["ghi"][first:].tolist())
    weather = weather_of(day, packed, first)
    assert weather.sun.unix.tolist() == (TIMES[first:] + 1800).tolist()
    assert weather.sun.direction.shape == (HOURS - first, 3)
    assert weather.wind_speed is not None
    for name, values in (("ghi", weather.ghi), ("temp_air", weather.temp_air), ("wind_speed", weather.wind_speed)):
        scale, offset = SCALES[name]
        np.testing.assert_allclose(values, PACKED[name][first:] * scale + offset)
    assert weather_of(day, day.packed_weather((0, 0), wind=False), first).wind_speed is None


@pytest.mark.parametrize("temperature", [CORRUPT, FILL])
def test_where_there_is_no_light_there_is_no_data_whatever_else_is_damaged(
    day: Series, monkeypatch: pytest.MonkeyPatch, temperature: int
) -> None:
    monkeypatch.setitem(PACKED, "ghi", np.full(HOURS, FILL, "<u2"))
    monkeypatch.setitem(PACKED, "temp_air", np.full(HOURS, temperature, "<u2"))
    for read in (day.packed, day.packed_weather):
        with pytest.raises(Unavailable) as refused:
            read((0, 0))
        assert (refused.value.text, "Retry-After" in refused.value.headers) == (texts.NO_CELL, False)


def test_damage_to_the_warmth_is_damage(day: Series, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PACKED, "temp_air", np.full(HOURS, CORRUPT, "<u2"))
    with pytest.raises(Unavailable) as refused:
        day.packed_weather((0, 0))
    assert refused.value.text == texts.DAMAGED_CELL
    assert day.packed((0, 0)) == tuple(PACKED["ghi"].tolist()), "who asks for light alone gets it"


def test_values_just_below_what_means_missing_are_values(day: Series, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PACKED, "temp_air", np.full(HOURS, CORRUPT - 1, "<u2"))
    assert weather_of(day, day.packed_weather((0, 0))).temp_air[0] == pytest.approx((CORRUPT - 1) * 0.01 - 100)
