"""Heights of squares, put together: the surface around a point as the kernels take it, and the ground at the point."""

import mmap
from math import floor

import numpy as np

from api.horizon.rooftop.block import CELL
from api.horizon.rooftop.heights import REACH_M, Blocks, ground_at
from catalog.sources.kartverket.heights import Model
from kernels.horizon.levels import MISSING, Level

# Cells to each side.
_MEAN = 5


def surface(blocks: Blocks, x: float, y: float, model: Model = "dom") -> Level:
    """Return a model's heights within reach of a point, `MISSING` where they are not known.

    Parameters
    ----------
    blocks : mapping of Square to Block
    x, y : float
        m in UTM 33.
    model : {"dom", "dtm"}
    """
    west, south = floor(x - REACH_M), floor(y - REACH_M)
    side = round(2 * REACH_M) + 2
    # Pages that go back to the system: what malloc has once given for so much, a worker keeps for ever.
    z = np.frombuffer(mmap.mmap(-1, 4 * side * side), np.float32).reshape(side, side)
    z[:] = MISSING
    for square, block in blocks.items():
        if square.model == model and block.known:
            left, low = round(block.west) - west, round(block.south) - south
            own_height, own_width = block.packed.shape
            columns, rows = _overlap(left, own_width, side), _overlap(low, own_height, side)
            own_rows = slice(rows.start - low, rows.stop - low)
            own_columns = slice(columns.start - left, columns.stop - left)
            z[rows, columns] = block.heights(own_rows, own_columns, np.float32, float(MISSING))
    return Level(z, west + CELL / 2, south + CELL / 2, CELL)


def _overlap(at: int, size: int, side: int) -> slice:
    return slice(max(0, min(at, side)), max(0, min(at + size, side)))


def ground(blocks: Blocks, x: float, y: float) -> float | None:
    """Return the terrain's height at a point, m: bilinear, else of the cell that holds it; None where none is known."""
    block = blocks[ground_at(x, y)]
    if not block.known:
        return None
    u, v = (x - block.west) / CELL - 0.5, (y - block.south) / CELL - 0.5
    j, i = floor(u), floor(v)
    z = block.heights(slice(i, i + 2), slice(j, j + 2))
    p, q = u - j, v - i
    height = float(np.array([1 - q, q]) @ z @ np.array([1 - p, p]))
    height = float(z[round(q), round(p)]) if np.isnan(height) else height
    return None if np.isnan(height) else height


def mean_ground(blocks: Blocks, x: float, y: float) -> float | None:
    """Return the terrain's mean height within some 5 m of a point, m: as a cell of 10 m has it; None where not known.

    What of that lies in the next square is left out.
    """
    block = blocks.get(ground_at(x, y))
    if block is None or not block.known:
        return None
    i, j = floor((y - block.south) / CELL), floor((x - block.west) / CELL)
    z = block.heights(slice(max(0, i - _MEAN), i + _MEAN + 1), slice(max(0, j - _MEAN), j + _MEAN + 1))
    known = z[~np.isnan(z)]
    return float(known.mean()) if known.size else None
