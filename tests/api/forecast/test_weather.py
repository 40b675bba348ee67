"""What a tile's rows are when the answer begins in the middle of it: light, warmth, wind and sun of the same hours."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from api.forecast.body import Series
from api.forecast.production.weather import weather_of
from api.forecast.selection import DAILY
from tests.api.fabricated import CYCLE, entry

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
        raw=lambda name, *_: PACKED[name].tobytes(),
    )  # fmt: skip
    return Series(DAILY, entry(product="day", variables=tuple(SCALES)), tile, "1")


@pytest.mark.parametrize("first", [0, 1, 5, 24])
def test_all_of_a_row_is_of_one_hour(day: Series, first: int) -> None:
    packed = day.packed_weather((0, 0))
    assert day.light(packed, first) == day.packed((0, 0), first) == tuple(PACKED["ghi"][first:].tolist())
    weather = weather_of(day, packed, first)
    assert weather.sun.unix.tolist() == (TIMES[first:] + 1800).tolist()
    assert weather.sun.direction.shape == (HOURS - first, 3)
    assert weather.wind_speed is not None
    for name, values in (("ghi", weather.ghi), ("temp_air", weather.temp_air), ("wind_speed", weather.wind_speed)):
        scale, offset = SCALES[name]
        np.testing.assert_allclose(values, PACKED[name][first:] * scale + offset)
    assert weather_of(day, day.packed_weather((0, 0), wind=False), first).wind_speed is None
