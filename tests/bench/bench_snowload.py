"""How fast season maxima and their extremes are made: `python -m tests.bench.bench_snowload`.

The kernels alone, one thread, CPU time: what the product `snowload` does with the answers of the snow authority, what
`/api/snowload/calc` does with a cell, and what both would take for the whole country, beside the asking.
"""

import os
import sys
from datetime import date, timedelta

import numpy as np

from catalog.sources.nve_gts.asking import PAUSE_S, batches
from kernels.snowload.fits import levels
from kernels.snowload.seasons import season_maxima
from tests.bench.bench_kernels import best_of
from tests.bench.bench_snow import winters

FIRST, LAST = date(1957, 9, 1), date(2026, 8, 31)
LAND_CELLS = 324_000
"""An assumption: mainland Norway's 324,000 km2."""
BLOCK = 1024
"""Cells of a shard."""
BAR_MIN = 1.0
"""Of the nation's maxima, on all cores: a small part of the asking."""


def main() -> int:
    """Print the figures; return 1 where the bar is missed."""
    days = np.arange(np.datetime64(FIRST), np.datetime64(LAST) + 1).astype(np.int64)
    rng = np.random.default_rng(9)
    year = np.resize(winters()[1].snow_depth[:365], days.size)
    swe = (rng.gamma(6, 0.08, BLOCK) * year[:, None]).astype(np.float32)
    swe[rng.integers(0, days.size, 500)] = np.nan
    maxima = rng.gamma(6, 40, (season_maxima(days, swe).maxima.shape[0], BLOCK)).astype(np.float32)
    one, alone = np.ascontiguousarray(swe[:, :1]), maxima[:, 0].astype(np.float64)
    print(f"{days.size} days, {len(maxima)} seasons, {BLOCK} cells; one thread")

    took = {
        f"maxima, {BLOCK} cells": best_of(lambda: season_maxima(days, swe)) / BLOCK,
        "maxima, one cell": best_of(lambda: [season_maxima(days, one) for _ in range(50)]) / 50,
        "levels of one cell, T = 50": best_of(lambda: [levels(alone, [50]) for _ in range(500)]) / 500,
    }
    for name, seconds in took.items():
        print(f"{name:<46}{seconds * 1e6:9.1f} us/cell{1 / seconds:12,.0f} cells/s per core")

    cores = os.cpu_count() or 1
    nation = LAND_CELLS * took[f"maxima, {BLOCK} cells"] / cores / 60
    print(f"the nation, if it has {LAND_CELLS:,} land cells: {nation:.2f} min on {cores} cores (bar {BAR_MIN:g})")
    _print_asking(days.size)
    return int(nation > BAR_MIN)


def _print_asking(n_days: int) -> None:
    """Computed, not measured: nobody asks the authority for the whole country to see how long it takes."""
    questions = batches(range(LAND_CELLS), n_days)
    pauses = timedelta(seconds=len(questions) * PAUSE_S)
    print(
        f"asking for it, computed: {len(questions[0])} cells to a question, {len(questions):,} questions; "
        f"their pauses alone are {pauses / timedelta(hours=1):.0f} h, "
        f"and {len(questions) / 86_400:.2f} days for each second that an answer takes"
    )
    for seconds in (2, 5, 10):
        whole = pauses + timedelta(seconds=seconds * len(questions))
        print(f"  answers of {seconds} s each: {whole / timedelta(days=1):.1f} days, one question at a time")


if __name__ == "__main__":
    sys.exit(main())
