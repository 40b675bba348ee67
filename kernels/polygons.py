"""Points and rings: which rings hold a point, by the even-odd rule, and how far a point is from a ring.

Positions are whole numbers of a small unit and everything that decides is exact. An edge decides alike whichever way it
is walked, a point on it lies east of it, or north of it where it is level: so of areas that share their borders without
gaps, exactly one holds any point, on edges and corners too.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernels.sizes import require_size

# Differences are then below 2**31, and products of two below 2**62.
_FARTHEST = 2**30
_FEWEST = 4  # positions of a closed ring

Whole = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Rings:
    """Closed rings, one after the other; made by `rings`.

    Parameters
    ----------
    x, y : int32 (n,)
        Positions; the last of each ring is its first.
    first : int64 (m + 1,)
        Where each ring begins, and n.
    west, south, east, north : int32 (m,)
        How far each reaches.
    """

    x: NDArray[np.int32]
    y: NDArray[np.int32]
    first: Whole
    west: NDArray[np.int32]
    south: NDArray[np.int32]
    east: NDArray[np.int32]
    north: NDArray[np.int32]


def rings(x: ArrayLike, y: ArrayLike, first: ArrayLike) -> Rings:
    """Return rings with how far each reaches.

    Parameters
    ----------
    x, y : int (n,)
        Positions, -2**30 to 2**30; the last of each ring is its first.
    first : int (m,)
        Where each ring begins, ascending from 0.

    Raises
    ------
    ValueError
        There is none, one is not closed, or has fewer than four positions, or lies too far out.
    """
    x, y, first = (np.asarray(values, dtype=np.int64) for values in (x, y, first))
    require_size(x.size, x=x, y=y)
    if first.size == 0 or first[0] != 0 or np.any(np.diff(np.append(first, x.size)) < _FEWEST):
        msg = f"rings begin at 0 and have {_FEWEST} positions at least"
        raise ValueError(msg)
    if max(np.abs(x).max(), np.abs(y).max()) > _FARTHEST:
        msg = f"positions lie beyond {_FARTHEST}"
        raise ValueError(msg)
    last = np.append(first[1:], x.size) - 1
    if np.any((x[first] != x[last]) | (y[first] != y[last])):
        msg = "a ring is not closed"
        raise ValueError(msg)
    x, y = x.astype(np.int32), y.astype(np.int32)
    west, south = np.minimum.reduceat(x, first), np.minimum.reduceat(y, first)
    east, north = np.maximum.reduceat(x, first), np.maximum.reduceat(y, first)
    return Rings(x, y, np.append(first, x.size), west, south, east, north)


def holding(of: Rings, x: int, y: int) -> Whole:
    """Return which rings hold a point: of these the number is odd for each area that does.

    Parameters
    ----------
    of : Rings
    x, y : int
        -2**30 to 2**30.

    Returns
    -------
    int64 (k,)
        Ascending.
    """
    near = np.flatnonzero((of.south <= y) & (y < of.north) & (of.west <= x) & (x < of.east))
    begins, ring = _edges(of, near)
    south, north = of.y[begins], of.y[begins + 1]
    crossed = np.flatnonzero((south <= y) != (north <= y))
    begins, ring, up = begins[crossed], ring[crossed], south[crossed] <= y
    low, high = np.where(up, begins, begins + 1), np.where(up, begins + 1, begins)
    x0, y0 = of.x[low].astype(np.int64), of.y[low].astype(np.int64)
    west_of_it = (of.x[high] - x0) * (y - y0) > (x - x0) * (of.y[high] - y0)
    found: Whole = near[np.bincount(ring[west_of_it], minlength=near.size) % 2 == 1]
    return found


def within(of: Rings, x: int, y: int, reach: float) -> tuple[Whole, NDArray[np.float64]]:
    """Return which rings have an edge near a point, and how far it is.

    Parameters
    ----------
    of : Rings
    x, y : int
        -2**30 to 2**30.
    reach : float
        Edges that are farther are not looked at.

    Returns
    -------
    ring : int64 (k,)
        Ascending.
    distance : float64 (k,)
        To the nearest edge of each, at most `reach`.
    """
    west, south, east, north = x - reach, y - reach, x + reach, y + reach
    near = np.flatnonzero((of.south <= north) & (south <= of.north) & (of.west <= east) & (west <= of.east))
    begins, ring = _edges(of, near)
    for axis, least, most in ((of.y, south, north), (of.x, west, east)):
        one, other = axis[begins], axis[begins + 1]
        there = np.flatnonzero((np.minimum(one, other) <= most) & (np.maximum(one, other) >= least))
        begins, ring = begins[there], ring[there]
    distance = np.full(near.size, np.inf)
    np.minimum.at(distance, ring, _to_edges(of, begins, x, y))
    found = np.flatnonzero(distance <= reach)
    return near[found], distance[found]


def _edges(of: Rings, chosen: Whole) -> tuple[Whole, Whole]:
    """Return the positions at which the edges of rings begin, and which of the chosen rings each is of."""
    count = of.first[chosen + 1] - of.first[chosen] - 1
    ring = np.repeat(np.arange(chosen.size), count)
    before = np.cumsum(count) - count
    return np.arange(ring.size) + (of.first[chosen] - before)[ring], ring


def _to_edges(of: Rings, begins: Whole, x: int, y: int) -> NDArray[np.float64]:
    x0, y0 = of.x[begins].astype(np.float64), of.y[begins].astype(np.float64)
    dx, dy = of.x[begins + 1] - x0, of.y[begins + 1] - y0
    length2 = dx * dx + dy * dy
    along = ((x - x0) * dx + (y - y0) * dy) / np.where(length2 > 0, length2, 1.0)
    along = np.clip(along, 0.0, 1.0)
    distance: NDArray[np.float64] = np.hypot(x0 + along * dx - x, y0 + along * dy - y)
    return distance
