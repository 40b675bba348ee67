"""The one who writes in the database of quotas: a thread that settles together what waits at the same moment.

A transaction for each request would cost more than the forecast itself. While one transaction runs, charges
wait; the next takes them all. An answer leaves only after the commit of its own.
"""

import asyncio
import logging
import os
import queue
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa
from aiohttp import web
from sqlalchemy import Engine

from api.access import settlement
from api.access.plans import Plans
from api.access.quota import Account, Allowance, Charge, Quota, Settled
from api.database.database import Database
from api.database.engine import READS, make_engine, sqlite_file
from tiles.clock import Clock

log = logging.getLogger("solflis.api")

# An answer that says that counting is impossible comes within 2 s, whatever the database does.
ANSWER_WITHIN_S = 1.5
_SWEEP_S = 0.1
_MAX_BATCH = 256
_MAX_WAITING = 4096
_RETRY_REFUNDS_S = 1.0
_TIDY_EVERY_S = 600.0
# Clocks of hosts differ a little: yesterday's coordinates go when nobody charges for yesterday any more.
_YESTERDAY_ENDS_AFTER = timedelta(minutes=5)


class LedgerDown(Exception):
    """The database cannot be asked now, or does not answer in time."""


class _Find(NamedTuple):
    key: bytes


class _Look(NamedTuple):
    payer: str
    allowance: Allowance


class _Refund(NamedTuple):
    request_id: str


_Order = Charge | _Find | _Look | _Refund


class _Waiting(NamedTuple):
    order: _Order
    answer: "asyncio.Future[Any]"
    deadline: float


class Ledger:
    """Counts what callers use.

    Parameters
    ----------
    database : Database
    plans : Plans
    clock : Clock
        Says which day it is.
    max_batch : int
        How many orders one transaction takes at most.
    """

    def __init__(self, database: Database, plans: Plans, clock: Clock, max_batch: int = _MAX_BATCH) -> None:
        self._database, self._plans, self._clock, self._max_batch = database, plans, clock, max_batch
        self._orders: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._unanswered: deque[_Waiting] = deque()
        self._refunds: set[str] = set()  # of the thread: what could not be given back yet
        self._trouble: str | None = None
        self._file = sqlite_file(database.url)
        self._inode = 0

    async def lifespan(self, _: web.Application) -> AsyncIterator[None]:
        """Settle as long as the application runs."""
        self._loop = asyncio.get_running_loop()
        thread = threading.Thread(target=self._run, name="ledger", daemon=True)
        thread.start()
        sweeping = asyncio.create_task(self._sweep(), name="answer late charges")
        yield
        sweeping.cancel()
        with suppress(asyncio.CancelledError):
            await sweeping
        self._orders.put(None)
        await asyncio.to_thread(thread.join, ANSWER_WITHIN_S)

    def now(self) -> datetime:
        """Return the moment that days are counted by."""
        return self._clock.now()

    async def find(self, key: bytes) -> Account | None:
        """Return whose key it is, by its digest; None where it is unknown or deactivated.

        Raises
        ------
        LedgerDown
        """
        found: Account | None = await self._order(_Find(key))
        return found

    async def charge(self, charge: Charge) -> Settled:
        """Charge a request; what is granted is committed when this returns.

        Raises
        ------
        LedgerDown
            It is not known to be charged; should it have been, it is refunded.
        """
        settled: Settled = await self._order(charge)
        return settled

    async def look(self, payer: str, allowance: Allowance) -> Quota:
        """Return what somebody has used today.

        Raises
        ------
        LedgerDown
        """
        quota: Quota = await self._order(_Look(payer, allowance))
        return quota

    async def refund(self, request_id: str) -> None:
        """Give back what a request was charged; later, where the database is away now.

        Raises
        ------
        LedgerDown
            It is not done yet.
        """
        await self._order(_Refund(request_id))

    def _order(self, order: _Order) -> "asyncio.Future[Any]":
        if not self._database.ready:
            raise LedgerDown("it is not ready")
        if len(self._unanswered) >= _MAX_WAITING:
            raise LedgerDown("too many wait for it")
        waiting = _Waiting(order, self._loop.create_future(), self._loop.time() + ANSWER_WITHIN_S)
        self._unanswered.append(waiting)
        self._orders.put(waiting)
        return waiting.answer

    async def _sweep(self) -> None:
        """Answer those who have waited too long: one look now and then instead of a timer for each."""
        while True:
            await asyncio.sleep(_SWEEP_S)
            now = self._loop.time()
            while self._unanswered and (self._unanswered[0].answer.done() or self._unanswered[0].deadline < now):
                answer = self._unanswered.popleft().answer
                if not answer.done():
                    answer.set_exception(LedgerDown("it does not answer in time"))

    def _deliver(self, answers: Sequence[tuple[_Waiting, Any]]) -> None:
        """Wake those who wait; on the event loop."""
        for waiting, answer in answers:
            if waiting.answer.done():
                if isinstance(waiting.order, Charge) and isinstance(answer, Quota):
                    self._orders.put(waiting._replace(order=_Refund(waiting.order.request_id)))
            elif isinstance(answer, Exception):
                waiting.answer.set_exception(answer)
            else:
                waiting.answer.set_result(answer)

    # From here on: the thread.

    def _run(self) -> None:
        engine = make_engine(self._database.url, durable=False)
        tidied = float("-inf")
        while True:
            batch = self._next_batch()
            if batch is None:
                break
            answers = self._settle(engine, batch)
            with suppress(RuntimeError):  # the loop has ended, and with it whoever waited
                self._loop.call_soon_threadsafe(self._deliver, answers)
            if time.monotonic() - tidied > _TIDY_EVERY_S:
                tidied = time.monotonic()
                self._tidy(engine)
        engine.dispose()

    def _next_batch(self) -> list[_Waiting] | None:
        """Wait for an order, and take with it whatever waits; None is the end."""
        try:
            first = self._orders.get(timeout=_RETRY_REFUNDS_S)
        except queue.Empty:
            return []
        batch = []
        while first is not None:
            batch.append(first)
            if len(batch) == self._max_batch:
                return batch
            try:
                first = self._orders.get_nowait()
            except queue.Empty:
                return batch
        if batch:
            self._orders.put(None)
        return batch or None

    def _settle(self, engine: Engine, batch: list[_Waiting]) -> list[tuple[_Waiting, Any]]:
        """Do what is ordered; return the answers, a LedgerDown where that is impossible."""
        answers: list[tuple[_Waiting, Any]] = []
        looks = [w for w in batch if isinstance(w.order, _Find | _Look)]
        refunds = [w for w in batch if isinstance(w.order, _Refund)]
        # Who was answered while the database was away has no use for a charge.
        charges = [w for w in batch if isinstance(w.order, Charge) and not w.answer.done()]
        self._refunds.update(w.order.request_id for w in refunds if isinstance(w.order, _Refund))
        if looks:
            answers += self._attempt(engine, looks, self._look_up)
        if charges and not self._attempted_in_vain(answers):
            answers += self._attempt(engine, charges, self._charge)
        elif charges:
            answers += [(waiting, LedgerDown("it could not be asked just now")) for waiting in charges]
        if self._refunds:
            answers += self._attempt(engine, refunds, self._give_back)
        return answers

    @staticmethod
    def _attempted_in_vain(answers: Sequence[tuple[_Waiting, Any]]) -> bool:
        return any(isinstance(answer, LedgerDown) for _, answer in answers)

    def _attempt(
        self, engine: Engine, orders: list[_Waiting], work: Callable[[Engine, list[_Waiting]], list[Any]]
    ) -> list[tuple[_Waiting, Any]]:
        try:
            self._notice_another_file(engine)
            results = work(engine, orders)
        except (sa.exc.SQLAlchemyError, OSError) as error:
            self._note(repr(error))
            # Whether a commit arrived is unknown: give back by id, which changes nothing where it did not.
            self._refunds.update(w.order.request_id for w in orders if isinstance(w.order, Charge))
            return [(waiting, LedgerDown("it failed")) for waiting in orders]
        self._note(None)
        return list(zip(orders, results, strict=True))

    def _note(self, trouble: str | None) -> None:
        """Say once that the database is away, and once that it is back."""
        if trouble is not None and self._trouble is None:
            log.error("quotas cannot be counted: %s", trouble)
        elif trouble is None and self._trouble is not None:
            log.warning("quotas are counted again")
        self._trouble = trouble

    def _notice_another_file(self, engine: Engine) -> None:
        """Let go of a SQLite file that was moved away or replaced: an open one would go on unseen."""
        if self._file is None:
            return
        inode = os.stat(self._file).st_ino  # noqa: PTH116 -- a third of the time
        if inode != self._inode:
            engine.dispose()
            self._inode = inode

    def _look_up(self, engine: Engine, orders: list[_Waiting]) -> list[Any]:
        day = self._clock.now().date()
        with engine.execution_options(**READS).begin() as connection:
            keys = [w.order.key for w in orders if isinstance(w.order, _Find)]
            accounts = settlement.find_accounts(connection, keys)
            return [
                accounts.get(w.order.key) if isinstance(w.order, _Find) else settlement.used(connection, day, *w.order)  # type: ignore[arg-type]
                for w in orders
            ]

    def _charge(self, engine: Engine, orders: list[_Waiting]) -> list[Any]:
        with engine.begin() as connection:
            day = self._clock.now().date()
            charges = [w.order for w in orders if isinstance(w.order, Charge)]
            return list(settlement.charge(connection, day, charges, self._plans))

    def _give_back(self, engine: Engine, orders: list[_Waiting]) -> list[Any]:
        with engine.begin() as connection:
            settlement.refund(connection, sorted(self._refunds))
        self._refunds.clear()
        return [None] * len(orders)

    def _tidy(self, engine: Engine) -> None:
        def tidying(engine: Engine, _: list[_Waiting]) -> list[Any]:
            with engine.begin() as connection:
                settlement.tidy(connection, (self._clock.now() - _YESTERDAY_ENDS_AFTER).date())
            return []

        self._attempt(engine, [], tidying)
