"""An application with level 1, a typical year, a town of made-up heights, and a worker of jobs beside it."""

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import ClientSession
from anyio.from_thread import BlockingPortal

from api.jobs.worker import Worker
from tests.api.conftest import Api, Asked, MovableClock, Start, StartKept
from tests.api.fabricated import hydrate_turbidity
from tests.bench.bench_rooftop_http import ground, town
from tests.support.coverages import Coverages
from tests.support.horizon import OSLO

PATH = "/api/horizon/precise"
PANEL = {"lat": OSLO[0], "lon": OSLO[1], "panel_az_deg": 180, "panel_tilt_deg": 35}
_addresses = itertools.count(1)


class Panels:
    """Asks for what shades panels."""

    def __init__(self, api: Api, clock: MovableClock) -> None:
        self.api, self.clock = api, clock

    async def ask(self, query: str = "", *, language: str = "", address: str = "", **body: Any) -> Asked:
        """Ask about a panel of 35 degrees to the south in Oslo, from an address of its own."""
        own = address or f"2001:db8:{next(_addresses):x}::1"
        headers = {"X-Forwarded-For": own, "Accept-Language": language}
        return await self.api.ask(PATH + query, "POST", json=PANEL | body, headers=headers)

    @property
    def state(self) -> Path:
        """The state folder."""
        return self.api.app.settings.state

    async def open(self, link: str) -> Asked:
        """Open a link of an answer."""
        return await self.api.ask(link[link.index("/api/") :])

    def worker(self) -> Worker:
        """Return a worker of its jobs."""
        return Worker(self.api.app.settings)


@pytest.fixture(scope="module")
def heights() -> Iterator[Coverages]:
    """The town."""
    with Coverages(dom=town, dtm=ground) as service:
        yield service


@pytest.fixture(scope="module")
def kept_panels(
    elsewhere: BlockingPortal,
    start_kept: StartKept,
    full_store: Path,
    heights: Coverages,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Panels]:
    """An application and a worker for all tests of a module."""
    clock, state = MovableClock(), tmp_path_factory.mktemp("precise")
    hydrate_turbidity(state)
    api = start_kept(store_folder=full_store, state_folder=state, clock=clock, kartverket_wcs_url=heights.url)
    panels = Panels(api, clock)
    with elsewhere.wrap_async_context_manager(panels.worker().lifespan()):
        yield panels


@pytest_asyncio.fixture
async def panels(kept_panels: Panels) -> AsyncIterator[Panels]:
    """The module's application, over connections of the test's own."""
    async with ClientSession() as session:
        yield Panels(replace(kept_panels.api, session=session), kept_panels.clock)


Serve = Callable[..., Awaitable[Panels]]


@pytest_asyncio.fixture
async def serve(start: Start, full_store: Path, heights: Coverages, tmp_path: Path) -> AsyncIterator[Serve]:
    """Start an application of the test's own, without a worker."""

    async def serving(**more: Any) -> Panels:
        clock = MovableClock()
        usual = {"store_folder": full_store, "state_folder": tmp_path / "state", "clock": clock}
        return Panels(await start(**usual | {"kartverket_wcs_url": heights.url} | more), clock)

    yield serving
