"""A simulator to talk to, and the folder its files are shared in."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp.test_utils import TestClient, TestServer

from catalog.sources import http
from infra.simulator.server import create_app
from tests.support.garbage import left_lying
from tiles.clock import Clock

SPACING_KM = 60.0


@pytest.fixture(scope="session")
def state_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all tests, so that each file is made once."""
    return tmp_path_factory.mktemp("simulator")


@pytest.fixture
async def client(
    state_dir: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[TestClient]:
    """A simulator whose clock stands at the module's `CLOCK`, or at half past twelve on midsummer's day of 2015.

    Who reads it asks again soon where it fails.
    """
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.001)
    clock = Clock.parse(getattr(request.module, "CLOCK", "2015-06-21T12:30:00Z!"))
    app = create_app(clock, state_dir, SPACING_KM, archive_spacing_km=SPACING_KM)
    with left_lying():
        async with TestClient(TestServer(app)) as talking:
            yield talking
