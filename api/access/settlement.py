"""Charging and refunding in one transaction: many waiting charges cost hardly more statements than one.

Who is to pay has a row for the day. The transaction locks these rows (in one order, so that no two wait for each
other), then nobody else counts for them: what is granted is decided here, in the order in which requests came.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from itertools import chain
from typing import Any, NamedTuple

import orjson
import sqlalchemy as sa
from sqlalchemy import Connection, bindparam

from api.access.plans import Plans
from api.access.quota import (
    Account,
    Allowance,
    Charge,
    NoSuchKey,
    NoSuchPlan,
    PlantsUsedUp,
    Quota,
    RequestsUsedUp,
    Settled,
)
from api.access.statements import BY_DIALECT
from api.database.tables import quota_charge, quota_day, quota_plant

# A failure comes within the time of the longest job; after that nothing is given back.
_REFUNDABLE_S = 3600
_FORGOTTEN_AT_ONCE = 5000

# Rows of one statement: few statements, for each row's takes and leaves the interpreter's lock, which the loop wants.
_ROWS = 256

_DAY_ROW = (quota_day.c.day == bindparam("on_day"), quota_day.c.payer == bindparam("who"))
_GIVE_BACK = (
    sa.update(quota_day)
    .where(*_DAY_ROW)
    .values(requests=quota_day.c.requests - bindparam("r"), plants=quota_day.c.plants - bindparam("p"))
)
_USED = sa.select(quota_day.c.requests, quota_day.c.plants).where(*_DAY_ROW)
_RETURNED = (
    sa.delete(quota_charge)
    .where(quota_charge.c.request_id.in_(bindparam("ids", expanding=True)))
    .returning(quota_charge.c.day, quota_charge.c.payer, quota_charge.c.points)
)
_PLANT_ROW = (
    quota_plant.c.day == bindparam("on_day"),
    quota_plant.c.payer == bindparam("who"),
    quota_plant.c.point == bindparam("at"),
)
_FEWER = (
    sa.update(quota_plant).where(*_PLANT_ROW).values(charges=quota_plant.c.charges - 1).returning(quota_plant.c.charges)
)
_FORGET = sa.delete(quota_plant).where(*_PLANT_ROW)


def find_accounts(connection: Connection, digests: Iterable[bytes]) -> dict[bytes, Account]:
    """Return the accounts of the keys that are active, by the keys' digests."""
    wanted = tuple(set(digests))
    if not wanted:
        return {}
    cursor = connection.connection.cursor()
    cursor.execute(BY_DIALECT[connection.dialect.name].accounts(len(wanted)), wanted)
    return {bytes(digest): Account(number, plan) for digest, number, plan in cursor.fetchall()}


def used(connection: Connection, day: date, payer: str, allowance: Allowance) -> Quota:
    """Return what somebody has used of a day."""
    row = connection.execute(_USED, {"on_day": day, "who": payer}).one_or_none()
    requests, plants = row or (0, 0)
    return Quota(allowance, requests, plants, day)


def payer_of(account_id: int, meter: str) -> str:
    """Return who pays for an account's requests."""
    return f"{meter}:account:{account_id}"


def charge(connection: Connection, day: date, charges: Sequence[Charge], plans: Plans) -> list[Settled]:
    """Charge what can be granted; return the outcome of each charge.

    Parameters
    ----------
    connection : Connection
        In a transaction that may write.
    day : date
        UTC.
    charges : sequence of Charge
        In the order in which they came.
    plans : Plans
    """
    accounts = find_accounts(connection, (c.key for c in charges if c.key is not None))
    bills = [_bill(c, accounts, plans) for c in charges]
    payers = sorted({bill.payer for bill in bills if isinstance(bill, _Bill)})
    tally = _Tally(connection, day, payers, charges)
    outcome: list[Settled] = [
        tally.settle(one, *bill) if isinstance(bill, _Bill) else bill for one, bill in zip(charges, bills, strict=True)
    ]
    tally.write()
    return outcome


class _Bill(NamedTuple):
    payer: str
    allowance: Allowance


def _bill(one: Charge, accounts: Mapping[bytes, Account], plans: Plans) -> _Bill | NoSuchKey | NoSuchPlan:
    """Return who pays and what is allowed."""
    if one.key is None or one.key in accounts:
        if one.payer is not None and one.allowance is not None:
            return _Bill(one.payer, one.allowance)
        if one.key is not None:
            owner = accounts[one.key]
            plan = plans.plans.get(owner.plan)
            if plan is None:
                return NoSuchPlan(owner)
            allowance = Allowance(owner.plan, plan.requests_per_day, plan.plants_per_day)
            return _Bill(payer_of(owner.id, one.meter), allowance)
    return NoSuchKey()


class _Tally:
    """The day's counts of some payers, locked; what is granted is collected and written at once.

    Parameters
    ----------
    connection : Connection
    day : date
    payers : sequence of str
        Sorted: rows are locked in this order.
    charges : sequence of Charge
    """

    def __init__(self, connection: Connection, day: date, payers: Sequence[str], charges: Sequence[Charge]) -> None:
        self._cursor, self._day, self._iso = connection.connection.cursor(), day, day.isoformat()
        self._sql = BY_DIALECT[connection.dialect.name]
        self._counts = self._lock(payers) if payers else {}
        points = tuple({point for c in charges for point in c.points})
        self._known: set[tuple[str, int]] = set()
        if points and payers:
            sql = self._sql.known(len(payers), len(points))
            self._cursor.execute(sql, (self._iso, *payers, *points))
            self._known = {(payer, point) for payer, point in self._cursor.fetchall()}
        self._changed: set[str] = set()
        self._plants: dict[tuple[str, int], int] = {}
        self._granted: list[tuple[str, str, str, str]] = []

    def _lock(self, payers: Sequence[str]) -> dict[str, list[int]]:
        """Make the rows that are missing, lock all, and return what they say."""
        parameters = tuple(part for payer in payers for part in (self._iso, payer))
        self._cursor.execute(self._sql.lock(len(payers)), parameters)
        return {payer: [requests, plants] for payer, requests, plants in self._cursor.fetchall()}

    def settle(self, one: Charge, payer: str, allowance: Allowance) -> Settled:
        """Grant or refuse a charge."""
        counts = self._counts[payer]
        if counts[0] >= allowance.requests:
            return RequestsUsedUp(self._quota(payer, allowance))
        points = tuple(dict.fromkeys(one.points))
        new = [point for point in points if (payer, point) not in self._known]
        if new and allowance.plants is not None and counts[1] + len(new) > allowance.plants:
            return PlantsUsedUp(self._quota(payer, allowance), tuple(new))
        counts[0] += 1
        counts[1] += len(new)
        for point in points:
            plant = payer, point
            self._known.add(plant)
            self._plants[plant] = self._plants.get(plant, 0) + 1
        self._changed.add(payer)
        self._granted.append((one.request_id, self._iso, payer, orjson.dumps(points).decode()))
        return self._quota(payer, allowance)

    def _quota(self, payer: str, allowance: Allowance) -> Quota:
        requests, plants = self._counts[payer]
        return Quota(allowance, requests, plants, self._day)

    def write(self) -> None:
        """Write what was granted."""
        if not self._granted:
            return
        self._cursor.executemany(self._sql.count, [(*self._counts[payer], self._iso, payer) for payer in self._changed])
        self._insert(self._sql.plant, [(self._iso, payer, point, n) for (payer, point), n in self._plants.items()])
        self._insert(self._sql.charge, self._granted)

    def _insert(self, statement: Callable[[int], str], rows: Sequence[tuple[Any, ...]]) -> None:
        for start in range(0, len(rows), _ROWS):
            some = rows[start : start + _ROWS]
            self._cursor.execute(statement(len(some)), tuple(chain.from_iterable(some)))


def refund(connection: Connection, request_ids: Sequence[str]) -> None:
    """Give back what requests were charged; one that was not charged, or given back before, changes nothing."""
    returned = connection.execute(_RETURNED, {"ids": list(request_ids)}).all()
    for day, payer, points in sorted((day, payer, points) for day, payer, points in returned):
        # The day's row first: it is what others who count for this payer wait for.
        connection.execute(_GIVE_BACK, {"on_day": day, "who": payer, "r": 1, "p": 0})
        freed = 0
        for point in orjson.loads(points):
            row = {"on_day": day, "who": payer, "at": point}
            if connection.scalar(_FEWER, row) == 0:
                connection.execute(_FORGET, row)
                freed += 1
        if freed:
            connection.execute(_GIVE_BACK, {"on_day": day, "who": payer, "r": 0, "p": freed})


def tidy(connection: Connection, day: date) -> bool:
    """Forget the coordinates of days before `day`, its day's counts after a month, and charges past refunding.

    Returns
    -------
    bool
        Whether there may be more of them: some thousands are forgotten at a time, for others wait meanwhile.
    """
    # Request ids begin with the real time, whatever the clock says.
    oldest = f"{time.time_ns() - _REFUNDABLE_S * 10**9:016x}"
    past = (
        (quota_plant, quota_plant.c.day < day),
        (quota_day, quota_day.c.day < day - timedelta(days=31)),
        (quota_charge, quota_charge.c.request_id < oldest),
    )
    forgotten = [connection.execute(_some(table, condition)).rowcount for table, condition in past]
    return max(forgotten) >= _FORGOTTEN_AT_ONCE


def _some(table: sa.Table, condition: sa.ColumnElement[bool]) -> sa.Delete:
    """Return what deletes some of the rows that a condition is for."""
    key = tuple(table.primary_key)
    return sa.delete(table).where(sa.tuple_(*key).in_(sa.select(*key).where(condition).limit(_FORGOTTEN_AT_ONCE)))
