"""Counting: never one too many, nothing lost, nothing twice, and a day that ends at midnight UTC."""

import asyncio
from collections import Counter
from datetime import UTC, date, datetime, timedelta

import pytest
import sqlalchemy as sa

from api.access import keys
from api.access.quota import Account, Allowance, Charge, Quota, UsedUp, coordinate_of, point_of
from api.database.tables import quota_charge, quota_day, quota_plant
from api.observing.request_id import new_request_id
from tests.api.access.conftest import NOON, SECRET, Counting, StartCounting

PAYER, FEW, MANY = "forecast:address:x", Allowance("", 24, 1), Allowance("", 10_000, 24)
OSLO, BERGEN = point_of(59.91, 10.75), point_of(60.39, 5.32)


def order(*points: int, allowance: Allowance = FEW, payer: str = PAYER) -> Charge:
    return Charge(new_request_id(), None, payer, allowance, points)


async def rows(counting: Counting, table: sa.Table) -> list[tuple[object, ...]]:
    async with counting.database.engine.connect() as connection:
        return [tuple(row) for row in await connection.execute(sa.select(table))]


async def test_it_counts_requests_and_plants(counting: Counting) -> None:
    assert await counting.ledger.charge(order(OSLO)) == Quota(FEW, 1, 1, NOON.date())
    again = await counting.ledger.charge(order(OSLO))
    assert again == Quota(FEW, 2, 1, NOON.date())
    assert await counting.ledger.charge(order(BERGEN)) == UsedUp(again, (BERGEN,))
    assert await counting.ledger.look(PAYER, FEW) == again


async def test_a_call_with_more_new_plants_than_are_left_is_refused_whole(counting: Counting) -> None:
    three = Allowance("", 9, 3)
    points = [point_of(60 + i, 10) for i in range(4)]
    await counting.ledger.charge(order(*points[:2], allowance=three))
    refused = await counting.ledger.charge(order(*points, allowance=three))
    assert isinstance(refused, UsedUp)
    assert refused.rejected == (points[2], points[3])
    body = refused.body()
    assert (body["limit"], body["used"], body["remaining"]) == (3, 2, 1)
    assert body["rejected_coords"] == [{"latitude": 62.0, "longitude": 10.0}, {"latitude": 63.0, "longitude": 10.0}]
    assert body["resets_at"] == "2026-06-21T00:00:00Z"
    granted = await counting.ledger.charge(order(*points[1:3], points[2], allowance=three))
    assert granted == Quota(three, 2, 3, NOON.date())


async def test_several_ledgers_together_grant_exactly_the_limit(
    start_counting: StartCounting, database_url: str
) -> None:
    several = [await start_counting(database_url, max_batch=n) for n in (1, 3, 256)]
    payers = ["forecast:address:x", "forecast:address:y"]
    orders = [(c, order(OSLO, payer=payer)) for _ in range(20) for c in several for payer in payers]
    outcomes = await asyncio.gather(*(c.ledger.charge(o) for c, o in orders))
    assert Counter(type(o) for o in outcomes) == {Quota: 48, UsedUp: 72}
    assert sorted(o.requests for o in outcomes if isinstance(o, Quota)) == sorted([*range(1, 25)] * 2)
    counted = [row[1:] for row in await rows(several[0], quota_day)]
    assert sorted(counted) == [(payer, 24, 1) for payer in payers]
    assert len(await rows(several[0], quota_charge)) == 48


async def test_a_refund_gives_back_exactly_once(counting: Counting) -> None:
    allowance = Allowance("", 24, 2)
    first, second = order(OSLO, BERGEN, allowance=allowance), order(OSLO, allowance=allowance)
    await asyncio.gather(counting.ledger.charge(first), counting.ledger.charge(second))
    for _ in range(3):
        counting.ledger.refund(first.request_id)
    assert await counting.ledger.look(PAYER, allowance) == Quota(allowance, 1, 1, NOON.date())
    assert [r[2] for r in await rows(counting, quota_plant)] == [OSLO]
    counting.ledger.refund(second.request_id)
    counting.ledger.refund(new_request_id())
    assert await counting.ledger.look(PAYER, allowance) == Quota(allowance, 0, 0, NOON.date())
    assert await rows(counting, quota_plant) == []


async def test_midnight_resets_once_and_a_late_refund_goes_to_its_own_day(counting: Counting) -> None:
    counting.clock.moment = datetime(2026, 6, 20, 23, 59, 59, tzinfo=UTC)
    last = order(OSLO)
    await counting.ledger.charge(last)
    counting.clock.moment += timedelta(seconds=1)
    assert await counting.ledger.charge(order(BERGEN)) == Quota(FEW, 1, 1, date(2026, 6, 21))
    counting.ledger.refund(last.request_id)
    await counting.ledger.look(PAYER, FEW)
    assert sorted((r[0].day, r[2], r[3]) for r in await rows(counting, quota_day)) == [(20, 0, 0), (21, 1, 1)]


async def test_a_key_pays_by_its_account_and_plan(counting: Counting) -> None:
    engine = counting.database.engine
    key = await keys.issue(engine, SECRET, "a@b.no", "free", NOON)
    digest = keys.digest_of(SECRET, key)

    async def charge(digest: bytes) -> object:
        return await counting.ledger.charge(Charge(new_request_id(), digest, None, FEW, (OSLO,)))

    assert await counting.ledger.find(digest) == Account(1, "free")
    assert await charge(digest) == Quota(Allowance("free", 1000, 10), 1, 1, NOON.date())
    assert await charge(keys.digest_of(SECRET, keys.new_key())) is None
    await keys.change_plan(engine, "a@b.no", "pro")
    assert await charge(digest) == Quota(Allowance("pro", 100_000, 1000), 2, 1, NOON.date())
    new = keys.digest_of(SECRET, await keys.rotate(engine, SECRET, "a@b.no", NOON))
    assert await charge(digest) is None
    assert await counting.ledger.find(digest) is None
    assert await charge(new) == Quota(Allowance("pro", 100_000, 1000), 3, 1, NOON.date())
    await keys.change_plan(engine, "a@b.no", "gold")
    outcomes = await asyncio.gather(charge(new), counting.ledger.charge(order(OSLO)))
    assert outcomes[0] is None, "the file of plans has no gold"
    assert isinstance(outcomes[1], Quota)


async def test_coordinates_are_forgotten_after_their_day(start_counting: StartCounting, database_url: str) -> None:
    counting = await start_counting(database_url)
    await counting.ledger.charge(order(OSLO))
    counting.clock.moment += timedelta(days=1)
    later = await start_counting(database_url)  # it tidies at its start
    later.clock.moment = counting.clock.moment
    async with asyncio.timeout(20):
        while await rows(later, quota_plant):
            await later.ledger.look(PAYER, FEW)
    assert [r[2] for r in await rows(later, quota_day)] == [1]


@pytest.mark.parametrize(("lat", "lon"), [(59.91, 10.75), (-90.0, -180.0), (71.99994, 31.99996), (57.00004, 4.0)])
def test_points_are_coordinates_rounded_to_four_decimals(lat: float, lon: float) -> None:
    assert coordinate_of(point_of(lat, lon)) == (round(lat, 4), round(lon, 4))
    assert point_of(lat + 0.00001, lon) in (point_of(lat, lon), point_of(lat + 0.0001, lon))
