"""Heights of squares, put together: the surface around a point as the kernels take it, and heights at the point."""

import mmap
from collections.abc import Iterable
from math import floor

import numpy as np

from api.horizon.rooftop.block import CELL, SIDE, Block
from api.horizon.rooftop.land import NEAR_M, REACH_M, Blocks, ground_at
from kernels.horizon.levels import MISSING, Level

# Looked at together: all of them would take 8 MB.
_ROWS = 64
# Cells to each side.
_MEAN = 5


def surface(blocks: Blocks, x: float, y: float) -> Level:
    """Return the surface within reach of a point, `MISSING` where it is not known.

    Parameters
    ----------
    blocks : mapping of Square to Block
    x, y : float
        m in UTM 33.
    """
    west, south = floor(x - REACH_M), floor(y - REACH_M)
    side = round(2 * REACH_M) + 2
    # Pages that go back to the system: what malloc has once given for so much, a worker keeps for ever.
    z = np.frombuffer(mmap.mmap(-1, 4 * side * side), np.float32).reshape(side, side)
    z[:] = MISSING
    for square, block in blocks.items():
        if square.model == "dom" and block.known:
            left, low = round(block.west) - west, round(block.south) - south
            columns, rows = _overlap(left, side), _overlap(low, side)
            cells = block.packed[rows.start - low : rows.stop - low, columns.start - left : columns.stop - left]
            part = cells * np.float32(block.step)
            part += np.float32(block.lowest - block.step)
            part[cells == 0] = MISSING
            z[rows, columns] = part
    return Level(z, west + CELL / 2, south + CELL / 2, CELL)


def _overlap(at: int, side: int) -> slice:
    return slice(max(0, min(at, side)), max(0, min(at + SIDE, side)))


def ground(blocks: Blocks, x: float, y: float) -> float | None:
    """Return the terrain's height at a point, m: bilinear, else of the cell that holds it; None where none is known."""
    block = blocks[ground_at(x, y)]
    if not block.known:
        return None
    u, v = (x - block.west) / CELL - 0.5, (y - block.south) / CELL - 0.5
    j, i = floor(u), floor(v)
    corners = block.packed[i : i + 2, j : j + 2]
    p, q = u - j, v - i
    if corners.all():
        steps = float(np.array([1 - q, q]) @ corners.astype(np.float64) @ np.array([1 - p, p]))
    else:
        steps = float(corners[round(q), round(p)])
    return block.lowest + (steps - 1) * block.step if steps else None


def mean_ground(blocks: Blocks, x: float, y: float) -> float | None:
    """Return the terrain's mean height within some 5 m of a point, m: as a cell of 10 m has it; None where not known.

    What of that lies in the next square is left out.
    """
    block = blocks.get(ground_at(x, y))
    if block is None or not block.known:
        return None
    i, j = (floor((at - edge) / CELL) for at, edge in ((y, block.south), (x, block.west)))
    cells = block.packed[max(0, i - _MEAN) : i + _MEAN + 1, max(0, j - _MEAN) : j + _MEAN + 1]
    known = cells[cells > 0]
    return block.lowest + (float(known.mean()) - 1) * block.step if known.size else None


def height_at(level: Level, x: float, y: float) -> float | None:
    """Return the height of the cell that holds a point, m; None where it is not known."""
    value = level.z[round((y - level.y0) / CELL), round((x - level.x0) / CELL)]
    return None if value == MISSING else float(value)


def holes(level: Level, x: float, y: float) -> float:
    """Return the share of the near field of which nothing is known."""
    rows, columns = level.z.shape
    aside = (level.x0 - x + CELL * np.arange(columns)) ** 2
    along = (level.y0 - y + CELL * np.arange(rows)) ** 2
    missing = among = 0
    for first in range(0, rows, _ROWS):
        part = slice(first, first + _ROWS)
        within = aside[None, :] + along[part, None] <= NEAR_M**2
        missing += int(np.count_nonzero((level.z[part] == MISSING) & within))
        among += int(np.count_nonzero(within))
    return missing / among


def years(blocks: Iterable[Block]) -> tuple[int, ...]:
    """Return the years that some blocks are of, where they say so."""
    return tuple(sorted({block.year for block in blocks if block.known and block.year is not None}))
