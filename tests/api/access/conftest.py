"""A ledger on a fresh database, of each kind."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest_asyncio

from api.access.ledger import Ledger
from api.access.plans import read_plans
from api.access.quota import Allowance, Quota
from api.access.secret import Secret
from api.core.settings import PLANS
from api.database.database import Database
from api.database.engine import address
from tests.api.conftest import MovableClock

SECRET = Secret(b"of these tests")
NOON = datetime(2026, 6, 20, 12, tzinfo=UTC)


@dataclass
class Counting:
    """A running ledger, and what it stands on; `end` ends it."""

    ledger: Ledger
    database: Database
    clock: MovableClock
    end: Callable[[], Awaitable[None]]


async def until_used(counting: Counting, payer: str, requests: int) -> Quota:
    """Wait until somebody has used so many requests of the day, for refunds that are made later."""
    async with asyncio.timeout(20):
        while (quota := await counting.ledger.look(payer, Allowance("", 24, 24))).requests != requests:
            await asyncio.sleep(0.05)
    return quota


StartCounting = Callable[..., Awaitable[Counting]]


@pytest_asyncio.fixture
async def start_counting(tmp_path: Path) -> AsyncIterator[StartCounting]:
    """Start a ledger on a database."""
    async with AsyncExitStack() as stack:

        async def starting(url: str, **options: int) -> Counting:
            clock = MovableClock(NOON)
            database = Database(address(url, tmp_path), SECRET)
            ledger = Ledger(database, read_plans(PLANS), clock, tmp_path / "charges", **options)
            await stack.enter_async_context(database.lifespan())
            running = await stack.enter_async_context(AsyncExitStack())
            await running.enter_async_context(ledger.lifespan())
            await database.first_try()
            return Counting(ledger, database, clock, running.aclose)

        yield starting


@pytest_asyncio.fixture
async def counting(start_counting: StartCounting, database_url: str) -> Counting:
    """A ledger on either database."""
    return await start_counting(database_url)
