"""What the operator sees of keys; how they pay is in test_ledger.py."""

import asyncio
from datetime import timedelta

import pytest

from api.access import keys
from api.access.quota import Allowance, Charge, Quota, point_of
from api.observing.request_id import new_request_id
from tests.api.access.conftest import NOON, SECRET, Counting

OSLO = point_of(59.91, 10.75)


async def test_the_listing_shows_what_accounts_have_used_of_the_day(counting: Counting) -> None:
    engine = counting.database.engine
    key = await keys.issue(engine, SECRET, "a@b.no", "free", NOON)
    other = await keys.issue(engine, SECRET, "c@d.no", "pro", NOON + timedelta(minutes=1))
    for _ in range(2):
        charge = Charge(new_request_id(), keys.digest_of(SECRET, key), None, Allowance("", 0, 0), (OSLO,))
        assert isinstance(await counting.ledger.charge(charge), Quota)
    new = await keys.rotate(engine, SECRET, "a@b.no", NOON + timedelta(minutes=2))

    listed = await keys.listing(engine, NOON.date())
    assert [(k.email, k.plan, k.hint, k.requests, k.plants) for k in listed] == [
        ("a@b.no", "free", key[:12], 2, 1),
        ("c@d.no", "pro", other[:12], 0, 0),
        ("a@b.no", "free", new[:12], 2, 1),
    ]
    assert [k.deactivated_at for k in listed] == [NOON + timedelta(minutes=2), None, None]
    assert [k.created_at for k in listed] == [NOON + timedelta(minutes=m) for m in (0, 1, 2)]
    tomorrow = await keys.listing(engine, NOON.date() + timedelta(days=1))
    assert {(k.requests, k.plants) for k in tomorrow} == {(0, 0)}


async def test_one_key_of_many_is_deactivated(counting: Counting) -> None:
    engine = counting.database.engine
    first, second = [await keys.issue(engine, SECRET, email, "free", NOON) for email in ("a@b.no", "c@d.no")]

    async def active() -> list[bool]:
        tried = [("a@b.no", first), ("c@d.no", second), ("c@d.no", first)]  # the last one is somebody else's
        return [await keys.is_active(engine, SECRET, email, key) for email, key in tried]

    assert await active() == [True, True, False]
    assert [await keys.deactivate(engine, SECRET, first, NOON) for _ in range(2)] == [1, 0]
    assert await active() == [False, True, False]
    with pytest.raises(keys.KeyRefused, match="no such key"):
        await keys.deactivate(engine, SECRET, keys.new_key(), NOON)


async def test_of_several_rotations_at_once_one_key_stays_active(counting: Counting) -> None:
    engine = counting.database.engine
    await keys.issue(engine, SECRET, "a@b.no", "free", NOON)
    await asyncio.gather(*(keys.rotate(engine, SECRET, "a@b.no", NOON) for _ in range(4)))
    listed = await keys.listing(engine, NOON.date())
    assert [k.deactivated_at is None for k in listed].count(True) == 1
