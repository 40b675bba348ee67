"""Land for the bench of horizons, laid down by the real builder: Oslo from its file, and made-up mountains."""

from pathlib import Path

import numpy as np
import rasterio
from numpy.typing import NDArray

from dags.areas import Area
from dags.build.executor import cpus
from dags.build.horizon import horizon
from dags.build.horizon.pieces import PIECE, Rectangle
from dags.build.terrain import terrain
from dags.build.terrain.reading import Terrain
from kernels.horizon.levels import Level
from tests.kernels.horizon import land
from tests.support.context import context_of
from tiles.grid import HORIZON
from tiles.products.horizon import BLOCK
from tiles.store import open_store

CLOCK = "2026-08-24T00:00:00Z!"
_REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "terrain"
OSLO, FINSE = _REAL / land.OSLO, _REAL / land.FINSE
WIDE_CELLS, WIDE_M = 4600, 50.0
MIDDLE = (265_000.0, 6_765_000.0)
"""Of the made-up land, 230 km wide, in eastern Norway."""
_HIGHEST = 2400.0
_FINE_M, _FINE_AROUND = 10.0, 6_000.0
_SIDE = PIECE * BLOCK


def laid_down(store: str, *files: Path) -> Terrain:
    """The terrain of files, one over the other, as `solflis build terrain` lays it down."""
    terrain.build(context_of(store, CLOCK, paths=tuple(map(str, files)), year=2020, processes=cpus()))
    return Terrain(open_store(store))


def middle_of(level: Level, side: int) -> Rectangle:
    """So many by so many points of the horizon's grid in the middle of some heights."""
    south, west = (o + level.cell * n / 2 for o, n in zip((level.y0, level.x0), level.z.shape, strict=True))
    row, column = round((south - HORIZON.y0) / HORIZON.size), round((west - HORIZON.x0) / HORIZON.size)
    return Rectangle(row - side // 2, column - side // 2, side, side)


def piece_in_the_middle() -> Rectangle:
    """The piece of the builder that holds the middle of the made-up land."""
    row, column = (
        int((at - o) // HORIZON.size) // _SIDE * _SIDE
        for at, o in zip(MIDDLE[::-1], (HORIZON.y0, HORIZON.x0), strict=True)
    )
    return Rectangle(row, column, _SIDE, _SIDE)


def build_piece(store: str) -> None:
    """Begin a build of that piece, and make it, as a worker does."""
    place = piece_in_the_middle()
    lat, lon = HORIZON.centre((place.row + place.rows // 2, place.column + place.columns // 2))
    context = context_of(store, CLOCK, (Area("piece", lat, lon, (place.rows - 4) * HORIZON.size / 1000),), report=print)
    for group in horizon.build.begin(context):
        horizon.build.make_group(context, group)


def wide(folder: Path) -> tuple[Path, Level]:
    """A file of 230 x 230 km in cells of 50 m, as steep as Oslo's hills, a fifth of it sea; and what it holds."""
    z = land.fractal((WIDE_CELLS, WIDE_CELLS), 17, WIDE_M, 0.14, 0.72)
    z = np.clip(z - np.quantile(z[::10, ::10], 0.2), 0, None)
    z *= min(_HIGHEST / float(z.max()), 1)
    west, south = (at - WIDE_CELLS * WIDE_M / 2 for at in MIDDLE)
    return _written(folder / "wide.tif", z, west, south, WIDE_M), Level(
        z, west + WIDE_M / 2, south + WIDE_M / 2, WIDE_M
    )


def fine(folder: Path, level: Level) -> Path:
    """The same land in cells of 10 m around the piece in the middle, with detail."""
    west, south, east, north = piece_in_the_middle().bounds
    (top, bottom), (left, right) = (
        (int((low - _FINE_AROUND - o) // WIDE_M), int((high + _FINE_AROUND - o) // WIDE_M))
        for low, high, o in ((south, north, level.y0), (west, east, level.x0))
    )
    times = round(WIDE_M / _FINE_M)
    z = level.z[top:bottom, left:right].repeat(times, 0).repeat(times, 1)
    z = np.clip(z + land.fractal(z.shape, 18, _FINE_M, 0.1, 0.6), 0, _HIGHEST + 50)
    west_edge, south_edge = (o + WIDE_M * (first - 0.5) for o, first in ((level.x0, left), (level.y0, top)))
    return _written(folder / "fine.tif", z, west_edge, south_edge, _FINE_M)


def _written(path: Path, z: NDArray[np.float32], west: float, south: float, cell: float) -> Path:
    rows, columns = z.shape
    transform = rasterio.transform.from_origin(west, south + rows * cell, cell, cell)
    form = {"driver": "GTiff", "dtype": "float32", "count": 1, "height": rows, "width": columns, "tiled": True}
    with rasterio.open(path, "w", crs="EPSG:25833", transform=transform, **form) as file:
        file.write(np.ascontiguousarray(z[::-1], dtype=np.float32), 1)
    return path
