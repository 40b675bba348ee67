"""Heights on grids of which the first is the finest: what a horizon is computed from."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MISSING = np.float32(-1e4)
"""No data. It is so low that it never hides anything, and a test for it needs no NaN, which comparisons lose."""


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
