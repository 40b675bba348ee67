"""An application over a made-up climate line."""

import shutil
from pathlib import Path

import pytest

from tests.api.conftest import Api, StartKept
from tests.support.tmy import OSLO


@pytest.fixture
def own_climate(climate: Path, tmp_path: Path) -> Path:
    """A copy of it that the test may change."""
    return Path(shutil.copytree(climate, tmp_path / "climate"))


@pytest.fixture(scope="module")
def kept(start_kept: StartKept, climate: Path) -> Api:
    """An application over it, in June 2026."""
    return start_kept(store_folder=climate)


def tmy(place: tuple[float, float] = OSLO, path: str = "/api/tmy", **more: str) -> str:
    """The address of a question about a place."""
    asked = "".join(f"&{name}={value}" for name, value in more.items())
    return f"{path}?lat={place[0]}&lon={place[1]}{asked}"
