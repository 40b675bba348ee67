"""The surface of coarse sources on their own grids, wherever the level of 10 m was looked up on it.

Where something else lies over a source, or a hole of it was filled, the level differs from its surface, and the level
counts.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rasterio import Affine
from rasterio.transform import array_bounds
from rasterio.warp import Resampling, transform_bounds
from rasterio.warp import transform as between

from dags.build.terrain.own_grid import OwnGrid
from dags.build.terrain.resample import EPSG, Part, in_memory, intersection, onto, warped
from kernels.horizon.close import CLOSE, OwnSurface
from kernels.horizon.lattice import Points
from kernels.horizon.levels import MISSING, Level
from tiles.products.terrain import BY_CELL, GRIDS

Floats = NDArray[np.float64]

_FINEST = min(GRIDS)
# Packing rounds by half a step; of the warp and float32 comes a millimetre.
_SAME_M = BY_CELL[_FINEST].variable("ground").scale / 2 + 0.002
_DIFFERS, _SAME = 1, 2


def own_surfaces(grids: Sequence[OwnGrid], level: Level, points: Points) -> list[OwnSurface]:
    """Return what sources have around points in their own cells.

    Parameters
    ----------
    grids : sequence of OwnGrid
        The newest first, as `Terrain.own_grids` has them.
    level : Level
        The surface; only to one of 10 m a source's own cells add something.
    points : Points
    """
    if level.cell != _FINEST:
        return []
    return [surface for grid in grids if (surface := _surface(grid, level, points)) is not None]


def _surface(grid: OwnGrid, level: Level, points: Points) -> OwnSurface | None:
    # most sources of a country are nowhere near: four corners tell
    outline = points._replace(step=points.step * max(1, *(n - 1 for n in points.shape)), shape=(2, 2))
    ends = _standing(outline, grid)
    if not np.isfinite(ends).all() or _cells_around(ends, grid) is None:
        return None
    at = _standing(points, grid)
    cells = _cells_around(at, grid)
    if cells is None:
        return None
    rows, columns = cells
    z = np.array(grid.z[rows, columns], np.float32)
    transform = grid.transform @ Affine.translation(columns.start, rows.start)
    z[_differs(z, transform, grid, level)] = np.nan
    at[..., :2] -= columns.start, rows.start
    found = OwnSurface(np.where(np.isnan(z), np.float32(MISSING), z), at)
    return None if np.isnan(found.ground()).all() else found


def _cells_around(at: Floats, grid: OwnGrid) -> tuple[slice, slice] | None:
    """Return rows and columns of a grid around points, as `OwnSurface.at` has them; or None."""
    wide = np.ceil(1.01 * CLOSE * np.abs(at[..., 2:]).max() * 2) + 1
    rows, columns = (
        slice(max(0, math.floor(at[..., k].min() - wide)), min(n, math.ceil(at[..., k].max() + wide) + 1))
        for k, n in ((1, grid.z.shape[0]), (0, grid.z.shape[1]))
    )
    return None if rows.stop - rows.start < 2 or columns.stop - columns.start < 2 else (rows, columns)


def _standing(points: Points, grid: OwnGrid) -> Floats:
    """Return where points stand on a grid, as `OwnSurface.at`."""
    x, y = np.meshgrid(
        *(first + points.step * np.arange(n) for first, n in zip((points.x, points.y), points.shape[::-1], strict=True))
    )
    inverse, step = ~grid.transform, points.step

    def node(x: Floats, y: Floats) -> Floats:
        u, v = (np.asarray(found) for found in between(f"EPSG:{EPSG}", grid.crs, x.ravel(), y.ravel()))
        column, row = inverse.a * u + inverse.b * v + inverse.c, inverse.d * u + inverse.e * v + inverse.f
        return np.stack([column - 0.5, row - 0.5], axis=-1).reshape(*points.shape, 2)

    here, east, north = node(x, y), node(x + step, y), node(x, y + step)
    return np.concatenate([here, (east - here) / step, (north - here) / step], axis=-1)


def _differs(z: NDArray[np.float32], transform: Affine, grid: OwnGrid, level: Level) -> NDArray[np.bool_]:
    """Return which centres lie beside a patch of the surface between centres that a level is not a sample of."""
    rows, columns = level.z.shape
    west, south = level.x0 - level.cell / 2, level.y0 - level.cell / 2
    whole = Part.covering(_FINEST, (west, south, west + columns * level.cell, south + rows * level.cell))
    edges = transform_bounds(grid.crs, f"EPSG:{EPSG}", *array_bounds(*z.shape, transform))
    inside = intersection(edges, whole.bounds)
    if inside is None:
        return np.ones(z.shape, np.bool_)
    near = Part.covering(_FINEST, inside)
    with in_memory(z, transform, grid.crs) as own:
        same = np.abs(onto(own, near, Resampling.bilinear) - level.z[whole.slices_of(near)]) <= _SAME_M  # not NaN
    kinds = np.where(same, _SAME, _DIFFERS).astype(np.uint8)[::-1]
    patches = transform @ Affine.translation(0.5, 0.5), (z.shape[0] - 1, z.shape[1] - 1)
    with in_memory(kinds, near.transform, f"EPSG:{EPSG}", nodata=0) as samples:
        bad = warped(samples, *patches, Resampling.min, crs=grid.crs, nodata=0) != _SAME
    beside = np.zeros(z.shape, np.bool_)
    for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
        beside |= np.pad(bad, ((i, 1 - i), (j, 1 - j)))
    return beside
