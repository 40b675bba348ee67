"""Orders in, answers out: the one who asks the database of quotas, in a thread of his own.

What is ordered together is done in one transaction. A database that is away is answered with `LedgerDown`, and
asked again with the next orders.
"""

import logging
import os
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import timedelta
from itertools import islice
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import Connection, Engine

from api.access import settlement
from api.access.plans import Plans
from api.access.quota import Allowance, Charge
from api.database.database import Database
from api.database.engine import READS, WRITES, make_engine, sqlite_file
from tiles.clock import Clock

log = logging.getLogger("solflis.api")

# Clocks of hosts differ a little: yesterday's coordinates go when nobody charges for yesterday any more.
_YESTERDAY_ENDS_AFTER = timedelta(minutes=5)
# A server that was heard of no more at a commit has finished it by then, or never will.
_UNSURE_S = 2.0
_MAX_REFUNDS = 256


class LedgerDown(Exception):
    """The database cannot be asked now, or does not answer in time."""


class Find(NamedTuple):
    """Whose key is it?"""

    key: bytes


class Look(NamedTuple):
    """What has somebody used today?"""

    payer: str
    allowance: Allowance


class Refund(NamedTuple):
    """Give back what a request was charged."""

    request_id: str


Order = Charge | Find | Look | Refund


class Clerk:
    """Does what is ordered; for one thread.

    Parameters
    ----------
    database : Database
    plans : Plans
    clock : Clock
    """

    def __init__(self, database: Database, plans: Plans, clock: Clock) -> None:
        self._plans, self._clock = plans, clock
        self._engine: Engine = make_engine(database.url, durable=False)
        self._failures = (sa.exc.SQLAlchemyError, OSError, self._engine.dialect.loaded_dbapi.Error)
        self._file = sqlite_file(database.url)
        self._inode = 0
        self._open: Connection | None = None
        self._refunds: dict[str, float] = {}  # what is not given back yet, and from when it can be
        self._unsure: tuple[str, ...] = ()  # whose commit is under way
        self._trouble: str | None = None

    @property
    def in_trouble(self) -> bool:
        """Whether the last attempt failed."""
        return self._trouble is not None

    def settle(self, orders: Sequence[Order]) -> list[Any]:
        """Return an answer for each order: what was asked for, or a LedgerDown.

        Refunds that are left over from before are tried again. It raises nothing.
        """
        answers: dict[int, Any] = {}
        charges = [i for i, order in enumerate(orders) if isinstance(order, Charge)]
        refunds = [i for i, order in enumerate(orders) if isinstance(order, Refund)]
        looks = [i for i, order in enumerate(orders) if isinstance(order, Find | Look)]
        self._refunds.update((order.request_id, 0.0) for order in orders if isinstance(order, Refund))
        if looks:
            self._attempt(self._look, [orders[i] for i in looks], looks, answers)
        if charges and not _in_vain(answers):
            self._attempt(self._charge, [orders[i] for i in charges], charges, answers)
        if self._due() and not _in_vain(answers):
            self._attempt(self._give_back, [orders[i] for i in refunds], refunds, answers)
        return [answers.get(i, LedgerDown("it could not be asked just now")) for i in range(len(orders))]

    def tidy(self) -> bool:
        """Forget some of what is past its time; return whether there may be more of it."""
        answers: dict[int, Any] = {}
        self._attempt(self._forget, (), (0,), answers)
        return answers[0] is True

    def close(self) -> None:
        """Give back what is left to give back, and let go of the database."""
        self._refunds = dict.fromkeys(self._refunds, 0.0)
        self.settle(())
        self._let_go()
        self._engine.dispose()

    def _attempt(
        self,
        work: Callable[[Connection, Sequence[Any]], list[Any]],
        orders: Sequence[Order],
        places: Iterable[int],
        answers: dict[int, Any],
    ) -> None:
        try:
            results = work(self._connection(), orders)
        except Exception as error:  # whatever it is, this thread goes on
            if not isinstance(error, self._failures):
                log.exception("counting failed")
            self._let_go()
            self._note(repr(error))
            # Whether the commit arrived is unknown: give back by id, which changes nothing where it did not.
            later = time.monotonic() + _UNSURE_S
            self._refunds.update((request_id, later) for request_id in self._unsure)
            answers.update((place, LedgerDown("it failed")) for place in places)
        else:
            self._note(None)
            answers.update(zip(places, results, strict=True))
        self._unsure = ()

    def _note(self, trouble: str | None) -> None:
        """Say once that the database is away, and once that it is back."""
        if trouble is not None and self._trouble is None:
            log.error("quotas cannot be counted: %s", trouble)
        elif trouble is None and self._trouble is not None:
            log.warning("quotas are counted again")
        self._trouble = trouble

    def _connection(self) -> Connection:
        """Return the open connection, or a new one where there is none or the file of SQLite is another.

        A file that was moved away would otherwise go on being written, unseen.
        """
        if self._file is not None:
            inode = os.stat(self._file).st_ino  # noqa: PTH116 -- a third of the time
            if inode != self._inode:
                self._let_go()
                self._engine.dispose()
                self._inode = inode
        if self._open is None:
            self._open = self._engine.connect()
        return self._open

    def _let_go(self) -> None:
        if self._open is not None:
            with suppress(*self._failures):
                self._open.invalidate()
                self._open.close()
            self._open = None

    def _look(self, connection: Connection, orders: Sequence[Find | Look]) -> list[Any]:
        day = self._clock.now().date()
        with connection.execution_options(**READS).begin():
            accounts = settlement.find_accounts(connection, (o.key for o in orders if isinstance(o, Find)))
            return [
                accounts.get(o.key) if isinstance(o, Find) else settlement.used(connection, day, o.payer, o.allowance)
                for o in orders
            ]

    def _charge(self, connection: Connection, orders: Sequence[Charge]) -> list[Any]:
        with connection.execution_options(**WRITES).begin():
            day = self._clock.now().date()
            settled = list(settlement.charge(connection, day, orders, self._plans))
            self._unsure = tuple(order.request_id for order in orders)
        return settled

    def _due(self) -> list[str]:
        """Return what can be given back now, as much as one transaction takes."""
        now = time.monotonic()
        return list(islice((request_id for request_id, since in self._refunds.items() if since <= now), _MAX_REFUNDS))

    def _give_back(self, connection: Connection, orders: Sequence[Refund]) -> list[Any]:
        taken = {request_id: self._refunds.pop(request_id) for request_id in self._due()}
        try:
            with connection.execution_options(**WRITES).begin():
                settlement.refund(connection, sorted(taken))
        except self._failures:
            self._refunds.update(taken)
            raise
        return [None] * len(orders)

    def _forget(self, connection: Connection, _: Sequence[Order]) -> list[Any]:
        with connection.execution_options(**WRITES).begin():
            return [settlement.tidy(connection, (self._clock.now() - _YESTERDAY_ENDS_AFTER).date())]


def _in_vain(answers: dict[int, Any]) -> bool:
    return any(isinstance(answer, LedgerDown) for answer in answers.values())
