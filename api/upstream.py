"""A service of others that is asked while a request waits: few questions at once, and none while it fails."""

import asyncio
import logging
import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from api.crew import Crew
from catalog.sources.errors import SourceError, Throttled
from catalog.sources.http import Deadline

log = logging.getLogger("solflis.api")

# Below the 30 s that a handler has (`connection.Patience`): who waits for nothing is told so by us.
WITHIN_S = 20.0
RETRY_S = 60
# Who sends us away with `Retry-After` is left alone, but not for longer than this.
LONGEST_PAUSE_S = 3600.0
# Whoever has an older answer spares it for longer.
_FALLBACK_REST_S = 300.0

T = TypeVar("T")


class Spared(Throttled):
    """Nobody is asked now."""


class Upstream:
    """Asks one service in threads of its own.

    Parameters
    ----------
    name : str
        For sentences.
    askers : int
        Questions at once.
    rest_s : float
        For how long a question that fails without `Retry-After` has all others spare the service.
    """

    def __init__(self, name: str, *, askers: int = 2, rest_s: float = 15.0) -> None:
        self._name, self._rest_s = name, rest_s
        self._crew = Crew(askers, name)
        self._not_before = self._not_before_with_fallback = 0.0

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
        self._unless_spared(fallback)
        try:
            async with asyncio.timeout(WITHIN_S):
                return await self._crew.run(partial(self._asked, work, deadline, fallback))
        except TimeoutError as error:
            late = SourceError(f"{self._name}: no answer within {WITHIN_S:g} s")
            log.warning("%s", late)
            raise late from error
        except SourceError as error:
            if not isinstance(error, Spared):
                log.warning("%s", error)
            raise

    def failed(self, error: SourceError, deadline: Deadline) -> None:
        """Have others spare the service, for as long as it says or else a moment."""
        in_time = deadline.remaining() > WITHIN_S / 2  # else its end tells of the line, not of the service
        other = self._rest_s if in_time else 0.0
        rest = min(error.seconds, LONGEST_PAUSE_S) if isinstance(error, Throttled) else other
        now = time.monotonic()
        self._not_before = max(self._not_before, now + rest)
        self._not_before_with_fallback = max(self._not_before_with_fallback, now + max(rest, _FALLBACK_REST_S))

    def _asked(self, work: Callable[[Deadline], T], deadline: Deadline, fallback: bool) -> T:
        self._unless_spared(fallback)  # since this one stood in line
        try:
            return work(deadline)
        except SourceError as error:
            self.failed(error, deadline)
            raise

    def _unless_spared(self, fallback: bool) -> None:
        not_before = self._not_before_with_fallback if fallback else self._not_before
        if (wait := not_before - time.monotonic()) > 0:
            raise Spared(f"{self._name}: is left alone for {wait:.0f} s", wait)


def retry_after(error: SourceError | None = None) -> dict[str, str]:
    """Return the header that says when to come back after a failure."""
    wait = min(error.seconds, LONGEST_PAUSE_S) if isinstance(error, Throttled) else RETRY_S
    return {"Retry-After": str(max(1, round(wait)))}
