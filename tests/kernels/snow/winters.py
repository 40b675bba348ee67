"""Made-up days of snow, and a light that is easy to reckon with."""

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernels.snow.cover import SnowWeather

Floats = NDArray[np.float64]

JANUARY = int(np.datetime64("2021-01-01").astype(np.int64))
NORTH_OF_ALL = 0.0
"""Longitude where the sun's time is UTC."""


def eight_hours(wm2: float = 160.0) -> Floats:
    """As much from 08 to 16 UTC in every month: 1.28 kWh/m2 a day, and snow slides above -2 degrees C."""
    light = np.zeros((12, 24))
    light[:, 8:16] = wm2
    return light


def days(n: int, first: str = "2021-01-01") -> NDArray[np.int64]:
    return int(np.datetime64(first).astype(np.int64)) + np.arange(n)


def weather(*each: tuple[float, float, float, float]) -> SnowWeather:
    """New snow (mm of water, and of depth), depth (mm), temperature of each day."""
    return SnowWeather(*np.array(each, float).reshape(-1, 4).T)


def joined(one: SnowWeather, other: SnowWeather) -> SnowWeather:
    return SnowWeather(*(np.concatenate(pair) for pair in zip(one, other, strict=True)))


# Depths near what decides: 10 and 20 mm of new snow, 10 mm on the ground.
_DAY = st.tuples(
    st.floats(0, 40),
    st.sampled_from([0.0, 0.0, 0.0, 9.9, 10.0, 15.0, 20.0, 100.0, 300.0]),
    st.sampled_from([0.0, 9.0, 10.0, 11.0, 80.0, 400.0, 900.0, 2500.0]),
    st.floats(-25, 12),
)
DAYS = st.lists(_DAY, min_size=1, max_size=40).map(lambda each: weather(*each))
"""Days of any weather."""


@st.composite
def lights(draw: st.DrawFn) -> Floats:
    """Days of any length and brightness, some months without light, hours as faint as matters."""
    months = [
        draw(st.tuples(st.integers(0, 12), st.sampled_from([0.0, 0.5, 2.0, 40.0, 300.0, 800.0]))) for _ in range(12)
    ]
    light = np.zeros((12, 24))
    for month, (half, wm2) in enumerate(months):
        hours = np.arange(12 - half, 12 + half)
        light[month, hours] = wm2 * np.cos(np.pi * (hours + 0.5 - 12) / (2 * half or 1))
    return light


TILTS = st.sampled_from([0.0, 10.0, 30.0, 59.9, 60.0, 60.1, 90.0]) | st.floats(0, 90)
LONGITUDES = st.floats(4, 32)
FIRSTS = st.sampled_from(["2020-01-15", "2020-02-10", "2021-03-20", "2021-06-01", "2021-11-25"])
