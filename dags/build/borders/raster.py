"""Borders in degrees onto a grid in UTM 33: which share of each cell lies inside."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rasterio.features import rasterize
from rasterio.transform import Affine

from kernels import utm
from tiles.grid import UtmGrid

SAMPLES = 30
# A straight line in degrees is none in the projection: 0.02 degrees apart it is off by less than a metre.
_STEP_DEG = 0.02
_ROWS_AT_ONCE = 47  # of 517: 11 blocks of some 17 MB of samples

Floats = NDArray[np.float64]
Polygon = tuple[Floats, ...]


def projected(polygons: Sequence[Polygon]) -> list[Polygon]:
    """Project polygons of longitudes and latitudes to UTM 33, with points added along long edges.

    Parameters
    ----------
    polygons : sequence of tuple of float64 (n, 2)
        Closed rings of longitude and latitude, degrees.

    Returns
    -------
    list of tuple of float64 (m, 2)
        Rings of easting and northing, m.
    """
    return [tuple(_to_utm(_densified(ring)) for ring in rings) for rings in polygons]


def _densified(ring: Floats) -> Floats:
    steps = np.diff(ring, axis=0)
    pieces = np.maximum(np.ceil(np.abs(steps).max(axis=1) / _STEP_DEG).astype(np.int64), 1)
    edge = np.repeat(np.arange(len(steps)), pieces)
    along = (np.arange(len(edge)) - np.repeat(np.cumsum(pieces) - pieces, pieces)) / pieces[edge]
    points: Floats = np.concatenate([ring[edge] + steps[edge] * along[:, None], ring[-1:]])
    return points


def _to_utm(ring: Floats) -> Floats:
    return np.stack(utm.forward(ring[:, 1], ring[:, 0]), axis=1)


def land_share(polygons: Sequence[Polygon], grid: UtmGrid, samples: int = SAMPLES) -> Floats:
    """Return which share of each cell lies inside any of the polygons.

    Parameters
    ----------
    polygons : sequence of tuple of float64 (n, 2)
        Closed rings of easting and northing, m; see `projected`.
    grid : UtmGrid
    samples : int
        A cell is judged at the centres of `samples` x `samples` squares.

    Returns
    -------
    float64 (n_y, n_x)
        0 to 1.
    """
    # Each polygon is a shape of its own: parts of one shape that overlap would cancel each other.
    shapes = [({"type": "Polygon", "coordinates": [ring.tolist() for ring in rings]}, 1) for rings in polygons]
    reach = [(float(rings[0][:, 1].min()), float(rings[0][:, 1].max())) for rings in polygons]
    side = grid.size / samples
    share = np.zeros(grid.shape)
    for first in range(0, grid.n_y, _ROWS_AT_ONCE):
        rows = min(_ROWS_AT_ONCE, grid.n_y - first)
        south = grid.y0 + first * grid.size
        near = [
            shape
            for shape, (lowest, highest) in zip(shapes, reach, strict=True)
            if lowest < south + rows * grid.size and highest > south
        ]
        if near:
            inside = rasterize(
                near,
                out_shape=(rows * samples, grid.n_x * samples),
                transform=Affine(side, 0, grid.x0, 0, side, south),  # rows from south to north, as our grids run
                dtype="uint8",
            )
            share[first : first + rows] = inside.reshape(rows, samples, grid.n_x, samples).mean(axis=(1, 3))
    return share


def on_border(polygons: Sequence[Polygon], grid: UtmGrid) -> NDArray[np.bool_]:
    """Return the cells in which a point of a border lies, (n_y, n_x).

    Parameters
    ----------
    polygons : sequence of tuple of float64 (n, 2)
        Rings of easting and northing, m; see `projected`.
    grid : UtmGrid
    """
    points = np.concatenate([ring for rings in polygons for ring in rings])
    cols = np.floor((points[:, 0] - grid.x0) / grid.size).astype(np.int64)
    rows = np.floor((points[:, 1] - grid.y0) / grid.size).astype(np.int64)
    there = (rows >= 0) & (rows < grid.n_y) & (cols >= 0) & (cols < grid.n_x)
    cells = np.zeros(grid.shape, bool)
    cells[rows[there], cols[there]] = True
    return cells


def nearest_area(areas: Sequence[Sequence[Polygon]], grid: UtmGrid, samples: int = 15) -> NDArray[np.int64]:
    """Return which area holds each cell's centre, or else what of the cell is nearest to it.

    Parameters
    ----------
    areas : sequence of sequences of tuple of float64 (n, 2)
        The polygons of each area; see `projected`.
    grid : UtmGrid
    samples : int
        A cell is looked at in the centres of `samples` x `samples` squares; an odd number, one of which is its own.

    Returns
    -------
    int64 (n_y, n_x)
        Number of the area, counted from 0; -1 where no area is.
    """
    shapes = [
        ({"type": "Polygon", "coordinates": [ring.tolist() for ring in rings]}, number)
        for number, polygons in enumerate(areas, 1)
        for rings in polygons
    ]
    reach = [(float(p[0][:, 1].min()), float(p[0][:, 1].max())) for polygons in areas for p in polygons]
    side = grid.size / samples
    off = (np.arange(samples) - (samples - 1) / 2) ** 2
    from_centre = np.argsort((off[:, None] + off[None, :]).ravel(), kind="stable")
    found = np.full(grid.shape, -1, np.int64)
    for first in range(0, grid.n_y, _ROWS_AT_ONCE):
        rows = min(_ROWS_AT_ONCE, grid.n_y - first)
        south = grid.y0 + first * grid.size
        near = [
            shape
            for shape, (lowest, highest) in zip(shapes, reach, strict=True)
            if lowest < south + rows * grid.size and highest > south
        ]
        if near:
            numbers = rasterize(
                near,
                out_shape=(rows * samples, grid.n_x * samples),
                transform=Affine(side, 0, grid.x0, 0, side, south),
                dtype="uint16",
            )
            cells = numbers.reshape(rows, samples, grid.n_x, samples).swapaxes(1, 2).reshape(rows, grid.n_x, -1)
            cells = cells[..., from_centre]
            nearest = np.argmax(cells > 0, axis=-1)[..., None]
            found[first : first + rows] = np.take_along_axis(cells, nearest, axis=-1)[..., 0].astype(np.int64) - 1
    return found
