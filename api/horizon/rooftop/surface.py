"""The ground at a point, of squares of heights."""

from math import floor

import numpy as np

from api.data.heights.mosaic import Blocks
from api.horizon.rooftop.heights import ground_at

# Cells to each side.
_MEAN = 5


def ground(blocks: Blocks, x: float, y: float) -> float | None:
    """Return the terrain's height at a point, m: bilinear, else of the cell that holds it; None where none is known."""
    block = blocks[ground_at(x, y)]
    if not block.known:
        return None
    u, v = x - block.west - 0.5, y - block.south - 0.5
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
    i, j = floor(y - block.south), floor(x - block.west)
    z = block.heights(slice(max(0, i - _MEAN), i + _MEAN + 1), slice(max(0, j - _MEAN), j + _MEAN + 1))
    known = z[~np.isnan(z)]
    return float(known.mean()) if known.size else None
