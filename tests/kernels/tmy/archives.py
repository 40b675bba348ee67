"""Thirty-five years of invented hours at one place, quickly: what the kernels of a typical year are tried on."""

import functools

import numpy as np

from kernels.sun import vertical
from kernels.tmy.calendar import Calendar
from kernels.tmy.cell import Place, Series
from kernels.tmy.sunlight import Sky, sky_of

CALENDAR = Calendar(1991, 2025)
TURBIDITY = np.array([2.2, 2.4, 2.7, 3.0, 3.2, 3.3, 3.4, 3.3, 3.0, 2.7, 2.4, 2.2])
OSLO = Place(59.9, 10.7, 90.0, TURBIDITY)
TROMSO = Place(69.65, 18.96, 50.0, TURBIDITY)


@functools.cache
def sky() -> Sky:
    return sky_of(CALENDAR)


def _clouds(draw: np.random.Generator, n: int) -> np.ndarray:
    """Clear-sky index: days that are alike for some days, and hours that differ."""
    days = n // 24 + 2
    noise = draw.standard_normal(days)
    state = np.empty(days)
    state[0] = noise[0]
    for i in range(1, days):
        state[i] = 0.6 * state[i - 1] + 0.8 * noise[i]
    daily = 0.12 + 0.95 / (1 + np.exp(-1.6 * state - 0.3))
    hourly = 1 + 0.25 * draw.standard_normal(n) * (1.2 - daily.repeat(24)[:n])
    return np.clip(daily.repeat(24)[1 : n + 1] * hourly, 0.05, 1.12)


@functools.cache
def series(place_name: str, seed: int = 0) -> Series:
    """An archive; the solar model sees the same clouds a little otherwise."""
    place = {"oslo": OSLO, "tromso": TROMSO}[place_name]
    draw = np.random.default_rng(seed)
    n = CALENDAR.n_hours
    sine = np.maximum(vertical(place.lat, place.lon).astype(np.float32) @ sky().direction, 0)
    clear = sky().e0 * 0.78 * sine**1.15
    kc = _clouds(draw, n)
    hour = np.arange(n)
    season = np.cos(2 * np.pi * (hour - 480) / 8766)
    slow = np.repeat(draw.standard_normal(n // 72 + 1), 72)[:n]
    temp = 5 - 10 * season + 3 * np.sin(2 * np.pi * (hour % 24 - 9) / 24) + 4 * slow + 0.3 * draw.standard_normal(n)
    model = np.clip(kc * (1 + 0.15 * draw.standard_normal(n)) + 0.05, 0.03, 1.13)
    columns = (
        clear * kc,
        clear * model,
        temp,
        np.clip(80 - 8 * slow + 6 * draw.standard_normal(n), 5, 100),
        4 + 2 * np.abs(slow) + draw.random(n),
        1010 + 12 * slow + 0.2 * draw.standard_normal(n),
    )
    return Series(*(np.ascontiguousarray(c, np.float32) for c in columns))
