"""Rate limits: how often somebody may do something, counted for all workers together.

Rules are those of the `limits` library, `5/second` or `3/hour`. They use real time, not the service's clock: they hold
back the present load of machines and mailboxes, whatever hour the service lives in.
"""

import asyncio
import logging
import math
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

from aiohttp import web
from limits import RateLimitItem, parse

from api import texts
from api.access.callers import CLIENTS
from api.access.rate_file import FileStore
from api.access.rate_store import Store, StoreAway, Taken, Window
from api.access.secret import Secret
from api.errors import ANSWER_HEADERS, TooMany, Unavailable

FILE = "rates.sqlite"
_WAIT_S = 1.5
_RETRY_S = 5
_REDIS = ("redis://", "rediss://", "unix://")

log = logging.getLogger("solflis.api")


class Rates:
    """The rate limits of an installation.

    Parameters
    ----------
    where : Path or str
        A folder that the workers of this host share, or the address of a Redis, `redis://...`.
    secret : Secret
        Of the installation: all that count together have the same one.
    rejected : callable
        Is told of each refusal, for the metrics.

    Raises
    ------
    ValueError
        It is no such address.
    """

    def __init__(
        self, where: Path | str, secret: Secret, rejected: Callable[[Literal["rate"]], None] = lambda _: None
    ) -> None:
        self._secret, self._rejected = secret, rejected
        self._store: Store
        if isinstance(where, Path):
            self._store = FileStore(where / FILE)
            return
        if not where.startswith(_REDIS):
            raise ValueError("SOLFLIS_RATE_STORE: expected redis://host:port/number")
        from api.access.rate_redis import RedisStore  # which costs a worker a quarter of a second and much memory

        self._store = RedisStore(where)

    async def hit(self, rules: Iterable[str], *who: str) -> None:
        """Count one hit of somebody against all of some rules.

        Raises
        ------
        TooMany
            One of them is used up; the others then count nothing.
        Unavailable
            The store does not answer.
        """
        await self.hit_all([(rule, who) for rule in rules])

    async def hit_all(self, limits: Iterable[tuple[str, tuple[str, ...]]]) -> None:
        """Count one hit against rules that each have their own somebody; refusals as in `hit`."""
        self._require(await self._take(limits))

    async def _take(self, limits: Iterable[tuple[str, tuple[str, ...]]]) -> Taken:
        windows = [self._window(rule, who) for rule, who in limits]
        try:
            async with asyncio.timeout(_WAIT_S):
                return await self._store.acquire(windows)
        except (StoreAway, TimeoutError) as error:
            log.error("rate limits cannot be counted: %s", error or "no answer in time")
            raise Unavailable(texts.NO_RATES, _RETRY_S) from None

    def _require(self, taken: Taken) -> None:
        if taken.wait > 0:
            self._rejected("rate")
            seconds = math.ceil(taken.wait)
            raise TooMany(texts.TOO_MANY.format(wait=_spoken(seconds)), {"Retry-After": str(seconds)})

    async def check(self, request: web.Request, path: str, rules: Sequence[str], told: str | None) -> None:
        """Count a request as `check` says."""
        client = request.app[CLIENTS].of(request)
        taken = await self._take([(rule, (path, client)) for rule in rules])
        if told is not None:
            request[ANSWER_HEADERS] = {"X-Quota-Remaining": str(taken.left[rules.index(told)])}
        self._require(taken)

    def _window(self, rule: str, who: tuple[str, ...]) -> Window:
        item = _parsed(rule)
        # What people type may be long, and whoever reads the store shall not find addresses by trying them.
        return Window(self._secret.digest("rate", item.key_for(*who)).hex(), item.amount, item.get_expiry())

    async def lifespan(self, _: web.Application) -> AsyncIterator[None]:
        """Keep the store while the application runs."""
        yield
        await self.close()

    async def close(self) -> None:
        """Let go of the store."""
        await self._store.close()


RATES = web.AppKey("rates", Rates)


async def check(request: web.Request, path: str, rules: Sequence[str], told: str | None = None) -> None:
    """Count a request against the rules of a route, by the client's network; refusals as in `Rates.hit`.

    Parameters
    ----------
    request : Request
    path : str
    rules : sequence of str
    told : str, optional
        The one of them that every answer, a refusal too, says the rest of.
    """
    await request.app[RATES].check(request, path, rules, told)


@lru_cache
def _parsed(rule: str) -> RateLimitItem:
    return parse(rule)


def _spoken(seconds: int) -> str:
    if seconds > 120:
        return f"{math.ceil(seconds / 60)} minutter"
    return f"{seconds} sekunder" if seconds > 1 else "ett sekund"
