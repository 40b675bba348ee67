"""The snow authority's cells of 1 km: which there are, where they lie and how high.

A cell is named by the authority's CellIndex: rows from the north times 1195, and columns from the west.
"""

from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pyproj import Transformer

from infra.simulator.heights import ground
from infra.simulator.heights.land import outlined
from infra.simulator.heights.places import places

Cells = NDArray[np.int64]

X0, Y0, SIZE = -75_000, 6_450_000, 1_000  # the south-western corner and the size, m in UTM 33
ROWS, COLUMNS = 1550, 1195
_TOWN_M = 1_500.0  # around the middle of a town there is land, though the outline misses its island
_SQUARE = 50  # cells to a side whose heights are computed at once


class Where(NamedTuple):
    """Where cells lie; arrays (n,)."""

    lat: NDArray[np.float64]
    lon: NDArray[np.float64]
    altitude: NDArray[np.float32]  # m, at least 1


def cell_at(x: NDArray[np.float64], y: NDArray[np.float64]) -> Cells:
    """Return the cells that hold positions (n,), m in UTM 33; -1 where there is none: at sea, abroad, off the grid."""
    row, column = np.floor((y - Y0) / SIZE).astype(np.int64), np.floor((x - X0) / SIZE).astype(np.int64)
    on = (row >= 0) & (row < ROWS) & (column >= 0) & (column < COLUMNS)
    row, column = np.where(on, row, 0), np.where(on, column, 0)
    return np.where(on & land()[row, column], (ROWS - 1 - row) * COLUMNS + column, -1)


def where(cells: Cells) -> Where:
    """Return where cells lie."""
    row, column = ROWS - 1 - cells // COLUMNS, cells % COLUMNS
    x, y = X0 + SIZE * (column + 0.5), Y0 + SIZE * (row + 0.5)
    lon, lat = Transformer.from_crs(25833, 4258, always_xy=True).transform(x, y)
    altitude = np.ones(len(cells), dtype=np.float32)
    square = (row // _SQUARE) * COLUMNS + column // _SQUARE
    for number in np.unique(square).tolist():
        here = square == number
        heights = _heights(*divmod(number, COLUMNS))
        altitude[here] = heights[row[here] % _SQUARE, column[here] % _SQUARE]
    return Where(np.asarray(lat), np.asarray(lon), altitude)


@cache
def land() -> NDArray[np.bool_]:
    """Return which cells there are, (rows from the south, columns)."""
    inside = outlined(X0, Y0, SIZE, (ROWS, COLUMNS))
    x, y = X0 + SIZE * (np.arange(COLUMNS) + 0.5), Y0 + SIZE * (np.arange(ROWS) + 0.5)
    for east, north, _ in zip(*places(), strict=True):
        rows, columns = np.flatnonzero(np.abs(y - north) < _TOWN_M), np.flatnonzero(np.abs(x - east) < _TOWN_M)
        inside[np.ix_(rows, columns)] |= np.hypot(x[columns] - east, (y[rows] - north)[:, None]) < _TOWN_M
    return inside


@lru_cache(maxsize=1000)
def _heights(i: int, j: int) -> NDArray[np.float32]:
    """Return the heights of a square of cells, m; there is no cell below 1 m."""
    x = X0 + SIZE * (_SQUARE * j + np.arange(_SQUARE) + 0.5)
    y = Y0 + SIZE * (_SQUARE * i + np.arange(_SQUARE) + 0.5)
    return np.maximum(np.round(np.nan_to_num(ground.heights(x, y, SIZE))), np.float32(1))
