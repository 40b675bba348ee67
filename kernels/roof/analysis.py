"""A roof from heights: planes, polygons, edges, form and obstacles."""

from collections.abc import Sequence

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy import special
from shapely import Polygon

from kernels.roof.edges import edges
from kernels.roof.field import Field
from kernels.roof.footprint import region_of, roof_edge
from kernels.roof.form import form_of
from kernels.roof.obstacles import obstacles_of
from kernels.roof.partition import coverage, fine_labels, in_pieces
from kernels.roof.planes import LEAST_M2, find_planes
from kernels.roof.roof import FLAT_BELOW, LEAST_SURE, Plane, Roof, Surface
from kernels.roof.straight import Line, main_direction, straightened

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

AROUND_M = 4.0
"""How far beyond an outline heights are needed."""

LOWEST_M = 1.8
"""Height above the ground from which a cell may be roof."""

_SURE_DEGREES = 3.0
_LEVEL = np.tan(np.radians(FLAT_BELOW))
# Standard deviation of the places of two rows, cells (of three: 0.82); confidence in what they show.
_TWO_ROWS, _OF_TWO_ROWS = 0.65, 0.8 * LEAST_SURE


def analyse(field: Field, outline: Polygon, others: Sequence[Polygon] = ()) -> Roof:
    """Return the roof of a building.

    Parameters
    ----------
    field : Field
        Heights to `AROUND_M` beyond the outline.
    outline : Polygon
        Of the building, m in the field's frame.
    others : sequence of Polygon
        Outlines of buildings around.
    """
    region = region_of(outline, list(others))
    x, y = field.positions()
    with np.errstate(invalid="ignore"):
        high = field.z > field.ground + LOWEST_M
    own = high & shapely.contains_xy(region, x, y)
    near = high & shapely.contains_xy(region.buffer(AROUND_M - 1), x, y)
    axis = float(90 - np.degrees(_long_side(outline))) % 180
    planes, labels = find_planes(field, own, near, outline)
    if not len(planes):
        return Roof(outline, (), (), "sammensatt", axis, 0.0)
    edge = roof_edge(outline, field, labels >= 0, region)
    fine, owners, folds = in_pieces(*fine_labels(field, planes, labels, edge), LEAST_M2)
    lines = {frozenset(fold[:2]): _crossing(*planes[[owners[n] for n in fold[:2]]]) for fold in folds}
    polygons = straightened(coverage(fine, len(owners)), lines, edge)
    sides = edges(polygons, planes[owners], folds)
    order = sorted(range(len(owners)), key=lambda n: -polygons[n].area)
    order = [n for n in order if polygons[n].area >= 0.5 * LEAST_M2]
    certain = {n: _certainty(field, labels == owners[n], planes[owners[n]]) for n in order}
    # a sliver along an edge is no plane
    order = [n for n in order if certain[n][1] >= LEAST_SURE or polygons[n].area >= LEAST_M2]
    if not order:
        return Roof(outline, (), (), "sammensatt", axis, 0.0)
    numbers = {n: k for k, n in enumerate(order, 1)}
    surfaces = []
    for n in order:
        plane = planes[owners[n]]
        own_edges = tuple(one._replace(other=numbers.get(one.other)) for one in sides[n])  # type: ignore[arg-type]
        surfaces.append(Surface(numbers[n], Plane(*map(float, plane)), polygons[n], own_edges, *certain[n]))
    noise = float(np.median([one.residual for one in surfaces]))
    height = float(np.nanmax((field.z - field.ground)[labels >= 0]))
    return Roof(edge, tuple(surfaces), tuple(obstacles_of(field, surfaces, noise)), form_of(surfaces), axis, height)


def _crossing(first: Floats, second: Floats) -> Line:
    """Return the line where two planes have the same height."""
    between = first - second
    steep = np.hypot(between[0], between[1])
    return Line(float(between[0] / steep), float(between[1] / steep), float(-between[2] / steep))


def _long_side(outline: Polygon) -> float:
    """Return the direction of an outline's long side, radians from east."""
    main = main_direction(outline)
    at = np.array(outline.exterior.coords) @ [[np.cos(main), -np.sin(main)], [np.sin(main), np.cos(main)]]
    along, across = np.ptp(at, axis=0)
    return main if along >= across else main + np.pi / 2


def _certainty(field: Field, mine: Flags, plane: Floats) -> tuple[float, float]:
    """Return the standard deviation of cells from a plane, m, and the probability that its tilt is within 3 degrees."""
    cells = np.flatnonzero(mine)
    (x, y), off = field.at(cells), field.off(plane, cells)
    residual = float(np.sqrt(np.mean(off**2)))
    # along the direction in which the cells reach least far
    spread = float(np.linalg.eigvalsh(np.cov(np.stack([x, y])) + 1e-6 * np.eye(2))[0])
    # neighbouring cells share their points: a quarter of them counts
    error = max(residual, 0.03) * (1 + plane[0] ** 2 + plane[1] ** 2) / np.sqrt(max(1.0, mine.sum() / 4) * spread)
    degrees = np.degrees(error / (1 + plane[0] ** 2 + plane[1] ** 2))
    sure = float(special.erf(_SURE_DEGREES / (np.sqrt(2) * max(degrees, 1e-3))))
    # any two rows lie on a plane: those along an edge are partly roof and partly what is beyond
    slope = np.hypot(plane[0], plane[1])
    # a wall reaches over the diagonal of its cells
    reach = (abs(plane[0]) + abs(plane[1])) / slope if slope > 1 else 1.0
    narrow = slope > _LEVEL and np.std(plane[0] * x + plane[1] * y) / slope < _TWO_ROWS * reach * field.cell
    return residual, min(sure, _OF_TWO_ROWS) if narrow else sure
