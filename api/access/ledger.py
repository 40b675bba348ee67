"""Counting for the event loop: charges wait here, and go together to the quota worker's thread.

A transaction for each request would cost more than the forecast itself. So charges wait while one transaction runs, and
as long as the loop has more requests at hand; the next takes them all. An answer leaves only after the commit of its
own.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

from sqlalchemy import Connection

from api.access.partners import Purpose, is_valid
from api.access.plans import Plans
from api.access.quota import Account, Allowance, Charge, Quota, Settled
from api.access.quota_worker import LedgerDown, QuotaWorker
from api.access.secret import Secret
from api.access.settlement import find_accounts, used
from api.core.executors import ReaderPool, background
from api.database.database import Database
from tiles.clock import Clock

# An answer that says that counting is impossible comes within 2 s, whatever the database does.
ANSWER_WITHIN_S = 1.5
_SWEEP_S = 0.1
_MAX_BATCH = 256
# A request that has arrived takes two turns of the loop to its order. Measured with 32 connections: batches of 32
# instead of 16, and a sixth less processor time than with a transaction that runs beside the loop at once.
_QUIET_TURNS = 2
_MAX_WAITING = 4096
_RETRY_REFUNDS_S = 1.0
_TIDY_EVERY_S = 10.0
_TIDY_ON_S = 0.5

T = TypeVar("T")


class _Waiting(NamedTuple):
    charge: Charge
    answer: "asyncio.Future[Settled]"
    deadline: float


class Ledger:
    """Counts what callers use.

    Parameters
    ----------
    database : Database
    plans : Plans
    clock : Clock
        Says which day it is.
    folder : Path
        Of the charges that are not answered yet, shared by the workers of this host.
    max_batch : int
        How many orders one transaction takes at most.
    """

    def __init__(
        self, database: Database, plans: Plans, clock: Clock, folder: Path, max_batch: int = _MAX_BATCH
    ) -> None:
        self._database, self._plans, self._clock = database, plans, clock
        self._folder, self._max_batch = folder, max_batch
        self._collected: deque[_Waiting] = deque()
        self._batch: list[_Waiting] = []  # what the thread does now
        self._busy_since: float | None = None
        self._arrived = asyncio.Event()
        self._thread = ReaderPool(1, "ledger")

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Count as long as the application runs."""
        self._loop = asyncio.get_running_loop()
        self._worker = QuotaWorker(self._database, self._plans, self._clock, self._folder)
        async with background(self._settle(), "ledger"), background(self._sweep(), "sweep"):
            yield
            # What is ordered is done; the worker has little time left, so both waits together get no more than this.
            with suppress(TimeoutError):
                async with asyncio.timeout(ANSWER_WITHIN_S):
                    while self._collected or self._batch:
                        await asyncio.sleep(_SWEEP_S / 10)
                    await self._in_thread(self._worker.close)

    @property
    def up(self) -> bool:
        """Whether the database answered the last time, and lets nobody wait; it is asked at least every 10 s."""
        hangs = self._busy_since is not None and self._loop.time() - self._busy_since > ANSWER_WITHIN_S
        return self._database.ready and self._worker.trouble is None and not hangs

    async def find(self, key: bytes, patience_s: float = ANSWER_WITHIN_S) -> Account | None:
        """Return whose key it is, by its digest; None where it is unknown or deactivated.

        Raises
        ------
        LedgerDown
        """
        found = await self._read(partial(find_accounts, digests=(key,)), patience_s)
        return found.get(key)

    async def has_agreement(
        self, secret: Secret, password: str, purpose: Purpose, patience_s: float = ANSWER_WITHIN_S
    ) -> bool:
        """Return whether a password is that of a partner.

        Raises
        ------
        LedgerDown
        """
        return await self._read(partial(is_valid, secret=secret, password=password, purpose=purpose), patience_s)

    async def look(self, payer: str, allowance: Allowance, patience_s: float = ANSWER_WITHIN_S) -> Quota:
        """Return what somebody has used today.

        Raises
        ------
        LedgerDown
        """
        day = self._clock.now().date()
        return await self._read(partial(used, day=day, payer=payer, allowance=allowance), patience_s)

    async def charge(self, charge: Charge, patience_s: float = ANSWER_WITHIN_S) -> Settled:
        """Charge a request; what is granted is committed when this returns.

        Parameters
        ----------
        charge : Charge
        patience_s : float
            What is left of ANSWER_WITHIN_S where the request has waited for another answer before.

        Raises
        ------
        LedgerDown
            It is not known to be charged; should it have been, it is refunded.
        """
        self._require_ready()
        if len(self._collected) + len(self._batch) >= _MAX_WAITING:
            raise LedgerDown("too many wait for it")
        waiting = _Waiting(charge, self._loop.create_future(), self._loop.time() + patience_s)
        self._collected.append(waiting)
        self._arrived.set()
        return await waiting.answer

    def refund(self, request_id: str) -> None:
        """Give back soon what a request was charged: before anybody can look, unless the database is away."""
        self._worker.refund(request_id)
        self._arrived.set()

    def answered(self, request_id: str) -> None:
        """Note that the answer of a charged request is sent: if the worker is killed now, the charge stands."""
        self._worker.open_charges.remove(request_id)

    def _require_ready(self) -> None:
        if not self._database.ready:
            raise LedgerDown("it is not ready")

    async def _read(self, question: Callable[[Connection], T], patience_s: float) -> T:
        self._require_ready()
        try:
            async with asyncio.timeout(patience_s):
                return await self._in_thread(partial(self._worker.read, question))
        except TimeoutError:
            raise LedgerDown("it does not answer in time") from None

    async def _in_thread(self, work: Callable[[], T]) -> T:
        self._busy_since = self._busy_since or self._loop.time()
        result = await self._thread.run(work)
        self._busy_since = None
        return result

    async def _settle(self) -> None:
        """Settle batch after batch; now and then, with nothing to settle, the worker tries refunds again."""
        tidying = 0.0
        while True:
            await self._collect()
            while self._collected and len(self._batch) < self._max_batch:
                if not (waiting := self._collected.popleft()).answer.done():
                    self._batch.append(waiting)
            charges = [waiting.charge for waiting in self._batch]
            settled = await self._in_thread(partial(self._worker.settle, charges))
            for waiting, outcome in zip(self._batch, settled, strict=True):
                self._deliver(waiting, outcome)
            self._batch = []
            if self._database.ready and self._loop.time() > tidying:
                more = await self._in_thread(self._worker.tidy)
                tidying = self._loop.time() + (_TIDY_ON_S if more else _TIDY_EVERY_S)

    async def _collect(self) -> None:
        """Wait for orders, and then as long as the loop has more at hand."""
        self._arrived.clear()
        if not self._collected:
            with suppress(TimeoutError):
                async with asyncio.timeout(_RETRY_REFUNDS_S):
                    await self._arrived.wait()
        collected = quiet = 0
        while quiet < _QUIET_TURNS and collected < self._max_batch and self._collected:
            await asyncio.sleep(0)
            quiet = quiet + 1 if len(self._collected) == collected else 0
            collected = len(self._collected)

    def _deliver(self, waiting: _Waiting, outcome: Settled | LedgerDown) -> None:
        """Wake who waits."""
        if waiting.answer.done():
            if isinstance(outcome, Quota):  # too late: 503 was said
                self.refund(waiting.charge.request_id)
        elif isinstance(outcome, LedgerDown):
            waiting.answer.set_exception(outcome)
        else:
            waiting.answer.set_result(outcome)

    async def _sweep(self) -> None:
        """Answer those who have waited too long: one look now and then instead of a timer for each."""
        while True:
            await asyncio.sleep(_SWEEP_S)
            now = self._loop.time()
            for waiting in (*self._collected, *self._batch):
                if waiting.deadline < now and not waiting.answer.done():
                    waiting.answer.set_exception(LedgerDown("it does not answer in time"))
            self._collected = deque(waiting for waiting in self._collected if not waiting.answer.done())
