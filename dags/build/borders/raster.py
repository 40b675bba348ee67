"""Borders in degrees onto a grid in UTM 33: which share of each cell lies inside, and in which area."""

from collections.abc import Iterator

import numpy as np
import shapely
from geopandas import GeoSeries
from numpy.typing import NDArray
from rasterio.features import rasterize
from rasterio.transform import Affine

from tiles.grid import UtmGrid

SAMPLES = 30
# A straight line in degrees is none in the projection: 0.02 degrees apart it is off by less than a metre.
_STEP_DEG = 0.02
_ROWS_AT_ONCE = 47  # of 517: 11 blocks of some 34 MB of samples


def projected(areas: GeoSeries) -> GeoSeries:
    """Return areas in UTM 33, with points added along long edges, and made valid.

    Rings that cross themselves keep the land of all their loops; parts that overlap, or are listed twice, count once.

    Parameters
    ----------
    areas : GeoSeries
        In degrees.
    """
    valid = areas.make_valid(method="structure", keep_collapsed=False)
    # Valid before it is segmentized: GEOS would drop loops of what is not (buffer by 0).
    return valid.segmentize(_STEP_DEG).to_crs("EPSG:25833")


def land_share(areas: GeoSeries, grid: UtmGrid, samples: int = SAMPLES) -> NDArray[np.float64]:
    """Return which share of each cell lies inside any of the areas, (n_y, n_x), 0 to 1.

    Parameters
    ----------
    areas : GeoSeries
        In the projection of the grid.
    grid : UtmGrid
    samples : int
        A cell is judged at the centres of `samples` x `samples` squares.
    """
    share = np.zeros(grid.shape)
    for rows, numbers in _sampled(areas, grid, samples):
        share[rows] = (numbers > 0).mean(axis=-1)
    return share


def on_border(areas: GeoSeries, grid: UtmGrid) -> NDArray[np.bool_]:
    """Return the cells in which a point of a border lies, (n_y, n_x)."""
    points = shapely.multipoints(shapely.get_coordinates(areas))
    transform = Affine(grid.size, 0, grid.x0, 0, grid.size, grid.y0)
    return rasterize([points], grid.shape, transform=transform, dtype="uint8").astype(bool)  # type: ignore[no-any-return]


def nearest_area(areas: GeoSeries, grid: UtmGrid, samples: int = 15) -> NDArray[np.int64]:
    """Return which area holds each cell's centre, or else what of the cell is nearest to it.

    Parameters
    ----------
    areas : GeoSeries
        In the projection of the grid.
    grid : UtmGrid
    samples : int
        A cell is looked at in the centres of `samples` x `samples` squares; an odd number, one of which is its own.

    Returns
    -------
    int64 (n_y, n_x)
        Number of the area, counted from 0; -1 where no area is.
    """
    off = (np.arange(samples) - (samples - 1) / 2) ** 2
    from_centre = np.argsort((off[:, None] + off).ravel(), kind="stable")
    found = np.full(grid.shape, -1, np.int64)
    for rows, numbers in _sampled(areas, grid, samples):
        nearest = np.argmax(numbers[..., from_centre] > 0, axis=-1)
        found[rows] = np.take_along_axis(numbers, from_centre[nearest][..., None], axis=-1)[..., 0].astype(np.int64) - 1
    return found


def _sampled(areas: GeoSeries, grid: UtmGrid, samples: int) -> Iterator[tuple[slice, NDArray[np.uint16]]]:
    """Yield rows of the grid, and by points (rows, n_x, samples**2) the area that holds each, from 1; 0 is none."""
    parts = areas.reset_index(drop=True).explode()
    side = grid.size / samples
    for first in range(0, grid.n_y, _ROWS_AT_ONCE):
        rows = min(_ROWS_AT_ONCE, grid.n_y - first)
        south = grid.y0 + first * grid.size
        near = parts.cx[:, south : south + rows * grid.size]
        if not near.empty:
            numbers = rasterize(
                zip(near, near.index + 1, strict=True),
                out_shape=(rows * samples, grid.n_x * samples),
                transform=Affine(side, 0, grid.x0, 0, side, south),  # rows from south to north, as our grids run
                dtype="uint16",
            )
            numbers = numbers.reshape(rows, samples, grid.n_x, samples).swapaxes(1, 2)
            yield slice(first, first + rows), numbers.reshape(rows, grid.n_x, -1)
