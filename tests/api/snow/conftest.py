"""An application over made-up typical years, horizons and snow, on a morning in December."""

import shutil
import time
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import pytest_asyncio

from tests.api.conftest import Api, Asked, MovableClock, Start, StartKept
from tests.api.pv.conftest import compiled  # noqa: F401 -- a fixture of this folder too
from tests.support.horizon import publish_horizon
from tests.support.simulated import Simulated, simulated
from tests.support.snow import publish_history, publish_outlook
from tests.support.tmy import OSLO
from tiles.store import open_store

TODAY = date(2026, 12, 10)
MORNING = datetime(2026, 12, 10, 9, 30, tzinfo=UTC)
MONTHS, DAYS = "/api/snowsoiling/calc", "/api/snow/outlook"


@pytest.fixture(scope="session")
def bare(climate: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with typical years and horizons, without any snow, which no test changes."""
    folder = Path(shutil.copytree(climate, tmp_path_factory.mktemp("bare") / "tiles"))
    publish_horizon(open_store(str(folder)))
    return folder


@pytest.fixture(scope="session")
def snowy(bare: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with snow, which no test changes."""
    folder = Path(shutil.copytree(bare, tmp_path_factory.mktemp("snowy") / "tiles"))
    store = open_store(str(folder))
    publish_history(store)
    publish_outlook(store, TODAY)
    return folder


@pytest.fixture
def own(snowy: Path, tmp_path: Path) -> Path:
    """A copy of it that the test may change."""
    return Path(shutil.copytree(snowy, tmp_path / "snowy"))


@pytest.fixture
def own_bare(bare: Path, tmp_path: Path) -> Path:
    """A copy of the store without snow that the test may change."""
    return Path(shutil.copytree(bare, tmp_path / "own-bare"))


@pytest.fixture(scope="module")
def kept(start_kept: StartKept, snowy: Path, tmp_path_factory: pytest.TempPathFactory) -> Api:
    """An application over it."""
    state = tmp_path_factory.mktemp("snow-state")
    return start_kept(store_folder=snowy, state_folder=state, clock=MovableClock(MORNING))


@pytest_asyncio.fixture
async def authority(tmp_path: Path) -> AsyncIterator[Simulated]:
    """The authority on the morning of the tests."""
    async with simulated("nve_gts", MovableClock(MORNING), tmp_path / "simulator") as authority:
        yield authority


class Later:
    """The time by which the authority is spared, which passes as the test says."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._passed = 0.0
        monkeypatch.setattr("api.core.upstream.time", SimpleNamespace(monotonic=self._now))

    def _now(self) -> float:
        return time.monotonic() + self._passed

    def by(self, seconds: float) -> None:
        """Let so much time pass."""
        self._passed += seconds


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Later:
    """That time."""
    return Later(monkeypatch)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail soon where nothing comes; a busy machine has time for its first simulated winters."""
    monkeypatch.setattr("api.core.upstream.WITHIN_S", 28.0)
    monkeypatch.setattr("catalog.sources.http.FIRST_WAIT_S", 0.01)


@pytest_asyncio.fixture
async def snowless(start: Start, bare: Path, authority: Simulated, tmp_path: Path) -> Api:
    """An application without any snow of its own, which asks the authority."""
    return await start(
        store_folder=bare, state_folder=tmp_path / "state", clock=authority.clock, nve_gts_url=authority.url
    )


def asking(path: str, place: tuple[object, object] = OSLO, **more: object) -> str:
    """The address of a question about a place."""
    asked = "".join(f"&{name}={value}" for name, value in more.items())
    return f"{path}?lat={place[0]}&lon={place[1]}{asked}"


async def months(api: Api, place: tuple[float, float] = OSLO, **more: object) -> Any:
    """Ask for an answer of months that there is."""
    return await api.good(asking(MONTHS, place, **more))


async def days(api: Api, place: tuple[float, float] = OSLO, **more: object) -> Any:
    """Ask for an answer of days that there is."""
    return await api.good(asking(DAYS, place, **more))


def assert_refused_by_the_authority(asked: Asked) -> None:
    """Hold an answer to what is said where the authority cannot be asked."""
    assert asked.status == 502, asked.text
    assert asked.json["code"] == "BACKEND_ERROR"
    assert "NVE" in asked.json["error"]
    assert int(asked.headers["Retry-After"]) > 0
