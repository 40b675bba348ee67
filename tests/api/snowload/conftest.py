"""An application over made-up winters and square municipalities, on a day in November."""

import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from api import engines
from tests.api.conftest import Api, MovableClock, StartKept, usual_store
from tests.api.snow.conftest import authority, later  # noqa: F401 -- fixtures of this folder too
from tests.support.snowload import LAT, LON, publish_snowload, publish_squares
from tiles.store import open_store

PATH = "/api/snowload/calc"
NOVEMBER = datetime(2026, 11, 23, 9, 30, tzinfo=UTC)


@pytest.fixture(scope="session", autouse=True)
def _compiled() -> None:
    """Load the kernels before anything waits for them: without kept machine code that takes minutes."""
    engines.load(lambda: None)
    engines.load_behind()


@pytest.fixture(autouse=True)
def _not_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail soon where nobody plays the authority."""
    monkeypatch.setattr("catalog.sources.http.FIRST_WAIT_S", 0.01)


@pytest.fixture(scope="session")
def squares(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with municipalities alone, which no test changes."""
    folder = tmp_path_factory.mktemp("squares")
    store = usual_store(folder / "tiles")
    publish_squares(open_store(str(store)), folder / "borders")
    return store


@pytest.fixture(scope="session")
def loaded(squares: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with winters, which no test changes."""
    folder = Path(shutil.copytree(squares, tmp_path_factory.mktemp("loaded") / "tiles"))
    publish_snowload(open_store(str(folder)))
    return folder


@pytest.fixture
def own(loaded: Path, tmp_path: Path) -> Path:
    """A copy of it that the test may change."""
    return Path(shutil.copytree(loaded, tmp_path / "loaded"))


@pytest.fixture(scope="module")
def kept(start_kept: StartKept, loaded: Path, tmp_path_factory: pytest.TempPathFactory) -> Api:
    """An application over it."""
    state = tmp_path_factory.mktemp("snowload-state")
    return start_kept(store_folder=loaded, state_folder=state, clock=MovableClock(NOVEMBER))


def asking(**asked: object) -> str:
    """The address of a question, about the middle of what is built where no point is named."""
    point = {} if {"x", "y", "lat", "lon"} & set(asked) else {"lat": LAT, "lon": LON}
    return f"{PATH}?{'&'.join(f'{name}={value}' for name, value in {**point, **asked}.items())}"


async def calc(api: Api, **asked: object) -> Any:
    """Ask for an answer that there is."""
    answer = await api.ask(asking(**asked))
    assert answer.status == 200, answer.text
    return answer.json
