"""An application over a made-up horizon: a hill in the east of Oslo, and one in the east of Bodø."""

from collections.abc import Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True)
class File:
    """An answer as bytes."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def terrain(place: tuple[float, float] = OSLO, **more: object) -> str:
    """The address of a question about a place."""
    asked = "".join(f"&{name}={value}" for name, value in more.items())
    return f"/api/horizon/terrain?lat={place[0]}&lon={place[1]}{asked}"


async def fetch(api: Api, path: str, **headers: str) -> File:
    """Ask for a file."""
    async with api.session.get(api.url + path, headers=headers) as answer:
        return File(answer.status, answer.headers, await answer.read())
