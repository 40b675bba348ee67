"""What each edge of a surface is: eave, gable, ridge, hip, valley or wall."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from shapely import Polygon

from kernels.roof.partition import Fold
from kernels.roof.roof import Edge, EdgeKind
from kernels.roof.straight import Corner, edges_of, sides

Floats = NDArray[np.float64]

# Rise of a line where planes meet that is a ridge, of one that is a hip.
_LEVEL = np.tan(np.radians(8.0))
_ALONG_FALL = np.cos(np.radians(45.0))


def edges(polygons: Sequence[Polygon], planes: Floats, folds: Sequence[Fold]) -> list[tuple[Edge, ...]]:
    """Return the edges of each polygon; `other` is the number of the polygon beyond, from 0.

    Parameters
    ----------
    polygons : sequence of Polygon
        A coverage.
    planes : float64 (n, 3)
        Of the polygons.
    folds : sequence of Fold
    """
    meets = {frozenset(fold[:2]): fold for fold in folds}
    owners = edges_of(polygons)
    return [
        tuple(_edge(n, start, end, owners, planes, meets) for start, end in sides(polygon))
        for n, polygon in enumerate(polygons)
    ]


def _edge(
    number: int,
    start: Corner,
    end: Corner,
    owners: Mapping[frozenset[Corner], list[int]],
    planes: Floats,
    meets: Mapping[frozenset[int], Fold],
) -> Edge:
    both = owners[frozenset((start, end))]
    other = next((n for n in both if n != number), None)
    if other is None:
        return Edge(start, end, _outer(planes[number], start, end))
    fold = meets.get(frozenset(both))
    return Edge(start, end, "wall" if fold is None else _inner(planes[number], fold, start, end), other)


def _outer(plane: Floats, start: Corner, end: Corner) -> EdgeKind:
    along, slope = np.subtract(end, start), np.hypot(plane[0], plane[1])
    outward = np.array([along[1], -along[0]]) / np.hypot(*along)
    falls = -(plane[0] * outward[0] + plane[1] * outward[1]) / slope if slope else 0.0
    return "eave" if falls > _ALONG_FALL else "gable"


def _inner(plane: Floats, fold: Fold, start: Corner, end: Corner) -> EdgeKind:
    if not fold.convex:
        return "valley"
    along = np.subtract(end, start) / np.hypot(*np.subtract(end, start))
    return "ridge" if abs(plane[:2] @ along) < _LEVEL else "hip"
