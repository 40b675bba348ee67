"""Any number of workers and hosts never grants one request too many, and a day ends once."""

import asyncio
import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiohttp
import pytest

from tests.faults.access.conftest import BOTH_DATABASES, MIDNIGHT, StartWorkers, ready
from tests.support.database import Postgres, in_url
from tests.support.hammer import granted, hammer, one
from tests.support.worker import Workers, until

ROUNDS = 5


@BOTH_DATABASES
async def test_workers_grant_one_address_exactly_its_limit(start_workers: StartWorkers, database_url: str) -> None:
    with start_workers(4, database_url) as running:
        ready(running)
        for number in range(ROUNDS):
            assert granted(await hammer([running.url], f"198.51.100.{number}")) == 24


@pytest.mark.slow
async def test_hosts_grant_one_address_exactly_its_limit_together(
    start_workers: StartWorkers, postgres: Postgres
) -> None:
    database = in_url(postgres.make())
    with ExitStack() as stack:
        hosts = [stack.enter_context(start_workers(1, database, state=f"host{i}")) for i in range(2)]
        for host in hosts:
            ready(host)
        for number in range(ROUNDS):
            assert granted(await hammer([host.url for host in hosts], f"198.51.100.{number}")) == 24


@pytest.mark.slow
def test_a_host_with_another_secret_does_not_serve(
    start_workers: StartWorkers, postgres: Postgres, tmp_path: Path
) -> None:
    database = in_url(postgres.make())
    with start_workers(1, database, state="first") as first:
        ready(first)
        with start_workers(1, database, state="second", SECRET="another secret, of at least 32 letters") as second:
            assert second.processes[0].wait(20) == os.EX_CONFIG
        assert "the database belongs to another secret" in (tmp_path / "second.log").read_text()
        assert until(first.url, "/health", 200)


@contextmanager
def before_midnight(start_workers: StartWorkers, database: str) -> Iterator[tuple[Workers, float]]:
    """Run two workers that come up in time to see a day end; yield them and when it ends, on the monotonic clock."""
    for ahead_s in (6.0, 15.0, 40.0):
        begins = MIDNIGHT - timedelta(seconds=ahead_s)
        ends = time.monotonic() + ahead_s
        clock = f"{begins.isoformat()}@{datetime.now(UTC).isoformat()}"
        with start_workers(2, database, clock=clock, state=f"state{ahead_s:.0f}") as running:
            ready(running)
            if ends - time.monotonic() > 1.5:
                yield running, ends
                return
    pytest.fail("the workers come up too slowly to see a day end")


@pytest.mark.slow
async def test_midnight_begins_a_new_day_once(start_workers: StartWorkers, database_url: str) -> None:
    """All the while, 32 clients ask from one address: 24 requests of each day are granted."""
    with before_midnight(start_workers, database_url) as (running, ends):

        async def client() -> list[tuple[int, str]]:
            got = []
            async with aiohttp.ClientSession() as session:
                while time.monotonic() < ends + 1.5:
                    answer = await one(session, running.url, "198.51.100.1")
                    got.append((answer.status, answer.reset))
            return got

        await asyncio.sleep(ends - 1.5 - time.monotonic())
        answers = Counter(pair for some in await asyncio.gather(*(client() for _ in range(32))) for pair in some)
    days = [str(int(MIDNIGHT.timestamp()) + 86_400 * day) for day in (0, 1)]
    assert {pair: n for pair, n in answers.items() if pair[0] == 200} == {(200, day): 24 for day in days}
    assert {pair for pair in answers if pair[0] != 200} == {(401, day) for day in days}
