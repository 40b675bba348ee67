"""What the land is at large: its mean height, how rugged it is, how far the sea is, and where the country ends.

Mean height and ruggedness are pvlib's relief of 1/12 degree, the coast is the outline `borders_outline.geojson`. The
part of the outline that is a border of land, not a coast, is that of its first points.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray
from pyproj import Transformer
from rasterio import Affine
from rasterio.features import rasterize
from scipy.ndimage import gaussian_filter
from scipy.spatial import cKDTree

from infra.simulator.borders import areas
from infra.simulator.heights.noise import Axis, Field, lattice, spline
from infra.simulator.heights.places import places
from infra.simulator.relief import ground

STEP = 2000.0
X0, Y0 = -160_000.0, 6_340_000.0
COLUMNS, ROWS = 690, 870
# Which of the mainland's points lie on a border with a neighbour: from Svinesund to Jakobselv.
_LAST_BORDER = (30.82, 69.79)
_DENSE_M = 1000.0
_ABROAD_M = 3000.0  # so far over the border there are heights
_OFFSHORE_M = 30_000.0  # so far out the sea is 0; beyond there is no data
_FAR_M = 40_000.0  # nobody asks what is further from the country
_TOWN_SEA_M = 6_000.0  # beyond, it is of no account how far a town's own land is
_TOWN_SHORE_M = 1500.0  # around the middle of a town there is land: the outline misses small islands

Doubles = NDArray[np.floating[Any]]


class Land(NamedTuple):
    """Fields over a grid, float32 (rows, columns)."""

    altitude: Field  # mean height at large, m
    rugged: Field  # deviation of the coarse relief around, m
    inland: Field  # m from the sea, below 0 at sea
    known: Field  # above 0 where there are heights


def land(x: Axis, y: Axis) -> Land:
    """Return the fields over a grid of positions in UTM 33, m."""
    rows, along_y = lattice(y, STEP, Y0)
    columns, along_x = lattice(x, STEP, X0)
    nodes = np.ix_(np.clip(rows, 0, ROWS - 1), np.clip(columns, 0, COLUMNS - 1))
    return Land(*(spline(field[nodes], along_y, along_x) for field in _maps()))


@cache
def _maps() -> Land:
    """Return the fields on the coarse lattice; made once, in about a second."""
    x, y = X0 + STEP * np.arange(COLUMNS), Y0 + STEP * np.arange(ROWS)
    xx, yy = np.meshgrid(x, y)
    lon, lat = Transformer.from_crs(25833, 4258, always_xy=True).transform(xx, yy)
    altitude = ground(np.ravel(lat), np.ravel(lon)).altitude.reshape(xx.shape)
    mean, square = gaussian_filter(altitude, 6.0), gaussian_filter(altitude**2, 6.0)
    rugged = np.sqrt(np.maximum(square - mean**2, 0))
    inside = outlined(X0 - STEP / 2, Y0 - STEP / 2, STEP, (ROWS, COLUMNS))
    where = np.column_stack([xx.ravel(), yy.ravel()])
    to_border, to_coast = (
        np.minimum(cKDTree(shore).query(where, distance_upper_bound=_FAR_M)[0], _FAR_M).reshape(xx.shape)
        for shore in _shores()
    )
    abroad = ~inside & (to_border < to_coast)
    inland = np.where(inside | abroad, to_coast, -to_coast)
    known = np.where(abroad, _ABROAD_M - to_border, _OFFSHORE_M - to_coast) / STEP
    known = np.clip(np.where(inside, 1, known), -1, 1)
    altitude, rugged, inland, known = (field.astype(np.float32) for field in (altitude, rugged, inland, known))
    return Land(altitude, rugged, inland, known)


@cache
def _rings() -> dict[str, Doubles]:
    """Return the outline's rings in UTM 33, by name."""
    forward = Transformer.from_crs(4258, 25833, always_xy=True)
    return {name: np.column_stack(forward.transform(*np.array(ring).T)) for name, ring in areas().items()}


def outlined(west: float, south: float, size: float, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Return the cells of a grid whose middle lies in the outline, bool (rows from the south, columns)."""
    shapes = [{"type": "Polygon", "coordinates": [ring.tolist()]} for ring in _rings().values()]
    drawn = rasterize(shapes, out_shape=shape, transform=Affine(size, 0, west, 0, -size, south + shape[0] * size))
    return np.asarray(drawn[::-1].astype(bool))


def _shores() -> tuple[Doubles, Doubles]:
    """Return points along the borders with neighbours and along the coasts, m in UTM 33."""

    def points(ring: Doubles) -> Doubles:
        return np.asarray(shapely.get_coordinates(shapely.segmentize(shapely.LineString(ring), _DENSE_M)))

    rings, mainland = _rings(), _rings()["Fastlandet"]
    last = areas()["Fastlandet"].index(list(_LAST_BORDER))
    islands = [points(ring) for name, ring in rings.items() if name != "Fastlandet"]
    return points(mainland[: last + 1]), np.concatenate([points(mainland[last:]), *islands])


def shore_of_towns(x: Axis, y: Axis) -> Field:
    """Return how far inside a town's own land positions of a grid are, m: below 0 outside of it, at least -6 km."""
    best = np.full((len(y), len(x)), -_TOWN_SEA_M, dtype=np.float32)
    for away, reach in _towns_near(x, y, _TOWN_SHORE_M + _TOWN_SEA_M):
        np.maximum(best, min(_TOWN_SHORE_M, reach) - away, out=best)
    return best


def hollow_of_towns(x: Axis, y: Axis) -> Field:
    """Return how much of a town's hollow there is at positions of a grid: 1 in its middle, 0 at twice its reach."""
    inside = np.clip(1 - near_towns(x, y) / 2, 0, 1)
    return np.asarray(inside * inside * (3 - 2 * inside))


def near_towns(x: Axis, y: Axis, least_reach: float = 0.0) -> Field:
    """Return how far the nearest town is, in its own reach, at most 2; `least_reach`, m, leaves out the small ones."""
    best = np.full((len(y), len(x)), 2, dtype=np.float32)
    for away, reach in _towns_near(x, y, 2 * float(places()[2].max())):
        if reach >= least_reach:
            np.minimum(best, away / np.float32(reach), out=best)
    return best


def _towns_near(x: Axis, y: Axis, margin: float) -> Iterator[tuple[Field, float]]:
    """Yield how far each town in a grid or not far from it is, m, and its reach."""
    for e, n, reach in zip(*(column.tolist() for column in places()), strict=True):
        if x[0] - margin < e < x[-1] + margin and y[0] - margin < n < y[-1] + margin:
            east, north = (x - e).astype(np.float32), (y - n).astype(np.float32)
            yield np.hypot(east[None, :], north[:, None]), reach
