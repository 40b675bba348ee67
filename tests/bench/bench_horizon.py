"""How fast horizons are made and how near the truth they are: `python -m tests.bench.bench_horizon`.

One core. The truth is `tests/kernels/horizon/reference.py`: samples of the source's own bilinear surface each metre,
in double precision, all 720 azimuths of a point. `SOLFLIS_BENCH_POINTS=points.csv` names points of the Oslo tile, a
line `lat,lon` each, which are looked at beside those of a fixed seed; each is moved to the nearest point of the grid.
"""

import csv
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dags.build.horizon.block import Made, blocks_of_piece, levels_around
from dags.build.horizon.pieces import Rectangle
from dags.build.terrain.reading import Terrain
from kernels.horizon.block import Piece
from kernels.horizon.lattice import Points
from kernels.horizon.levels import Level
from tests.bench import horizon_land
from tests.bench.bench_national import measured
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


def corners(place: Rectangle) -> list[Cell]:
    """The first cells of a place's blocks, counted from its own corner."""
    first = range(place.row, place.row + place.rows, BLOCK), range(place.column, place.column + place.columns, BLOCK)
    return [(row, column) for row in first[0] for column in first[1]]


def build(terrain: Terrain, place: Rectangle, reach: float) -> tuple[list[Made], float, float]:
    """The blocks as they are stored, and how long they took: seconds of wall and of processor."""
    wall, processor = time.perf_counter(), time.process_time()
    made = list(blocks_of_piece(terrain, place, corners(place), reach))
    return made, time.perf_counter() - wall, time.process_time() - processor


def kernel_alone(terrain: Terrain, place: Rectangle, reach: float) -> float:
    """Seconds of processor without reading and packing."""
    levels = levels_around(terrain, place, reach)
    begin = time.process_time()
    west, south, _, _ = place.bounds
    piece = Piece(levels, Points(west, south, HORIZON.size, (place.rows, place.columns)), eye=OBSERVER_M, reach=reach)
    for row, column in corners(place):
        shape = min(BLOCK, place.row + place.rows - row), min(BLOCK, place.column + place.columns - column)
        piece.block((row - place.row, column - place.column), shape)
    return time.process_time() - begin


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
    if (path := os.environ.get("SOLFLIS_BENCH_POINTS")) is None:
        return chosen(place, OTHER_SEED, NAMED)
    with Path(path).open() as file:
        rows = [row for row in csv.reader(file) if row and row[0].strip()[:1] in set("0123456789-+.")]
    return [HORIZON.cell_at(float(lat), float(lon)) for lat, lon, *_ in rows]


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
    print(f"  {title}: {len(there)} points, {off.size} rays, {cut} of them ({100 * cut / off.size:.1f} %) ran out of "
          f"data before {reach / 1000:g} km; {took:.0f} s of reference")  # fmt: skip
    print(f"    p50 {p50:.4f}, p95 {p95:.3f} (bar {BAR_USUAL}), p99.9 {p999:.3f} (bar {BAR_RARE}), max "
          f"{off[worst, azimuth]:.2f} degrees at {lat:.5f},{lon:.5f} azimuth {AZIMUTHS[azimuth]:.1f}: "
          f"{found[there][worst, azimuth]:.2f} for {exact[worst, azimuth]:.2f}")  # fmt: skip
    if len(there) < len(cells):
        print(f"    {len(cells) - len(there)} more have no ground and were not looked at")


def outside(terrain: Terrain, cells: Sequence[Cell], reach: float) -> NDArray[np.float64]:
    """Profiles of cells, each made on its own."""
    alone = [Rectangle(row, column, 1, 1) for row, column in cells]
    return np.array([profiles(build(terrain, place, reach)[0], place)[0, 0] for place in alone])


def oslo(folder: Path) -> None:
    """The tile on the real terrain of Oslo."""
    terrain = horizon_land.laid_down(str(folder / "oslo"), horizon_land.OSLO)
    truth = land.read(horizon_land.OSLO, 50.0)
    place = horizon_land.middle_of(truth, TILE)
    points = place.rows * place.columns
    build(terrain, Rectangle(place.row, place.column, 8, 8), NEAR_M)
    rounds = [build(terrain, place, NEAR_M) for _ in range(ROUNDS)]
    wall, processor = (points / float(np.median(times)) for times in list(zip(*rounds, strict=True))[1:])
    alone = points / kernel_alone(terrain, place, NEAR_M)
    print(f"Oslo, {points} points, 720 azimuths, {NEAR_M / 1000:g} km, levels of {terrain.cells} m, read to packed:")
    print(f"  {processor:.0f} points a second of one core (bar {BARS[NEAR_M]}), {wall:.0f} by the wall; kernel alone "
          f"{alone:.0f}")  # fmt: skip
    made = profiles(rounds[-1][0], place)
    cells = chosen(place, SEED, SOME)
    judge("fixed seed", np.array([made[r - place.row, c - place.column] for r, c in cells]), cells, truth, NEAR_M)
    wanted = named(place)
    inside = [c for c in wanted if 0 <= c[0] - place.row < place.rows and 0 <= c[1] - place.column < place.columns]
    if inside:
        seen = np.array([made[r - place.row, c - place.column] for r, c in inside])
        judge(
            "named by the caller" if "SOLFLIS_BENCH_POINTS" in os.environ else "another seed",
            seen,
            inside,
            truth,
            NEAR_M,
        )
    if beyond := [c for c in wanted if c not in inside]:
        judge("named, outside the tile", outside(terrain, beyond, NEAR_M), beyond, truth, NEAR_M)


def finse(folder: Path) -> None:
    """The real file of Finse, in cells of 100 m and UTM 32: against its own surface."""
    terrain = horizon_land.laid_down(str(folder / "finse"), horizon_land.FINSE)
    row, column = foreign.middle(horizon_land.FINSE)
    place = Rectangle(row - TILE // 2, column - TILE // 2, TILE, TILE)
    build(terrain, Rectangle(place.row, place.column, 8, 8), NEAR_M)
    made, wall, processor = build(terrain, place, NEAR_M)
    print(f"Finse, {TILE**2} points, {NEAR_M / 1000:g} km, cells of 100 m in UTM 32, levels of {terrain.cells} m:")
    print(f"  {TILE**2 / processor:.0f} points a second of one core, {TILE**2 / wall:.0f} by the wall")
    cells = chosen(place, SEED, SOME)
    seen = profiles(made, place)[tuple((np.array(cells) - place[:2]).T)]
    judge("fixed seed", seen, cells, horizon_land.FINSE, NEAR_M)


def nation(folder: Path) -> None:
    """A piece of made-up mountains seen 100 km around; what the country takes; the memory of a worker."""
    file, truth = horizon_land.wide(folder)
    store = str(folder / "wide")
    terrain = horizon_land.laid_down(store, file)
    place = horizon_land.piece_in_the_middle()
    points = place.rows * place.columns
    build(terrain, Rectangle(place.row, place.column, 8, 8), FAR_M)
    made, wall, processor = build(terrain, place, FAR_M)
    a_second = points / processor
    print(f"made-up mountains 230 km wide, {points} points, {FAR_M / 1000:g} km, levels of {terrain.cells} m:")
    print(f"  {a_second:.0f} points a second of one core (bar {BARS[FAR_M]}), {points / wall:.0f} by the wall; kernel "
          f"alone {points / kernel_alone(terrain, place, FAR_M):.0f}")  # fmt: skip
    bytes_each, storing = stored(folder, made, points)
    each = processor / points + storing
    minutes = ", ".join(f"{NATION * each / 60 / cores:.1f} minutes on {cores} cores" for cores in CORES)
    print(f"  {1e6 * storing:.0f} us a point to compress and write; mainland Norway, {NATION / 1e6:g} million points: "
          f"{minutes}")  # fmt: skip
    print("  its size: " + ", ".join(f"{name} {size:.0f} B" for name, size in bytes_each.items())
          + f" a point, {NATION * sum(bytes_each.values()) / 1e9:.1f} GB in all")  # fmt: skip
    cells = chosen(place, SEED, FEW)
    seen = profiles(made, place)
    judge("fixed seed", np.array([seen[r - place.row, c - place.column] for r, c in cells]), cells, truth, FAR_M)
    del made, seen
    horizon_land.laid_down(store, horizon_land.fine(folder, truth))
    argv = [sys.executable, "-m", "tests.bench.horizon_worker", store]
    seconds, gib, spent = measured(argv, dict(os.environ))
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


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        for file, figures in ((horizon_land.OSLO, oslo), (horizon_land.FINSE, finse)):
            if file.exists():
                figures(Path(folder))
            else:
                print(f"the real terrain is not here: {file}")
        nation(Path(folder))


if __name__ == "__main__":
    main()
