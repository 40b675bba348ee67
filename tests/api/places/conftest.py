"""An API whose search services are the simulator's, both by one clock."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from catalog.sources import http
from tests.api.conftest import Api, MovableClock, Start
from tests.support.simulated import Simulated, simulated


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.01)


@pytest.fixture
def clock() -> MovableClock:
    """The clock of both."""
    return MovableClock()


@pytest_asyncio.fixture
async def service(clock: MovableClock, tmp_path: Path) -> AsyncIterator[Simulated]:
    """The authority."""
    async with simulated("kartverket_adresser", clock, tmp_path / "simulator") as service:
        yield service


@pytest.fixture
def own_state(tmp_path: Path) -> Path:
    """A state folder in which nothing is kept."""
    folder = tmp_path / "state"
    folder.mkdir()
    return folder


@pytest_asyncio.fixture
async def served(start: Start, service: Simulated, clock: MovableClock, own_state: Path) -> Api:
    """An API that asks the authority."""
    return await start(clock=clock, urls={"kartverket_adresser": service.url}, state_folder=own_state)
