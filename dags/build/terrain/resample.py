"""Rectangles of a level, what a source knows of their cells, and rasters warped onto them."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio import Affine
from rasterio.io import DatasetReader, MemoryFile
from rasterio.vrt import WarpedVRT
from rasterio.warp import Resampling
from rasterio.warp import transform as between

from dags.areas import Area
from kernels import utm
from tiles.building import Corner
from tiles.products.terrain import GRIDS, SIDE

Heights = NDArray[np.float32]
Mask = NDArray[np.bool_]
Bounds = tuple[float, float, float, float]

EPSG = 25833
# Of a source's cell. With GDAL's default (0.125; the only one of `rasterio.warp.reproject`) heights from cells of 100 m
# in steep land are 9 cm off, and differ from window to window; with this one 0.5 mm.
_TOLERANCE = 1e-5
_LARGEST = GRIDS[max(GRIDS)]
_X0, _Y0 = _LARGEST.x0, _LARGEST.y0
EXTENT: Bounds = (_X0, _Y0, _X0 + _LARGEST.n_x * _LARGEST.size, _Y0 + _LARGEST.n_y * _LARGEST.size)
"""Of the grid of all levels, m in UTM 33."""


class Part(NamedTuple):
    """A rectangle of cells, counted from the corner that all levels share: the first row and column, and how many."""

    cell: int
    row: int
    column: int
    rows: int
    columns: int

    @classmethod
    def covering(cls, cell: int, bounds: Bounds) -> "Part":
        """Return the smallest part of whole cells that holds bounds (m in UTM 33)."""
        west, south, east, north = bounds
        row, column = math.floor((south - _Y0) / cell), math.floor((west - _X0) / cell)
        return cls(cell, row, column, math.ceil((north - _Y0) / cell) - row, math.ceil((east - _X0) / cell) - column)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.rows, self.columns

    @property
    def bounds(self) -> Bounds:
        """West, south, east and north, m in UTM 33."""
        west, south = _X0 + self.column * self.cell, _Y0 + self.row * self.cell
        return west, south, west + self.columns * self.cell, south + self.rows * self.cell

    @property
    def transform(self) -> Affine:
        """Of a raster of the part whose row 0 is the northernmost."""
        west, _, _, north = self.bounds
        return Affine(self.cell, 0, west, 0, -self.cell, north)

    def wider(self, by: int) -> "Part":
        """Return it with so many cells more on each side, also past the grid's edge."""
        return Part(self.cell, self.row - by, self.column - by, self.rows + 2 * by, self.columns + 2 * by)

    def slices_of(self, other: "Part") -> tuple[slice, slice]:
        """Return rows and columns of another part, of the same cells, in an array of this one that holds it."""
        row, column = other.row - self.row, other.column - self.column
        return slice(row, row + other.rows), slice(column, column + other.columns)


class Found(NamedTuple):
    """What is known of the cells of a part, row 0 in the south; heights m, NaN where unknown.

    Parameters
    ----------
    ground, top : float32 (rows, columns)
        Mean of the cell, and the highest of what the source has in it.
    sea : bool (rows, columns)
        No ground, but the sea.
    """

    ground: Heights
    top: Heights
    sea: Mask

    def at(self, cells: tuple[slice, slice]) -> "Found":
        """Return a part of it."""
        return Found(self.ground[cells], self.top[cells], self.sea[cells])

    def over(self, below: "Found | None") -> "Found":
        """Return it laid over another: sea that was only inferred hides no ground."""
        if below is None:
            return self
        ours = ~np.isnan(self.ground)
        ground, top = np.where(ours, self.ground, below.ground), np.where(ours, self.top, below.top)
        return Found(ground, top, (self.sea | below.sea) & np.isnan(ground))


class Reading(NamedTuple):
    """Heights of a part and one cell around from one source; `notes` hold its inputs and `data_origin`."""

    found: Found
    year: int | None
    notes: dict[str, Any]


def corners(cell: float, bounds: Bounds | None, side: int = SIDE) -> set[Corner]:
    """Return the blocks, of `side` cells along a side, that bounds touch."""
    inside = None if bounds is None else intersection(bounds, EXTENT)
    if inside is None:
        return set()
    blocks = Part.covering(round(cell * side), inside)
    rows, columns = (range(first, first + n) for first, n in zip(blocks[1:3], blocks.shape, strict=True))
    return {(row * side, column * side) for row in rows for column in columns}


def square(area: Area, beyond: float = 0) -> Bounds:
    """Return an area with so much land around it, m in UTM 33."""
    x, y = (float(value) for value in utm.forward(area.lat, area.lon))
    half = area.side_km * 500 + beyond
    return x - half, y - half, x + half, y + half


def overlap(one: Bounds | None, other: Bounds | None) -> bool:
    """Return whether two rectangles have any area in common."""
    return one is not None and other is not None and intersection(one, other) is not None


def intersection(one: Bounds, other: Bounds) -> Bounds | None:
    """Return what two rectangles have in common; None where that is nothing."""
    west, south = max(one[0], other[0]), max(one[1], other[1])
    east, north = min(one[2], other[2]), min(one[3], other[3])
    return (west, south, east, north) if west < east and south < north else None


@contextmanager
def in_memory(values: NDArray[Any], transform: Affine, crs: Any, nodata: float = np.nan) -> Iterator[DatasetReader]:
    """Open an array as a raster of one band."""
    rows, columns = values.shape
    profile = {"driver": "GTiff", "count": 1, "height": rows, "width": columns, "dtype": values.dtype}
    with MemoryFile() as file:
        with file.open(crs=crs, transform=transform, nodata=nodata, **profile) as raster:
            raster.write(values, 1)
        with file.open() as raster:
            yield raster


def warped(
    raster: DatasetReader,
    transform: Affine,
    shape: tuple[int, int],
    how: Resampling,
    *,
    crs: Any = f"EPSG:{EPSG}",
    nodata: float = np.nan,
) -> NDArray[Any]:
    """Return the first band of a raster on another grid, its rows as the transform says.

    Bilinear is by the centres of both rasters' cells; a cell is known where the source's cell at its centre is.

    Parameters
    ----------
    raster : rasterio dataset
    transform, shape, crs
        The other grid; in UTM 33 when `crs` is absent.
    how : Resampling
    nodata : float
        What is returned where nothing is known; uint8 unless it is NaN.
    """
    dtype = "float32" if np.isnan(nodata) else "uint8"
    rows, columns = shape
    grid = {"crs": crs, "transform": transform, "height": rows, "width": columns}
    with WarpedVRT(raster, **grid, resampling=how, tolerance=_TOLERANCE, nodata=nodata, dtype=dtype) as vrt:
        found: NDArray[Any] = vrt.read(1)
    return found


def onto(raster: DatasetReader, part: Part, how: Resampling, *, nodata: float = np.nan) -> NDArray[Any]:
    """Return a raster in the cells of a part, row 0 in the south; see `warped`."""
    return warped(raster, part.transform, part.shape, how, nodata=nodata)[::-1].copy()


def highest_nodes(z: Heights, transform: Affine, crs: Any, part: Part) -> Heights:
    """Return the highest centre of a coarse source's cells in each cell of a part; NaN where there is none."""
    rows, columns = np.nonzero(~np.isnan(z))
    highest = np.full(part.shape, np.nan, np.float32)
    x, y = (
        np.asarray(v)
        for v in between(crs, f"EPSG:{EPSG}", *rasterio.transform.xy(transform, rows, columns))
    )  # fmt: skip
    west, south, _, _ = part.bounds
    i, j = np.floor((y - south) / part.cell).astype(int), np.floor((x - west) / part.cell).astype(int)
    inside = (i >= 0) & (i < part.rows) & (j >= 0) & (j < part.columns)
    np.fmax.at(highest, (i[inside], j[inside]), z[rows, columns][inside])
    return highest


def above_surface(found: Found) -> Heights:
    """Return the highest of each cell but the outermost: of the source, and of the surface between the centres.

    Bilinear patches are highest at their corners: of a cell these are its centre, and the middles and ends of its
    sides.

    Returns
    -------
    float32 (rows - 2, columns - 2)
        m; NaN where nothing is known.
    """
    surface = np.where(found.sea, np.float32(0), found.ground)
    centre = surface[1:-1, 1:-1]
    rows, columns = centre.shape
    top = np.fmax(found.top[1:-1, 1:-1], centre)

    def beside(dy: int, dx: int) -> Heights:
        return surface[1 + dy : 1 + dy + rows, 1 + dx : 1 + dx + columns]

    for dy in (-1, 1):
        top = np.fmax(top, (centre + beside(dy, 0)) / 2)
        top = np.fmax(top, (centre + beside(0, dy)) / 2)
        for dx in (-1, 1):
            top = np.fmax(top, (centre + beside(dy, 0) + beside(0, dx) + beside(dy, dx)) / 4)
    highest: Heights = np.where(np.isnan(centre), np.nan, top).astype(np.float32)
    return highest
