"""Workers killed in the middle of charging: every answer that left is counted, nothing twice, and nothing else."""

import asyncio
import os
import random
import signal
import time
from collections import Counter
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa

from api.database.engine import address, make_engine
from api.database.tables import quota_charge, quota_day, quota_plant
from tests.faults.access.conftest import BOTH_DATABASES, StartWorkers, ready
from tests.support.dying_worker import STAGES
from tests.support.hammer import POINT
from tests.support.worker import Workers, until

CLIENTS = 24
KILLS, AT_MOST = 4, 20
AT_WORK = 100
"""So many answers after a worker was started, its successor is killed."""
PLENTY = """
[{name}]
requests_per_day = 1000000
plants_per_day = 1000000
kwp_per_plant = 25
systems_per_bulk = 1
"""
PLANS = PLENTY.format(name="anonymous") + PLENTY.format(name="plans.free") + "[tmy]\nrequests_per_day = 2000\n"


class Client:
    """Asks for one new plant after the other, until told to stop.

    Parameters
    ----------
    number : int
    """

    def __init__(self, number: int) -> None:
        self.answers: Counter[int] = Counter()
        self._number = number

    async def ask(self, url: str, stop: asyncio.Event) -> None:
        some = random.Random(self._number)
        # Not aiohttp's client: it asks again by itself where a connection breaks.
        async with httpx.AsyncClient(headers={"X-Forwarded-For": "198.51.100.1"}, timeout=60) as session:
            while not stop.is_set():
                path = f"/api/forecast?lat={59.9 + some.random() * 0.1:.4f}&lon={10.7 + some.random() * 0.1:.4f}"
                try:
                    self.answers[(await session.get(url + path)).status_code] += 1
                except httpx.TransportError:
                    self.answers[0] += 1


def answered(clients: list[Client]) -> int:
    return sum(client.answers[200] for client in clients)


async def kill_one_by_one(running: Workers, clients: list[Client]) -> int:
    """Kill a worker again and again, each time when its successor is at work, until a request was hit.

    Returns
    -------
    int
        How many were killed.
    """
    for number in range(AT_MOST):
        if number >= KILLS and any(client.answers[0] for client in clients):
            return number
        victim = running.processes.pop(0)
        running.start()
        served, deadline = answered(clients), time.monotonic() + 30
        while answered(clients) < served + AT_WORK:
            assert time.monotonic() < deadline, "the workers do not answer"
            await asyncio.sleep(0.01)
        os.kill(victim.pid, signal.SIGKILL)
        victim.wait()
    return AT_MOST


@BOTH_DATABASES
async def test_in_the_end_exactly_the_answers_that_left_are_counted(
    start_workers: StartWorkers, database_url: str, tmp_path: Path
) -> None:
    plans = tmp_path / "plans.toml"
    plans.write_text(PLANS)
    clients = [Client(number) for number in range(CLIENTS)]
    with start_workers(2, database_url, PLANS=str(plans)) as running:
        ready(running)
        stop = asyncio.Event()
        asking = [asyncio.create_task(client.ask(running.url, stop)) for client in clients]
        kills = await kill_one_by_one(running, clients)
        stop.set()
        await asyncio.gather(*asking)
        answers = sum((client.answers for client in clients), Counter())
        assert set(answers) <= {0, 200}, answers
        assert answers[0] > 0, "no kill hit a request"
        # A worker that is killed just when it has sent an answer has not noted that yet: this one is given back.
        until_counted(database_url, range(answers[200] - kills, answers[200] + 1))


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
def test_a_charge_is_whole_or_not_at_all(start_workers: StartWorkers, database_url: str, stage: str) -> None:
    ask = {"X-Forwarded-For": "198.51.100.1"}
    with start_workers(0, database_url) as running:
        dying = running.start("tests.support.dying_worker", DIE_AT=stage)
        with pytest.raises(httpx.TransportError):
            until(running.url, POINT, 200, headers=ask, seconds=0)
        assert dying.wait(10) == -signal.SIGKILL
        running.start()
        until(running.url, POINT, 200, headers=ask)
        until_counted(database_url, range(1, 2))


def until_counted(database: str, requests: range) -> None:
    """Wait until so many requests are counted: what was committed and not answered, other workers give back."""
    engine, deadline = make_engine(address(database, Path())), time.monotonic() + 30
    while (found := read(engine))[0] not in requests:
        assert time.monotonic() < deadline, (found, requests)
        time.sleep(0.1)
    engine.dispose()
    _, counted, plants, charges, points = found
    assert (counted, plants) == (charges, points)


def read(engine: sa.Engine) -> tuple[int, ...]:
    """Return what the table of days says, and what is there.

    Returns
    -------
    tuple of int
        Requests of the busiest payer, requests and plants of all; charges, and different plants.
    """
    sums = sa.func.max(quota_day.c.requests), sa.func.sum(quota_day.c.requests), sa.func.sum(quota_day.c.plants)
    counts = (sa.select(sa.func.count()).select_from(table).scalar_subquery() for table in (quota_charge, quota_plant))
    with engine.connect() as connection:
        return tuple(connection.execute(sa.select(*sums, *counts)).one())
