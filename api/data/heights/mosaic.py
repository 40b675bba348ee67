"""Squares of heights put together to a grid, as kernels take it."""

import mmap
from collections.abc import Mapping
from math import ceil, floor, hypot

import numpy as np

from api.data.heights.block import Block, Square
from catalog.sources.kartverket.heights import Model
from kernels.horizon.levels import MISSING, Level
from tiles.windows import in_common

Blocks = Mapping[Square, Block]


def within(model: Model, x: float, y: float, reach: float, cell: int = 1) -> list[Square]:
    """Return the squares that hold what is within so many m of a point, all in the map UTM 33."""
    side = Square(model, 0, 0, cell).side
    columns, rows = (range(floor((at - reach) / side), floor((at + reach) / side) + 1) for at in (x, y))
    found = []
    for row in rows:
        for column in columns:
            aside, along = (abs(at / side - n - 0.5) - 0.5 for at, n in ((x, column), (y, row)))
            if hypot(max(aside, 0), max(along, 0)) * side <= reach:
                found.append(Square(model, column, row, cell))
    return found


def mosaic(blocks: Blocks, model: Model, x: float, y: float, reach: float, cell: int = 1) -> Level:
    """Return a model's heights within reach of a point, `MISSING` where they are not known.

    Parameters
    ----------
    blocks : mapping of Square to Block
        Those of the model and of these cells are taken.
    model : {"dom", "dtm"}
    x, y, reach : float
        m in UTM 33.
    cell : int
        m.
    """
    west, south = floor((x - reach) / cell), floor((y - reach) / cell)
    side = ceil(2 * reach / cell) + 2
    # Pages that go back to the system: what malloc has once given for so much, a worker keeps for ever.
    z = np.frombuffer(mmap.mmap(-1, 4 * side * side), np.float32).reshape(side, side)
    z[:] = MISSING
    for square, block in blocks.items():
        if (square.model, square.cell) == (model, cell) and block.known:
            own_rows, rows = in_common(round(block.south / cell), block.packed.shape[0], south, side)
            own_columns, columns = in_common(round(block.west / cell), block.packed.shape[1], west, side)
            z[rows, columns] = block.heights(own_rows, own_columns, np.float32, float(MISSING))
    return Level(z, (west + 0.5) * cell, (south + 0.5) * cell, float(cell))
