"""An application over a made-up horizon: a hill in the east of Oslo, and one in the east of Bodø."""

from pathlib import Path

import pytest

from tests.api.conftest import Api, StartKept
from tests.support.horizon import OSLO, publish_horizon
from tiles.store import open_store


@pytest.fixture(scope="session")
def hills(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of horizons, which no test changes."""
    folder = tmp_path_factory.mktemp("hills")
    publish_horizon(open_store(str(folder)))
    return folder


@pytest.fixture(scope="module")
def kept(start_kept: StartKept, hills: Path) -> Api:
    """An application over it, in June 2026."""
    return start_kept(store_folder=hills)


def terrain(place: tuple[float, float] = OSLO, **more: object) -> str:
    """The address of a question about a place."""
    asked = "".join(f"&{name}={value}" for name, value in more.items())
    return f"/api/horizon/terrain?lat={place[0]}&lon={place[1]}{asked}"
