"""Outlines that callers give, looked at without shapely: the process of the API does not load it."""

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]


def is_simple(points: Points) -> bool:
    """Return whether a ring (n, 2), not closed, has an area and no two edges that touch but at shared corners."""
    n = len(points)
    ends = np.roll(points, -1, axis=0)
    area = abs(float(np.sum(points[:, 0] * ends[:, 1] - points[:, 1] * ends[:, 0]))) / 2
    if n < 3 or area < 1.0 or (points == ends).all(axis=1).any():
        return False
    a, b = points[:, None], ends[:, None]
    c, d = points[None], ends[None]
    crossing = (_side(a, b, c) * _side(a, b, d) <= 0) & (_side(c, d, a) * _side(c, d, b) <= 0)
    apart = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    return not (crossing & (apart > 1) & (apart < n - 1)).any()


def distance(points: Points, x: float, y: float) -> float:
    """Return how far a place is from a ring (n, 2); 0 inside."""
    start, end = points, np.roll(points, -1, axis=0)
    straddles = (start[:, 1] > y) != (end[:, 1] > y)
    run = np.where(straddles, end[:, 1] - start[:, 1], 1.0)
    crossings = start[:, 0] + (y - start[:, 1]) / run * (end[:, 0] - start[:, 0])
    if np.count_nonzero(straddles & (crossings > x)) % 2:
        return 0.0
    along = end - start
    share = ((np.array([x, y]) - start) * along).sum(axis=1) / np.maximum((along**2).sum(axis=1), 1e-12)
    nearest = start + np.clip(share, 0, 1)[:, None] * along
    return float(np.hypot(*(nearest - (x, y)).T).min())


def _side(a: Points, b: Points, c: Points) -> NDArray[np.float64]:
    """Return on which side of the line from a to b each c lies: the sign."""
    found: NDArray[np.float64] = np.sign(
        (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (c[..., 0] - a[..., 0])
    )
    return found
