"""How fast season maxima and their extremes are made.

The kernels alone, one thread, CPU time: what the product `snowload` does with the answers of the snow authority, what
`/api/snowload/calc` does with a cell, and what both would take for the whole country, beside the asking.
"""

import os
from datetime import date
from pathlib import Path

import numpy as np

from kernels.snowload.fits import levels
from kernels.snowload.seasons import season_maxima
from tests.bench.timing import best_of
from tests.kernels.snow.winters import mountain

FIRST, LAST = date(1957, 9, 1), date(2026, 8, 31)
LAND_CELLS = 324_000
"""An assumption: mainland Norway's 324,000 km2."""
BLOCK = 1024
"""Cells of a shard."""
BAR_MIN = 1.0
"""Of the nation's maxima, on all cores: a small part of the asking."""


def measure(folder: Path) -> int:
    """Print the figures; return 1 where the bar is missed."""
    days = np.arange(np.datetime64(FIRST), np.datetime64(LAST) + 1).astype(np.int64)
    rng = np.random.default_rng(9)
    year = np.resize(mountain()[1].snow_depth[:365], days.size)
    swe = (rng.gamma(6, 0.08, BLOCK) * year[:, None]).astype(np.float32)
    swe[rng.integers(0, days.size, 500)] = np.nan
    maxima = rng.gamma(6, 40, (season_maxima(days, swe).maxima.shape[0], BLOCK)).astype(np.float32)
    alone = maxima[:, 0].astype(np.float64)
    print(f"{days.size} days, {len(maxima)} seasons, {BLOCK} cells; one thread")

    took = {
        f"maxima, {BLOCK} cells": best_of(lambda: season_maxima(days, swe)) / BLOCK,
        "levels of one cell, T = 50": best_of(lambda: levels(alone, [50]), times=500),
    }
    for name, seconds in took.items():
        print(f"{name:<46}{seconds * 1e6:9.1f} us/cell{1 / seconds:12,.0f} cells/s per core")

    cores = os.cpu_count() or 1
    nation = LAND_CELLS * took[f"maxima, {BLOCK} cells"] / cores / 60
    print(f"the nation, if it has {LAND_CELLS:,} land cells: {nation:.2f} min on {cores} cores (bar {BAR_MIN:g})")
    return int(nation > BAR_MIN)
