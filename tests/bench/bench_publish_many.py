"""A version of 60,000 small objects, built by blocks and published to S3.

The server is a process of its own, keeps objects in memory and honours conditional puts (`tests.support.s3_server`).
What is measured is the writer's and the publisher's bookkeeping: the shards hold 4 x 4 cells.
"""

import os
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path

import httpx
import numpy as np

from catalog.publish import Moment, prepare, release
from tests.bench.timing import service
from tests.support.s3_server import environment
from tiles.blocks import Blocks
from tiles.building import Block
from tiles.grid import UtmGrid
from tiles.product import Product
from tiles.products.registry import product
from tiles.store import Store, open_store

SIDE, VARIABLES, BLOCKS = 4, 5, 10_000
"""A block is a shard of each variable and a record: six objects."""
PROCESSES = 2
NOW = datetime(2026, 6, 1, tzinfo=UTC)
BAR_S = 300
URL = "s3://bench/tiles"


def declared(blocks: int) -> Product:
    """A product of small shards, 100 blocks to a row."""
    altitude = product("climate_archive").variable("altitude")
    return replace(
        product("climate_archive"),
        name="many",
        grid=UtmGrid(x0=-75_000, y0=6_450_000, size=1_000, n_y=-(-blocks // 100) * SIDE, n_x=100 * SIDE),
        dimensions=(),
        variables=tuple(replace(altitude, name=f"v{k}", required=True) for k in range(VARIABLES)),
        chunk=(SIDE, SIDE),
        shard=(SIDE, SIDE),
        joined_along="",
        validators=product("tmy_stats").validators,
    )


def build(store: Store, blocks: int) -> dict[str, float]:
    """Build and publish by the block mechanism as it is; return the seconds of each stage."""
    made, run = declared(blocks), "bench"
    corners = [(k // 100 * SIDE, k % 100 * SIDE) for k in range(blocks)]
    wanted = [Block.of(corner, tuple(range(SIDE * SIDE)), "bench") for corner in corners]
    seconds, begun = {}, time.monotonic()
    Blocks.begin(
        store, made, "v1", run=run, inputs="bench", wanted=wanted, published=(), base=None, axes={},
        provenance={"source": "none", "data_origin": "simulated"},
    )  # fmt: skip
    with ProcessPoolExecutor(PROCESSES, get_context("spawn")) as pool:
        parts = [wanted[k :: PROCESSES * 8] for k in range(PROCESSES * 8)]
        list(pool.map(write, parts, [blocks] * len(parts)))
    seconds["blocks"] = time.monotonic() - begun
    joined = Blocks.join(store, made, "v1", run)
    draft = joined.finish(joined.records(), {})
    release(prepare(draft, Moment(NOW, NOW, NOW), now=NOW, expected=None, report=lambda _: None), lambda _: None)
    joined.end()
    seconds["publishing"] = time.monotonic() - begun - seconds["blocks"]
    return seconds


def write(share: Sequence[Block], blocks: int) -> None:
    """Write some of the blocks, in a process of the pool."""
    joined = Blocks.join(open_store(URL), declared(blocks), "v1", "bench")
    for block in share:
        values = np.full((SIDE, SIDE), 5000 + sum(block.corner) % 1000, np.uint16)
        joined.write(block, {f"v{k}": values for k in range(VARIABLES)}, {})


def measure(folder: Path, blocks: int = BLOCKS) -> None:
    """Print the figures."""
    with service("-m", "tests.support.s3_server") as address:
        os.environ.update(environment(address))
        seconds = build(open_store(URL), blocks)
        requests: dict[str, int] = httpx.get(f"{address}/-/requests").json()
    total, objects = sum(seconds.values()), blocks * (VARIABLES + 1)
    stages = ", ".join(f"{name} {s:.0f} s" for name, s in seconds.items())
    print(f"{objects} objects on S3 in {total:.0f} s (bar {BAR_S} s), {PROCESSES} processes: {stages}")
    kinds = ", ".join(f"{kind} {n}" for kind, n in sorted(requests.items()))
    print(f"  {sum(requests.values())} requests, {sum(requests.values()) / objects:.1f} an object: {kinds}")
