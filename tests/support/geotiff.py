"""GeoTIFFs of a function of the place, in any projection."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyproj
import rasterio
from numpy.typing import NDArray
from rasterio.transform import from_origin

from dags.build.terrain import terrain
from dags.build.terrain.reading import Terrain
from tests.support.context import context_of
from tiles.store import open_store

Height = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]
# A corner that all levels share, in the hills between Oslo and Trondheim.
WEST, SOUTH = 250_000.0, 6_850_000.0
BOX = (WEST, SOUTH, WEST + 5000, SOUTH + 5000)
"""Of 100 x 100 cells of 50 m."""
CLOCK = "2026-06-21T10:20:00Z!"


def hills(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Smooth land that tells every place apart, m."""
    return 600 + 0.01 * (x - WEST) + 0.02 * (y - SOUTH) + 60 * np.sin(x / 900) * np.cos(y / 1300)


def write(
    path: Path,
    height: Height = hills,
    *,
    west: float = WEST,
    south: float = SOUTH,
    shape: tuple[int, int] = (100, 100),
    cell: float = 50.0,
    crs: str | None = "EPSG:25833",
    nodata: float | None = None,
    change: Callable[[NDArray[np.float32]], Any] | None = None,
    **tags: str,
) -> Path:
    """Write the heights of a place; `west`, `south` and `cell` are of the file's own projection.

    Parameters
    ----------
    path : Path
    height : callable
        m, of x and y in UTM 33.
    west, south, cell : float
    shape : (int, int)
        Rows and columns.
    crs : str or None
    nodata : float or None
    change : callable, optional
        Changes the band (row 0 in the north) before it is written.
    """
    rows, columns = shape
    xs, ys = west + (np.arange(columns) + 0.5) * cell, south + (np.arange(rows)[::-1] + 0.5) * cell
    x, y = np.meshgrid(xs, ys)
    if crs not in (None, "EPSG:25833"):
        x, y = pyproj.Transformer.from_crs(crs, "EPSG:25833", always_xy=True).transform(x, y)
    z = height(x, y).astype(np.float32)
    if change is not None:
        change(z)
    with rasterio.open(
        path,
        "w",
        driver="GTiff",
        width=columns,
        height=rows,
        count=1,
        dtype="float32",
        crs=crs,
        transform=from_origin(west, south + rows * cell, cell, cell),
        nodata=nodata,
    ) as model:
        model.write(z, 1)
        model.update_tags(**tags)
    return path


def laid(folder: Path, *files: Path, said: list[str] | None = None) -> Terrain:
    """Lay files over the terrain of a folder."""
    report = (said if said is not None else []).append
    terrain.build(context_of(folder, CLOCK, paths=tuple(map(str, files)), report=report))
    return Terrain(open_store(str(folder)))


def hills_of(cell: float, side: int) -> NDArray[np.float64]:
    """Heights in the middle of cells, row 0 in the south."""
    at = (np.arange(side) + 0.5) * cell
    return hills(*np.meshgrid(WEST + at, SOUTH + at))
