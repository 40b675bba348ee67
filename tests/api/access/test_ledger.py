"""Counting: never one too many, nothing lost, nothing twice, and a day that ends at midnight UTC."""

import asyncio
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from api.access import keys
from api.access.clerk import LedgerDown
from api.access.quota import (
    Account,
    Allowance,
    Charge,
    NoSuchKey,
    NoSuchPlan,
    PlantsUsedUp,
    Quota,
    RequestsUsedUp,
    coordinate_of,
    point_of,
)
from api.database.tables import quota_charge, quota_day, quota_plant
from api.observing.request_id import new_request_id
from tests.api.access.conftest import NOON, SECRET, Counting, StartCounting

FEW = Allowance("", 24, 1)
OSLO, BERGEN = point_of(59.91, 10.75), point_of(60.39, 5.32)


def order(*points: int, allowance: Allowance = FEW, payer: str = "forecast:address:x") -> Charge:
    return Charge(new_request_id(), "forecast", None, payer, allowance, points)


async def rows(counting: Counting, table: sa.Table) -> list[tuple[object, ...]]:
    async with counting.database.engine.connect() as connection:
        return [tuple(row) for row in await connection.execute(sa.select(table))]


async def test_it_counts_requests_and_plants(counting: Counting) -> None:
    first = await counting.ledger.charge(order(OSLO))
    assert isinstance(first, Quota)
    assert (first.requests, first.plants, first.day) == (1, 1, NOON.date())
    again = await counting.ledger.charge(order(OSLO))
    assert isinstance(again, Quota)
    assert (again.requests, again.plants) == (2, 1)
    refused = await counting.ledger.charge(order(BERGEN))
    assert isinstance(refused, PlantsUsedUp)
    assert refused.rejected == (BERGEN,)
    assert (refused.quota.requests, refused.quota.plants) == (2, 1)
    assert await counting.ledger.look("forecast:address:x", FEW) == again


async def test_a_call_with_more_new_plants_than_are_left_is_refused_whole(counting: Counting) -> None:
    three = Allowance("", 9, 3)
    points = [point_of(60 + i, 10) for i in range(4)]
    await counting.ledger.charge(order(*points[:2], allowance=three))
    refused = await counting.ledger.charge(order(*points, allowance=three))
    assert isinstance(refused, PlantsUsedUp)
    assert refused.rejected == (points[2], points[3])
    body = refused.body()
    assert (body["limit"], body["used"], body["remaining"]) == (3, 2, 1)
    assert body["rejected_coords"] == [{"latitude": 62.0, "longitude": 10.0}, {"latitude": 63.0, "longitude": 10.0}]
    assert body["resets_at"] == "2026-06-21T00:00:00Z"
    granted = await counting.ledger.charge(order(*points[1:3], points[2], allowance=three))
    assert isinstance(granted, Quota)
    assert (granted.requests, granted.plants) == (2, 3)


async def test_exactly_the_limit_is_granted_of_many_at_once(counting: Counting) -> None:
    outcomes = await asyncio.gather(*(counting.ledger.charge(order(OSLO)) for _ in range(100)))
    assert Counter(type(o) for o in outcomes) == {Quota: 24, RequestsUsedUp: 76}
    assert sorted(o.requests for o in outcomes if isinstance(o, Quota)) == list(range(1, 25))
    assert [(r[2], r[3]) for r in await rows(counting, quota_day)] == [(24, 1)]
    assert len(await rows(counting, quota_charge)) == 24


async def test_several_ledgers_together_grant_exactly_the_limit(
    start_counting: StartCounting, database_url: str
) -> None:
    several = [await start_counting(database_url, max_batch=n) for n in (1, 3, 256)]
    payers = ["forecast:address:x", "forecast:address:y"]
    orders = [(c, order(OSLO, payer=payer)) for _ in range(20) for c in several for payer in payers]
    outcomes = await asyncio.gather(*(c.ledger.charge(o) for c, o in orders))
    granted = Counter(o.payer for (_, o), out in zip(orders, outcomes, strict=True) if isinstance(out, Quota))
    assert granted == dict.fromkeys(payers, 24)


async def test_a_refund_gives_back_exactly_once(counting: Counting) -> None:
    allowance = Allowance("", 24, 2)
    first, second = order(OSLO, BERGEN, allowance=allowance), order(OSLO, allowance=allowance)
    await asyncio.gather(counting.ledger.charge(first), counting.ledger.charge(second))
    for _ in range(3):
        await counting.ledger.refund(first.request_id)
    left = await counting.ledger.look("forecast:address:x", allowance)
    assert (left.requests, left.plants) == (1, 1)
    assert [r[2] for r in await rows(counting, quota_plant)] == [OSLO]
    await counting.ledger.refund(second.request_id)
    await counting.ledger.refund(new_request_id())
    left = await counting.ledger.look("forecast:address:x", allowance)
    assert (left.requests, left.plants) == (0, 0)
    assert await rows(counting, quota_plant) == []


async def test_midnight_resets_once_and_a_late_refund_goes_to_its_own_day(counting: Counting) -> None:
    counting.clock.moment = datetime(2026, 6, 20, 23, 59, 59, tzinfo=UTC)
    last = order(OSLO)
    await counting.ledger.charge(last)
    counting.clock.moment += timedelta(seconds=1)
    quota = await counting.ledger.charge(order(BERGEN))
    assert isinstance(quota, Quota)
    assert (quota.requests, quota.plants, quota.day.day) == (1, 1, 21)
    await counting.ledger.refund(last.request_id)
    assert sorted((r[0].day, r[2], r[3]) for r in await rows(counting, quota_day)) == [(20, 0, 0), (21, 1, 1)]


async def test_a_key_pays_by_its_account_and_plan(counting: Counting) -> None:
    engine = counting.database.engine
    key = await keys.issue(engine, SECRET, "a@b.no", "free", NOON)
    digest = keys.digest_of(SECRET, key)

    async def charge(digest: bytes) -> object:
        return await counting.ledger.charge(Charge(new_request_id(), "forecast", digest, None, None, (OSLO,)))

    assert await counting.ledger.find(digest) == Account(1, "free")
    assert await charge(digest) == Quota(Allowance("free", 1000, 10), 1, 1, NOON.date())
    assert await charge(keys.digest_of(SECRET, keys.new_key())) == NoSuchKey()
    await keys.change_plan(engine, "a@b.no", "pro")
    assert await charge(digest) == Quota(Allowance("pro", 100_000, 1000), 2, 1, NOON.date())
    new = keys.digest_of(SECRET, await keys.rotate(engine, SECRET, "a@b.no", NOON))
    assert await charge(digest) == NoSuchKey()
    assert await counting.ledger.find(digest) is None
    assert await charge(new) == Quota(Allowance("pro", 100_000, 1000), 3, 1, NOON.date())
    await keys.change_plan(engine, "a@b.no", "gold")
    outcomes = await asyncio.gather(charge(new), counting.ledger.charge(order(OSLO)))
    assert outcomes[0] == NoSuchPlan(Account(1, "gold"))
    assert isinstance(outcomes[1], Quota)


async def test_a_locked_sqlite_file_is_answered_in_time_and_recovers(
    start_counting: StartCounting, migrated_sqlite: Path, tmp_path: Path
) -> None:
    import shutil
    import sqlite3

    file = shutil.copy(migrated_sqlite, tmp_path / "locked.sqlite")
    counting = await start_counting(f"sqlite:///{file}")
    locking = sqlite3.connect(file, isolation_level=None)
    locking.execute("BEGIN EXCLUSIVE")
    begun = asyncio.get_running_loop().time()
    outcomes = await asyncio.gather(*(counting.ledger.charge(order(OSLO)) for _ in range(8)), return_exceptions=True)
    assert asyncio.get_running_loop().time() - begun < 2
    assert {type(o) for o in outcomes} == {LedgerDown}
    locking.execute("ROLLBACK")
    locking.close()
    quota = await charge_until_answered(counting)
    assert (quota.requests, quota.plants) == (1, 1)


async def test_a_sqlite_file_that_is_moved_away_and_comes_back(
    start_counting: StartCounting, migrated_sqlite: Path, tmp_path: Path
) -> None:
    import shutil

    file = Path(shutil.copy(migrated_sqlite, tmp_path / "moved.sqlite"))
    counting = await start_counting(f"sqlite:///{file}")
    await counting.ledger.charge(order(OSLO))
    file.rename(tmp_path / "elsewhere.sqlite")
    with pytest.raises(LedgerDown):
        await counting.ledger.charge(order(OSLO))
    assert not file.exists()
    (tmp_path / "elsewhere.sqlite").rename(file)
    assert (await charge_until_answered(counting)).requests == 2


async def charge_until_answered(counting: Counting) -> Quota:
    deadline = asyncio.get_running_loop().time() + 10
    while True:
        try:
            quota = await counting.ledger.charge(order(OSLO))
        except LedgerDown:
            assert asyncio.get_running_loop().time() < deadline
        else:
            assert isinstance(quota, Quota)
            return quota


async def test_coordinates_are_forgotten_after_their_day(start_counting: StartCounting, database_url: str) -> None:
    counting = await start_counting(database_url)
    await counting.ledger.charge(order(OSLO))
    counting.clock.moment += timedelta(days=1)
    later = await start_counting(database_url)  # it tidies at its start
    later.clock.moment = counting.clock.moment
    deadline = asyncio.get_running_loop().time() + 10
    while await rows(later, quota_plant):
        assert asyncio.get_running_loop().time() < deadline
        await later.ledger.look("forecast:address:x", FEW)
    assert [r[2] for r in await rows(later, quota_day)] == [1]


@pytest.mark.parametrize(("lat", "lon"), [(59.91, 10.75), (-90.0, -180.0), (71.99994, 31.99996), (57.00004, 4.0)])
def test_points_are_coordinates_rounded_to_four_decimals(lat: float, lon: float) -> None:
    assert coordinate_of(point_of(lat, lon)) == (round(lat, 4), round(lon, 4))
    assert point_of(lat + 0.00001, lon) in (point_of(lat, lon), point_of(lat + 0.0001, lon))
