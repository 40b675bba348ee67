"""Blocks of daily snow as they are stored: filled from the authority's answer, and read back from what is published."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from catalog.sources.errors import SourceError
from catalog.sources.nve_gts import NAME, Point, SnowData
from catalog.versions import Entry
from dags.build.cells import block_array
from dags.build.snow.nearest_cells import point_of
from tiles.arrays import PublishedShards
from tiles.building import Corner
from tiles.grid import Cell
from tiles.manifest import Manifest
from tiles.product import FILL, Product, Variable
from tiles.products.climate_archive import BLOCK
from tiles.products.snow_history import SERIES
from tiles.store import Store

Packed = dict[str, NDArray[np.uint16]]
"""By variable: (days, rows, columns) of a block, or (rows, columns)."""
PLACES = ("altitude", "snow_row", "snow_column")
_EPOCH = date(1970, 1, 1)


def day_number(day: date) -> int:
    """Return a date as days since 1970-01-01."""
    return (day - _EPOCH).days


def date_of(number: int) -> date:
    """Return the date of days since 1970-01-01."""
    return _EPOCH + timedelta(days=int(number))


def days_between(first: date, last: date) -> NDArray[np.int64]:
    """Return all days from one date to another, both included, as days since 1970-01-01."""
    return np.arange(day_number(first), day_number(last) + 1, dtype=np.int64)


def empty(n_days: int, corner: Corner) -> Packed:
    """Return a block that holds nothing."""
    return {name: block_array((n_days,), corner, FILL) for name in SERIES} | {
        name: block_array((), corner, FILL) for name in PLACES
    }


def put(
    packed: Packed,
    product: Product,
    corner: Corner,
    cells: Mapping[Cell, Cell],
    days: NDArray[np.int64],
    data: SnowData,
) -> None:
    """Write what the authority said of a block's cells over what the block holds of these days.

    What it does not say leaves what is held: an answer that ends early takes no observation away.

    Parameters
    ----------
    packed : Packed
        Of the days `days`; changed.
    product : Product
    corner : (int, int)
    cells : mapping of cell to cell
        The snow cell of each.
    days : int64 (n,)
        Of the block.
    data : SnowData

    Raises
    ------
    SourceError
        A value lies beyond what can be.
    """
    column_of: dict[Point, int] = {point: i for i, point in enumerate(data.points)}
    there = [(cell, snow) for cell, snow in cells.items() if point_of(snow) in column_of]
    if not there:
        return
    rows, columns = (np.array([cell[axis] - corner[axis] for cell, _ in there]) for axis in (0, 1))
    of_data = np.array([column_of[point_of(snow)] for _, snow in there])
    first, last = max(days[0], data.days[0]), min(days[-1], data.days[-1])
    if first > last:
        return
    ours, theirs = (slice(first - axis[0], last - axis[0] + 1) for axis in (days, data.days))
    for name in SERIES:
        values = data.values[name][theirs, of_data].astype(np.float64)
        require_possible(values, product.variable(name), days[ours], [point_of(snow) for _, snow in there])
        said = product.variable(name).pack(values)
        packed[name][ours, rows, columns] = np.where(said == FILL, packed[name][ours, rows, columns], said)
    packed["altitude"][rows, columns] = product.variable("altitude").pack(data.altitude[of_data])
    packed["snow_row"][rows, columns] = [snow[0] for _, snow in there]
    packed["snow_column"][rows, columns] = [snow[1] for _, snow in there]


def require_possible(
    values: NDArray[np.floating], variable: Variable, days: NDArray[np.int64], points: Sequence[Point]
) -> None:
    """Refuse values beyond a variable's range; the sentence names the first one.

    Parameters
    ----------
    values : float array (n_days, n)
        NaN where missing.
    variable : Variable
    days : int64 (n_days,)
    points : sequence of (easting, northing)

    Raises
    ------
    SourceError
    """
    wrong = np.argwhere((values < variable.valid_min) | (values > variable.valid_max))  # NaN compares false
    if wrong.size:
        day, cell = wrong[0]
        raise SourceError(
            f"{NAME}: {variable.name} is {values[day, cell]:.5g} {variable.units} on {date_of(days[day])} at "
            f"{points[cell]}, outside {variable.valid_min:g} to {variable.valid_max:g}: nothing is published"
        )


def drop_empty(packed: Packed) -> int:
    """Take out of a block the cells of which no day has any value; return how many there were."""
    any_value = np.any([(packed[name] != FILL).any(axis=0) for name in SERIES], axis=0)
    bare = (packed["snow_row"] != FILL) & ~any_value
    for name in PLACES:
        packed[name][bare] = FILL
    return int(np.count_nonzero(bare))


def ends(packed: Packed, corner: Corner, cells: Sequence[Cell]) -> dict[Cell, int]:
    """Return after how many of a block's days what it holds of some cells ends, by the variable that ends first.

    A variable that a cell has on no day does not count; 0 where it has none.
    """
    rows, columns = (np.array([cell[axis] - corner[axis] for cell in cells], np.int64) for axis in (0, 1))
    least = np.full(rows.size, 0, np.int64)
    for name in SERIES:
        end = end_of(packed[name][:, rows, columns])
        least = np.where((end > 0) & ((end < least) | (least == 0)), end, least)
    return dict(zip(cells, least.tolist(), strict=True))


def end_of(packed: NDArray[np.uint16]) -> NDArray[np.int64]:
    """Return after how many steps each series of (n_steps, n) ends; 0 of one that holds nothing."""
    there = packed != FILL
    return np.where(there.any(axis=0), len(there) - np.argmax(there[::-1], axis=0), 0)


class Published(PublishedShards):
    """A published version of daily snow, read block by block.

    Parameters
    ----------
    store : Store
    entry : Entry

    Raises
    ------
    TileCorrupt
        Its manifest is damaged.
    """

    def __init__(self, store: Store, entry: Entry) -> None:
        super().__init__(store, Manifest.read(store, entry.manifest))
        first, last = (date.fromisoformat(day) for day in self.manifest.provenance["days"])
        self.days = days_between(first, last)

    def block(self, corner: Corner) -> Packed:
        """Return a block, which holds nothing where it was not built.

        Raises
        ------
        TileCorrupt
            It is damaged.
        """
        return {name: self.read(name, corner, values) for name, values in empty(self.days.size, corner).items()}

    def snow_cells(self, corners: Iterable[Corner]) -> dict[Cell, Cell]:
        """Return which snow cell stands for each cell of some blocks, where one does.

        Raises
        ------
        TileCorrupt
            A block is damaged.
        """
        found: dict[Cell, Cell] = {}
        for corner in corners:
            rows, columns = (self.read(name, corner, block_array((), corner, FILL)) for name in PLACES[1:])
            found |= named_in(rows, columns, corner)
        return found


def named_in(rows: NDArray[np.uint16], columns: NDArray[np.uint16], corner: Corner) -> dict[Cell, Cell]:
    """Return the snow cells that a block's `snow_row` and `snow_column` name."""
    return {
        (corner[0] + int(r), corner[1] + int(c)): (int(rows[r, c]), int(columns[r, c]))
        for r, c in np.argwhere(rows != FILL)
    }


def cells_of(corner: Corner, inside: Sequence[int], side: int = BLOCK) -> list[Cell]:
    """Return rows and columns on the grid of cells of a block, counted row by row."""
    return [(corner[0] + number // side, corner[1] + number % side) for number in inside]


def take_over(
    packed: Packed,
    corner: Corner,
    cells: Iterable[Cell],
    days: NDArray[np.int64],
    held: Packed,
    held_days: NDArray[np.int64],
) -> None:
    """Write what a published block holds of some cells over this one, on the days that both have.

    Parameters
    ----------
    packed : Packed
        Of the days `days`; changed.
    corner : (int, int)
    cells : iterable of cell
    days, held_days : int64
        Consecutive, days since 1970-01-01; of the published block its first ones (or none), where not all are to be
        taken.
    held : Packed
    """
    inside = np.array([(cell[0] - corner[0], cell[1] - corner[1]) for cell in cells], np.int64).reshape(-1, 2)
    if not held_days.size or not inside.size:
        return
    first, last = max(days[0], held_days[0]), min(days[-1], held_days[-1])
    if first > last:
        return
    rows, columns = inside.T
    ours, theirs = (slice(first - axis[0], last - axis[0] + 1) for axis in (days, held_days))
    for name in SERIES:
        packed[name][ours, rows, columns] = held[name][theirs, rows, columns]
    for name in PLACES:
        packed[name][rows, columns] = held[name][rows, columns]
