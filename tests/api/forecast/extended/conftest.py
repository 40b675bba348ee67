"""An API whose external weather service is the simulator, both by one clock."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from catalog.sources import http
from tests.api.conftest import Api, Asked, MovableClock, Start
from tests.api.fabricated import CYCLE, OSLO_CELL, WEATHER, entry, hydrate, series, write_index
from tests.api.forecast.conftest import SOUTH, WEST
from tests.support.simulated import Simulated, simulated

OSLO = "lat=59.91&lon=10.75"
PLANT: dict[str, Any] = {"latitude": 59.91, "longitude": 10.75, "arrays": [SOUTH, {**WEST, "tilt_deg": 90}]}
EXTENDED = f"/api/forecast/extended?{OSLO}"


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.01)


@pytest.fixture
def clock() -> MovableClock:
    """The clock of both."""
    return MovableClock()


@pytest_asyncio.fixture
async def service(clock: MovableClock, tmp_path: Path) -> AsyncIterator[Simulated]:
    """The external service."""
    async with simulated("locationforecast", clock, tmp_path / "simulator") as service:
        yield service


@pytest.fixture
def own_state(state: Path, tmp_path: Path) -> Path:
    """A state folder in which nothing is kept of the service, with the hydrated tiles of all tests."""
    folder = tmp_path / "state"
    folder.mkdir()
    (folder / "hydrated").symlink_to(state / "hydrated")
    return folder


@pytest.fixture
def bare_state(state: Path, tmp_path: Path) -> Path:
    """A state folder of the test's own, with turbidity."""
    folder = tmp_path / "fresh"
    (folder / "hydrated").mkdir(parents=True)
    (folder / "hydrated" / "turbidity").symlink_to(state / "hydrated" / "turbidity")
    return folder


@pytest.fixture
def own_store(store: Path, tmp_path: Path) -> Path:
    """A store with turbidity and the weather that production takes."""
    write_index(tmp_path / "own", entry(CYCLE, variables=WEATHER))
    shutil.copytree(store / "turbidity", tmp_path / "own" / "turbidity")
    return tmp_path / "own"


@pytest_asyncio.fixture
async def sunny(start: Start, service: Simulated, clock: MovableClock, bare_state: Path, own_store: Path) -> Api:
    """An API with the weather that production takes: 30 W/m2 at most."""
    hydrate(bare_state, entry(CYCLE, variables=WEATHER), {OSLO_CELL: series(300)})
    return await start(clock=clock, locationforecast_url=service.url, state_folder=bare_state, store_folder=own_store)


@pytest_asyncio.fixture
async def served(start: Start, service: Simulated, clock: MovableClock, own_state: Path) -> Api:
    """An API that asks the service."""
    return await start(clock=clock, locationforecast_url=service.url, state_folder=own_state)


def times_of(asked: Asked) -> list[str]:
    """The timestamps of an extended answer."""
    assert asked.status == 200, asked.text[:300]
    return [row["timestamp"] for row in asked.json["timeseries"]]
