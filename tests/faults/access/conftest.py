"""A store with one made-up forecast, which the workers of these tests serve with quotas on."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path

import pytest

from api.access import keys
from api.access.secret import Secret
from api.database.engine import address, make_async_engine
from tests.support.hammer import POINT
from tests.support.tiles import CYCLE, publish_made_up
from tests.support.worker import Workers, until, workers
from tiles.clock import iso
from tiles.store import open_store

# The evening of a day: what is published then is served past midnight.
EVENING = CYCLE + timedelta(hours=18)
MIDNIGHT = CYCLE + timedelta(hours=24)
SECRET = "a secret that all hosts of these tests share"
BOTH_DATABASES = pytest.mark.parametrize(
    "database_url", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)], indirect=True
)
StartWorkers = Callable[..., AbstractContextManager[Workers]]


@pytest.fixture(scope="session")
def made_up_store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Address of a store that nobody changes."""
    store = open_store(str(tmp_path_factory.mktemp("access") / "tiles"))
    publish_made_up(store, EVENING)
    return store.url


@pytest.fixture
def start_workers(made_up_store: str, tmp_path: Path) -> StartWorkers:
    """Runs workers that count."""

    def start(count: int, database: str, clock: str = "", state: str = "state", **settings: str) -> object:
        moment = clock or f"{iso(EVENING + timedelta(hours=1))}!"
        counting = {"ACCESS": "keys", "DATABASE": database, "SECRET": SECRET, **settings}
        return workers(count, made_up_store, tmp_path / state, moment, tmp_path / f"{state}.log", **counting)

    return start  # type: ignore[return-value]


def issue(database: str, plan: str = "free") -> str:
    """Issue a key."""

    async def issuing() -> str:
        engine = make_async_engine(address(database, Path()))
        try:
            return await keys.issue(engine, Secret(SECRET.encode()), "ola@example.org", plan, EVENING)
        finally:
            await engine.dispose()

    return asyncio.run(issuing())


def ready(running: Workers, address: str = "192.0.2.1") -> None:
    """Wait until the forecast is served; it charges this address."""
    until(running.url, POINT, 200, headers={"X-Forwarded-For": address})
