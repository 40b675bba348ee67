"""An application whose coverage service is made up, asked from an address of its own each time."""

import itertools
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from api.horizon import service as of_horizons
from tests.api.conftest import Api, Asked, Start
from tests.api.horizon.rooftop.made import OSLO
from tests.support.coverages import Coverages

PATH = "/api/horizon/rooftop"
_addresses = itertools.count(1)


@pytest.fixture(autouse=True)
def _waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_horizons, "WITHIN_S", 120.0)  # on a busy machine the first answer is late


@pytest.fixture
def service() -> Iterator[Coverages]:
    """A plain at 100 m, unless a test says otherwise."""
    with Coverages() as running:
        yield running


@contextmanager
def held_up(service: Coverages) -> Iterator[None]:
    """Let nobody have an answer of the service meanwhile."""
    go = threading.Event()
    service.before = lambda _: bool(go.wait(30))
    try:
        yield
    finally:
        go.set()


class Roofs:
    """Asks for horizons of roofs."""

    def __init__(self, api: Api) -> None:
        self.api = api

    async def ask(self, query: str = "", *, address: str | None = None, **body: Any) -> Asked:
        """Ask for one; at Oslo's town hall if no place is given."""
        where = {"lat": OSLO[0], "lon": OSLO[1]} | body
        headers = {"X-Forwarded-For": address or f"2001:db8:{next(_addresses):x}::1"}
        return await self.api.ask(PATH + query, "POST", json=where, headers=headers)

    async def raw(self, body: bytes, **headers: str) -> Asked:
        """Send a body as it is."""
        own = {"X-Forwarded-For": f"2001:db8:{next(_addresses):x}::1", "Content-Type": "application/json"}
        return await self.api.ask(PATH, "POST", data=body, headers=own | headers)


Serve = Callable[..., Awaitable[Roofs]]


@pytest_asyncio.fixture
async def serve(start: Start, hills: Path, service: Coverages, tmp_path: Path) -> AsyncIterator[Serve]:
    """Start an application over the service, with a made-up level 1 unless another store is given."""

    async def serving(store: Path = hills, **more: Any) -> Roofs:
        settings = {"kartverket_wcs_url": service.url} | more
        return Roofs(await start(store_folder=store, state_folder=tmp_path / "state", **settings))

    yield serving


@pytest_asyncio.fixture
async def roofs(serve: Serve) -> Roofs:
    """A running application."""
    return await serve()
