"""Heights on grids of which the first is the finest: what a horizon is computed from."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MISSING = np.float32(-1e12)
"""No data. So low that it hides nothing at any distance, mixed with its neighbours too; a NaN would spread."""

UNSEEN = -1e5
"""Lower than any tangent of what is there, and higher than any of what is missing."""

COARSE_FROM = 100
"""A coarser level is used from so many of its cells away: a cell is then 1 % of its distance, about a half degree."""

# Looked at together: all of a large level would take as much again.
_ROWS = 64


class Level(NamedTuple):
    """Heights on a square grid, in the coordinates of a map.

    Parameters
    ----------
    z : float32 (rows, columns)
        Metres above the sea, row 0 in the south; `MISSING` where there is no data. Of the finest level the surface
        at the cells' centres (between them it is bilinear), of coarser ones the highest of each cell.
    x0, y0 : float
        Centre of the first, south-western cell, m.
    cell : float
        Side of a cell, m.
    """

    z: NDArray[np.float32]
    x0: float
    y0: float
    cell: float

    def margin(self, west: float, south: float, east: float, north: float) -> float:
        """Return how far the level reaches beyond a rectangle (of a point: west = east, south = north), m."""
        rows, columns = self.z.shape
        sides = (
            west - self.x0,
            south - self.y0,
            self.x0 + self.cell * (columns - 1) - east,
            self.y0 + self.cell * (rows - 1) - north,
        )
        return float(min(sides))

    def height_at(self, x: float, y: float) -> float | None:
        """Return the height of the cell that holds a point, m; None where it is not known."""
        value = self.z[round((y - self.y0) / self.cell), round((x - self.x0) / self.cell)]
        return None if value == MISSING else float(value)

    def missing_within(self, x: float, y: float, radius: float) -> float:
        """Return the share of the cells around a point, to so many m of the map, of which nothing is known."""
        rows, columns = self.z.shape
        aside = (self.x0 - x + self.cell * np.arange(columns)) ** 2
        along = (self.y0 - y + self.cell * np.arange(rows)) ** 2
        missing = among = 0
        for first in range(0, rows, _ROWS):
            part = slice(first, first + _ROWS)
            within = aside[None, :] + along[part, None] <= radius**2
            missing += int(np.count_nonzero((self.z[part] == MISSING) & within))
            among += int(np.count_nonzero(within))
        return missing / among


def ranges(levels: Sequence[Level], rectangle: tuple[float, float, float, float], reach: float) -> list[float]:
    """Return up to what distance each level is used, m: until the next is fine enough, or its own data end.

    Parameters
    ----------
    levels : sequence of Level
        Finest first.
    rectangle : (float, float, float, float)
        West, south, east, north of the observers, m.
    reach : float
        The farthest that is looked at, m.

    Raises
    ------
    ValueError
        There is no level, or they are not ordered.
    """
    if not levels:
        raise ValueError("a horizon needs at least one level of heights")
    if any(finer.cell >= coarser.cell for finer, coarser in pairwise(levels)):
        raise ValueError("levels of heights go from the finest to the coarsest")
    ends = []
    for level, coarser in pairwise(levels):
        ends.append(min(COARSE_FROM * coarser.cell, max(level.margin(*rectangle), 0.0), reach))
    return [*np.maximum.accumulate(ends).tolist(), reach] if ends else [reach]


def displacement(cell: float, distance: float, *, coarse: bool) -> float:
    """Return how far from a ray a height may stand that counts for it: the bound of what levels and steps do, m.

    Every height that a horizon is made of stands so near to the point of the ray for which it counts, and every point
    of the ray has one that counts for it, at most half of this farther or nearer. A horizon lies between those of the
    land worn down and piled up by as much: the lowest and the highest heights within this distance.

    On the finest level that is the diagonal of a cell, half a step of half a cell or 1 % of the distance, and what
    near samples leave out. On coarser ones (cells of 1 % of the distance at most) it is half a step of 1 %, the way to
    the nearest cell, half the diagonal of a window of 1.34 %, and 0.02 degrees by which directions of a strip differ.

    Parameters
    ----------
    cell : float
        Side of the finest level's cells, m.
    distance : float
        m.
    coarse : bool
        Whether there is a coarser level.
    """
    return 2 * cell + (0.027 if coarse else 0.005) * distance
