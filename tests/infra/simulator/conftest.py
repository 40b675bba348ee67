"""A simulator to talk to, and the folder its files are shared in."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp.test_utils import TestClient, TestServer

from infra.simulator.server import create_app
from tests.support.garbage import left_lying
from tiles.clock import Clock

SPACING_KM = 60.0


@pytest.fixture(scope="session")
def state_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all tests, so that each file is made once."""
    return tmp_path_factory.mktemp("simulator")


@pytest.fixture
async def client(state_dir: Path) -> AsyncIterator[TestClient]:
    """A simulator whose clock stands at half past twelve on midsummer's day of 2015."""
    app = create_app(Clock.parse("2015-06-21T12:30:00Z!"), state_dir, SPACING_KM, archive_spacing_km=SPACING_KM)
    with left_lying():
        async with TestClient(TestServer(app)) as talking:
            yield talking
