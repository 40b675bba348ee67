"""API workers in processes of their own, and what they serve."""

import asyncio
import os
import socket
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import numpy as np
import psutil

from api.database.current import make_current
from api.database.engine import address
from catalog.publish import Moment, publish
from tests.support.tiles import CYCLE, empty_draft, made_up_ghi
from tests.support.tmy import LEVELS, OSLO, OSLO_CELL, publish_climate
from tests.support.worker import Workers, until
from tiles.grid import FORECAST, NORWAY3KM
from tiles.products.climate_archive import BLOCK
from tiles.store import open_store

PLACE = f"lat={OSLO[0]}&lon={OSLO[1]}"
# All cells of Oslo's block: 31 MB of ens_tmy30, of which the application keeps 16.
BLOCK_OF_CELLS = tuple(
    (OSLO_CELL[0] // BLOCK * BLOCK + row, OSLO_CELL[1] // BLOCK * BLOCK + column)
    for row in range(BLOCK)
    for column in range(BLOCK)
)
CENTRES = tuple(NORWAY3KM.centre(cell) for cell in BLOCK_OF_CELLS if cell not in LEVELS)


class Server(NamedTuple):
    """Where a server listens, and its processes."""

    url: str
    pids: list[int]


@contextmanager
def process(
    environment: Mapping[str, str],
    module: str = "api.core.worker",
    copies: int = 1,
    log: Path = Path(os.devnull),
    checkout: str = "",
) -> Iterator[Server]:
    """Run processes on one listening socket, with the code of another checkout where one is named.

    What they log goes to the null device where no file is given: it is written all the same.
    """
    elsewhere = {"PYTHONPATH": checkout} if checkout else {}
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as sock:
        running = Workers(sock, {**os.environ, **environment, **elsewhere}, log, checkout)
        try:
            for _ in range(copies):
                running.start(module)
            yield Server(running.url, [one.pid for one in running.processes])
        finally:
            running.stop()


@contextmanager
def versions(environment: Mapping[str, str], old: str = "") -> Iterator[dict[str, Server]]:
    """Run a worker, and one of another checkout where one is named, until they answer; yield them by label.

    The other one has a state folder of its own, and hydrates its own tiles, which may have another format there.
    """
    apart = {**environment, "SOLFLIS_STATE": f"{environment['SOLFLIS_STATE']}_old"}
    with ExitStack() as stack:
        servers = {"": stack.enter_context(process(environment))}
        if old:
            servers["old: "] = stack.enter_context(process(apart, checkout=old))
        for server in servers.values():
            until(server.url, "/health", 200)
        yield servers


@contextmanager
def ready_made(environment: Mapping[str, str], body: bytes, kind: str = "prebuilt") -> Iterator[Server]:
    """Serve some bytes at `/prebuilt`."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(body)
        file.flush()
        with process(
            {**environment, "BENCH_BODY": file.name, "BENCH_KIND": kind}, "tests.bench.compared_app"
        ) as running:
            until(running.url, "/prebuilt", 200)
            yield running


@contextmanager
def apart(*servers: Server) -> Iterator[None]:
    """Keep servers on one core, and their clients, which this process starts, on the others.

    Where the kernel lets them meet on one core now and then, a server's processor time per request varies by half.
    """
    cores = sorted(os.sched_getaffinity(0))
    for thread in (thread for one in servers for pid in one.pids for thread in psutil.Process(pid).threads()):
        os.sched_setaffinity(thread.id, cores[:1])
    os.sched_setaffinity(0, cores[1:] or cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def settings_of(folder: Path, clock: str = "2026-06-01T00:00:00Z", **settings: str) -> dict[str, str]:
    """Return the environment of a worker that serves the tiles below a folder, whose database is made."""
    asyncio.run(make_current(address(None, folder / "state")))
    ours = {"STATE": str(folder / "state"), "STORE": str(folder / "tiles"), "CLOCK": clock, "ACCESS": "open"}
    return {f"SOLFLIS_{name}": value for name, value in {**ours, **settings}.items()}


def national(folder: Path) -> dict[str, str]:
    """Publish a national tile with sun and weather everywhere; return the environment of a worker."""
    store, everywhere = open_store(f"{folder}/tiles"), np.ones(FORECAST.shape, bool)
    levels = np.random.default_rng(1).integers(50, 900, FORECAST.shape)
    ghi = made_up_ghi(CYCLE, level=levels, window=(slice(None), slice(None)))
    draft = empty_draft(store, CYCLE)
    weather = {"temp_air": np.full_like(ghi, 12), "wind_speed": np.full_like(ghi, 3)}
    for name, values in {"ghi": ghi, "ghi_v1": ghi * np.float32(0.5), **weather}.items():
        draft.write_packed(name, draft.product.variable(name).pack(values))
    moment = Moment(CYCLE, CYCLE, CYCLE + timedelta(hours=len(ghi)))
    publish(draft, moment, now=CYCLE, expected=everywhere, report=lambda _: None)
    return settings_of(folder, (CYCLE + timedelta(hours=1)).isoformat())


def publish_block(folder: Path) -> None:
    """Publish typical years of all cells of Oslo's block."""
    LEVELS.update(dict.fromkeys(set(BLOCK_OF_CELLS) - set(LEVELS), 1.0))
    publish_climate(open_store(str(folder / "tiles")))
