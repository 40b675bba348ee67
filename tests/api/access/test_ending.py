"""The end of counting: however the database is, the worker has time left for the rest."""

import asyncio
import threading
import time
from pathlib import Path

import pytest

from api.access.ledger import Ledger
from api.access.plans import read_plans
from api.access.quota import Allowance
from api.database.database import Database
from api.database.engine import address
from api.settings import PLANS
from tests.api.access.conftest import SECRET, MovableClock


async def test_a_database_that_hangs_is_waited_for_once(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(address(database_url, tmp_path), SECRET)
    ledger = Ledger(database, read_plans(PLANS), MovableClock())
    lifespans = database.lifespan(None), ledger.lifespan(None)
    for lifespan in lifespans:
        await anext(lifespan)
    await database.first_try(None)
    asked, answered = threading.Event(), threading.Event()

    def hang(_: object) -> list[object]:
        asked.set()
        answered.wait(30)
        return [None]

    monkeypatch.setattr("api.access.ledger.ANSWER_WITHIN_S", 3.0)
    monkeypatch.setattr(ledger._clerk, "settle", hang)
    looking = asyncio.create_task(ledger.look("somebody", Allowance("", 24, 3)))
    await asyncio.to_thread(asked.wait, 10)
    begun = time.monotonic()
    await anext(lifespans[1], None)
    assert time.monotonic() - begun < 5  # and not for either wait
    answered.set()
    looking.cancel()
    await anext(lifespans[0], None)
