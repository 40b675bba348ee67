"""Points and rings: which areas hold a point, by the even-odd rule, and how far it is from their borders.

Positions are whole numbers of a small unit and everything that decides is exact. An edge decides alike whichever way it
is walked, a point on it lies east of it, or north of it where it is level: so of areas that share their borders without
gaps, exactly one holds any point, on edges and corners too.
"""

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.signedinteger]


class Rings:
    """Closed rings, one after the other.

    Parameters
    ----------
    x, y : int32 (n,)
        Positions, -2**30 to 2**30; the last of each ring is its first.
    first : int (m + 1,)
        Where each ring begins, ascending from 0, and n.
    area : int (m,)
        The area that each ring bounds, or is a hole of; from 0.
    """

    def __init__(self, x: Whole, y: Whole, first: Whole, area: Whole) -> None:
        self.x, self.y, self.first, self.area = x, y, first, area
        self._west, self._south = (np.minimum.reduceat(axis, first[:-1]) for axis in (x, y))
        self._east, self._north = (np.maximum.reduceat(axis, first[:-1]) for axis in (x, y))

    def around(self, x: int, y: int, reach: float) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Return which areas hold a point, and how far it is from the border of each.

        Parameters
        ----------
        x, y : int
            -2**30 to 2**30.
        reach : float
            Rings that are farther are not looked at.

        Returns
        -------
        holds : bool (areas,)
        distance : float64 (areas,)
            To the nearest edge; infinite where no ring is within reach.
        """
        high, wide = (self._south <= y + reach) & (y - reach <= self._north), self._west <= x + reach
        near = np.flatnonzero(high & wide & (x - reach <= self._east))
        count = np.diff(self.first)[near] - 1
        begins = np.arange(count.sum()) + np.repeat(self.first[near] - np.cumsum(count) + count, count)
        area, areas = np.repeat(self.area[near], count), int(self.area.max()) + 1
        # 64 bits: differences are below 2**31, and products of two below 2**62
        x0, y0, x1, y1 = (axis[at].astype(np.int64) for at in (begins, begins + 1) for axis in (self.x, self.y))
        dx, dy = x1 - x0, y1 - y0
        up = y0 <= y
        side = dx * (y - y0) - (x - x0) * dy
        west_of_it = (up != (y1 <= y)) & (np.where(up, side, -side) > 0)
        holds = np.bincount(area[west_of_it], minlength=areas) % 2 == 1
        along = np.clip(((x - x0) * dx + (y - y0) * dy) / np.maximum(dx * dx + dy * dy, 1), 0.0, 1.0)
        distance = np.full(areas, np.inf)
        np.minimum.at(distance, area, np.hypot(x0 + along * dx - x, y0 + along * dy - y))
        return holds, distance
