"""Workers killed in the middle of charging: every answer that left is counted, and nothing twice."""

import asyncio
import os
import random
import signal
from collections import Counter
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa

from api.database.engine import address, make_engine
from api.database.tables import quota_charge, quota_day, quota_plant
from tests.faults.access.conftest import StartWorkers, ready
from tests.support.dying_worker import COMMITTED, STAGES
from tests.support.hammer import POINT
from tests.support.worker import Workers, until

CLIENTS = 24
KILLS, AT_MOST = 4, 20
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
        async with httpx.AsyncClient(headers={"X-Forwarded-For": "198.51.100.1"}, timeout=20) as session:
            while not stop.is_set():
                path = f"/api/forecast?lat={59.9 + some.random() * 0.1:.4f}&lon={10.7 + some.random() * 0.1:.4f}"
                try:
                    self.answers[(await session.get(url + path)).status_code] += 1
                except httpx.TransportError:
                    self.answers[0] += 1


async def kill_one_by_one(running: Workers, clients: list[Client]) -> None:
    """Kill a worker again and again, each time when its successor is at work, until a request was hit."""
    for number in range(AT_MOST):
        if number >= KILLS and any(client.answers[0] for client in clients):
            return
        victim = running.processes.pop(0)
        running.start()
        await asyncio.sleep(random.uniform(1.0, 2.0))
        os.kill(victim.pid, signal.SIGKILL)
        victim.wait()


async def test_every_answer_that_left_is_counted_and_nothing_twice(
    start_workers: StartWorkers, database_url: str, tmp_path: Path
) -> None:
    plans = tmp_path / "plans.toml"
    plans.write_text(PLANS)
    clients = [Client(number) for number in range(CLIENTS)]
    with start_workers(2, database_url, PLANS=str(plans)) as running:
        ready(running)
        stop = asyncio.Event()
        asking = [asyncio.create_task(client.ask(running.url, stop)) for client in clients]
        await kill_one_by_one(running, clients)
        stop.set()
        await asyncio.gather(*asking)
    answers = sum((client.answers for client in clients), Counter())
    assert set(answers) <= {0, 200}, answers
    assert answers[0] > 0, "no kill hit a request"
    counted, plants, charges, points = read(database_url)
    assert counted == charges
    assert plants == points
    assert answers[200] <= counted - 1 <= answers[200] + answers[0]  # one was asked until all was ready


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
        answer = until(running.url, POINT, 200, headers=ask)
    kept = int(stage == COMMITTED)
    assert answer.headers["X-Quota-Remaining"] == str(23 - kept)
    assert read(database_url) == (1 + kept, 1, 1 + kept, 1)


def read(database: str) -> tuple[int, int, int, int]:
    """Return what the table of days says (requests, plants), and what is there: charges, and different plants."""
    engine = make_engine(address(database, Path()))
    with engine.connect() as connection:
        counted, plants = connection.execute(
            sa.select(sa.func.sum(quota_day.c.requests), sa.func.sum(quota_day.c.plants))
        ).one()
        charges, points = (
            connection.scalar(sa.select(sa.func.count()).select_from(table)) for table in (quota_charge, quota_plant)
        )
    engine.dispose()
    return counted, plants, charges, points
