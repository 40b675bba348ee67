"""The surface of the simulated land: the ground with its houses, trees and masts.

Everything is asked place by place: which lot, which tree, what its number makes of it. So any window at any resolution
shows the same houses, however many there are. In cells larger than half a lot there are none.
"""

import numpy as np
from numpy.typing import NDArray

from infra.simulator.buildings.lots import LOT_M
from infra.simulator.buildings.roof_cells import noise, roof_cells
from infra.simulator.heights import ground
from infra.simulator.heights.noise import Axis, Field, octave, uniform
from infra.simulator.heights.wetland import wet

_TREE_M = 8.0  # a tree to each square of this size, at most
_WOODS_M, _FEW_WOODS = 700.0, -0.3  # deviations
_DENSE, _SINGLE, _GARDENS = 0.8, 0.03, 0.05  # shares of such squares with a tree: in a wood, outside, around a house
_TREE_LINE = ((6_700_000.0, 1050.0), (7_850_000.0, 300.0))  # northing and height, m
_MAST_M = 3_500.0


def heights(x: Axis, y: Axis, cell: float) -> Field:
    """Return the surface over a grid.

    Parameters
    ----------
    x, y : float64 (columns,), (rows,)
        m in UTM 33, ascending and `cell` apart.
    cell : float
        m.

    Returns
    -------
    float32 (rows, columns), m above sea, 0 at sea, NaN where there is no data.
    """
    below = ground.heights(x, y, cell)
    roof: Field | float = np.nan
    settled = np.zeros(below.shape, bool)
    if cell <= LOT_M / 2:
        roof, settled = roofs(x, y)
    lake, _ = wet(x, y)
    plants = trees(x, y, share_of_trees(x, y, below, settled))
    above = below + np.where((below > 0) & ~lake, np.maximum(plants, _masts(x, y)), 0)
    return np.where(np.isnan(roof) | ~(below > 0), above, np.maximum(roof, below)).astype(np.float32)


def roofs(x: Axis, y: Axis) -> tuple[Field, NDArray[np.bool_]]:
    """Return the roofs over a grid, m above sea, NaN where there is none; and which places belong to a building.

    Roofs carry chimneys, dormers and boxes, and noise of 4 cm (standard deviation). Where a building is newer than the
    surface model they are -inf: bare ground. Parameters are those of `heights`.
    """
    roof, settled = np.full((len(y), len(x)), np.nan, np.float32), np.zeros((len(y), len(x)), bool)
    for part in roof_cells(x, y):
        settled |= part.settled
        row, column = part.cells
        z = part.heights() + noise(x[column], y[row])
        roof[part.cells] = np.where(part.lots.newer[part.lot], -np.inf, z)
    return roof, settled


def share_of_trees(x: Axis, y: Axis, below: Field, settled: NDArray[np.bool_]) -> Field:
    """Return how many of the squares around have a tree, by the ground and the lots with buildings."""
    outside = np.where(woods(x, y), np.float32(_DENSE), np.float32(_SINGLE)) * room_for_trees(y, below)
    share = np.where(settled, np.float32(_GARDENS), outside)
    return np.where(np.logical_or(*wet(x, y)), np.float32(0), share)


def woods(x: Axis, y: Axis) -> NDArray[np.bool_]:
    """Return where there are woods, as far as height lets them grow."""
    return np.asarray(octave(x, y, _WOODS_M, 60) > _FEW_WOODS)


def room_for_trees(y: Axis, below: Field) -> Field:
    """Return how many of the trees there may be grow at a height of the ground: 1 well below the tree line, 0 above."""
    (south, low), (far, high) = _TREE_LINE
    line = np.interp(y, (south, far), (low, high)).astype(np.float32)[:, None]
    return np.asarray(np.clip((line - below) / 120, 0, 1))


def trees(x: Axis, y: Axis, share: Field) -> Field:
    """Return how high the trees over a grid are, m, 0 where there are none: cones 8-20 m high."""
    i, j = np.floor(x / _TREE_M).astype(np.int64)[None, :], np.floor(y / _TREE_M).astype(np.int64)[:, None]
    size = uniform(62, i, j)
    # from the middle of the square; the tree stands beside it
    dx, dy = ((axis - (k + 0.5) * _TREE_M).astype(np.float32) for axis, k in ((x, i), (y[:, None], j)))
    off = np.hypot(dx - 1.5 * (uniform(63, i, j) - np.float32(0.5)), dy - 1.5 * (uniform(64, i, j) - np.float32(0.5)))
    off /= np.float32(2.2) + size
    tall = (8 + 12 * size) * (1 - np.float32(0.85) * off)
    return np.where((uniform(61, i, j) < share) & (off < 1), tall, np.float32(0))


def _masts(x: Axis, y: Axis) -> Field:
    """Return the masts' heights over a grid: one to a square of some kilometres, 40-90 m high and 3 m wide."""
    z = np.zeros((len(y), len(x)), dtype=np.float32)
    for i in range(int(np.floor(x[0] / _MAST_M)), int(np.floor(x[-1] / _MAST_M)) + 1):
        for j in range(int(np.floor(y[0] / _MAST_M)), int(np.floor(y[-1] / _MAST_M)) + 1):
            east, north, tall = (float(uniform(k, i, j)) for k in (91, 92, 93))
            columns = np.abs(x - (i + 0.1 + 0.8 * east) * _MAST_M) < 1.5
            rows = np.abs(y - (j + 0.1 + 0.8 * north) * _MAST_M) < 1.5
            z[np.ix_(rows, columns)] = 40 + 50 * tall
    return z
