"""Heights on grids of which the first is the finest: what a horizon is computed from."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MISSING = np.float32(-1e4)
"""No data. It is so low that it never hides anything, and a test for it needs no NaN, which comparisons lose."""

COARSE_FROM = 100
"""A coarser level is used from so many of its cells away: a cell is then 1 % of its distance, about a half degree."""


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
        return min(sides)


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
    if any(finer.cell >= coarser.cell for finer, coarser in zip(levels, levels[1:], strict=False)):
        raise ValueError("levels of heights go from the finest to the coarsest")
    ends = []
    for level, coarser in zip(levels, levels[1:], strict=False):
        ends.append(min(COARSE_FROM * coarser.cell, max(level.margin(*rectangle), 0.0), reach))
    return [*np.maximum.accumulate(ends).tolist(), reach] if ends else [reach]
