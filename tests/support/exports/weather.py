"""Norwegian weather as a clear-sky index: clear days and dull weeks, passing clouds, cold and snow."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

from tests.support.exports.clock import DAY, Ints

Floats = NDArray[np.float64]

CLEAR, MIXED, DULL = range(3)
# How a day follows on another: dull weather is the most stubborn.
FOLLOWS = np.array([[0.55, 0.33, 0.12], [0.25, 0.45, 0.30], [0.10, 0.35, 0.55]])
# Mean and spread of the index, and the minutes over which clouds remember themselves.
INDEX = {CLEAR: (1.0, 0.015, 180.0), MIXED: (0.68, 0.30, 22.0), DULL: (0.22, 0.09, 90.0)}


class Sky(NamedTuple):
    """Weather at the steps of a series."""

    index: Floats
    air_c: Floats
    snow: Floats
    kinds: NDArray[np.int64]


def _noise(rng: np.random.Generator, count: int, step_min: float, memory_min: float) -> Floats:
    memory = np.exp(-step_min / memory_min)
    start = rng.standard_normal()
    shocks = rng.standard_normal(count) * np.sqrt(1 - memory**2)
    return lfilter([1.0], [1.0, -memory], shocks, zi=[memory * start])[0]


def _kinds(rng: np.random.Generator, days: int, mood: str) -> NDArray[np.int64]:
    """Return the kind of each day; mood "dull" has no clear one, "bright" has every third clear at least."""
    kinds = np.empty(days, dtype=np.int64)
    kind = int(rng.choice(3, p=(0.3, 0.4, 0.3)))
    for day in range(days):
        kind = int(rng.choice(3, p=FOLLOWS[kind]))
        kinds[day] = kind
    if mood == "dull":
        kinds[:] = DULL
    elif mood == "bright":
        kinds[int(rng.integers(3)) :: 3] = CLEAR
    return kinds


def sky(rng: np.random.Generator, times: Ints, step: int, lat: float, mood: str = "any") -> Sky:
    """Return the weather at steps of `step` seconds beginning at `times`."""
    day_of = times // DAY - times[0] // DAY
    days = int(day_of[-1]) + 1
    kinds = _kinds(rng, days, mood)
    step_min = step / 60
    index = np.zeros(len(times))
    for kind, (mean, spread, memory) in INDEX.items():
        here = kinds[day_of] == kind
        if here.any():
            index[here] = mean + spread * _noise(rng, len(times), step_min, memory)[here]
    index = np.clip(index, 0.05, 1.12)

    season = np.cos(2 * np.pi * ((times / DAY) % 365.25 - 200) / 365.25)
    hour = np.cos(2 * np.pi * ((times % DAY) / DAY - 0.58))
    mild = 7.5 - 0.45 * (lat - 58)
    air = mild + 9.5 * season + 3 * hour * (kinds[day_of] != DULL) + 2.5 * _noise(rng, len(times), step_min, 3000)

    frost = np.array([air[day_of == day].mean() for day in range(days)]) < -1
    covered = np.zeros(days)
    lying = False
    for day in range(days):
        lying = frost[day] and (lying or (kinds[day] != CLEAR and rng.random() < 0.5)) and rng.random() < 0.8
        covered[day] = lying
    return Sky(index, air, covered[day_of], kinds)
