"""The surface of the simulated land: the ground with its houses, trees and masts.

Everything is asked place by place: which lot, which tree, what its number makes of it. So any window at any resolution
shows the same houses, however many there are. In cells larger than half a lot there are none.
"""

import numpy as np
from numpy.typing import NDArray

from infra.simulator.heights import ground
from infra.simulator.heights.land import near_towns
from infra.simulator.heights.noise import Axis, Field, octave, uniform

LOT_M = 26.0  # a square, in whose middle a house stands, turned its own way
_IN_TOWN, _AROUND, _ANYWHERE = 0.88, 0.30, 0.004  # shares of lots with a house
_CITY_M = 2500.0  # a town that reaches so far has blocks in its middle
_BLOCK_M = 18.0
_FLAT, _HIPPED = 0.16, 0.38  # shares of roofs, added up; the others have gables
_TREE_M = 8.0  # a tree to each square of this size, at most
_WOODS_M, _FEW_WOODS = 700.0, -0.3  # deviations
_DENSE, _SINGLE, _GARDENS = 0.8, 0.03, 0.05  # shares of such squares with a tree: in a wood, outside, around a house
_TREE_LINE = ((6_700_000.0, 1050.0), (7_850_000.0, 300.0))  # northing and height, m
_HIGHEST_FARM = 600.0
_MAST_M = 3_500.0
_LAKES_M, _MIRES_M, _WET = 1_800.0, 600.0, 1.5  # wavelengths, and deviation above which there is one
_FROM_TOWN = 1.3  # of a town's reach: lakes and mires keep so far away


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
    share = _share_of_trees(x, y, below)
    roof: Field | float = np.nan
    if cell <= LOT_M / 2:
        roof, settled = roofs(x, y, cell)
        share = np.where(settled, np.float32(_GARDENS), share)
    lake, mire = wet(x, y)
    share = np.where(mire, np.float32(0), share)
    above = below + np.where((below > 0) & ~lake, np.maximum(_trees(x, y, share), _masts(x, y)), 0)
    return np.where(np.isnan(roof) | ~(below > 0), above, np.maximum(roof, below)).astype(np.float32)


def roofs(x: Axis, y: Axis, cell: float) -> tuple[Field, NDArray[np.bool_]]:
    """Return the roofs over a grid, m above sea, NaN where there is none; and which places belong to a house.

    A house stands on the ground in the middle of its lot: gabled, hipped or flat and 4-9 m high, or a block of 15-25 m.
    Parameters are those of `heights`.
    """
    i, j = (np.floor(axis / LOT_M).astype(np.int64) for axis in (x, y))
    columns, rows = np.arange(i[0], i[-1] + 1), np.arange(j[0], j[-1] + 1)
    middle_x, middle_y = (columns + 0.5) * LOT_M, (rows + 0.5) * LOT_M

    def draw(seed: int, low: float, high: float) -> Field:
        return np.float32(low) + np.float32(high - low) * uniform(seed, columns[None, :], rows[:, None])

    foot, near = ground.heights(middle_x, middle_y, cell), near_towns(middle_x, middle_y)
    share = np.where(near < 1, _IN_TOWN, np.where(near < 2, _AROUND, _ANYWHERE * (foot < _HIGHEST_FARM)))
    settled = (foot > 0) & (draw(70, 0, 1) < share) & ~np.logical_or(*wet(middle_x, middle_y))
    central = np.clip(1 - near_towns(middle_x, middle_y, _CITY_M) / 0.4, 0, 1)
    block, kind = draw(71, 0, 1) < 0.5 * central, draw(72, 0, 1)
    length, width = (np.where(block, _BLOCK_M, draw(*sides)) for sides in ((73, 9.5, 14.5), (74, 7, 9.5)))
    flat = block | (kind < _FLAT)
    steep = np.where(flat, 0, draw(75, 0.45, 0.85))  # tangent of the roof's angle: 24 to 40 degrees
    eaves = np.where(block, draw(76, 15, 25), draw(77, 4, 8.5))
    eaves = np.where(flat, eaves, np.minimum(eaves - 1.2, 9 - width / 2 * steep))
    turn, hipped = draw(78, 0, np.pi), kind < _HIPPED
    # what is known of a place's lot is looked up
    at = np.ix_(j - rows[0], i - columns[0])
    east, north = (x - middle_x[at[1][0]]).astype(np.float32), (y[:, None] - middle_y[at[0]]).astype(np.float32)
    cosine, sine = np.cos(turn)[at], np.sin(turn)[at]
    from_gable = length[at] / 2 - np.abs(east * cosine + north * sine)
    from_eaves = width[at] / 2 - np.abs(north * cosine - east * sine)
    rise = steep[at] * np.where(hipped[at], np.minimum(from_gable, from_eaves), from_eaves)
    covered = settled[at] & (from_gable > 0) & (from_eaves > 0)
    return np.where(covered, (foot + eaves)[at] + rise, np.nan), settled[at]


def _share_of_trees(x: Axis, y: Axis, below: Field) -> Field:
    """Return how many of the squares around have a tree, outside of towns."""
    return np.asarray(np.where(woods(x, y), np.float32(_DENSE), np.float32(_SINGLE)) * room_for_trees(y, below))


def woods(x: Axis, y: Axis) -> NDArray[np.bool_]:
    """Return where there are woods, as far as height lets them grow."""
    return np.asarray(octave(x, y, _WOODS_M, 60) > _FEW_WOODS)


def wet(x: Axis, y: Axis) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return where there are lakes, and mires, on land or not.

    The ground knows nothing of them, but nothing stands in lakes, and neither houses nor trees in mires.
    """
    away = near_towns(x, y) > _FROM_TOWN
    lake, mire = (away & (octave(x, y, *of) > _WET) for of in ((_LAKES_M, 99), (_MIRES_M, 98)))
    return lake, mire & ~lake


def room_for_trees(y: Axis, below: Field) -> Field:
    """Return how many of the trees there may be grow at a height of the ground: 1 well below the tree line, 0 above."""
    (south, low), (far, high) = _TREE_LINE
    line = np.interp(y, (south, far), (low, high)).astype(np.float32)[:, None]
    return np.asarray(np.clip((line - below) / 120, 0, 1))


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
