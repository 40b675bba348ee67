"""Point reads from the store itself: the shard's index, one inner chunk, and a bounded cache of decoded chunks.

For products too large to hydrate. Local shards are read by positioned reads, those on S3 by ranged requests.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Lock
from typing import Any

import numpy as np
from cachetools import LRUCache
from numpy.typing import NDArray

from tiles.errors import SchemaUnsupported, TileCorrupt
from tiles.manifest import Manifest
from tiles.product import Product
from tiles.shard import ArrayLayout, is_absent, shard_name
from tiles.store import NotFound, Store


class ChunkedTile:
    """A published version, read chunk by chunk; safe to use from several threads.

    Parameters
    ----------
    store : Store
    product : Product
    manifest_key : str
    cache_bytes : int
        How much of decoded chunks and shard indexes is kept.

    Raises
    ------
    TileCorrupt
        The manifest is damaged.
    SchemaUnsupported
        The version's schema is neither the product's nor the one before.
    """

    def __init__(self, store: Store, product: Product, manifest_key: str, cache_bytes: int = 16 << 20) -> None:
        self.manifest = Manifest.read(store, manifest_key)
        self.manifest.require_schema(product)
        self._store = store
        self._cache: LRUCache[Any, NDArray[Any]] = LRUCache(cache_bytes, lambda array: array.nbytes)
        self._lock = Lock()
        self._layouts = {
            name: ArrayLayout.parse(json.loads(self.manifest.fetch(store, f"{name}/zarr.json")))
            for name in self.manifest.variables
        }

    damaged: tuple[str, ...] = ()
    altered: str | None = None
    """Of what is not read before it is asked for, no damage is known."""

    def close(self) -> None:
        """Drop what is kept; a reading that is under way ends well."""
        with self._lock:
            self._cache.clear()

    def scale(self, variable: str) -> tuple[float, float]:
        """Return scale and offset of a variable's packing."""
        described = self.manifest.variables[variable]
        return described["scale"], described["offset"]

    def shape(self, variable: str) -> tuple[int, ...]:
        """Return the shape of a variable."""
        return self._layouts[variable].shape

    def series(self, variable: str, cell: tuple[int, int]) -> NDArray[np.uint16]:
        """Return the packed values of a cell over the product's own dimensions; all fill where nothing was expected.

        Raises
        ------
        TileCorrupt
            What the manifest promises is absent or damaged.
        """
        layout = self._layouts[variable]
        own = layout.shape[:-2]
        if own != layout.chunk[:-2]:
            raise SchemaUnsupported(f"{variable} of {self.manifest.path} splits its series over several chunks")
        at = (*(0 for _ in own), *cell)
        chunk = self._chunk(variable, layout, at)
        inside = tuple(i % c for i, c in zip(cell, layout.chunk[-2:], strict=True))
        return np.full(own, layout.fill, np.uint16) if chunk is None else chunk[..., inside[0], inside[1]].copy()

    def values(self, variable: str, cell: tuple[int, int]) -> NDArray[np.float64]:
        """Return what `series` does in the variable's unit, NaN where missing."""
        packed, (scale, offset) = self.series(variable, cell), self.scale(variable)
        return np.where(packed == self._layouts[variable].fill, np.nan, packed * np.float64(scale) + offset)

    def table(self, variable: str) -> NDArray[np.uint16]:
        """Return the whole of a variable that is one chunk.

        Raises
        ------
        TileCorrupt
            What the manifest promises is absent or damaged.
        """
        layout = self._layouts[variable]
        chunk = self._chunk(variable, layout, tuple(0 for _ in layout.shape))
        return np.full(layout.shape, layout.fill, np.uint16) if chunk is None else chunk.copy()

    def nearest_built(self, variable: str, cell: tuple[int, int]) -> tuple[int, int] | None:
        """Return the cell with values that is nearest to a cell, near enough: of the nearest chunk that holds any.

        It reads the index of the nearest shard: for the text of a refusal, in a thread.

        Raises
        ------
        TileCorrupt
            What the manifest promises is absent or damaged.
        """
        layout, wanted = self._layouts[variable], np.array(cell)
        chunk, shard = np.array(layout.chunk[-2:]), np.array(layout.shard[-2:])
        names = [one for one in self.manifest.objects if one.startswith(f"{variable}/c/")]
        shards = np.array([name.split("/")[-2:] for name in names], np.int64).reshape(-1, 2) * shard
        for at in np.linalg.norm(shards + shard / 2 - wanted, axis=1).argsort():
            index = self._cached(names[at], partial(self._index, names[at], layout))
            present = np.argwhere((index != index.dtype.type(2**64 - 1)).all(axis=-1))[:, -2:]
            if present.size:
                break
        else:
            return None
        corners = shards[at] + present * chunk
        nearest = corners[np.linalg.norm(corners + chunk / 2 - wanted, axis=1).argmin()]
        cells = np.argwhere(np.ones(chunk, bool)) + nearest
        cells = cells[(cells < layout.shape[-2:]).all(axis=1)]
        for row, column in cells[np.argsort(np.linalg.norm(cells - wanted, axis=1))].tolist():
            if (self.series(variable, (row, column)) != layout.fill).any():
                return row, column
        return None

    def attached(self, name: str) -> bytes:
        """Return a file that lies beside the arrays (`Draft.attach`), checked.

        Raises
        ------
        TileCorrupt
            It is absent or damaged.
        """
        if name not in self.manifest.objects:
            raise TileCorrupt(f"{self.manifest.path} has no {name}")
        return self.manifest.fetch(self._store, name)

    def _chunk(self, variable: str, layout: ArrayLayout, at: tuple[int, ...]) -> NDArray[np.uint16] | None:
        shard = tuple(i // s for i, s in zip(at, layout.shard, strict=True))
        name = f"{variable}/{shard_name(shard)}"
        if name not in self.manifest.objects:
            return None
        within = tuple((i % s) // c for i, s, c in zip(at, layout.shard, layout.chunk, strict=True))

        def decoded() -> NDArray[np.uint16]:
            entry = self._cached(name, lambda: self._index(name, layout))[within]
            if is_absent(entry):
                return np.full(layout.chunk, layout.fill, np.uint16)
            return layout.decode(self._range(name, int(entry[0]), int(entry[1])), name)

        return self._cached((name, within), decoded)

    def _index(self, name: str, layout: ArrayLayout) -> NDArray[np.uint64]:
        size = self.manifest.objects[name]["bytes"]
        return layout.index(self._range(name, size - layout.index_bytes, layout.index_bytes), name)

    def _cached(self, key: Any, make: Callable[[], NDArray[Any]]) -> NDArray[Any]:
        with self._lock:
            found = self._cache.get(key)
        if found is None:
            found = make()
            with self._lock, suppress(ValueError):  # larger than the whole cache
                self._cache[key] = found
        return found

    def _range(self, name: str, start: int, length: int) -> bytes:
        try:
            return self._store.get_range(f"{self.manifest.path}/{name}", start, length)
        except NotFound as error:
            raise TileCorrupt(f"{self.manifest.path}/{name} is gone, though the manifest lists it") from error
