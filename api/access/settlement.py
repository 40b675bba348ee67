"""Charging and refunding in one transaction: many waiting charges cost hardly more statements than one.

Who is to pay has a row for the day. The transaction locks these rows (in one order, so that no two wait for each
other), then nobody else counts for them: what is granted is decided here, in the order in which requests came.

SQLAlchemy's building, compiling and running of these statements took 1.7 ms for a transaction; as text, on the driver's
own cursor, they take a tenth of that. They are the same for SQLite and PostgreSQL but for the mark of a parameter.
"""

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, timedelta
from functools import lru_cache
from itertools import chain
from typing import Any

import orjson
from sqlalchemy import Connection

from api.access.plans import Plans
from api.access.quota import Account, Allowance, Charge, Quota, Settled, UsedUp, allowance_of

# A failure comes within the time of the longest job; after that nothing is given back.
_REFUNDABLE_S = 3600
_FORGOTTEN_AT_ONCE = 5000

# Rows of one statement: few statements, for each row's takes and leaves the interpreter's lock, which the loop wants.
_ROWS = 256

_ACCOUNTS = (
    "SELECT k.digest, a.id, a.plan FROM api_key k JOIN account a ON a.id = k.account_id "
    "WHERE k.deactivated_at IS NULL AND k.digest IN ({})"
)
_LOCK = (
    "INSERT INTO quota_day (day, payer, requests, plants) VALUES {} "
    "ON CONFLICT (day, payer) DO UPDATE SET requests = quota_day.requests RETURNING payer, requests, plants"
)
_COUNT = "UPDATE quota_day SET requests = ?, plants = ? WHERE day = ? AND payer = ?"
_KNOWN = "SELECT payer, point FROM quota_plant WHERE day = ? AND payer IN ({}) AND point IN ({})"
_PLANTS = (
    "INSERT INTO quota_plant (day, payer, point, charges) VALUES {} "
    "ON CONFLICT (day, payer, point) DO UPDATE SET charges = quota_plant.charges + excluded.charges"
)
_CHARGES = "INSERT INTO quota_charge (request_id, day, payer, points) VALUES {}"
_USED = "SELECT requests, plants FROM quota_day WHERE day = ? AND payer = ?"
_RETURNED = "DELETE FROM quota_charge WHERE request_id IN ({}) RETURNING day, payer, points"
_GIVE_BACK = "UPDATE quota_day SET requests = requests - ?, plants = plants - ? WHERE day = ? AND payer = ?"
_FEWER = "UPDATE quota_plant SET charges = charges - 1 WHERE day = ? AND payer = ? AND point IN ({})"
_UNUSED = "DELETE FROM quota_plant WHERE day = ? AND payer = ? AND point IN ({}) AND charges = 0"
_FORGET = "DELETE FROM {0} WHERE ({1}) IN (SELECT {1} FROM {0} WHERE {2} < ? LIMIT ?)"


class _Cursor:
    """The driver's own cursor of a connection.

    Parameters
    ----------
    connection : Connection
        In a transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._cursor = connection.connection.cursor()
        self._mark = "?" if connection.dialect.name == "sqlite" else "%s"

    def run(self, sql: str, parameters: Sequence[Any], *groups: str) -> int:
        """Run a statement, with groups of marks where it has braces; return how many rows it changed."""
        self._cursor.execute(_marked(sql.format(*groups), self._mark), parameters)
        return int(self._cursor.rowcount)

    def rows(self, sql: str, parameters: Sequence[Any], *groups: str) -> list[tuple[Any, ...]]:
        """Run a statement as `run` does; return its rows."""
        self.run(sql, parameters, *groups)
        return list(self._cursor.fetchall())

    def insert(self, sql: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """Insert rows, many with each statement."""
        for start in range(0, len(rows), _ROWS):
            some = rows[start : start + _ROWS]
            self.run(sql, tuple(chain.from_iterable(some)), _rows(len(some), len(some[0])))

    def run_each(self, sql: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """Run a statement for each row of parameters."""
        self._cursor.executemany(_marked(sql, self._mark), rows)


@lru_cache(1024)
def _marked(sql: str, mark: str) -> str:
    return sql.replace("?", mark)


@lru_cache(1024)
def _marks(items: int) -> str:
    return ", ".join("?" * items)


@lru_cache(1024)
def _rows(rows: int, columns: int) -> str:
    return ", ".join([f"({_marks(columns)})"] * rows)


def find_accounts(connection: Connection, digests: Iterable[bytes]) -> dict[bytes, Account]:
    """Return the accounts of the keys that are active, by the keys' digests."""
    wanted = tuple(set(digests))
    rows = _Cursor(connection).rows(_ACCOUNTS, wanted, _marks(len(wanted))) if wanted else ()
    return {bytes(digest): Account(number, plan) for digest, number, plan in rows}


def used(connection: Connection, day: date, payer: str, allowance: Allowance) -> Quota:
    """Return what somebody has used of a day."""
    [(requests, plants)] = _Cursor(connection).rows(_USED, (day.isoformat(), payer)) or [(0, 0)]
    return Quota(allowance, requests, plants, day)


def payer_of(account_id: int | str) -> str:
    """Return who pays for the forecasts of an account."""
    return f"forecast:account:{account_id}"


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
    if not (payers := sorted({bill[0] for bill in bills if bill})):
        return [None] * len(charges)
    tally = _Tally(connection, day, payers, {point for c in charges for point in c.points})
    outcome = [tally.settle(one, *bill) if bill else None for one, bill in zip(charges, bills, strict=True)]
    tally.write()
    return outcome


def _bill(one: Charge, accounts: Mapping[bytes, Account], plans: Plans) -> tuple[str, Allowance] | None:
    """Return who pays and what is allowed, None where the key is not valid."""
    owner = None if one.key is None else accounts.get(one.key)
    if one.payer is not None:
        return (one.payer, one.allowance) if owner is not None or one.key is None else None
    plan = None if owner is None else plans.plans.get(owner.plan)
    return None if owner is None or plan is None else (payer_of(owner.id), allowance_of(owner.plan, plan))


class _Tally:
    """The day's counts of some payers, locked; what is granted is collected and written at once.

    Parameters
    ----------
    connection : Connection
    day : date
    payers : sequence of str
        Sorted: rows are locked in this order.
    points : set of int
        All that are asked for.
    """

    def __init__(self, connection: Connection, day: date, payers: Sequence[str], points: Collection[int]) -> None:
        self._cursor, self._day, self._iso = _Cursor(connection), day, day.isoformat()
        new = tuple(chain.from_iterable((self._iso, payer, 0, 0) for payer in payers))
        locked = self._cursor.rows(_LOCK, new, _rows(len(payers), 4))
        self._counts = {payer: [requests, plants] for payer, requests, plants in locked}
        groups = _marks(len(payers)), _marks(len(points))
        parameters = (self._iso, *payers, *points)
        self._known = set(self._cursor.rows(_KNOWN, parameters, *groups)) if points else set()
        self._plants: dict[tuple[str, int], int] = {}
        self._granted: list[tuple[str, str, str, str]] = []

    def settle(self, one: Charge, payer: str, allowance: Allowance) -> Settled:
        """Grant or refuse a charge."""
        counts = self._counts[payer]
        if counts[0] >= allowance.requests:
            return UsedUp(self._quota(payer, allowance))
        points = tuple(dict.fromkeys(one.points))
        new = [point for point in points if (payer, point) not in self._known]
        if new and allowance.plants is not None and counts[1] + len(new) > allowance.plants:
            return UsedUp(self._quota(payer, allowance), tuple(new))
        counts[0] += 1
        counts[1] += len(new)
        for point in points:
            plant = payer, point
            self._known.add(plant)
            self._plants[plant] = self._plants.get(plant, 0) + 1
        self._granted.append((one.request_id, self._iso, payer, orjson.dumps(points).decode()))
        return self._quota(payer, allowance)

    def _quota(self, payer: str, allowance: Allowance) -> Quota:
        requests, plants = self._counts[payer]
        return Quota(allowance, requests, plants, self._day)

    def write(self) -> None:
        """Write what was granted."""
        if self._granted:
            changed = {payer for _, _, payer, _ in self._granted}
            self._cursor.run_each(_COUNT, [(*self._counts[payer], self._iso, payer) for payer in changed])
            self._cursor.insert(_PLANTS, [(self._iso, payer, point, n) for (payer, point), n in self._plants.items()])
            self._cursor.insert(_CHARGES, self._granted)


def refund(connection: Connection, request_ids: Sequence[str]) -> None:
    """Give back what requests were charged; one that was not charged, or given back before, changes nothing."""
    cursor = _Cursor(connection)
    for day, payer, content in sorted(cursor.rows(_RETURNED, tuple(request_ids), _marks(len(request_ids)))):
        # The day's row first: it is what others who count for this payer wait for.
        cursor.run(_GIVE_BACK, (1, 0, day, payer))
        if points := orjson.loads(content):
            cursor.run(_FEWER, (day, payer, *points), _marks(len(points)))
            freed = cursor.run(_UNUSED, (day, payer, *points), _marks(len(points)))
            cursor.run(_GIVE_BACK, (0, freed, day, payer))


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
        ("quota_plant", "day, payer, point", "day", day.isoformat()),
        ("quota_day", "day, payer", "day", (day - timedelta(days=31)).isoformat()),
        ("quota_charge", "request_id", "request_id", oldest),
    )
    cursor = _Cursor(connection)
    forgotten = [cursor.run(_FORGET, (before, _FORGOTTEN_AT_ONCE), *names) for *names, before in past]
    return max(forgotten) >= _FORGOTTEN_AT_ONCE
