"""What an outage leaves behind: nothing is lost, nothing piles up, nobody waits in vain."""

import asyncio
import shutil
from pathlib import Path

import pytest
import sqlalchemy as sa

from api.access.ledger import ANSWER_WITHIN_S
from api.access.quota import Quota, UsedUp
from api.access.quota_worker import LedgerDown
from api.database.tables import quota_charge, quota_day
from tests.api.access.conftest import Counting, StartCounting, until_used
from tests.api.access.test_ledger import BERGEN, FEW, MANY, OSLO, PAYER, order, rows
from tests.support.database import SQLITE_MOSTLY, Postgres, in_url, migrated, sqlite_locked
from tests.support.pooler import pooler


@pytest.fixture(params=SQLITE_MOSTLY)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a migrated database."""
    return migrated(request, tmp_path)


@pytest.fixture
def file(migrated_sqlite: Path, tmp_path: Path) -> Path:
    """A migrated SQLite database."""
    return Path(shutil.copy(migrated_sqlite, tmp_path / "own.sqlite"))


async def charge_until_answered(counting: Counting) -> Quota:
    async with asyncio.timeout(20):
        while True:
            try:
                quota = await counting.ledger.charge(order(OSLO))
            except LedgerDown:
                continue
            assert isinstance(quota, Quota)
            return quota


async def test_a_locked_database_is_answered_in_time_and_nothing_is_charged(
    start_counting: StartCounting, file: Path
) -> None:
    counting = await start_counting(f"sqlite:///{file}")
    now = asyncio.get_running_loop().time
    with sqlite_locked(file):
        begun = now()
        orders = (counting.ledger.charge(order(OSLO)) for _ in range(500))
        outcomes = await asyncio.gather(*orders, return_exceptions=True)
        assert now() - begun < 2 * ANSWER_WITHIN_S
        assert {type(outcome) for outcome in outcomes} == {LedgerDown}
        begun = now()
        with pytest.raises(LedgerDown, match="in time"):
            await counting.ledger.charge(order(OSLO), 0.2)
        assert now() - begun < ANSWER_WITHIN_S
        assert not counting.ledger.up
    await until_used(counting, PAYER, 0)
    assert counting.ledger.up
    assert (await charge_until_answered(counting)).requests == 1


async def test_the_end_waits_for_a_locked_database_once(start_counting: StartCounting, file: Path) -> None:
    counting = await start_counting(f"sqlite:///{file}")
    with sqlite_locked(file):
        looking = asyncio.ensure_future(counting.ledger.look(PAYER, FEW))
        begun = asyncio.get_running_loop().time()
        await counting.end()
        assert asyncio.get_running_loop().time() - begun < 2 * ANSWER_WITHIN_S
    looking.cancel()


async def test_a_file_that_is_moved_away_and_comes_back(
    start_counting: StartCounting, file: Path, tmp_path: Path
) -> None:
    counting = await start_counting(f"sqlite:///{file}")
    await counting.ledger.charge(order(OSLO))
    file.rename(tmp_path / "elsewhere.sqlite")
    many = (counting.ledger.charge(order(OSLO)) for _ in range(300))
    assert {type(o) for o in await asyncio.gather(*many, return_exceptions=True)} == {LedgerDown}
    assert not file.exists()
    (tmp_path / "elsewhere.sqlite").rename(file)
    assert (await charge_until_answered(counting)).requests == 2


async def test_more_refunds_than_a_transaction_takes(counting: Counting) -> None:
    orders = [order(allowance=MANY) for _ in range(300)]
    await asyncio.gather(*(counting.ledger.charge(one) for one in orders))
    for one in orders:
        counting.ledger.refund(one.request_id)
    await until_used(counting, PAYER, 0)


@pytest.mark.slow
async def test_a_commit_of_which_nobody_knows_is_given_back(
    start_counting: StartCounting, migrated_postgres: sa.URL, postgres: Postgres
) -> None:
    async with pooler(postgres.make(str(migrated_postgres.database))) as pooled:
        counting = await start_counting(in_url(pooled.url))
        await counting.ledger.charge(order(OSLO))
        pooled.loses_commits = True
        with pytest.raises(LedgerDown):
            await counting.ledger.charge(order(OSLO))
        pooled.loses_commits = False
        await until_used(counting, PAYER, 2)
        await until_used(counting, PAYER, 1)
        await counting.end()
        await counting.database.engine.dispose()


async def test_who_comes_after_many_that_gave_up_is_not_forgotten(
    start_counting: StartCounting, database_url: str
) -> None:
    counting = await start_counting(database_url, max_batch=4)
    gone = [asyncio.ensure_future(counting.ledger.charge(order(OSLO))) for _ in range(41)]
    await asyncio.sleep(0)
    for one in gone:
        one.cancel()
    assert isinstance(await counting.ledger.charge(order(OSLO), 30), Quota)
    await until_used(counting, PAYER, 1)


async def test_a_refund_that_fails_for_ever_is_not_tried_for_ever(
    counting: Counting, caplog: pytest.LogCaptureFixture
) -> None:
    first = order(OSLO)
    await counting.ledger.charge(first)
    async with counting.database.engine.begin() as connection:
        await connection.execute(sa.update(quota_charge).values(points="damaged"))
    counting.ledger.refund(first.request_id)
    for _ in range(2):
        assert (await counting.ledger.look(PAYER, FEW)).requests == 1
    assert caplog.text.count("counting failed") == 1
    assert isinstance(await counting.ledger.charge(order(OSLO)), Quota)


async def test_what_is_ordered_when_it_ends_is_done(start_counting: StartCounting, database_url: str) -> None:
    counting = await start_counting(database_url)
    first = order(OSLO)
    await counting.ledger.charge(first)
    counting.ledger.refund(first.request_id)
    await counting.end()
    assert [row[2] for row in await rows(counting, quota_day)] == [0]


async def test_charges_past_refunding_are_forgotten_some_thousands_at_a_time(
    start_counting: StartCounting, database_url: str
) -> None:
    counting = await start_counting(database_url)
    day = counting.clock.now().date()
    old = [{"request_id": f"{n:032x}", "day": day, "payer": "x", "points": "[]"} for n in range(11_000)]
    async with counting.database.engine.begin() as connection:
        await connection.execute(sa.insert(quota_charge), old)
    following = await start_counting(database_url)
    await following.ledger.charge(order(BERGEN))
    async with asyncio.timeout(20):
        while len(await rows(following, quota_charge)) > 1:
            await asyncio.sleep(0.05)


async def test_a_stricter_isolation_as_the_servers_default_refuses_nobody(
    start_counting: StartCounting, migrated_postgres: sa.URL, postgres: Postgres
) -> None:
    url = postgres.make(str(migrated_postgres.database))
    postgres.execute(f"ALTER DATABASE {url.database} SET default_transaction_isolation = 'serializable'")
    several = [await start_counting(in_url(url), max_batch=n) for n in (1, 3, 256)]
    outcomes = await asyncio.gather(*(c.ledger.charge(order(OSLO)) for _ in range(14) for c in several))
    kinds = [type(outcome) for outcome in outcomes]
    assert (kinds.count(Quota), kinds.count(UsedUp)) == (24, 18)


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


async def test_what_a_living_worker_has_not_answered_yet_stays_charged(
    start_counting: StartCounting, database_url: str
) -> None:
    first = await start_counting(database_url)
    open_charge = order()
    await first.ledger.charge(open_charge)
    second = await start_counting(database_url)
    closed = order()
    await second.ledger.charge(closed)
    second.ledger.refund(closed.request_id)
    assert (await second.ledger.look(PAYER, FEW)).requests == 1


async def test_what_a_worker_did_not_answer_before_its_end_is_refunded_by_the_next(
    counting: Counting, start_counting: StartCounting, database_url: str
) -> None:
    answered, *others = [order(number, allowance=MANY) for number in range(3)]
    for one in (answered, *others):
        await counting.ledger.charge(one)
    counting.ledger.answered(answered.request_id)
    await counting.end()
    following = await start_counting(database_url)
    assert (await until_used(following, PAYER, 1)).plants == 1
