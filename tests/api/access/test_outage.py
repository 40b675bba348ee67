"""What an outage leaves behind: nothing is lost, nothing piles up, nobody waits in vain."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from api.access import settlement
from api.access.clerk import Clerk, LedgerDown
from api.access.ledger import _MAX_WAITING, ANSWER_WITHIN_S
from api.access.quota import Quota, RequestsUsedUp
from api.database.tables import quota_charge, quota_day
from api.observing.request_id import new_request_id
from tests.api.access.conftest import Counting, StartCounting
from tests.api.access.test_ledger import FEW, OSLO, charge_until_answered, order, rows
from tests.support.database import Postgres, in_url

PAYER = "forecast:address:x"


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], threading.Event]]:
    """Holds the clerk before its next work; the event that comes back lets it go."""
    events = []
    settle = Clerk.settle

    def hold() -> threading.Event:
        go = threading.Event()
        events.append(go)

        def settling(clerk: Clerk, orders: Any) -> Any:
            assert go.wait(60)
            return settle(clerk, orders)

        monkeypatch.setattr(Clerk, "settle", settling)
        return go

    yield hold
    for event in events:
        event.set()


async def used(counting: Counting) -> int:
    return (await counting.ledger.look(PAYER, FEW)).requests


async def until_unused(counting: Counting) -> None:
    """Wait until everything has been given back."""
    deadline = asyncio.get_running_loop().time() + 10
    while await used(counting):
        assert asyncio.get_running_loop().time() < deadline
        await asyncio.sleep(0.1)


async def test_charges_that_never_reached_the_database_are_not_given_back(
    start_counting: StartCounting, migrated_sqlite: Path, tmp_path: Path
) -> None:
    import shutil

    file = Path(shutil.copy(migrated_sqlite, tmp_path / "moved.sqlite"))
    counting = await start_counting(f"sqlite:///{file}")
    file.rename(tmp_path / "elsewhere.sqlite")
    many = (counting.ledger.charge(order(OSLO)) for _ in range(300))
    assert {type(o) for o in await asyncio.gather(*many, return_exceptions=True)} == {LedgerDown}
    assert not counting.ledger._clerk._refunds
    (tmp_path / "elsewhere.sqlite").rename(file)
    assert (await charge_until_answered(counting)).requests == 1


async def test_many_refunds_go_some_at_a_time(counting: Counting) -> None:
    """More than a statement takes parameters."""
    first = order(OSLO)
    await counting.ledger.charge(first)
    clerk = counting.ledger._clerk
    clerk._refunds.update((new_request_id(), 0.0) for _ in range(70_000))
    clerk._refunds = {first.request_id: 0.0, **clerk._refunds}
    assert isinstance(await counting.ledger.charge(order(OSLO)), Quota)
    assert await used(counting) == 1
    assert len(clerk._refunds) < 70_000


async def test_a_commit_of_which_nobody_knows_is_given_back(
    counting: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    charge = Clerk._charge

    def lost(clerk: Clerk, connection: Any, orders: Any) -> Any:
        unsure = []
        real = settlement.charge

        def noted(*arguments: Any) -> Any:
            unsure.extend(one.request_id for one in orders)
            return real(*arguments)

        monkeypatch.setattr(settlement, "charge", noted)
        charge(clerk, connection, orders)
        clerk._unsure = tuple(unsure)
        raise OSError("the connection broke after the commit")

    monkeypatch.setattr("api.access.clerk._UNSURE_S", 0.3)
    monkeypatch.setattr(Clerk, "_charge", lost)
    with pytest.raises(LedgerDown):
        await counting.ledger.charge(order(OSLO))
    monkeypatch.undo()
    assert await used(counting) == 1
    await until_unused(counting)


async def test_who_comes_after_many_that_gave_up_is_not_forgotten(
    start_counting: StartCounting, database_url: str, held: Callable[[], threading.Event]
) -> None:
    counting = await start_counting(database_url, max_batch=4)
    go = held()
    stale = [asyncio.ensure_future(counting.ledger.charge(order(OSLO))) for _ in range(41)]
    await asyncio.sleep(0.05)
    for one in stale:
        one.cancel()
    live = asyncio.ensure_future(counting.ledger.charge(order(OSLO), 30))
    await asyncio.sleep(0)
    go.set()
    assert isinstance(await live, Quota)


async def test_what_waits_for_a_database_that_hangs_does_not_pile_up(
    counting: Counting, held: Callable[[], threading.Event]
) -> None:
    go = held()
    orders = (counting.ledger.charge(order(OSLO)) for _ in range(500))
    outcomes = await asyncio.gather(*orders, return_exceptions=True)
    assert {type(o) for o in outcomes} == {LedgerDown}
    await asyncio.sleep(0.3)
    assert not counting.ledger._collected
    go.set()
    await until_unused(counting)


async def test_a_refund_is_kept_however_many_wait(counting: Counting, held: Callable[[], threading.Event]) -> None:
    first = order(OSLO)
    await counting.ledger.charge(first)
    go = held()
    waiting = [asyncio.ensure_future(counting.ledger.look(PAYER, FEW)) for _ in range(_MAX_WAITING)]
    await asyncio.sleep(0)
    with pytest.raises(LedgerDown, match="too many"):
        await counting.ledger.charge(order(OSLO))
    refund = asyncio.ensure_future(counting.ledger.refund(first.request_id))
    await asyncio.sleep(0)
    go.set()
    await asyncio.gather(*waiting, refund, return_exceptions=True)
    await until_unused(counting)


async def test_who_was_answered_waits_no_more(
    start_counting: StartCounting, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.access.ledger._SWEEP_S", 2.0)
    monkeypatch.setattr("api.access.ledger._MAX_WAITING", 8)
    counting = await start_counting(database_url)
    for _ in range(2):
        await asyncio.gather(*(counting.ledger.look(PAYER, FEW) for _ in range(8)))
    assert await used(counting) == 0


async def test_a_charge_has_the_patience_that_is_left(counting: Counting, held: Callable[[], threading.Event]) -> None:
    held()
    begun = asyncio.get_running_loop().time()
    with pytest.raises(LedgerDown, match="in time"):
        await counting.ledger.charge(order(OSLO), 0.2)
    assert asyncio.get_running_loop().time() - begun < ANSWER_WITHIN_S


async def test_an_error_that_nobody_thought_of_does_not_end_counting(
    counting: Counting, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(settlement, "charge", lambda *_: 1 / 0)
        with pytest.raises(LedgerDown):
            await counting.ledger.charge(order(OSLO))
    assert "ZeroDivisionError" in caplog.text
    assert isinstance(await counting.ledger.charge(order(OSLO)), Quota)


async def test_a_refund_that_fails_for_ever_is_not_tried_for_ever(
    counting: Counting, caplog: pytest.LogCaptureFixture
) -> None:
    first = order(OSLO)
    await counting.ledger.charge(first)
    async with counting.database.engine.begin() as connection:
        await connection.execute(sa.update(quota_charge).values(points="damaged"))
    with pytest.raises(LedgerDown):
        await counting.ledger.refund(first.request_id)
    assert "JSONDecodeError" in caplog.text
    assert not counting.ledger._clerk._refunds
    assert isinstance(await counting.ledger.charge(order(OSLO)), Quota)


async def test_what_is_ordered_when_it_ends_is_done(start_counting: StartCounting, database_url: str) -> None:
    counting = await start_counting(database_url)
    first = order(OSLO)
    await counting.ledger.charge(first)
    lifespan = counting.ending
    refund = asyncio.ensure_future(counting.ledger.refund(first.request_id))
    await asyncio.sleep(0)
    await anext(lifespan, None)
    await refund
    assert [row[2] for row in await rows(counting, quota_day)] == [0]


async def test_the_past_is_forgotten_in_slices(
    start_counting: StartCounting, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settlement, "_FORGOTTEN_AT_ONCE", 10)
    monkeypatch.setattr("api.access.ledger._TIDY_ON_S", 0.0)
    counting = await start_counting(database_url)
    old = [
        {"request_id": f"{n:032x}", "day": counting.clock.now().date(), "payer": "x", "points": "[]"} for n in range(35)
    ]
    async with counting.database.engine.begin() as connection:
        await connection.execute(sa.insert(quota_charge), old)
    tidying = [await asyncio.to_thread(counting.ledger._clerk.tidy) for _ in range(5)]
    assert tidying == [True, True, True, False, False]
    await counting.ledger.charge(order(OSLO))
    assert len(await rows(counting, quota_charge)) == 1


async def test_a_stricter_isolation_as_the_servers_default_refuses_nobody(
    start_counting: StartCounting, migrated_postgres: sa.URL, postgres: Postgres
) -> None:
    url = postgres.make(str(migrated_postgres.database))
    postgres.execute(f"ALTER DATABASE {url.database} SET default_transaction_isolation = 'serializable'")
    several = [await start_counting(in_url(url), max_batch=n) for n in (1, 3, 256)]
    outcomes = await asyncio.gather(*(c.ledger.charge(order(OSLO)) for _ in range(14) for c in several))
    kinds = [type(outcome) for outcome in outcomes]
    assert (kinds.count(Quota), kinds.count(RequestsUsedUp)) == (24, 18)


async def test_whoever_holds_a_payers_row_and_falls_silent_is_cut_off(
    start_counting: StartCounting, migrated_postgres: sa.URL, postgres: Postgres
) -> None:
    counting = await start_counting(in_url(postgres.make(str(migrated_postgres.database))))
    await counting.ledger.charge(order(OSLO))
    async with counting.database.engine.connect() as silent:
        await silent.execute(sa.select(quota_day).with_for_update())
        with pytest.raises(LedgerDown):
            await counting.ledger.charge(order(OSLO))
        assert (await charge_until_answered(counting)).requests == 2
        await silent.invalidate()
