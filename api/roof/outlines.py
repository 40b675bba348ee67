"""The outline of a building: the caller's, the map's, or from the surface model."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy import ndimage
from shapely import Point, Polygon

from api.core.settings import Settings
from api.roof.frame import Frame
from catalog.sources import bygninger, bygningspunkt
from catalog.sources.errors import SourceError
from catalog.sources.http import Deadline
from kernels import utm
from kernels.roof.field import Field
from kernels.roof.footprint import largest

Cells = NDArray[Any]

NEAR_M = 60.0
"""Around the point: buildings that may touch its own."""

_NEAREST_M = 5.0  # of an outline from the point
_ANCHOR_M = 10.0  # of a register point from the point
_HIGH_M, _ROUGH_M, _LEAST_M2 = 2.5, 0.25, 12.0
_SECONDS = 15.0


class Buildings(NamedTuple):
    """Outlines of the map around a point, in the frame."""

    polygons: list[Polygon]
    data_origin: str


def buildings_around(settings: Settings, frame: Frame, deadline: Deadline) -> Buildings:
    """Return the outlines that the map has around the frame's origin.

    Raises
    ------
    SourceError
        They cannot be had.
    """
    bounds = frame.x - NEAR_M, frame.y - NEAR_M, frame.x + NEAR_M, frame.y + NEAR_M
    url = settings.address(bygninger.NAME)
    found = bygninger.outlines(url, bounds, user_agent=settings.user_agent, seconds=deadline.at_most(_SECONDS))
    polygons = [_valid(Polygon(frame.into(one.rings[0]), [frame.into(ring) for ring in one.rings[1:]]))
                for one in found.buildings]  # fmt: skip
    return Buildings([one for one in polygons if not one.is_empty], found.data_origin)


def chosen(polygons: Sequence[Polygon]) -> tuple[Polygon, list[Polygon]] | None:
    """Return the outline that holds the origin, or the nearest within 5 m, and those beside it; None without any."""
    origin = Point(0, 0)
    near = [(one.distance(origin), -one.area, n) for n, one in enumerate(polygons)]
    if not near or min(near)[0] > _NEAREST_M:
        return None
    own = min(near)[2]
    return polygons[own], _beside(polygons[own], polygons)


def given(frame: Frame, ring: Sequence[Sequence[float]], polygons: Sequence[Polygon]) -> tuple[Polygon, list[Polygon]]:
    """Return the caller's outline (lon, lat), and the map's beside it."""
    lons, lats = np.array(ring, np.float64).T
    own = Polygon(frame.into(np.column_stack(utm.forward(lats, lons))))
    return own, _beside(own, polygons)


def _beside(own: Polygon, polygons: Sequence[Polygon]) -> list[Polygon]:
    """Return what polygons cover beside an outline: one that it covers by half is the same building, or a part."""
    return [one.difference(own) for one in polygons if one.intersection(own).area < 0.5 * one.area]


def from_surface(
    settings: Settings, frame: Frame, field: Field, deadline: Deadline, *, anchored: bool
) -> Polygon | None:
    """Return the outline of what stands above the ground at the frame's origin; None where nothing does.

    Parameters
    ----------
    settings : Settings
    frame : Frame
    field : Field
    deadline : Deadline
    anchored : bool
        Whether it may also stand at a register point near the origin: where no map says what stands there.
    """
    labels = _components(field)
    origin = np.zeros(2)
    label = _label_at(labels, field, origin)
    for place in _register_points(settings, frame, deadline) if anchored and not label else ():
        label = label or _label_at(labels, field, place)
    return _outline_of(field, labels == label) if label else None


def _components(field: Field) -> Cells:
    """Return the number of the smooth high component of each cell; 0 of none."""
    above = np.nan_to_num(field.z - field.ground, nan=0.0)
    z = np.nan_to_num(field.z, nan=0.0)
    mean = ndimage.uniform_filter(z, 3)
    variance = ndimage.uniform_filter((z - mean.mean()) ** 2, 3) - (mean - mean.mean()) ** 2
    step = np.array([-1.0, 0, 1]) / 6
    by_column = ndimage.correlate(z, np.tile(step, (3, 1)))
    by_row = ndimage.correlate(z, np.tile(step[:, None], (1, 3)))
    # of the plane's own heights: the mean square of -1, 0, 1 is 2/3
    rough = np.sqrt(np.maximum(variance - (by_column**2 + by_row**2) * 2 / 3, 0))
    high = above > _HIGH_M
    # ridges and edges are rough, and belong to it
    smooth = ndimage.binary_closing(high & (rough < _ROUGH_M), np.ones((3, 3)), iterations=2) & high
    labels: Cells = ndimage.label(smooth)[0]
    sizes = np.bincount(labels.ravel())
    labels[sizes[labels] * field.area < _LEAST_M2] = 0
    return labels


def _label_at(labels: Cells, field: Field, place: Cells) -> int:
    """Return the component at a place, else the one at most beside it."""
    row, column = field.cells(place)
    if not (0 <= row < labels.shape[0] and 0 <= column < labels.shape[1]):
        return 0
    around = labels[max(0, row - 1) : row + 2, max(0, column - 1) : column + 2]
    return int(labels[row, column] or around.max())


def _register_points(settings: Settings, frame: Frame, deadline: Deadline) -> list[Cells]:
    """Return the register's points near the origin, the nearest first; none where it does not answer."""
    bounds = frame.x - _ANCHOR_M, frame.y - _ANCHOR_M, frame.x + _ANCHOR_M, frame.y + _ANCHOR_M
    try:
        url = settings.address(bygningspunkt.NAME)
        found = bygningspunkt.points(url, bounds, user_agent=settings.user_agent, seconds=deadline.at_most(_SECONDS))
    except SourceError:
        return []
    places = [frame.into([one.x, one.y]) for one in found.buildings]
    return sorted(places, key=lambda place: float(np.hypot(*place)))


def _outline_of(field: Field, own: Cells) -> Polygon:
    own = ndimage.binary_fill_holes(ndimage.binary_dilation(own) & (field.z - field.ground > _HIGH_M) | own)
    rows, columns = np.nonzero(own)
    cells = shapely.union_all(shapely.box(columns - 0.5, rows - 0.5, columns + 0.5, rows + 0.5))
    x0, y0, xj, yj, xi, yi = field.axes
    at = shapely.get_coordinates(largest(cells).exterior)
    return _valid(Polygon(at @ [[xj, yj], [xi, yi]] + (x0, y0)).simplify(field.cell))


def _valid(polygon: Polygon) -> Polygon:
    """Return the largest polygon of what may cross itself; empty where it has none."""
    return largest(shapely.make_valid(polygon))
