"""The surface of a coarse source on its own grid, got back from the level of 10 m that was looked up on it.

Such a source is bilinear in its own cells, and the level holds a hundred samples of each of 100 m: they tell the
heights at its corners to a centimetre (of cells of 50 m to 2.5). Where something else lies over it, or a hole was
filled, the samples do not fit a cell, and nothing is got back.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dags.build.terrain.resample import EPSG, Part, places
from kernels.horizon.close import CLOSE, OwnSurface
from kernels.horizon.lattice import Points
from kernels.horizon.levels import MISSING, Level
from tiles.products.terrain import GRIDS

Floats = NDArray[np.float64]

_FINEST = min(GRIDS)
# Metres off the cell, root of the mean square: what packing rounds at most.
_FITS = 0.02
# How many times the error of a sample that of a corner may be, squared.
_SURE = 10.0
# Of cells of 36 m some have enough samples on some grids, of those from 40 m on all on all.
_SMALLEST = 36.0
_ROWS_AT_ONCE = 256


def own_surfaces(sources: Sequence[Mapping[str, Any]], level: Level, points: Points) -> list[OwnSurface]:
    """Return what sources have around points on grids of their own, the newest first.

    Parameters
    ----------
    sources : sequence of mapping
        As `Terrain.sources` has them; those without a `grid` have none of their own.
    level : Level
        The surface; only one of 10 m has enough samples.
    points : Points
    """
    if level.cell != _FINEST:
        return []
    found: dict[str, OwnSurface | None] = {}
    for source in reversed(sources):
        grid = source.get("grid")
        # a file that was laid down twice is one
        if grid is not None and source["cell_m"] >= _SMALLEST and (key := repr(grid)) not in found:
            found[key] = _surface(level, points, grid, source["cell_m"])
    return [surface for surface in found.values() if surface is not None]


def _surface(level: Level, points: Points, grid: Mapping[str, Any], size: float) -> OwnSurface | None:
    from rasterio import Affine
    from rasterio.crs import CRS

    to_map, crs = Affine(*grid["transform"]), CRS.from_user_input(grid["crs"])
    # most sources of a country are nowhere near: four corners tell
    outline = points._replace(step=points.step * max(1, *(n - 1 for n in points.shape)), shape=(2, 2))
    ends = _standing(outline, to_map, crs)
    if not np.isfinite(ends).all() or _nodes_around(ends, grid) is None:
        return None
    at = _standing(points, to_map, crs)
    nodes = _nodes_around(at, grid)
    if nodes is None:
        return None
    low, cells = nodes
    fits = _Fits(cells)
    # of the rectangle that a point needs on a turned grid the corners are that much farther away
    for part, z in _parts(level, points, math.sqrt(2) * 1.01 * CLOSE + 3 * size):
        row, column = places(to_map, crs, part)
        fits.add(row - 0.5 - low[1], column - 0.5 - low[0], z)
    at[..., :2] -= low
    found = OwnSurface(fits.nodes(), at)
    return None if np.isnan(found.ground()).all() else found


def _nodes_around(at: Floats, grid: Mapping[str, Any]) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Return column and row of a grid's first node around points, and how many rows and columns of cells; or None."""
    wide = np.ceil(1.01 * CLOSE * np.abs(at[..., 2:]).max() * 2) + 1
    low = [max(0, math.floor(at[..., k].min() - wide)) for k in (0, 1)]
    high = [min(n - 1, math.ceil(at[..., k].max() + wide)) for k, n in ((0, grid["columns"]), (1, grid["rows"]))]
    if high[0] <= low[0] or high[1] <= low[1]:
        return None
    return (low[0], low[1]), (high[1] - low[1], high[0] - low[0])


def _standing(points: Points, to_map: Any, crs: Any) -> Floats:
    """Return where points stand on a grid, as `OwnSurface.at`."""
    from rasterio.warp import transform as between

    x, y = np.meshgrid(
        *(first + points.step * np.arange(n) for first, n in zip((points.x, points.y), points.shape[::-1], strict=True))
    )
    inverse, step = ~to_map, points.step

    def node(x: Floats, y: Floats) -> Floats:
        u, v = (np.asarray(found) for found in between(f"EPSG:{EPSG}", crs, x.ravel(), y.ravel()))
        column, row = inverse.a * u + inverse.b * v + inverse.c, inverse.d * u + inverse.e * v + inverse.f
        return np.stack([column - 0.5, row - 0.5], axis=-1).reshape(*points.shape, 2)

    here, east, north = node(x, y), node(x + step, y), node(x, y + step)
    return np.concatenate([here, (east - here) / step, (north - here) / step], axis=-1)


def _parts(level: Level, points: Points, margin: float) -> Iterator[tuple[Part, NDArray[np.float32]]]:
    """Yield the cells of a level around points, band by band."""
    west, south, east, north = points.rectangle
    rows, columns = level.z.shape
    left, low = (
        max(0, math.floor((at - margin - first) / level.cell)) for at, first in ((west, level.x0), (south, level.y0))
    )
    right, top = (
        min(n, math.ceil((at + margin - first) / level.cell) + 1)
        for at, first, n in ((east, level.x0, columns), (north, level.y0, rows))
    )
    grid = GRIDS[_FINEST]
    row0, column0 = round((level.y0 - grid.y0) / level.cell - 0.5), round((level.x0 - grid.x0) / level.cell - 0.5)
    for first in range(low, top, _ROWS_AT_ONCE):
        z = level.z[first : min(first + _ROWS_AT_ONCE, top), left:right]
        yield Part(_FINEST, row0 + first, column0 + left, *z.shape), z


class _Fits:
    """Bilinear surfaces that are fitted to samples, each in a cell of its own.

    Parameters
    ----------
    cells : (int, int)
        Rows and columns.
    """

    def __init__(self, cells: tuple[int, int]) -> None:
        self._shape = cells
        # of the four corners' weights: their products, those with the height; of the heights: the square, the number
        self._sums = np.zeros((4 * 4 + 4 + 2, cells[0] * cells[1]))
        self._holes = np.zeros(cells[0] * cells[1], np.int64)

    def add(self, row: Floats, column: Floats, z: NDArray[np.float32]) -> None:
        """Take samples; row and column are in cells, from the first corner."""
        i, j = np.floor(row), np.floor(column)
        rows, columns = self._shape
        inside, there = (i >= 0) & (i < rows) & (j >= 0) & (j < columns), z != MISSING
        holes = (i * columns + j)[inside & ~there].astype(np.int64)
        self._holes += np.bincount(holes, minlength=self._holes.size)
        used = inside & there
        if not used.any():
            return
        i, j, p, q, height = i[used], j[used], (column - j)[used], (row - i)[used], z[used].astype(np.float64)
        cell = (i * columns + j).astype(np.int64)
        weights = [(1 - p) * (1 - q), p * (1 - q), (1 - p) * q, p * q]
        terms = [one * other for one in weights for other in weights] + [w * height for w in weights]
        for total, term in zip(self._sums, [*terms, height**2, np.ones(height.size)], strict=True):
            total += np.bincount(cell, term, total.size)

    def nodes(self) -> NDArray[np.float32]:
        """Return the heights at the corners, float32 (rows + 1, columns + 1), m; MISSING beside a cell without fit."""
        products, heights = self._sums[:16].T.reshape(-1, 4, 4), self._sums[16:20].T
        squares, count = self._sums[20:]
        sure = np.linalg.eigvalsh(products)[:, 0] >= 1 / _SURE
        corners = np.linalg.solve(np.where(sure[:, None, None], products, np.eye(4)), heights[..., None])[..., 0]
        off = squares - (corners * heights).sum(axis=1)
        fits = (sure & (self._holes == 0) & (off <= _FITS**2 * count)).reshape(self._shape)
        corners = corners.reshape(*self._shape, 4)
        rows, columns = self._shape
        total, number = np.zeros((rows + 1, columns + 1)), np.zeros((rows + 1, columns + 1))
        whole = np.ones(total.shape, bool)
        for k, (i, j) in enumerate(((0, 0), (0, 1), (1, 0), (1, 1))):
            corner = np.s_[i : i + rows, j : j + columns]
            total[corner] += corners[..., k]
            number[corner] += 1
            whole[corner] &= fits
        return np.where(whole, total / number, MISSING).astype(np.float32)
