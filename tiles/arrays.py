"""Whole arrays of a tile, a few shards at a time."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiles.errors import TileCorrupt
from tiles.manifest import Manifest, fingerprint
from tiles.shard import ArrayLayout, shard_name
from tiles.store import Store

# blosc releases the GIL; more threads than this only hold more shards in memory
_THREADS = 4


def write_shards(store: Store, path: str, packed: NDArray[np.uint16]) -> dict[str, dict[str, Any]]:
    """Write every shard of an array that holds anything; return their fingerprints by name below the array.

    Parameters
    ----------
    store : Store
    path : str
        The key of the array, whose metadata is written already.
    packed : uint16 array
        The whole array.
    """
    layout = ArrayLayout.parse(json.loads(store.get(f"{path}/zarr.json")))

    def write(at: tuple[int, ...]) -> dict[str, dict[str, Any]]:
        data = layout.encode_shard(packed[layout.window(at)])
        if data is None:
            return {}
        store.put(f"{path}/{shard_name(at)}", data)
        return {shard_name(at): fingerprint(data)}

    written: dict[str, dict[str, Any]] = {}
    with ThreadPoolExecutor(_THREADS) as pool:
        for one in pool.map(write, layout.shards()):
            written |= one
    return written


def read_shards(
    store: Store,
    manifest: Manifest,
    variable: str,
    into: Callable[[ArrayLayout], NDArray[np.uint16]],
    damaged: Callable[[NDArray[np.uint16], TileCorrupt], None],
) -> NDArray[np.uint16]:
    """Read a whole array, each shard checked against the manifest.

    Parameters
    ----------
    store : Store
    manifest : Manifest
        What it does not list is left as it is.
    variable : str
    into : callable
        Takes the layout, returns the array to fill (in the array's own order; a transposed view will do).
    damaged : callable
        Takes the part of a damaged shard and what is wrong with it.

    Raises
    ------
    TileCorrupt
        The array's metadata is damaged.
    """
    layout = ArrayLayout.parse(json.loads(manifest.fetch(store, f"{variable}/zarr.json")))
    array = into(layout)

    def read(at: tuple[int, ...]) -> None:
        name = f"{variable}/{shard_name(at)}"
        if name not in manifest.objects:
            return
        part = array[layout.window(at)]
        try:
            layout.decode_shard(manifest.fetch(store, name), name, part)
        except TileCorrupt as error:
            damaged(part, error)

    with ThreadPoolExecutor(_THREADS) as pool:
        list(pool.map(read, layout.shards()))
    return array


def filled(layout: ArrayLayout) -> NDArray[np.uint16]:
    """Return an array that holds nothing yet, for `read_shards`."""
    return np.full(layout.shape, layout.fill, np.uint16)


def refuse(_: NDArray[np.uint16], error: TileCorrupt) -> None:
    """Accept no damage, for `read_shards`."""
    raise error
