"""From the heights of a model, in its own projection, to the cells of a level."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dags.build.terrain.holes import Clean, Heights, Mask
from tiles.products.terrain import GRIDS

EPSG = 25833
# Cells of a level between places that are looked up in a source's projection.
_NET = 10


class Part(NamedTuple):
    """A rectangle of a level: the first row and column, and how many."""

    cell: int
    row: int
    column: int
    rows: int
    columns: int

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """West, south, east and north, m in UTM 33."""
        grid = GRIDS[self.cell]
        west, south = grid.x0 + self.column * self.cell, grid.y0 + self.row * self.cell
        return west, south, west + self.columns * self.cell, south + self.rows * self.cell

    def wider(self, by: int) -> "Part":
        """Return it with so many cells more on each side, also past the grid's edge."""
        return Part(self.cell, self.row - by, self.column - by, self.rows + 2 * by, self.columns + 2 * by)


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

    def over(self, below: "Found | None") -> "Found":
        """Return it laid over another: sea that was only inferred hides no ground."""
        if below is None:
            return self
        ours = ~np.isnan(self.ground)
        ground, top = np.where(ours, self.ground, below.ground), np.where(ours, self.top, below.top)
        return Found(ground, top, (self.sea | below.sea) & np.isnan(ground))


def cells_of(clean: Clean, transform: Any, crs: Any, size: float, part: Part) -> Found:
    """Return the cells of a part: means of a source with smaller cells, else the bilinear surface between its nodes.

    Parameters
    ----------
    clean : Clean
        Row 0 in the north, as the transform says.
    transform, crs : of rasterio
    size : float
        Side of the source's cells, m.
    part : Part
    """
    from rasterio.warp import Resampling, reproject

    west, _, _, north = part.bounds
    target = type(transform)(part.cell, 0, west, 0, -part.cell, north)

    def resampled(values: NDArray[Any], how: Resampling, empty: float) -> NDArray[Any]:
        out = np.full((part.rows, part.columns), empty, values.dtype)
        reproject(
            values,
            out,
            src_transform=transform,
            src_crs=crs,
            src_nodata=empty,
            dst_transform=target,
            dst_crs=f"EPSG:{EPSG}",
            dst_nodata=empty,
            resampling=how,
        )
        return out[::-1]

    if size >= 0.99 * part.cell:
        return _between_nodes(clean, transform, crs, part)
    ground, top = (resampled(clean.z, how, np.nan) for how in (Resampling.average, Resampling.max))
    sea = np.zeros(ground.shape, bool)
    if clean.sea.any():
        # 0 is "empty" here, so that a cell is sea where any of it is and none of it is ground
        sea = (resampled(clean.sea.astype(np.uint8), Resampling.max, 0) == 1) & np.isnan(ground)
    return Found(ground, np.where(np.isnan(ground), np.nan, top), sea)


def _between_nodes(clean: Clean, transform: Any, crs: Any, part: Part) -> Found:
    """Return the bilinear surface of a coarse source at the cells' centres, as far as its own cells reach.

    Not by a warp: its places are up to an eighth of a source's cell off, and jump from part to part.
    """
    row, column = places(transform, crs, part)
    z = np.pad(clean.z, 1, constant_values=np.nan)
    # in the padded array, from the centre of its first cell
    row, column = np.clip(row + 0.5, 0, z.shape[0] - 1.001), np.clip(column + 0.5, 0, z.shape[1] - 1.001)
    i, j = row.astype(np.int64), column.astype(np.int64)
    p, q = (row - i).astype(np.float32), (column - j).astype(np.float32)
    total, weights = np.zeros(i.shape, np.float32), np.zeros(i.shape, np.float32)
    for di, dj, weight in ((0, 0, (1 - p) * (1 - q)), (0, 1, (1 - p) * q), (1, 0, p * (1 - q)), (1, 1, p * q)):
        corner = z[i + di, j + dj]
        known = ~np.isnan(corner)
        total += np.where(known, corner * weight, 0)
        weights += np.where(known, weight, 0)
    nearest = np.rint(row).astype(np.int64), np.rint(column).astype(np.int64)
    there = ~np.isnan(z[nearest])
    ground: Heights = np.full(i.shape, np.nan, np.float32)
    np.divide(total, weights, out=ground, where=there)
    top = np.where(there, np.fmax(ground, _nodes(clean.z, transform, crs, part)), np.float32(np.nan))
    return Found(ground, top, np.pad(clean.sea, 1)[nearest])


def places(transform: Any, crs: Any, part: Part) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return where the centres of a part's cells lie in a raster: rows and columns of it, (rows, columns) each.

    They count from the raster's corner; the centre of its first cell is at 0.5.
    """
    from rasterio.warp import transform as between

    west, south, _, _ = part.bounds
    # a net of places, between which no projection bends by more than millimetres
    net_row, net_column = (np.arange(-(-(n - 1) // _NET) + 1) * float(_NET) for n in (part.rows, part.columns))
    x, y = np.meshgrid(west + (net_column + 0.5) * part.cell, south + (net_row + 0.5) * part.cell)
    u, v = (np.asarray(found) for found in between(f"EPSG:{EPSG}", crs, x.ravel(), y.ravel()))
    a, b, c, d, e, f = tuple(~transform)[:6]
    row, column = (
        _each(_each(found.reshape(x.shape), part.rows).T, part.columns).T
        for found in (d * u + e * v + f, a * u + b * v + c)
    )
    return row, column


def _each(net: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Return so many rows of a net of which each `_NET`-th is known."""
    at = np.arange(count) / _NET
    first = np.minimum(at.astype(np.int64), max(0, net.shape[0] - 2))
    last = np.minimum(first + 1, net.shape[0] - 1)
    weight = (at - first)[:, None]
    found: NDArray[np.float64] = net[first] * (1 - weight) + net[last] * weight
    return found


def _nodes(z: Heights, transform: Any, crs: Any, part: Part) -> Heights:
    """Return the highest node of a coarse source in each cell; NaN where there is none."""
    from rasterio.warp import transform as between

    rows, columns = np.nonzero(~np.isnan(z))
    highest = np.full((part.rows, part.columns), np.nan, np.float32)
    if rows.size == 0:
        return highest
    a, b, c, d, e, f = tuple(transform)[:6]
    xs, ys = a * (columns + 0.5) + b * (rows + 0.5) + c, d * (columns + 0.5) + e * (rows + 0.5) + f
    x, y = (np.asarray(v) for v in between(crs, f"EPSG:{EPSG}", xs, ys))
    west, south, _, _ = part.bounds
    i, j = np.floor((y - south) / part.cell).astype(int), np.floor((x - west) / part.cell).astype(int)
    inside = (i >= 0) & (i < part.rows) & (j >= 0) & (j < part.columns)
    at = i[inside], j[inside]
    np.fmax.at(highest, at, z[rows[inside], columns[inside]])
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
