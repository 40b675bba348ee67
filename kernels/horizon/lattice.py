"""Heights laid out so that one shift serves many points.

Points stand on a lattice, such as one each 100 m, and the heights on one whose cells divide that step. Seen from every
point the same sample then falls at the same place between the cells, so that a column of points reads columns of
heights, one after the other: that is what makes a tile fast. A lattice holds the heights sorted by where they stand
within the step (`phases`), so that these columns lie in memory without gaps. Columns, because true north, which
directions are counted from, changes from west to east: along a column of points a direction is the same on the map.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.horizon.levels import MISSING, Level

_WHOLE = 1e-6


class Points(NamedTuple):
    """Points on a square lattice.

    Parameters
    ----------
    x, y : float
        The first, south-western one, m.
    step : float
        Between neighbours, m.
    shape : (int, int)
        Rows, from the south, and columns.
    """

    x: float
    y: float
    step: float
    shape: tuple[int, int]

    @property
    def rectangle(self) -> tuple[float, float, float, float]:
        """West, south, east, north of all of them, m."""
        rows, columns = self.shape
        return self.x, self.y, self.x + self.step * (columns - 1), self.y + self.step * (rows - 1)


class Lattice(NamedTuple):
    """Heights around points.

    Parameters
    ----------
    heights : float32 (n,)
        By column and row within the step, then by column and row of steps.
    rows, columns : int
        Of steps.
    per_step : int
        Cells to a step along a side.
    pad : int
        Steps before the first point.
    u, v : float
        Where the first point stands, in cells east and north of its own cell's centre.
    cell : float
        m.
    """

    heights: NDArray[np.float32]
    rows: int
    columns: int
    per_step: int
    pad: int
    u: float
    v: float
    cell: float


def divides(cell: float, step: float) -> bool:
    """Whether a step is a whole number of cells."""
    return abs(step / cell - round(step / cell)) < _WHOLE and step >= cell


def lattice(level: Level, points: Points, far: float, window: int = 1) -> Lattice:
    """Lay out the heights around points.

    Parameters
    ----------
    level : Level
        One whose cells do not divide the step is read at the nearest cell, one for each step.
    points : Points
    far : float
        How far from the points, m of the map.
    window : int
        Side of a square of cells of which the highest counts.
    """
    highest = _highest(level, window)
    own = divides(level.cell, points.step)
    cell, per_step = (level.cell, round(points.step / level.cell)) if own else (points.step, 1)
    u, v = (points.x - highest.x0) / cell, (points.y - highest.y0) / cell
    column, row = (round(u), round(v)) if window > 1 or not own else (math.floor(u), math.floor(v))
    pad = math.ceil(far / points.step) + 2
    shape = tuple((n + 2 * pad) * per_step for n in points.shape)
    first = row - pad * per_step, column - pad * per_step
    if own:
        found = _cut(highest.z, first, shape)
    else:
        # positions from the first point, which stands at u, v exactly
        at = [
            (start + points.step * (np.arange(n) - pad)) / level.cell
            for start, n in zip((points.y - highest.y0, points.x - highest.x0), shape, strict=True)
        ]
        found = _nearest(highest.z, *(np.floor(a + 0.5).astype(np.int64) for a in at))
        u, v, column, row = 0.0, 0.0, 0, 0
    rows, columns = shape[0] // per_step, shape[1] // per_step
    phases = found.reshape(rows, per_step, columns, per_step).transpose(3, 1, 2, 0)
    return Lattice(np.ascontiguousarray(phases).ravel(), rows, columns, per_step, pad, u - column, v - row, cell)


def _highest(level: Level, window: int) -> Level:
    """Return a level of which each cell is the highest of a square of them, with its centre at the square's."""
    z = level.z
    if window == 1:
        return level
    rows, columns = (n - window + 1 for n in z.shape)
    if min(rows, columns) < 1:
        return level._replace(z=np.full((1, 1), MISSING))
    across = z[:, :columns].copy()
    for k in range(1, window):
        np.maximum(across, z[:, k : columns + k], out=across)
    both = across[:rows].copy()
    for k in range(1, window):
        np.maximum(both, across[k : rows + k], out=both)
    shift = level.cell * (window - 1) / 2
    return Level(both, level.x0 + shift, level.y0 + shift, level.cell)


def _cut(z: NDArray[np.float32], first: tuple[int, int], shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Return a part of an array that may reach beyond it."""
    found = np.full(shape, MISSING, np.float32)
    inside = [(max(start, 0), min(start + n, size)) for start, n, size in zip(first, shape, z.shape, strict=True)]
    if all(low < high for low, high in inside):
        (r0, r1), (c0, c1) = inside
        found[r0 - first[0] : r1 - first[0], c0 - first[1] : c1 - first[1]] = z[r0:r1, c0:c1]
    return found


def _nearest(z: NDArray[np.float32], rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the heights of cells, `MISSING` beyond the array."""
    found = np.full((rows.size, columns.size), MISSING, np.float32)
    r, c = ((index >= 0) & (index < n) for index, n in zip((rows, columns), z.shape, strict=True))
    found[np.ix_(r, c)] = z[np.ix_(rows[r], columns[c])]
    return found
