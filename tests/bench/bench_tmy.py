"""How fast typical years are made: `python -m tests.bench.bench_tmy`.

One core, all four products of a cell, its archive in memory; by stages, and what the whole country takes.
"""

import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dags.build.climate.archive_reading import Archive, years_of
from dags.build.climate.station_bias import MODELS, Biases
from dags.build.climate.tmy_block import BlockMaker
from kernels.tmy import cell
from kernels.tmy.bias_field import Sites
from kernels.tmy.scaling import scaled
from tests.bench.bench_kernels import best_of
from tests.kernels.tmy.archives import CALENDAR, OSLO, TROMSO, series, sky
from tests.support.archive import publish_archive
from tiles.store import open_store

BAR = 20.0
"""Cells per second on one core."""
NATION = 40_996
"""Cells that hold land, see the README; the contract speaks of 38,671."""
CORES = (2, 64, 1000)
VARIABLES = 6
STAGES = {
    "sun of the place, its hours of day": ("sunlight_at", "daylight", "clear_year"),
    "daily weather and sums": ("weather_days", "day_sums"),
    "days in order": ("ranked",),
    "Finkelstein-Schafer": ("distances", "weighted", "typical_years"),
    "daily beam": ("beam_sums",),
    "ensemble": ("weighed_days", "monthly_means", "correction", "spread"),
    "split": ("skartveit",),
    "joins": ("joined",),
    "percentiles": ("year_statistics", "month_percentiles"),
}
ROUNDS = 20


def stages(work: Callable[[], object]) -> dict[str, float]:
    """CPU seconds of each stage, the mean of some rounds."""
    spent: dict[str, float] = defaultdict(float)
    inside: dict[str, Any] = {name: getattr(cell, name) for names in STAGES.values() for name in names}

    def timed(stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            begin = time.thread_time()
            try:
                return function(*arguments, **named)
            finally:
                spent[stage] += time.thread_time() - begin

        return call

    try:
        for stage, names in STAGES.items():
            for name in names:
                setattr(cell, name, timed(stage, inside[name]))
        begin = time.thread_time()
        for _ in range(ROUNDS):
            work()
        total = time.thread_time() - begin
    finally:
        for name, function in inside.items():
            setattr(cell, name, function)
    spent["all else"] = total - sum(spent.values())
    return {stage: seconds / ROUNDS for stage, seconds in spent.items()}


def from_the_store(bias: NDArray[np.float64]) -> float:
    """Seconds of processor a cell takes from the chunks of 35 published years to what is stored of its block."""
    corner, cells = (64, 112), tuple(range(8))
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(folder)
        publish_archive(store, {(corner[0], corner[1] + n): series("oslo") for n in cells})
        told = Biases("made up", Sites([59.9], [10.7], [90.0]), dict.fromkeys(MODELS, bias[None]), "made up")
        maker = BlockMaker(Archive(store, years_of(store, CALENDAR)), sky(), told)
        return best_of(lambda: maker.block(corner, cells), 3) / len(cells)


def main() -> int:
    """Print the figures; 1 where the bar is missed."""
    begin = time.thread_time()
    shared = sky()
    print(f"once per process: the sun of {CALENDAR.n_hours} hours, {time.thread_time() - begin:.2f} s")
    bias = np.linspace(-5, 10, 12)
    slowest = 0.0
    for name, place in (("oslo", OSLO), ("tromso", TROMSO)):
        archive = series(name)
        seconds = best_of(lambda place=place, archive=archive: cell.cell_products(shared, place, archive, bias), ROUNDS)
        slowest = max(slowest, seconds)
        print(f"{name}: {seconds * 1e3:.1f} ms a cell, {1 / seconds:.0f} cells a second (bar {BAR:.0f})")
    archive = series("oslo")
    for stage, spent in stages(lambda: cell.cell_products(shared, OSLO, archive, bias)).items():
        print(f"  {stage:<36}{spent * 1e3:6.2f} ms")
    whole = from_the_store(bias)
    print(f"from the published archive to packed blocks: {whole * 1e3:.1f} ms a cell, {1 / whole:.0f} cells a second")
    packed = CALENDAR.n_hours * VARIABLES * np.dtype(np.uint16).itemsize
    print(f"{NATION} cells read {NATION * packed / 1e9:.0f} GB of packed archive, before its compression")
    for cores in CORES:
        kernels, all_of_it = (NATION * seconds / cores / 60 for seconds in (slowest, whole))
        print(f"  {cores:>5} cores: {kernels:8.2f} min of kernels, {all_of_it:8.2f} min with reading and packing")
    year = cell.cell_products(shared, OSLO, archive, bias).ensemble
    print(f"a request's scale: {best_of(lambda: scaled(year.ghi, year.dni, year.dhi, 1.04), 50) * 1e6:.0f} us")
    return 0 if 1 / slowest >= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
