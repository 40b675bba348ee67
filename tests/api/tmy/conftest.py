"""An application over a made-up climate line."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True)
class File:
    """An answer as bytes."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def tmy(place: tuple[float, float] = OSLO, path: str = "/api/tmy", **more: str) -> str:
    """The address of a question about a place."""
    asked = "".join(f"&{name}={value}" for name, value in more.items())
    return f"{path}?lat={place[0]}&lon={place[1]}{asked}"


async def fetch(api: Api, path: str, **headers: str) -> File:
    """Ask for a file."""
    async with api.session.get(api.url + path, headers=headers) as answer:
        return File(answer.status, answer.headers, await answer.read())
