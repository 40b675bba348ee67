"""The guard of a service of others that is asked while a request waits: few questions at once, none while it fails."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import TypeVar

from api.core.executors import ReaderPool
from catalog.sources.errors import SourceError, Throttled
from catalog.sources.http import Deadline

log = logging.getLogger("solflis.api")

# Below the 30 s that a handler has (`server.Patience`): who waits for nothing is told so by us.
WITHIN_S = 20.0
RETRY_S = 60
# Who sends us away with `Retry-After` is left alone, but not for longer than this.
LONGEST_PAUSE_S = 3600.0
# Whoever has an older answer spares it for longer.
_FALLBACK_REST_S = 300.0
_FULL_RETRY_S = 2.0

T = TypeVar("T")


class Spared(Throttled):
    """Nobody is asked now."""


class Upstream:
    """Asks one service: by threads of its own, or by processes.

    Parameters
    ----------
    name : str
        For sentences.
    askers : int
        Questions at once.
    rest_s : float
        For how long failures without `Retry-After` have all others spare the service.
    failures : int
        That many in a row.
    waiting : int
        Questions that may wait for their turn; more are refused as if the service were spared.
    """

    def __init__(
        self, name: str, *, askers: int = 2, rest_s: float = 15.0, failures: int = 1, waiting: int = 64
    ) -> None:
        self._name, self._rest_s, self._most_failures, self._most = name, rest_s, failures, askers + waiting
        self._readers, self._turns = ReaderPool(askers, name), asyncio.Semaphore(askers)
        self._not_before = self._not_before_with_fallback = 0.0
        self._in_a_row = self._asking = 0

    async def ask(self, work: Callable[[Deadline], T], *, fallback: bool = False) -> T:
        """Return what a question gives, unless the service is to be spared now; it may be asked though nobody waits.

        Parameters
        ----------
        work : callable
            Asks within a deadline, in a thread.
        fallback : bool
            Whether the caller has an older answer.

        Raises
        ------
        SourceError
            `Spared` where it was not asked at all.
        """
        deadline = Deadline(WITHIN_S)
        async with self._place(fallback):
            try:
                async with asyncio.timeout(WITHIN_S):
                    return await self._readers.run(partial(self._asked, work, deadline, fallback))
            except TimeoutError as error:
                raise SourceError(f"{self._name}: no answer within {WITHIN_S:g} s") from error

    async def ask_process(self, work: Callable[[], Awaitable[T]], within_s: float) -> T:
        """Return what a question gives that a process asks; it has its own deadline. Raises as `ask`.

        Parameters
        ----------
        work : callable
        within_s : float
            How long it may take from its turn on, s.
        """
        async with self._place(), self._turns:
            with self._turn(Deadline(within_s)):
                return await work()

    def failed(self, error: SourceError, deadline: Deadline) -> None:
        """Have others spare the service, for as long as it says or else a moment."""
        self._in_a_row += 1
        # else its end tells of the line, not of the service
        counts = deadline.remaining() > deadline.seconds / 2 and self._in_a_row >= self._most_failures
        other = self._rest_s if counts else 0.0
        rest = min(error.seconds, LONGEST_PAUSE_S) if isinstance(error, Throttled) else other
        now = time.monotonic()
        self._not_before = max(self._not_before, now + rest)
        self._not_before_with_fallback = max(self._not_before_with_fallback, now + max(rest, _FALLBACK_REST_S))

    def _asked(self, work: Callable[[Deadline], T], deadline: Deadline, fallback: bool) -> T:
        with self._turn(deadline, fallback):
            return work(deadline)

    @contextmanager
    def _turn(self, deadline: Deadline, fallback: bool = False) -> Iterator[None]:
        """Ask, unless the service is to be spared since this one stood in line; note how it went."""
        self._unless_spared(fallback)
        try:
            yield
        except SourceError as error:
            self.failed(error, deadline)
            raise
        self._in_a_row = 0

    @asynccontextmanager
    async def _place(self, fallback: bool = False) -> AsyncIterator[None]:
        """Stand in line; what fails is logged."""
        self._unless_spared(fallback)
        if self._asking >= self._most:
            raise Spared(f"{self._name}: {self._asking} questions are under way", _FULL_RETRY_S)
        self._asking += 1
        try:
            yield
        except SourceError as error:
            if not isinstance(error, Spared):
                log.warning("%s", error)
            raise
        finally:
            self._asking -= 1

    def _unless_spared(self, fallback: bool = False) -> None:
        not_before = self._not_before_with_fallback if fallback else self._not_before
        if (wait := not_before - time.monotonic()) > 0:
            raise Spared(f"{self._name}: is left alone for {wait:.0f} s", wait)


def retry_after(error: SourceError | None = None) -> dict[str, str]:
    """Return the header that says when to come back after a failure."""
    wait = min(error.seconds, LONGEST_PAUSE_S) if isinstance(error, Throttled) else RETRY_S
    return {"Retry-After": str(max(1, round(wait)))}
