"""How fast typical years are made.

One core, all four products of a cell, its archive in memory; and what the whole country takes.
"""

import time
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dags.build.climate.archive_reading import Archive, years_of
from dags.build.climate.station_bias import MODELS, Biases
from dags.build.climate.tmy_block import BlockMaker
from kernels.tmy import cell
from kernels.tmy.bias_field import Sites
from kernels.tmy.scaling import scaled
from tests.bench.timing import best_of
from tests.kernels.tmy.archives import CALENDAR, OSLO, TROMSO, series, sky
from tests.support.archive import publish_archive
from tiles.store import open_store

BAR = 20.0
"""Cells per second on one core."""
NATION = 40_996
"""Cells that hold land, see the README; the contract speaks of 38,671."""
CORES = (2, 64, 1000)
VARIABLES = 6
ROUNDS = 20


def from_the_store(folder: Path, bias: NDArray[np.float64]) -> float:
    """Seconds of processor a cell takes from the chunks of 35 published years to what is stored of its block."""
    corner, cells = (64, 112), tuple(range(8))
    store = open_store(str(folder))
    publish_archive(store, {(corner[0], corner[1] + n): series("oslo") for n in cells})
    told = Biases("made up", Sites([59.9], [10.7], [90.0]), dict.fromkeys(MODELS, bias[None]), "made up")
    maker = BlockMaker(Archive(store, years_of(store, CALENDAR)), sky(), told)
    return best_of(lambda: maker.block(corner, cells), 3) / len(cells)


def measure(folder: Path) -> int:
    """Print the figures; 1 where the bar is missed."""
    begin = time.thread_time()
    shared = sky()
    print(f"once per process: the sun of {CALENDAR.n_hours} hours, {time.thread_time() - begin:.2f} s")
    bias = np.linspace(-5, 10, 12)
    slowest = 0.0
    for name, place in (("oslo", OSLO), ("tromso", TROMSO)):
        archive = series(name)
        seconds = best_of(partial(cell.cell_products, shared, place, archive, bias), ROUNDS)
        slowest = max(slowest, seconds)
        print(f"{name}: {seconds * 1e3:.1f} ms a cell, {1 / seconds:.0f} cells a second (bar {BAR:.0f})")
    archive = series("oslo")
    whole = from_the_store(folder, bias)
    print(f"from the published archive to packed blocks: {whole * 1e3:.1f} ms a cell, {1 / whole:.0f} cells a second")
    packed = CALENDAR.n_hours * VARIABLES * np.dtype(np.uint16).itemsize
    print(f"{NATION} cells read {NATION * packed / 1e9:.0f} GB of packed archive, before its compression")
    for cores in CORES:
        kernels, all_of_it = (NATION * seconds / cores / 60 for seconds in (slowest, whole))
        print(f"  {cores:>5} cores: {kernels:8.2f} min of kernels, {all_of_it:8.2f} min with reading and packing")
    year = cell.cell_products(shared, OSLO, archive, bias).ensemble
    print(f"a request's scale: {best_of(lambda: scaled(year.ghi, year.dni, year.dhi, 1.04), 50) * 1e6:.0f} us")
    return 0 if 1 / slowest >= BAR else 1
