"""Windows of a published version on a grid in UTM 33, read by whole shards."""

from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from tiles.arrays import PublishedShards
from tiles.building import Corner
from tiles.manifest import Manifest
from tiles.product import FILL, Product
from tiles.store import Store

# Of 2 MB each.
SHARDS_HELD = 48


def in_common(at: int, side: int, first: int, size: int) -> tuple[slice, slice]:
    """Return the cells of `at` to `at + side` that are of `first` to `first + size` too: in either's own numbers."""
    begin = max(at, first)
    end = max(begin, min(at + side, first + size))
    return slice(begin - at, end - at), slice(begin - first, end - first)


class Windows(PublishedShards):
    """A published version, read by shards, each checked against its manifest; the last ones are kept.

    Parameters
    ----------
    store : Store
    product : Product
        Of two dimensions; its first variable is in every shard that holds anything.
    key : str
        Of the version's manifest.

    Raises
    ------
    TileCorrupt
        The manifest is damaged.
    SchemaUnsupported
    """

    def __init__(self, store: Store, product: Product, key: str) -> None:
        super().__init__(store, Manifest.read(store, key))
        self.manifest.require_schema(product)
        assert product.shard is not None  # noqa: S101 -- a declaration
        self._side, self._first = product.shard[-1], product.variables[0].name
        self.shard = lru_cache(maxsize=SHARDS_HELD)(self._shard)

    @cached_property
    def corners(self) -> frozenset[Corner]:
        """Row and column of the first cell of each shard that holds anything."""
        shards = (name.split("/")[2:] for name in self.manifest.objects if name.startswith(f"{self._first}/c/"))
        return frozenset((int(row) * self._side, int(column) * self._side) for row, column in shards)

    def _shard(self, name: str, corner: Corner) -> NDArray[np.uint16]:
        return self.read(name, corner, np.full((self._side, self._side), FILL, np.uint16))

    def window(self, name: str, row: int, column: int, rows: int, columns: int) -> NDArray[np.uint16]:
        """Return a window of a variable, packed; FILL also beyond the grid.

        Raises
        ------
        TileCorrupt
            A shard is absent or damaged.
        """
        side = self._side
        found = np.full((rows, columns), FILL, np.uint16)
        for first in range(row // side * side, row + rows, side):
            for left in range(column // side * side, column + columns, side):
                if (first, left) not in self.corners:
                    continue
                own_rows, its_rows = in_common(first, side, row, rows)
                own_columns, its_columns = in_common(left, side, column, columns)
                found[its_rows, its_columns] = self.shard(name, (first, left))[own_rows, own_columns]
        return found
