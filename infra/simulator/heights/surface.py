"""The surface of the simulated land: the ground with its houses, trees and masts."""

import numpy as np

from infra.simulator.heights import ground
from infra.simulator.heights.houses import roofs
from infra.simulator.heights.lots import among_houses, lots
from infra.simulator.heights.noise import Axis, Field, octave, uniform

_LOT_REACH_M = 24.0  # from the middle of a lot to its corner, and a bit
_TREE_M = 8.0  # a tree to each square of this size, at most
_WOODS_M, _FEW_WOODS = 700.0, -0.3  # deviations
_DENSE, _SINGLE, _GARDENS = 0.8, 0.03, 0.05  # shares of such squares with a tree: in a wood, outside, in a town
_TREE_LINE = ((6_700_000.0, 1050.0), (7_850_000.0, 300.0))  # northing and height, m
_HIGHEST_FARM = 600.0
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
    # a house stands on the ground in the middle of its lot, which may lie outside of the window
    margin = int(np.ceil(_LOT_REACH_M / cell))
    beside = cell * np.arange(1, margin + 1)
    wide_x = np.concatenate([x[0] - beside[::-1], x, x[-1] + beside])
    wide_y = np.concatenate([y[0] - beside[::-1], y, y[-1] + beside])
    wide = ground.heights(wide_x, wide_y, cell)
    below = np.ascontiguousarray(wide[margin:-margin, margin:-margin])
    land = below > 0
    town = among_houses(x, y)
    share = np.where(town, np.float32(_GARDENS), _share_of_trees(x, y, below))
    z = below + np.where(land, np.maximum(_trees(x, y, share), _masts(x, y)), 0)
    rows, columns = np.nonzero(town & land)
    if not len(rows):
        return z
    places = lots(np.asarray(x)[columns], np.asarray(y)[rows])
    i = np.clip(np.rint((places.y - wide_y[0]) / cell).astype(np.int64), 0, len(wide_y) - 1)
    j = np.clip(np.rint((places.x - wide_x[0]) / cell).astype(np.int64), 0, len(wide_x) - 1)
    foot = wide[i, j]
    fit = (foot > 0) & (places.village | (foot < _HIGHEST_FARM))
    roof = np.where(fit, foot + roofs(places), np.nan)
    here = below[rows, columns]
    built = np.where(places.settled, z[rows, columns], here)  # no trees on streets
    z[rows, columns] = np.where(np.isnan(roof), built, np.fmax(roof, here))
    return z


def _share_of_trees(x: Axis, y: Axis, below: Field) -> Field:
    """Return how many of the squares around have a tree, outside of towns."""
    (south, low), (far, high) = _TREE_LINE
    line = np.interp(y, (south, far), (low, high)).astype(np.float32)[:, None]
    room = np.clip((line - below) / 120, 0, 1)
    woods = octave(x, y, _WOODS_M, 60) > _FEW_WOODS
    return np.asarray(np.where(woods, np.float32(_DENSE), np.float32(_SINGLE)) * room)


def _trees(x: Axis, y: Axis, share: Field) -> Field:
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
