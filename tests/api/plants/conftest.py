"""Applications with accounts that have agreements on plants, and a worker that reads files as the stand-in does."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from api.access import keys, partners
from api.jobs.worker import Worker
from tests.api.conftest import Api, Asked, MovableClock, Start
from tests.support.database import SQLITE_MOSTLY, migrated
from tests.support.plant_uploads import STAND_IN

PATH = "/api/anlegg"
NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)
BODY: dict[str, Any] = {
    "latitude": 59.9139,
    "longitude": 10.7522,
    "flater": [{"name": "tak", "kwp": 10, "tilt_deg": 35, "azimuth_deg": 180}],
    "samtykke": True,
}


@dataclass
class Owner:
    """Somebody with a key."""

    api: Api
    headers: dict[str, str] = field(default_factory=dict)

    async def ask(self, path: str = "", method: str = "GET", **options: Any) -> Asked:
        """Ask below `/api/anlegg`."""
        headers = {**self.headers, **options.pop("headers", {})}
        return await self.api.ask(PATH + path, method, headers=headers, **options)

    async def post(self, path: str, **options: Any) -> Asked:
        """Ask by POST."""
        return await self.ask(path, "POST", **options)

    async def register(self, **fields: Any) -> str:
        """Register a plant and return its id."""
        made = await self.post("", json=BODY | fields)
        assert made.status == 201, made.text
        return str(made.json["id"])

    async def upload(self, plant: str, file: bytes, query: str = "") -> Any:
        """Upload a file that can be read."""
        sent = await self.post(f"/{plant}/produksjon{query}", data=file)
        assert sent.status == 201, sent.text
        return sent.json

    async def data(self, plant: str) -> Any:
        """Return the measurements of a plant in short."""
        return (await self.ask(f"/{plant}")).json["data"]


@dataclass
class Service:
    """A running application, and two people with keys."""

    api: Api
    clock: MovableClock
    kari: Owner
    ola: Owner


StartService = Callable[..., Awaitable[Service]]


@pytest.fixture(params=SQLITE_MOSTLY)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a migrated database; `test_leftovers.py` always asks both kinds."""
    return migrated(request, tmp_path)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store in which nothing is published: clear skies are of a usual turbidity."""
    folder = tmp_path / "tiles"
    folder.mkdir()
    return folder


@pytest_asyncio.fixture
async def start_service(start: Start, tmp_path: Path) -> AsyncIterator[StartService]:
    """Start one on a database; `worker=False`: nobody reads files."""
    async with AsyncExitStack() as stack:

        async def starting(database_url: str, *, worker: bool = True, **more: Any) -> Service:
            clock = MovableClock(NOON)
            state = tmp_path / "state"
            state.mkdir(exist_ok=True)
            options = {"access": "keys", "state_folder": state, "poll_s": 1.0, "trusted_proxies": ()} | more
            api = await start(clock=clock, database=database_url, **options)
            resources = api.app.resources
            owners = []
            for name in ("kari", "ola") if options["access"] == "keys" else ():
                engine, secret = resources.database.engine, resources.secret
                key = await keys.issue(engine, secret, f"{name}@example.com", "free", NOON)
                code = await partners.add(engine, secret, name, NOON, "anlegg")
                owners.append(Owner(api, {"X-API-Key": key, "X-Anlegg-Beta": code}))
            if worker:
                await stack.enter_async_context(Worker(api.app.settings, kinds=STAND_IN).lifespan())
            kari, ola = owners or (Owner(api), Owner(api))
            return Service(api, clock, kari, ola)

        yield starting


@pytest_asyncio.fixture
async def service(start_service: StartService, database_url: str) -> Service:
    """One on either database, with a worker."""
    return await start_service(database_url)


@pytest_asyncio.fixture
async def idle(start_service: StartService, database_url: str) -> Service:
    """One on either database, without a worker."""
    return await start_service(database_url, worker=False)
