"""A ledger on a fresh database, of each kind."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest_asyncio

from api.access.ledger import Ledger
from api.access.plans import read_plans
from api.access.secret import Secret
from api.database.database import Database
from api.database.engine import address
from api.settings import PLANS

SECRET = Secret(b"of these tests")
NOON = datetime(2026, 6, 20, 12, tzinfo=UTC)


@dataclass
class MovableClock:
    """A clock that stands where the test puts it."""

    moment: datetime = field(default=NOON)

    def now(self) -> datetime:
        """What it shows."""
        return self.moment


@dataclass
class Counting:
    """A running ledger, and what it stands on; asking `ending` for more ends it."""

    ledger: Ledger
    database: Database
    clock: MovableClock
    ending: AsyncIterator[None]


StartCounting = Callable[..., Awaitable[Counting]]


@pytest_asyncio.fixture
async def start_counting(tmp_path: Path) -> AsyncIterator[StartCounting]:
    """Start a ledger on a database."""
    running = []

    async def starting(url: str, **options: int) -> Counting:
        clock = MovableClock()
        database = Database(address(url, tmp_path), SECRET)
        ledger = Ledger(database, read_plans(PLANS), clock, **options)
        for lifespan in (database.lifespan(None), ledger.lifespan(None)):
            await anext(lifespan)
            running.append(lifespan)
        await database.first_try(None)
        return Counting(ledger, database, clock, running[-1])

    yield starting
    for lifespan in reversed(running):
        await anext(lifespan, None)


@pytest_asyncio.fixture
async def counting(start_counting: StartCounting, database_url: str) -> Counting:
    """A ledger on either database."""
    return await start_counting(database_url)
