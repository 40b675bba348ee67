"""Dimensions of the building's outer edges: each outside it, with its line, clear of the others."""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from api.reports.metrics import width
from api.roof.drawing import texts
from api.roof.drawing.board import CLEAR, Label, Spot
from api.roof.drawing.view import View

Floats = NDArray[np.float64]
Side = tuple[Spot, Spot, float]
"""Start and end on the sheet, the roof to the left in m; length, m."""

SMALL = 13.0
"""Font size of dimensions and obstacles."""

_OFFS = (17.0, 33.0, 49.0, 65.0, 81.0, 97.0)
"""From an edge to its dimension line."""

_CROSSING = 110.0
"""Shortest side on the sheet whose dimension line may cross another one."""

_LEAST_SIDE = 0.07
"""Of the longest side: shorter ones have no dimension."""

_SHORT_M, _CROWDED = 1.0, 70.0
"""Sides below that length have no dimension where another such side is as near, on the sheet."""


def sides(roof: Any, view: View) -> list[Side]:
    """Return the sides of the outer edge that get a dimension, the longest first."""
    found = list[Side]()
    for part in shapely.get_parts(roof):
        ring = shapely.orient_polygons(Polygon(part.exterior)).exterior.simplify(2.5)
        corners = _merged(np.array(ring.coords))
        found += [(tuple(a), tuple(b), math.dist(a, b) / view.scale) for a, b in pairwise(corners.tolist())]
    least = _LEAST_SIDE * max((side[2] for side in found), default=0.0)
    short = [side for side in found if side[2] < _SHORT_M]
    found = [side for side in found if side[2] >= least and not (side in short and _is_crowded(side, short))]
    return sorted(found, key=lambda side: -side[2])


def _is_crowded(side: Side, short: list[Side]) -> bool:
    own = shapely.LineString(side[:2])
    return any(own.distance(shapely.LineString(other[:2])) < _CROWDED for other in short if other is not side)


def _merged(ring: Floats) -> Floats:
    """Return a closed ring without a corner where its ends meet on one straight line."""
    before, first, after = ring[-2], ring[0], ring[1]
    along = after - before
    off = abs(along[0] * (first - before)[1] - along[1] * (first - before)[0]) / np.hypot(*along)
    return np.vstack([ring[1:-1], ring[1]]) if off < CLEAR and len(ring) > 4 else ring


def along(side: Side, *, crossing: bool = False) -> Iterator[Label]:
    """Yield places for a side's length outside it, ever farther off.

    Parameters
    ----------
    side : (start, end, length)
    crossing : bool
        Of a long side, near the roof: its line may cross another one in an inner corner.
    """
    start, end, length = side
    words = texts.number(length)
    size = width(words, SMALL) + 6, SMALL + 2
    long = math.dist(start, end)
    if long < (_CROSSING if crossing else size[0] + 8):
        return
    angle = math.degrees(math.atan2(end[1] - start[1], end[0] - start[0]))
    upright = (angle + 91) % 180 - 91  # from -91 to 89: all vertical ones are read from the right
    # shapely's counter-clockwise is clockwise where y points downwards: outside is to the right of the way
    out = np.array([(end[1] - start[1]) / long, -(end[0] - start[0]) / long])
    ends = np.array([start, end])
    for off in _OFFS[:2] if crossing else _OFFS:
        line, loose = ends + off * out, off + 8.0 if crossing else 6.0
        for share in (0.5, 0.35, 0.65):
            x, y = (line[0] + share * (line[1] - line[0])).tolist()
            yield Label(
                "dimension", x, y, size, (words,), upright, side=tuple(line.ravel().tolist()), off=off, ends=loose
            )
