"""Whole arrays of a tile, a few shards at a time."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiles.manifest import Manifest, fingerprint
from tiles.shard import ArrayLayout, shard_name
from tiles.store import Store

# blosc releases the GIL; more threads than this only hold more shards in memory
THREADS = 4


def write_shards(
    store: Store,
    path: str,
    packed: NDArray[np.uint16],
    corner: tuple[int, ...] | None = None,
    layout: ArrayLayout | None = None,
) -> dict[str, dict[str, Any]]:
    """Write every shard of an array, or of a part of it, that holds anything; return their fingerprints by name.

    Parameters
    ----------
    store : Store
    path : str
        The key of the array, whose metadata is written already.
    packed : uint16 array
        The whole array, or whole shards of it.
    corner : tuple of int, optional
        Where in the array the part begins.
    layout : ArrayLayout, optional
        Of the array, where it is known; else it is read.

    Raises
    ------
    ValueError
        The part is not made of whole shards: writing it would wipe out what lies beside it.
    """
    layout = layout or stored_layout(store, path)
    start = corner or (0,) * packed.ndim
    stop = tuple(a + n for a, n in zip(start, packed.shape, strict=True))
    edges = zip(start, stop, layout.shard, layout.shape, strict=True)
    if any(a % s or a < 0 or b > n or (b % s and b != n) for a, b, s, n in edges):
        raise ValueError(f"{start} to {stop} of {path} are not whole shards of {layout.shard} in {layout.shape}")
    first = tuple(a // s for a, s in zip(start, layout.shard, strict=True))

    def write(inside: tuple[int, ...]) -> dict[str, dict[str, Any]]:
        data = layout.encode_shard(packed[layout.window(inside)])
        if data is None:
            return {}
        at = tuple(i + f for i, f in zip(inside, first, strict=True))
        store.put(f"{path}/{shard_name(at)}", data)
        return {shard_name(at): fingerprint(data)}

    shards = replace(layout, shape=packed.shape).shards()
    if len(shards) == 1:  # a block: threads would cost more than they bring
        return write(shards[0])
    written: dict[str, dict[str, Any]] = {}
    with ThreadPoolExecutor(THREADS) as pool:
        for one in pool.map(write, shards):
            written |= one
    return written


def stored_layout(store: Store, path: str) -> ArrayLayout:
    """Return how an array of a draft is stored, by the key of its folder."""
    return ArrayLayout.parse(json.loads(store.get(f"{path}/zarr.json")))


def read_layout(store: Store, manifest: Manifest, variable: str) -> ArrayLayout:
    """Return how a variable is stored.

    Raises
    ------
    TileCorrupt
        The array's metadata is absent or damaged.
    """
    return ArrayLayout.parse(json.loads(manifest.fetch(store, f"{variable}/zarr.json")))


def read_whole(store: Store, manifest: Manifest, variable: str) -> NDArray[np.uint16]:
    """Return a whole variable, each shard checked against the manifest.

    Raises
    ------
    TileCorrupt
        The metadata or a shard is absent or damaged.
    """
    layout = read_layout(store, manifest, variable)
    array = np.full(layout.shape, layout.fill, np.uint16)

    def read(at: tuple[int, ...]) -> None:
        read_shard(store, manifest, variable, layout, at, array[layout.window(at)])

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(read, layout.shards()))
    return array


def read_shard(
    store: Store,
    manifest: Manifest,
    variable: str,
    layout: ArrayLayout,
    at: tuple[int, ...],
    part: NDArray[np.uint16],
) -> None:
    """Fill a shard's part of an array, checked against the manifest; what it does not list is left as it is.

    Raises
    ------
    TileCorrupt
        The shard is absent or damaged.
    """
    name = f"{variable}/{shard_name(at)}"
    if name in manifest.objects:
        layout.decode_shard(manifest.fetch(store, name), name, part)


class PublishedShards:
    """The shards of a published version, read one at a time.

    Parameters
    ----------
    store : Store
    manifest : Manifest
    """

    def __init__(self, store: Store, manifest: Manifest) -> None:
        self._store, self.manifest = store, manifest
        self._layouts = {name: read_layout(store, manifest, name) for name in manifest.variables}

    def read(self, name: str, corner: tuple[int, int], part: NDArray[np.uint16]) -> NDArray[np.uint16]:
        """Write the shard that begins at a cell into an array, which stays as it is where nothing is stored; return it.

        Raises
        ------
        TileCorrupt
            It is damaged.
        """
        if layout := self._layouts.get(name):
            row, column = (first // side for first, side in zip(corner, layout.shard[-2:], strict=True))
            at = (*(0 for _ in part.shape[:-2]), row, column)
            read_shard(self._store, self.manifest, name, layout, at, part)
        return part
