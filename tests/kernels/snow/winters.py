"""Made-up days of snow, and a light that is easy to reckon with."""

from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernels.snow.cover import Cover, cover
from kernels.snow.days import SnowWeather
from kernels.snow.panel import Panel

Floats = NDArray[np.float64]


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


def mountain(
    first: str = "1990-09-01", last: str = "2026-08-31", seed: int = 8
) -> tuple[NDArray[np.int64], SnowWeather]:
    """Days with snow from October to May, as it may be at 1500 m."""
    dates = np.arange(np.datetime64(first), np.datetime64(last) + 1).astype(np.int64)
    rng, season = np.random.default_rng(seed), np.cos(2 * np.pi * (dates / 365.2425 - 0.04))
    temp_air = -2 - 9 * season + rng.normal(0, 4, dates.size)
    new_snow = np.where((rng.random(dates.size) < 0.4) & (temp_air < 1), rng.exponential(6, dates.size), 0)
    depth = np.maximum(900 * (season + 0.2), 0)
    return dates, SnowWeather(new_snow, 9 * new_snow, depth, temp_air)


class Winter(NamedTuple):
    """Days of weather, a plane's light, and the plane."""

    weather: SnowWeather
    light: Floats
    panel: Panel

    def cover(self, lon: float = 10.0, first: str = "2021-01-20", **panel: Any) -> Cover:
        """Follow the snow on the plane, or on one that differs in what is given."""
        dates = days(self.weather.new_snow.size, first)
        return cover(dates, self.weather, self.light, self.panel._replace(**panel), lon)


# Depths near what decides: 10 mm of new snow, 10 mm on the ground.
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
    light = np.zeros((12, 24))
    for month in light:
        half, wm2 = draw(st.integers(0, 12)), draw(st.sampled_from([0.0, 0.5, 2.0, 40.0, 300.0, 800.0]))
        hours = np.arange(12 - half, 12 + half)
        month[hours] = wm2 * np.cos(np.pi * (hours + 0.5 - 12) / (2 * half or 1))
    return light


TILTS = st.sampled_from([0.0, 10.0, 30.0, 45.0, 60.0, 89.9, 90.0]) | st.floats(0, 90)
PANELS = st.builds(
    Panel,
    tilt=TILTS,
    mounting=st.sampled_from(["roof", "rack", "flat"]),
    height_mm=st.sampled_from([0.0, 300.0, 1000.0]),
    strings=st.integers(1, 6),
    loss_mode=st.sampled_from(["linear", "strings"]),
    burial_mm=st.sampled_from([None, 0.0, 500.0, 2000.0]),
)
WINTERS = st.builds(Winter, DAYS, lights(), PANELS)
