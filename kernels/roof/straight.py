"""Straight edges: corners of a coverage moved to where the lines cross that its edges should lie on."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

Floats = NDArray[np.float64]
Corner = tuple[float, float]
Ends = tuple[Corner, Corner]

_MOST_M = 0.8
_ON_OUTLINE_M = 0.4
_TIP_M = 0.6
_PARALLEL = np.cos(np.radians(15.0))
_STAY = 0.001
_MERGE_M = 0.3


class Line(NamedTuple):
    """A line in plan: its unit normal and its distance from the origin, m."""

    x: float
    y: float
    at: float


def edges_of(polygons: Sequence[Polygon]) -> dict[frozenset[Corner], list[int]]:
    """Return for each edge of a coverage the polygons that have it."""
    found: dict[frozenset[Corner], list[int]] = defaultdict(list)
    for n, polygon in enumerate(polygons):
        for start, end in sides(polygon):
            found[frozenset((start, end))].append(n)
    return found


def sides(polygon: Polygon) -> Iterator[Ends]:
    """Yield the sides of a polygon and of its holes; the polygon lies to the left."""
    if polygon.is_empty:
        return
    turned = shapely.orient_polygons(polygon)
    for ring in (turned.exterior, *turned.interiors):
        points = [tuple(point) for point in ring.coords]
        yield from pairwise(points)


def straightened(polygons: Sequence[Polygon], folds: dict[frozenset[int], Line], outline: Polygon) -> list[Polygon]:
    """Return a coverage whose edges lie on folds, on the outline, or along the outline's main direction.

    Parameters
    ----------
    polygons : sequence of Polygon
        Without gaps or overlaps; empty ones stay empty.
    folds : mapping of a pair of polygons to Line
        Where planes meet.
    outline : Polygon
    """
    borders = [(*_line(start, end), start, end) for start, end in sides(outline) if start != end]
    main = main_direction(outline)
    axes = [np.array([np.cos(main), np.sin(main)]), np.array([-np.sin(main), np.cos(main)])]
    lines: dict[Corner, list[tuple[Line, float]]] = defaultdict(list)
    for edge, owners in edges_of(polygons).items():
        start, end = sorted(edge)
        line = folds.get(frozenset(owners)) if len(owners) == 2 else None
        line = line or _on_outline(start, end, borders) or _along(start, end, axes)
        for corner in edge:
            lines[corner].append((line, float(np.hypot(end[0] - start[0], end[1] - start[1]))))
    ends = np.array(outline.exterior.coords)
    outer = {corner for edge, owners in edges_of(polygons).items() if len(owners) == 1 for corner in edge}
    moved = {}
    for corner, own in lines.items():
        # tips of corners were cut off when cells were simplified
        away = np.hypot(*(ends - corner).T)
        tip = corner in outer and away.min() < _TIP_M
        east, north = ends[away.argmin()]
        moved[corner] = (float(east), float(north)) if tip else _moved(corner, own)
    return _valid(polygons, moved)


def main_direction(outline: Polygon) -> float:
    """Return the direction in which most of an outline's length runs, or across it, radians from east, 0 to pi / 2."""
    ends = np.array([(*start, *end) for start, end in sides(outline)])
    along = ends[:, 2:] - ends[:, :2]
    length, angle = np.hypot(*along.T), np.arctan2(along[:, 1], along[:, 0])
    return float(np.angle(np.sum(length**2 * np.exp(4j * angle))) / 4 % (np.pi / 2))


def long_side(polygon: Polygon) -> Corner:
    """Return the longer side of the smallest rectangle around a polygon, m to the east and to the north."""
    sides = np.diff(shapely.get_coordinates(polygon.minimum_rotated_rectangle)[:3], axis=0)
    east, north = sides[np.hypot(*sides.T).argmax()]
    return float(east), float(north)


def _line(start: Corner, end: Corner) -> tuple[Line]:
    along = np.subtract(end, start) / np.hypot(*np.subtract(end, start))
    return (Line(along[1], -along[0], along[1] * start[0] - along[0] * start[1]),)


def _on_outline(start: Corner, end: Corner, borders: list[tuple[Line, Corner, Corner]]) -> Line | None:
    """Return the border of the outline that an edge lies on."""
    own = _line(start, end)[0]
    middle = np.add(start, end) / 2
    best, found = _ON_OUTLINE_M, None
    for line, first, last in borders:
        if abs(own.x * line.x + own.y * line.y) < _PARALLEL:
            continue
        away = abs(line.x * middle[0] + line.y * middle[1] - line.at)
        along = np.subtract(last, first)
        part = np.dot(np.subtract(middle, first), along) / np.dot(along, along)
        if away < best and -0.1 < part < 1.1:
            best, found = away, line
    return found


def _along(start: Corner, end: Corner, axes: list[Floats]) -> Line:
    """Return the line through an edge's middle along an axis that it is nearly parallel to; else its own."""
    own, middle = _line(start, end)[0], np.add(start, end) / 2
    for axis in axes:
        if abs(own.x * axis[0] + own.y * axis[1]) > _PARALLEL:
            return Line(axis[0], axis[1], float(axis @ middle))
    return own


def _moved(corner: Corner, lines: list[tuple[Line, float]]) -> Corner:
    """Return the point nearest to lines, the longer the edge the nearer; a corner moves by a limited distance."""
    normals = np.array([line[:2] for line, _ in lines])
    weights = np.array([weight for _, weight in lines])
    off = np.array([line.at for line, _ in lines]) - normals @ corner
    left = (normals * weights[:, None]).T @ normals + _STAY * weights.sum() * np.eye(2)
    step = np.linalg.solve(left, (normals * weights[:, None]).T @ off)
    far = np.hypot(*step)
    if far > _MOST_M:
        step *= 0
    return corner[0] + float(step[0]), corner[1] + float(step[1])


def _valid(polygons: Sequence[Polygon], moved: dict[Corner, Corner]) -> list[Polygon]:
    """Return polygons with their corners moved, those of a polygon less far that would no longer be simple."""

    def places(at: Floats) -> Floats:
        return np.array([moved[tuple(corner)] for corner in at]).reshape(-1, 2)

    # corners that stay may make a neighbour's polygon wrong: then its corners stay too
    for part in (0.5, 0.5, *[0.0] * len(polygons), 0.0):
        found = [shapely.transform(one, places) for one in polygons]
        wrong = [one for one, new in zip(polygons, found, strict=True) if not new.is_valid]
        if not wrong:
            break
        for at in {tuple(corner) for corner in shapely.get_coordinates(wrong)}:
            moved[at] = (at[0] + part * (moved[at][0] - at[0]), at[1] + part * (moved[at][1] - at[1]))
    return list(shapely.coverage_simplify(shapely.remove_repeated_points(found), _MERGE_M))
