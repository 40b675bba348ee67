"""Hydrate a published version: decode it once into a point-major file that all workers share.

Run as a process of its own (`python -m tiles.hydrate`), so that nothing heavy happens in a worker:
about a second, and memory for one band of shards at a time.
"""

import argparse
import fcntl
import json
import logging
import os
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path

import numpy as np

from tiles.arrays import THREADS, read_layout, read_shard
from tiles.errors import SchemaUnsupported, TileCorrupt, TileError
from tiles.hydrated import FORMAT, HEADER, POINTS, HydratedTile, checksums
from tiles.manifest import Manifest
from tiles.product import CORRUPT, Product
from tiles.products.registry import product as declared
from tiles.shard import ArrayLayout
from tiles.store import Store, open_store

log = logging.getLogger("solflis.hydrate")


def hydrate(store: Store, product: Product, manifest_key: str, folder: Path) -> HydratedTile:
    """Make the hydrated tile of a version, or find it made; one process at a time does the work.

    A shard that is gone or damaged is logged, and its cells are marked: they answer 503, all others are served.

    Raises
    ------
    TileCorrupt
        The manifest or the metadata is damaged.
    SchemaUnsupported
        The version's schema is neither the product's nor the one before.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f".{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.exists():
            try:
                return HydratedTile.open(folder, check=True)
            except TileCorrupt as error:  # altered, or only half removed by a prune that was killed
                log.warning("made anew: %s", error)
                shutil.rmtree(folder)
        for left in folder.parent.glob(f".{folder.name}.*/"):  # by a process that was killed: the lock is ours
            shutil.rmtree(left)
        manifest = Manifest.read(store, manifest_key)
        manifest.require_schema(product)
        making = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
        try:
            _write(store, product, manifest, making)
            making.chmod(0o755)
            making.rename(folder)
            return HydratedTile.open(folder)
        except BaseException:
            shutil.rmtree(making, ignore_errors=True)
            raise


def _write(store: Store, product: Product, manifest: Manifest, folder: Path) -> None:
    times = _times(store, manifest, product)
    layout, sums, damaged = _write_points(store, manifest, folder / POINTS)
    header = {
        "format": FORMAT,
        "product": product.name,
        "version": manifest.version,
        "attempt": manifest.attempt,
        "schema": manifest.schema,
        "shape": (*layout.shape[1:], layout.shape[0]),
        "n_times": len(times),
        "times": times,
        "variables": manifest.variables,
        "checksums": sums,
        "damaged": damaged,
        "provenance": manifest.provenance,
    }
    (folder / HEADER).write_text(json.dumps(header))


def _times(store: Store, manifest: Manifest, product: Product) -> list[int]:
    """Read the time axis: one uncompressed chunk that zarr wrote; the manifest vouches for it."""
    name = product.dimensions[0].name
    data = manifest.fetch(store, f"{name}/c/0")
    (size,) = json.loads(manifest.fetch(store, f"{name}/zarr.json"))["shape"]
    if len(data) != 8 * size:
        raise SchemaUnsupported(f"{manifest.path}/{name} is compressed")
    values: list[int] = np.frombuffer(data, "<i8").tolist()
    return values


def _write_points(store: Store, manifest: Manifest, path: Path) -> tuple[ArrayLayout, list[int], list[str]]:
    """Write all variables point-major; return their layout, each row's checksum, and what is wrong with which shards.

    A band of shards at a time, in one buffer (of a national forecast 64 MB): fresh memory for whole arrays costs more
    than decoding them.
    """
    layouts = [read_layout(store, manifest, name) for name in manifest.variables]
    layout = layouts[0]
    if any((one.shape, one.shard) != (layout.shape, layout.shard) for one in layouts):
        raise SchemaUnsupported(f"{manifest.path} has variables of different shapes or shards")
    steps, rows, columns = layout.shape
    fills = np.array([[one.fill] * steps for one in layouts], np.uint16)
    band = np.empty((layout.shard[1], columns, len(layouts), steps), np.uint16)
    sums: list[int] = []
    damaged: list[str] = []

    def read(place: int, name: str, at: tuple[int, ...]) -> None:
        part = band[:, at[2] * layout.shard[2] : (at[2] + 1) * layout.shard[2], place]
        try:
            read_shard(store, manifest, name, layouts[place], at, part.transpose(2, 0, 1))
        except TileCorrupt as error:
            log.error("damaged shard: %s", error)
            damaged.append(str(error))
            part[...] = CORRUPT

    with path.open("wb") as file, ThreadPoolExecutor(THREADS) as pool:
        for row, shards in groupby(layout.shards(), key=lambda at: at[1]):
            band[...] = fills
            each = [(place, name, at) for at in shards for place, name in enumerate(manifest.variables)]
            list(pool.map(read, *zip(*each, strict=True)))
            data = band[: rows - row * layout.shard[1]]
            file.write(data.data)
            sums += checksums(data)
    return layout, sums, damaged


def main(arguments: list[str]) -> int:
    """Run as a command; return the exit code."""
    parser = argparse.ArgumentParser(prog="tiles.hydrate", description=__doc__)
    parser.add_argument("--store", required=True, help="address of the tile store")
    parser.add_argument("--product", required=True)
    parser.add_argument("--manifest", required=True, help="key of the version's manifest")
    parser.add_argument("--out", required=True, type=Path, help="folder to make")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
    os.nice(5)  # requests go first
    try:
        hydrate(open_store(options.store), declared(options.product), options.manifest, options.out).close()
    except TileError as error:
        log.error("%s", error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
