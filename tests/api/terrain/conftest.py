"""An application and a worker of jobs on published tiles: a ridge through the site, and a coast north of it."""

import itertools
import shutil
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytest_asyncio
from aiohttp import ClientSession
from anyio.from_thread import start_blocking_portal

from api.jobs.worker import Worker
from kernels import utm
from kernels.horizon import earth
from tests.api.conftest import Api, Asked, MovableClock, Start, applications, usual_store
from tests.support.coverages import EXCEPTION, Coverages
from tests.support.landcover import publish_landcover
from tests.support.terrain import publish_terrain
from tiles.products.landcover import GRID, SIDE
from tiles.store import open_store

PATH, JOBS = "/api/terrain/category", "/api/terrain/jobs"
SITE = {"lat": 65.0, "lon": 12.0}
"""Grid north is 2.7 degrees off true north there."""
X, Y = map(float, utm.forward(SITE["lat"], SITE["lon"]))
H, L_U, L_D = 100.0, 400.0, 800.0
"""Of the ridge, whose steeper side is in the north; the crest is at the site."""
COAST_M = 1800.0
_BASE_M, _SIDE_M = 5.0, 15_000.0
_addresses = itertools.count(1)


def north(x: Any, y: Any) -> Any:
    """How far north of the site, m on the ground."""
    turn = np.radians(float(earth.convergence(X, Y)))
    return ((y - Y) * np.cos(turn) - (x - X) * np.sin(turn)) / float(earth.scale(X, Y))


def cover(x: Any, y: Any) -> Any:
    return np.where(north(x, y) > COAST_M, 82, 30)


def heights(x: Any, y: Any) -> Any:
    off = north(x, y)
    land = _BASE_M + np.minimum(H - off * (H / L_U), H + off * (H / L_D)).clip(0)
    return np.where(off > COAST_M, 0.0, land)


class Sites:
    """Asks about sites."""

    def __init__(self, api: Api, clock: MovableClock, heights: Coverages | None = None) -> None:
        self.api, self.clock, self.heights = api, clock, heights

    async def ask(self, query: str = "", path: str = PATH, address: str = "", **body: Any) -> Asked:
        """Ask about the site, from an address of its own."""
        own = address or f"2001:db8:{next(_addresses):x}::1"
        return await self.api.ask(path + query, "POST", json=SITE | body, headers={"X-Forwarded-For": own})

    async def job(self, job_id: str, query: str = "") -> Asked:
        return await self.api.ask(f"/api/terrain/jobs/{job_id}{query}")

    async def until(self, job_id: str, state: str) -> Any:
        """Ask for a job until it is in a state."""
        path = f"/api/terrain/jobs/{job_id}"
        return (await self.api.until(path, lambda asked: asked.json["status"] == state)).json

    @asynccontextmanager
    async def busy(self, **body: Any) -> AsyncIterator[str]:
        """Keep the worker busy: yield its job, which waits for heights and then fails."""
        assert self.heights is not None
        go_on = threading.Event()
        self.heights.before = lambda _: go_on.wait(60) and None
        job: str = (await self.ask(path=JOBS, lat=61.5, lon=9.0, **body)).json["jobb_id"]
        try:
            await self.api.until(f"{JOBS}/{job}", lambda asked: bool(asked.json["fase"]))
            yield job
        finally:
            go_on.set()

    def worker(self) -> Worker:
        return Worker(self.api.app.settings)


@pytest.fixture(scope="session")
def land_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with terrain and land cover around the site."""
    folder = usual_store(tmp_path_factory.mktemp("land") / "tiles")
    store = open_store(str(folder))
    west, south = (float(np.floor((at - _SIDE_M / 2) / 250) * 250) for at in (X, Y))
    x, y = west + 10 * (np.arange(1500) + 0.5), (south + 10 * (np.arange(1500) + 0.5))[:, None]
    publish_terrain(store, heights(x, y), west, south, cell=10)
    rows, columns = (
        range(int((at - 10_100 - first) // 10) // SIDE * SIDE, int((at + 10_100 - first) // 10) + 1, SIDE)
        for at, first in ((Y, GRID.y0), (X, GRID.x0))
    )
    publish_landcover(store, cover, list(product(rows, columns)))
    return folder


@pytest.fixture(scope="package")
def kept_sites(land_store: Path, migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sites]:
    """An application and a worker for all tests: its process takes seconds to start. No heights can be fetched."""
    clock, folder = MovableClock(), tmp_path_factory.mktemp("sites")
    database = Path(shutil.copy(migrated_sqlite, folder / "solflis.sqlite"))
    with Coverages() as heights, start_blocking_portal() as portal:
        heights.instead = lambda _: EXCEPTION
        with portal.wrap_async_context_manager(applications(folder, land_store, database)) as starting:
            sites = Sites(portal.call(partial(starting, clock=clock, kartverket_wcs_url=heights.url)), clock, heights)
            with portal.wrap_async_context_manager(sites.worker().lifespan()):
                yield sites


@pytest_asyncio.fixture
async def sites(kept_sites: Sites) -> AsyncIterator[Sites]:
    """That application, over connections of the test's own."""
    async with ClientSession() as session:
        yield Sites(replace(kept_sites.api, session=session), kept_sites.clock, kept_sites.heights)


Serve = Callable[..., Awaitable[Sites]]


@pytest_asyncio.fixture
async def serve(start: Start, land_store: Path, tmp_path: Path) -> AsyncIterator[Serve]:
    """Start an application of the test's own, without a worker."""

    async def serving(**more: Any) -> Sites:
        clock = MovableClock()
        usual = {"store_folder": land_store, "state_folder": tmp_path / "state", "clock": clock}
        return Sites(await start(**usual | more), clock)

    yield serving
