"""GeoTIFFs of heights that an operator has: opened with care, and put on the cells of another CRS."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catalog.sources.errors import Origin, beginning
from catalog.sources.kartverket.heights import HIGHEST, LOWEST
from catalog.sources.point_cloud import horizontal

_TYPES = ("float32", "float64", "int16", "int32", "uint16")
_LARGEST_BLOCK = 2048 * 2048


@contextmanager
def open_raster(origin: Origin, path: Path) -> Iterator[Any]:
    """Yield a GeoTIFF of one band of heights.

    Raises
    ------
    SourceError
        It is none, or not fit to be read in windows.
    """
    import rasterio
    from rasterio.errors import NotGeoreferencedWarning, RasterioError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotGeoreferencedWarning)
            # no other driver: some of GDAL's follow addresses that stand in a file
            with rasterio.open(path, driver="GTiff") as raster:
                rows, columns = raster.block_shapes[0]
                upright = raster.transform.b == raster.transform.d == 0 and raster.transform.e < 0 < raster.transform.a
                if raster.crs is None or not upright:
                    raise origin.error("names no coordinate reference system, or is not north up")
                if raster.count != 1 or raster.dtypes[0] not in _TYPES or rows * columns > _LARGEST_BLOCK:
                    raise origin.error("is no GeoTIFF of one band of heights in blocks of at most 4 million cells")
                yield raster
    except RasterioError as error:
        raise origin.error(f"cannot be read as a GeoTIFF: {beginning(str(error))}") from error


def resampled(
    raster: Any, crs: Any, west: float, south: float, cell: float, shape: tuple[int, int]
) -> NDArray[np.float32]:
    """Return a raster's heights at the cells of another CRS, row 0 in the south; NaN where there are none."""
    rows, columns = shape
    x, y = np.meshgrid(west + (np.arange(columns) + 0.5) * cell, south + (np.arange(rows) + 0.5) * cell)
    return heights_at(raster, crs, x, y)


def heights_at(raster: Any, crs: Any, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return a raster's heights at places of another CRS, bilinear; NaN where there are none."""
    from pyproj import Transformer

    x, y = Transformer.from_crs(crs_of(raster), crs, always_xy=True).transform(x, y, direction="INVERSE")
    j, i = (x - raster.transform.c) / raster.transform.a - 0.5, (y - raster.transform.f) / raster.transform.e - 0.5
    return between(read_cells(raster, i, j), i, j)


def crs_of(raster: Any) -> Any:
    """Return the horizontal CRS of a raster, of pyproj."""
    from pyproj import CRS

    return horizontal(CRS.from_user_input(raster.crs))


class Cells(NamedTuple):
    """Heights of a part of a raster, and the row and column of its first cell."""

    z: NDArray[np.float64]
    row: int
    column: int


def read_cells(raster: Any, i: NDArray[np.float64], j: NDArray[np.float64]) -> Cells:
    """Return the cells around places (rows and columns of centres), NaN where there are no heights."""
    from rasterio.windows import Window

    (top, bottom), (left, right) = (
        (int(np.clip(np.floor(axis.min()) - 1, 0, most - 1)), int(np.clip(np.ceil(axis.max()) + 2, 1, most)))
        for axis, most in ((i, raster.height), (j, raster.width))
    )
    z = raster.read(1, window=Window(left, top, max(1, right - left), max(1, bottom - top))).astype(np.float64)
    with np.errstate(invalid="ignore"):
        missing = ~((z >= LOWEST) & (z <= HIGHEST))
    if raster.nodata is not None:
        missing |= z == raster.nodata
    z[missing] = np.nan
    return Cells(z, top, left)


def between(cells: Cells, i: NDArray[np.float64], j: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return heights at places between cells, bilinear; NaN where cells with less than half of the weight are known."""
    rows, columns = cells.z.shape
    # what is a cell's centre but for rounding has its height
    i, j = np.round(i - cells.row, 4), np.round(j - cells.column, 4)
    total, weight = np.zeros(i.shape), np.zeros(i.shape)
    for di in (0, 1):
        for dj in (0, 1):
            k, m = np.floor(i).astype(np.int64) + di, np.floor(j).astype(np.int64) + dj
            inside = (k >= 0) & (k < rows) & (m >= 0) & (m < columns)
            z = np.where(inside, cells.z[np.clip(k, 0, rows - 1), np.clip(m, 0, columns - 1)], np.nan)
            share = (1 - np.abs(i - k)) * (1 - np.abs(j - m)) * np.isfinite(z)
            total += share * np.nan_to_num(z)
            weight += share
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(weight >= 0.5, total / weight, np.nan).astype(np.float32)
