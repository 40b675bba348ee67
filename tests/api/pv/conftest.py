"""An application over a made-up climate line, a made-up horizon (a hill in the east of Oslo) and made-up snow."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from api.core import engines
from tests.api.conftest import Api, StartKept
from tests.support.horizon import publish_horizon
from tests.support.snow import publish_history
from tests.support.tmy import OSLO
from tiles.store import open_store


@pytest.fixture(scope="session", autouse=True)
def compiled() -> None:
    """Load the kernels before anything waits for them: without kept machine code that takes minutes."""
    engines.load(lambda: None)
    engines.load_behind()


@pytest.fixture(scope="session")
def hilly(climate: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of all that, which no test changes."""
    folder = shutil.copytree(climate, tmp_path_factory.mktemp("hilly") / "tiles")
    publish_horizon(open_store(str(folder)))
    publish_history(open_store(str(folder)))
    return Path(folder)


@pytest.fixture
def own(hilly: Path, tmp_path: Path) -> Path:
    """A copy of it that the test may change."""
    return Path(shutil.copytree(hilly, tmp_path / "hilly"))


@pytest.fixture(scope="module")
def kept(start_kept: StartKept, hilly: Path) -> Api:
    """An application over it, in June 2026."""
    return start_kept(store_folder=hilly)


def pv(place: tuple[float, float] = OSLO, **more: object) -> str:
    """The address of a question about a place."""
    asked = "".join(f"&{name}={value}" for name, value in more.items())
    return f"/api/pv/calc?lat={place[0]}&lon={place[1]}{asked}"


async def production(api: Api, place: tuple[float, float] = OSLO, **more: object) -> Any:
    """Ask for an answer that there is."""
    return await api.good(pv(place, **more))
