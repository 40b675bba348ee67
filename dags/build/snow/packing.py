"""Blocks of snow as they are stored: filled from the authority's answers, and read back from what is published."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from catalog.sources.nve_gts import SnowData, day_of
from catalog.versions import Entry
from dags.build.cells import block_array
from dags.build.snow.nearest_cells import point_of
from tiles.arrays import PublishedShards
from tiles.blocks import Record, published_records
from tiles.building import Corner
from tiles.grid import Cell, UtmGrid
from tiles.manifest import Manifest
from tiles.product import FILL, Product
from tiles.products.climate_archive import BLOCK
from tiles.store import Store

Packed = dict[str, NDArray[np.uint16]]
"""By variable: (steps, rows, columns) of a block, or (rows, columns). A step is a day or a season."""


def date_of(number: int) -> date:
    """Return the date of days since 1970-01-01."""
    found: date = np.datetime64(int(number), "D").item()
    return found


def days_between(first: date, last: date) -> NDArray[np.int64]:
    """Return all days from one date to another, both included, as days since 1970-01-01."""
    return np.arange(day_of(first), day_of(last) + 1, dtype=np.int64)


def cells_of(corner: Corner, inside: Sequence[int], side: int = BLOCK) -> list[Cell]:
    """Return rows and columns on the grid of cells of a block, counted row by row."""
    return [(corner[0] + number // side, corner[1] + number % side) for number in inside]


def empty(product: Product, n_steps: int, corner: Corner) -> Packed:
    """Return a block that holds nothing."""
    grid, side = product.grid, product.shard[-1]
    assert isinstance(grid, UtmGrid)  # noqa: S101 - by its declaration
    return {
        v.name: block_array((n_steps,) if v.over is None else (), corner, FILL, grid, side) for v in product.variables
    }


def places(corner: Corner, cells: Iterable[Cell]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return rows and columns inside their block of cells."""
    rows, columns = np.array(list(cells), np.int64).reshape(-1, 2).T
    return rows - corner[0], columns - corner[1]


def put(
    packed: Packed,
    product: Product,
    corner: Corner,
    cells: Mapping[Cell, Cell],
    data: SnowData,
    first: int,
    series: Mapping[str, NDArray[np.floating]],
) -> None:
    """Write what the authority said of a block's cells over what the block holds.

    What it does not say leaves what is held: an answer that ends early takes no observation away.

    Parameters
    ----------
    packed : Packed
        Changed.
    product : Product
    corner : (int, int)
    cells : mapping of cell to cell
        The snow cell of each.
    data : SnowData
    first : int
        Step of the block with which the series begin.
    series : mapping of str to (steps, points of the data)
    """
    column_of = {point: i for i, point in enumerate(data.points)}
    there = {cell: snow for cell, snow in cells.items() if point_of(snow) in column_of}
    rows, columns = places(corner, there)
    of_data = np.array([column_of[point_of(snow)] for snow in there.values()], np.int64)
    for name, values in series.items():
        said = product.variable(name).pack(values[:, of_data].astype(np.float64))
        held = packed[name][first : first + len(said)]
        held[:, rows, columns] = np.where(said == FILL, held[:, rows, columns], said)
    packed["altitude"][rows, columns] = product.variable("altitude").pack(data.altitude[of_data])
    if "snow_row" in packed:
        snow_cells = np.array(list(there.values()), np.uint16).reshape(-1, 2)
        packed["snow_row"][rows, columns], packed["snow_column"][rows, columns] = snow_cells.T


def take_over(packed: Packed, corner: Corner, cells: Iterable[Cell], held: Packed, n_steps: int) -> None:
    """Write the first steps of what a published block holds of some cells into one that begins alike."""
    rows, columns = places(corner, cells)
    for name, values in packed.items():
        steps = (slice(n_steps),) if values.ndim > 2 else ()
        values[(*steps, rows, columns)] = held[name][(*steps, rows, columns)]


def built(packed: Packed, corner: Corner) -> dict[Cell, Cell]:
    """Return which snow cell stands for each cell that a block holds: on the authority's own grid, itself."""
    inside = np.argwhere(packed.get("snow_row", packed["altitude"]) != FILL)
    cells: list[Cell] = [(row, column) for row, column in (inside + corner).tolist()]
    if "snow_row" not in packed:
        return dict(zip(cells, cells, strict=True))
    rows, columns = (packed[name][tuple(inside.T)].tolist() for name in ("snow_row", "snow_column"))
    return dict(zip(cells, zip(rows, columns, strict=True), strict=True))


def ends(packed: Packed, corner: Corner, cells: Iterable[Cell]) -> dict[Cell, int]:
    """Return after how many of a block's steps what it holds of some cells ends, by the variable that ends first.

    A variable that a cell has at no step does not count; 0 where it has none.
    """
    wanted = list(cells)
    rows, columns = places(corner, wanted)
    least = np.zeros(rows.size, np.int64)
    for values in packed.values():
        if values.ndim > 2:
            there = values[:, rows, columns] != FILL
            end = np.where(there.any(axis=0), len(there) - np.argmax(there[::-1], axis=0), 0)
            least = np.where((end > 0) & ((end < least) | (least == 0)), end, least)
    return dict(zip(wanted, least.tolist(), strict=True))


class Published(PublishedShards):
    """A published version of snow, read block by block.

    Parameters
    ----------
    store : Store
    product : Product
    entry : Entry

    Raises
    ------
    TileCorrupt
        Its manifest is damaged.
    """

    def __init__(self, store: Store, product: Product, entry: Entry) -> None:
        super().__init__(store, Manifest.read(store, entry.manifest))
        self.product, self.entry, self.said = product, entry, self.manifest.provenance
        self.n_steps = self._layouts[product.variables[0].name].shape[0]

    @cached_property
    def records(self) -> dict[Corner, Record]:
        """The records of its blocks."""
        return published_records(self._store, self.manifest)

    @property
    def days(self) -> NDArray[np.int64]:
        """Its days, days since 1970-01-01."""
        return days_between(*(date.fromisoformat(day) for day in self.said["days"]))

    def block(self, corner: Corner, *, without_steps: bool = False) -> Packed:
        """Return a block, or what it holds of all steps alike; it holds nothing where it was not built.

        Raises
        ------
        TileCorrupt
            It is damaged.
        """
        parts = empty(self.product, self.n_steps, corner).items()
        return {name: self.read(name, corner, part) for name, part in parts if part.ndim == 2 or not without_steps}

    def snow_cells(self, corners: Iterable[Corner]) -> dict[Cell, Cell]:
        """Return which snow cell stands for each cell of some blocks, where one does.

        Raises
        ------
        TileCorrupt
            A block is damaged.
        """
        return {
            cell: snow
            for corner in corners
            for cell, snow in built(self.block(corner, without_steps=True), corner).items()
        }
