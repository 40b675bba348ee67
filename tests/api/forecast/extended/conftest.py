"""An API whose external weather service is the simulator, both by one clock."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import web
from aiohttp.test_utils import TestServer

from catalog.sources import http
from infra.simulator.server import create_app
from tests.api.conftest import Api, Asked, MovableClock, Start

OSLO = "lat=59.91&lon=10.75"
EXTENDED = f"/api/forecast/extended?{OSLO}"


class Service:
    """The simulator's point forecasts: what it was asked, and faults to order."""

    def __init__(self, app: web.Application, clock: MovableClock) -> None:
        self.clock = clock
        self.asked: list[web.Request] = []
        self.server = TestServer(app)

        @web.middleware
        async def note(request: web.Request, handler: Any) -> web.StreamResponse:
            self.asked.append(request)
            answer: web.StreamResponse = await handler(request)
            return answer

        app.middlewares.append(note)

    @property
    def url(self) -> str:
        """Its address."""
        return str(self.server.make_url("/locationforecast"))

    def misbehave(self, **fields: Any) -> None:
        """Put a fault in force."""
        from infra.simulator.keys import RULES
        from infra.simulator.misbehave import Rule

        self.server.app[RULES].append(Rule.model_validate({"path": "/locationforecast/*", **fields}))

    def behave(self) -> None:
        """Drop all faults."""
        from infra.simulator.keys import RULES

        self.server.app[RULES].clear()


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.01)


@pytest.fixture
def clock() -> MovableClock:
    """The clock of both."""
    return MovableClock()


@pytest_asyncio.fixture
async def service(clock: MovableClock, tmp_path: Path) -> AsyncIterator[Service]:
    """The external service."""
    made = Service(create_app(clock, tmp_path / "simulator", 5), clock)  # type: ignore[arg-type]
    async with made.server:
        yield made


@pytest.fixture
def own_state(state: Path, tmp_path: Path) -> Path:
    """A state folder in which nothing is kept of the service, with the hydrated tiles of all tests."""
    folder = tmp_path / "state"
    folder.mkdir()
    (folder / "hydrated").symlink_to(state / "hydrated")
    return folder


@pytest_asyncio.fixture
async def served(start: Start, service: Service, clock: MovableClock, own_state: Path) -> Api:
    """An API that asks the service."""
    return await start(clock=clock, locationforecast_url=service.url, state_folder=own_state)


def times_of(asked: Asked) -> list[str]:
    """The timestamps of an extended answer."""
    assert asked.status == 200, asked.text[:300]
    return [row["timestamp"] for row in asked.json["timeseries"]]
