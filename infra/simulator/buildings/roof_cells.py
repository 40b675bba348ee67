"""Where buildings are on a grid: of each cell under a roof its lot, its place in the building's frame, its height."""

from typing import NamedTuple

import numpy as np

from infra.simulator.buildings.lots import HALL_M, LOT_M, Flags, Item, Lots, halls, houses, rise
from infra.simulator.heights.noise import Axis, Field, Whole, uniform

_NOISE_M, _NOISE_CELL_M = 0.04, 0.25  # deviation; noise is white over squares of this size


class RoofCells(NamedTuple):
    """Cells of a grid under the roofs of lots.

    Parameters
    ----------
    lots : Lots
    settled : bool (rows, columns)
        Whether a place of the grid belongs to the lot of a building.
    cells : (int64, int64)
        Row and column in the grid of each cell under a roof.
    lot : (int64, int64)
        Row and column of its lot in the arrays of `lots`.
    u, v : float32
        Its place in the building's frame, m.
    """

    lots: Lots
    settled: Flags
    cells: tuple[Whole, Whole]
    lot: tuple[Whole, Whole]
    u: Field
    v: Field

    def rise(self) -> tuple[Field, Whole]:
        """Return the roof's height above the eaves without its items, m, and its plane, as `lots.rise` has them."""
        its, of = self.lots, self.lot
        return rise(its.form[of], its.steep[of], its.length[of], its.width[of], self.u, self.v)

    def under(self, item: Item) -> Flags:
        """Return whether cells are under (or in) an item."""
        of = self.lot
        inside = np.abs(self.u - item.u[of]) * 2 <= item.along[of]
        return np.asarray(item.there[of] & inside & (np.abs(self.v - item.v[of]) * 2 <= item.across[of]))

    def heights(self) -> Field:
        """Return heights of roofs with what stands on them, m above sea."""
        above = self.rise()[0]
        for item in self.lots.items:
            if item.top is not None:
                top = item.top[self.lot]
                above = np.where(self.under(item) & (top > above), top, above)
        return np.asarray(above + (self.lots.foot + self.lots.eaves)[self.lot])


def roof_cells(x: Axis, y: Axis) -> tuple[RoofCells, RoofCells]:
    """Return the cells of a grid under houses, and under halls.

    Parameters
    ----------
    x, y : float64 (columns,), (rows,)
        m in UTM 33, ascending.
    """
    found = []
    for size, make in ((LOT_M, houses), (HALL_M, halls)):
        i, j = (np.floor(axis / size).astype(np.int64) for axis in (x, y))
        lots = make(np.arange(i[0], i[-1] + 1), np.arange(j[0], j[-1] + 1))
        east, north = ((axis - (k + 0.5) * size).astype(np.float32) for axis, k in ((x, i), (y, j)))
        at = j - j[0], i - i[0]
        settled = lots.settled[np.ix_(*at)]
        row, column = np.nonzero(settled)
        lot = at[0][row], at[1][column]
        cosine, sine = np.cos(lots.turn)[lot], np.sin(lots.turn)[lot]
        u, v = east[column] * cosine + north[row] * sine, north[row] * cosine - east[column] * sine
        half_u, half_v = (side[lot] / 2 + lots.overhang[lot] for side in (lots.length, lots.width))
        under = (np.abs(u) < half_u) & (np.abs(v) < half_v)
        cells, lot = (row[under], column[under]), (lot[0][under], lot[1][under])
        found.append(RoofCells(lots, settled, cells, lot, u[under], v[under]))
    return found[0], found[1]


def noise(x: Axis, y: Axis) -> Field:
    """Return the noise of heights at places (n,), m: the same at any resolution, in squares of 25 cm."""
    i, j = (np.round(axis / _NOISE_CELL_M).astype(np.int64) for axis in (x, y))
    total = sum((uniform(seed, i, j) for seed in range(160, 164)), np.zeros(len(i), np.float32))
    return np.asarray((total - np.float32(2)) * np.float32(_NOISE_M * np.sqrt(3)))  # four uniforms: 1/3
