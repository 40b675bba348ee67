"""Rate limits: how often somebody may do something, counted for all workers together.

Rules are those of the `limits` library, `5/second` or `3/hour`, and so are the moving windows: never more than the rule
allows in *any* window. They use real time, not the service's clock: they hold back the present load of machines and
mailboxes, whatever hour the service lives in.

Where several rules hold, all are tested and then all are hit: a refused call takes from none. In the file this is one
transaction. In Redis a call that loses a race between the two is refused all the same, and has taken from the rules
that stand before the one that was full; moments are those of the hosts' clocks.
"""

import asyncio
import logging
import math
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Literal

from aiohttp import web
from limits import parse
from limits.errors import StorageError
from limits.storage import RedisStorage
from sqlalchemy import URL, event
from sqlalchemy.exc import SQLAlchemyError

from api.access.callers import Clients
from api.access.secret import Secret
from api.core import problems
from api.core.errors import Problem
from api.core.executors import ReaderPool
from api.core.request_keys import ANSWER_HEADERS
from api.database.engine import WRITES, HeldConnection, make_engine

FILE = "rates.sqlite"
# A Redis that is slower is away, s: one call, and all of a request.
_PATIENCE_S = 1.0
_WAIT_S = 1.5
_REDIS_THREADS = 8
_TIDY_S = 60.0
_TIDY_ROWS = 10_000
_SCHEMA = """
CREATE TABLE IF NOT EXISTS hit (key TEXT NOT NULL, moment REAL NOT NULL, expires REAL NOT NULL);
CREATE INDEX IF NOT EXISTS hit_key ON hit (key, moment);
CREATE INDEX IF NOT EXISTS hit_expires ON hit (expires);
"""
_IN_WINDOW = "SELECT min(moment), count(*) FROM hit WHERE key = ? AND moment > ?"
_TIDY = "DELETE FROM hit WHERE rowid IN (SELECT rowid FROM hit WHERE expires <= ? LIMIT ?)"
_REDIS = ("redis://", "rediss://", "unix://")

log = logging.getLogger("solflis.api")

_parsed = lru_cache(parse)

_Window = tuple[str, int, int]
"""At most so many hits (second) of a key (first) in any so many seconds (third)."""


class Rates:
    """The rate limits of an installation.

    Parameters
    ----------
    where : Path or str
        A folder that the workers of this host share, or the address of a Redis, `redis://...`.
    secret : Secret
        Of the installation: all that count together have the same one.
    rejected : callable
        Called with each refusal, for the metrics.

    Raises
    ------
    ValueError
        It is no such address.
    """

    def __init__(
        self,
        where: Path | str,
        secret: Secret,
        clients: Clients,
        rejected: Callable[[Literal["rate"]], None] = lambda _: None,
    ) -> None:
        self._secret, self._clients, self._rejected = secret, clients, rejected
        if isinstance(where, Path):
            file = FileStorage(where / FILE)
            self._storage: FileStorage | RedisStorage = file
            self._transaction: Callable[[], AbstractContextManager[None]] = file.transaction
            self._close: Callable[[], None] = file.close
        elif where.startswith(_REDIS):
            self._storage = redis = _redis(where)
            self._transaction, self._close = nullcontext, redis.storage.close
        else:
            raise ValueError("SOLFLIS_RATE_STORE: expected redis://host:port/number")
        self._threads = ReaderPool(1 if isinstance(where, Path) else _REDIS_THREADS, "rates")

    async def hit(
        self,
        limits: Iterable[tuple[str, tuple[str, ...]]],
        report: Callable[[Sequence[int]], None] = lambda _: None,
        problem: Problem = problems.TOO_MANY,
    ) -> None:
        """Count one hit against rules that each have their own somebody.

        Parameters
        ----------
        limits : iterable of (rule, who)
        report : callable
            Called with how many more hits each rule would take now, whether or not this one is refused.
        problem : Problem

        Raises
        ------
        ApiError
            `problem`: one of them is used up, and the others count nothing; `NO_RATES`.
        """
        windows = [self._window(rule, who) for rule, who in limits]
        try:
            async with asyncio.timeout(_WAIT_S):
                refusal, left = await self._threads.run(partial(self._test_and_hit, windows))
        except (StorageError, SQLAlchemyError, sqlite3.Error, OSError) as error:
            log.error("rate limits cannot be counted: %s", error or "no answer in time")
            raise problems.NO_RATES() from None
        report(left)
        if refusal is not None:
            self._rejected("rate")
            raise problem(retry_after_s=refusal["wait"], **refusal)

    def _test_and_hit(self, windows: Sequence[_Window]) -> tuple[dict[str, Any] | None, list[int]]:
        """Return what a refusal says (None: counted), and how many more hits each window takes."""
        with self._transaction():
            states = [(window, *self._storage.get_moving_window(*window)) for window in windows]
            full = [(oldest + s, amount, s) for (_, amount, s), oldest, hits in states if hits >= amount]
            if not full and not all(self._storage.acquire_entry(*window) for window in windows):
                full = [(time.time() + 1, *windows[0][1:])]  # others were faster
        refusal = None
        if full:
            end, amount, seconds = max(full)
            refusal = {"wait": max(1, math.ceil(end - time.time())), "amount": amount, "seconds": seconds}
        return refusal, [max(0, amount - hits - (not full)) for (_, amount, _), _, hits in states]

    async def check(self, request: web.BaseRequest, path: str, rules: Sequence[str], reported: str | None) -> None:
        """Count a request against the rules of a route, by the client's network; refusals as in `hit`.

        Parameters
        ----------
        request : BaseRequest
        path : str
        rules : sequence of str
        reported : str or None
            The one of them that every answer, a refusal too, says the rest of.
        """

        def report(left: Sequence[int]) -> None:
            if reported is not None:
                request[ANSWER_HEADERS] = {"X-Quota-Remaining": str(left[rules.index(reported)])}

        client = self._clients.of(request)
        await self.hit([(rule, (path, client)) for rule in rules], report)

    def _window(self, rule: str, who: tuple[str, ...]) -> _Window:
        item = _parsed(rule)
        # What people type may be long, and whoever reads the store shall not find addresses by trying them.
        return (self._secret.digest("rate", item.key_for(*who)).hex(), item.amount, item.get_expiry())

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Keep the store while the application runs."""
        yield
        await self._threads.run(self._close)


def _redis(address: str) -> RedisStorage:
    from redis.backoff import NoBackoff  # which costs a worker a quarter of a second and much memory
    from redis.retry import Retry

    options: dict[str, Any] = dict.fromkeys(("socket_timeout", "socket_connect_timeout"), _PATIENCE_S)
    options["retry"] = Retry(NoBackoff(), 1)  # a connection that a restart of the server broke is made anew
    return RedisStorage(address, key_prefix="solflis:rate", wrap_exceptions=True, **options)


class FileStorage:
    """Moving windows as those of `limits.storage`, in a SQLite file that the workers of a host share; for one thread.

    Hits are lost in a power cut, not with a process.

    Parameters
    ----------
    file : Path
    """

    def __init__(self, file: Path) -> None:
        engine = make_engine(URL.create("sqlite", database=str(file.resolve())), create=True, durable=False)
        event.listen(engine, "connect", lambda connection, _: connection.executescript(_SCHEMA))
        self._held = HeldConnection(engine, file)
        self._cursor: Any = None
        self._tidied = 0.0
        self.close = self._held.close

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Lock the file: what is tested and then taken inside is one step for all workers.

        Raises
        ------
        SQLAlchemyError, sqlite3.Error, OSError
        """
        with self._held.transaction(WRITES) as connection:
            self._cursor = connection.connection.cursor()
            yield

    def get_moving_window(self, key: str, limit: int, expiry: int) -> tuple[float, int]:  # noqa: ARG002
        """Return the moment of the oldest hit in the window, and how many there are."""
        now = time.time()
        [(oldest, count)] = self._cursor.execute(_IN_WINDOW, (key, now - expiry))
        return oldest or now, count

    def acquire_entry(self, key: str, limit: int, expiry: int) -> bool:  # noqa: ARG002
        """Take a place in a window, in a transaction that has seen room in it."""
        now = time.time()
        self._cursor.execute("INSERT INTO hit VALUES (?, ?, ?)", (key, now, now + expiry))
        if not 0 <= now - self._tidied < _TIDY_S:
            self._tidied = now
            self._cursor.execute(_TIDY, (now, _TIDY_ROWS))
        return True
