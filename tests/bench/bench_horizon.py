"""How fast horizons are made and how near the truth they are.

One core. The truth is `tests/kernels/horizon/reference.py`: samples of the source's own bilinear surface each metre,
in double precision, all 720 azimuths of a point. `SOLFLIS_BENCH_POINTS=points.csv` names points of the Oslo tile, a
line `lat,lon` each, which are looked at beside those of a fixed seed; each is moved to the nearest point of the grid.
"""

import os
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dags.build.horizon.block import Made, blocks_of_piece
from dags.build.horizon.pieces import Rectangle
from dags.build.terrain.reading import Terrain
from kernels.horizon.levels import Level
from tests.bench import horizon_land
from tests.bench.timing import measured
from tests.kernels.horizon import foreign, land, reference
from tests.kernels.horizon.reference import AZIMUTHS
from tiles.grid import HORIZON, Cell
from tiles.products.horizon import BLOCK, OBSERVER_M, PRODUCT
from tiles.store import open_store
from tiles.writer import Draft

TILE, NEAR_M, FAR_M = 150, 15e3, 100e3
BARS = {NEAR_M: 3000, FAR_M: 1500}
"""Points per second of one core."""
BAR_USUAL, BAR_RARE = 0.25, 0.75
"""Degrees, 95 % and 99.9 % of the azimuths."""
BAR_GIB = 2.0
NATION, CORES = 32_000_000, (2, 64, 1000)
SEED, OTHER_SEED, SOME, NAMED, FEW = 20260824, 577, 200, 50, 30
ROUNDS = 3
POINTS = os.environ.get("SOLFLIS_BENCH_POINTS")


def corners(place: Rectangle) -> list[Cell]:
    """The first cells of a place's blocks, counted from its own corner."""
    first = range(place.row, place.row + place.rows, BLOCK), range(place.column, place.column + place.columns, BLOCK)
    return [(row, column) for row in first[0] for column in first[1]]


def build(terrain: Terrain, place: Rectangle, reach: float) -> tuple[list[Made], float, float]:
    """The blocks as they are stored, and how long they took: seconds of wall and of processor."""
    wall, processor = time.perf_counter(), time.process_time()
    made = list(blocks_of_piece(terrain, place, corners(place), reach))
    return made, time.perf_counter() - wall, time.process_time() - processor


def profiles(made: Sequence[Made], place: Rectangle) -> NDArray[np.float64]:
    """Elevations as a reader unpacks them, (rows, columns, 720), degrees."""
    found = np.full((place.rows, place.columns, AZIMUTHS.size), np.nan)
    for one in made:
        z = PRODUCT.variable("elevation").unpack(one.packed["elevation"]).transpose(1, 2, 0)
        row, column = one.corner[0] - place.row, one.corner[1] - place.column
        found[row : row + z.shape[0], column : column + z.shape[1]] = z
    return found


def chosen(place: Rectangle, seed: int, count: int) -> list[Cell]:
    """So many different cells of a place."""
    picked = np.random.default_rng(seed).choice(place.rows * place.columns, count, replace=False)
    return [(place.row + int(n) // place.columns, place.column + int(n) % place.columns) for n in picked]


def named(place: Rectangle) -> list[Cell]:
    """The cells that the caller names; of another fixed seed when none are."""
    if not POINTS:
        return chosen(place, OTHER_SEED, NAMED)
    rows = np.genfromtxt(POINTS, delimiter=",", usecols=(0, 1))
    return [HORIZON.cell_at(lat, lon) for lat, lon in rows[np.isfinite(rows).all(axis=1)].tolist()]


def seen_from(heights: Level | Path, cells: Sequence[Cell], reach: float) -> list[reference.Truth | None]:
    """The truth of some cells."""
    if isinstance(heights, Path):
        return foreign.seen_from(heights, cells, reach, OBSERVER_M)[0]
    rows, columns = np.array(cells).T + 0.5
    centres = np.column_stack([HORIZON.x0 + HORIZON.size * columns, HORIZON.y0 + HORIZON.size * rows])
    return reference.horizons(heights, centres, reach, OBSERVER_M)


def judge(title: str, found: NDArray[np.float64], cells: Sequence[Cell], truth: Level | Path, reach: float) -> None:
    """Compare profiles, (points, 720), with heights or a file in its own projection; print how far they are off."""
    begin = time.perf_counter()
    truths = seen_from(truth, cells, reach)
    took = time.perf_counter() - begin
    there = [n for n, one in enumerate(truths) if one is not None]
    if not there:
        print(f"  {title}: none of them has ground")
        return
    exact = np.array([one.elevation for one in truths if one is not None])
    cut = sum(int(np.count_nonzero(one.looked < reach)) for one in truths if one is not None)
    off = np.abs(found[there] - exact)
    p50, p95, p999 = np.quantile(off, (0.5, 0.95, 0.999))
    worst, azimuth = np.unravel_index(np.nanargmax(off), off.shape)
    lat, lon = HORIZON.centre(cells[there[int(worst)]])
    print(f"  {title}: {len(there)} of {len(cells)} points, {off.size} rays, {cut} of them ({100 * cut / off.size:.1f}"
          f" %) ran out of data before {reach / 1000:g} km; {took:.0f} s of reference")  # fmt: skip
    print(f"    p50 {p50:.4f}, p95 {p95:.3f} (bar {BAR_USUAL}), p99.9 {p999:.3f} (bar {BAR_RARE}), max "
          f"{off[worst, azimuth]:.2f} degrees at {lat:.5f},{lon:.5f} azimuth {AZIMUTHS[azimuth]:.1f}: "
          f"{found[there][worst, azimuth]:.2f} for {exact[worst, azimuth]:.2f}")  # fmt: skip


def outside(terrain: Terrain, cells: Sequence[Cell], reach: float) -> NDArray[np.float64]:
    """Profiles of cells, each made on its own."""
    alone = [Rectangle(row, column, 1, 1) for row, column in cells]
    return np.array([profiles(build(terrain, place, reach)[0], place)[0, 0] for place in alone])


def tile(
    title: str, terrain: Terrain, place: Rectangle, truth: Level | Path, reach: float, some: int, rounds: int = 1
) -> tuple[list[Made], float]:
    """Print how fast a tile is built and how far it is off; return its blocks and the seconds of processor a point."""
    points = place.rows * place.columns
    build(terrain, Rectangle(place.row, place.column, 8, 8), reach)
    took = [build(terrain, place, reach) for _ in range(rounds)]
    wall, processor = (float(np.median(times)) / points for times in list(zip(*took, strict=True))[1:])
    print(f"{title}, {points} points, {reach / 1000:g} km, levels of {terrain.cells} m, read to packed:")
    bar = f" (bar {BARS[reach]})" if isinstance(truth, Level) else ""  # the real file of Finse has none
    print(f"  {1 / processor:.0f} points a second of one core{bar}, {1 / wall:.0f} by the wall")
    cells, made = chosen(place, SEED, some), took[-1][0]
    judge("fixed seed", profiles(made, place)[tuple((np.array(cells) - place[:2]).T)], cells, truth, reach)
    return made, processor


def oslo(folder: Path) -> None:
    """The tile on the real terrain of Oslo."""
    terrain = horizon_land.laid_down(str(folder / "oslo"), horizon_land.OSLO)
    truth = land.read(horizon_land.OSLO, 50.0)
    place = horizon_land.middle_of(truth, TILE)
    tile("Oslo", terrain, place, truth, NEAR_M, SOME, ROUNDS)
    wanted = named(place)
    judge("named by the caller" if POINTS else "another seed", outside(terrain, wanted, NEAR_M), wanted, truth, NEAR_M)


def finse(folder: Path) -> None:
    """The real file of Finse, in cells of 100 m and UTM 32: against its own surface."""
    terrain = horizon_land.laid_down(str(folder / "finse"), horizon_land.FINSE)
    row, column = foreign.middle(horizon_land.FINSE)
    place = Rectangle(row - TILE // 2, column - TILE // 2, TILE, TILE)
    tile("Finse, cells of 100 m in UTM 32", terrain, place, horizon_land.FINSE, NEAR_M, SOME)


def nation(folder: Path) -> None:
    """A piece of made-up mountains seen 100 km around; what the country takes; the memory of a worker."""
    file, truth = horizon_land.wide(folder)
    store = str(folder / "wide")
    place = horizon_land.piece_in_the_middle()
    points = place.rows * place.columns
    terrain = horizon_land.laid_down(store, file)
    made, processor = tile("made-up mountains 230 km wide", terrain, place, truth, FAR_M, FEW)
    bytes_each, storing = stored(folder, made, points)
    each = processor + storing
    minutes = ", ".join(f"{NATION * each / 60 / cores:.1f} minutes on {cores} cores" for cores in CORES)
    print(f"  {1e6 * storing:.0f} us a point to compress and write; mainland Norway, {NATION / 1e6:g} million points: "
          f"{minutes}")  # fmt: skip
    print("  its size: " + ", ".join(f"{name} {size:.0f} B" for name, size in bytes_each.items())
          + f" a point, {NATION * sum(bytes_each.values()) / 1e9:.1f} GB in all")  # fmt: skip
    horizon_land.laid_down(store, horizon_land.fine(folder, truth))
    code = "import sys; from tests.bench.horizon_land import build_piece; build_piece(sys.argv[1])"
    seconds, gib, spent = measured("-c", code, store)
    print(f"a worker of the builder, one piece, levels of 10, 50 and 250 m, 150 km: peak {gib:.2f} GiB (bar "
          f"{BAR_GIB}), {seconds:.0f} s, {points / spent:.0f} points a second of its processor")  # fmt: skip


def stored(folder: Path, made: Sequence[Made], points: int) -> tuple[dict[str, float], float]:
    """Write blocks through the real writer; bytes of each variable and seconds of processor, both a point."""
    draft = Draft(open_store(str(folder / "draft")), PRODUCT, "2026-08-24T00", {"azimuth": AZIMUTHS}, {})
    begin = time.process_time()
    for one in made:
        for name, packed in one.packed.items():
            draft.write_block(name, one.corner, packed)
    took = time.process_time() - begin
    root = folder / "draft" / draft.path
    sizes = {
        name: sum(path.stat().st_size for path in (root / name).rglob("*") if path.is_file()) / points
        for name in made[0].packed
    }
    return sizes, took / points


def measure(folder: Path) -> None:
    """Print the figures."""
    for file, figures in ((horizon_land.OSLO, oslo), (horizon_land.FINSE, finse)):
        if file.exists():
            figures(folder)
        else:
            print(f"the real terrain is not here: {file}")
    nation(folder)
