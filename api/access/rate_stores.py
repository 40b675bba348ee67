"""Where rate limits are counted: a SQLite file that the workers of a host share, or a Redis that hosts share.

A window moves: of the moments of the last hits as many are kept as the rule allows, and there is room when the oldest of
them is out of the window. So there are never more than the rule allows in *any* window, where windows that stand would
let twice as many through around their edge. One transaction (or script, which Redis runs as one) looks at all rules and
then takes from all or from none, by one clock: that of the host, or of Redis. Strategies of `limits` take one rule at a
time.
"""

import asyncio
import os
import sqlite3
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple, Protocol

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError

PATIENCE_S = 1.0
_TIDY_S = 60.0
_TIDY_ROWS = 10_000


class StoreAway(Exception):
    """The store does not answer, or not as it should."""


class Window(NamedTuple):
    """At most `amount` hits of `key` in any `seconds`."""

    key: str
    amount: int
    seconds: int


class Store(Protocol):
    """Counts hits."""

    async def acquire(self, windows: Sequence[Window]) -> float:
        """Take a place in every window, or, where one is full, in none.

        Returns
        -------
        float
            How long to wait until there is room in all, s; 0 where the places are taken.

        Raises
        ------
        StoreAway
        """
        ...

    async def close(self) -> None:
        """Let go of what is open."""
        ...


class FileStore:
    """A SQLite file; hits are lost in a power cut, not with a process.

    Parameters
    ----------
    file : Path
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="rates")
        self._connection: sqlite3.Connection | None = None
        self._opened: tuple[int, int] | None = None
        self._tidied = 0.0

    async def acquire(self, windows: Sequence[Window]) -> float:
        """Take a place in every window, or in none."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._acquire, windows)

    async def close(self) -> None:
        """Close the file."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._close)
        self._thread.shutdown(wait=False)

    def _acquire(self, windows: Sequence[Window]) -> float:
        try:
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            wait = self._take(connection, windows, time.time())
            connection.execute("COMMIT")
        except (sqlite3.Error, OSError) as error:
            self._close()  # which rolls back; the next one begins anew
            raise StoreAway(f"{self._file}: {error}") from error
        return wait

    def _take(self, connection: sqlite3.Connection, windows: Sequence[Window], now: float) -> float:
        wait = 0.0
        for key, amount, seconds in windows:
            last = "SELECT moment FROM hit WHERE key = ? ORDER BY moment DESC LIMIT 1 OFFSET ?"
            for (moment,) in connection.execute(last, (key, amount - 1)):
                wait = max(wait, moment + seconds - now)
        if wait > 0:
            return wait
        for key, _, seconds in windows:
            connection.execute("INSERT INTO hit VALUES (?, ?, ?)", (key, now, now + seconds))
        if not 0 <= now - self._tidied < _TIDY_S:
            self._tidied = now
            past = "DELETE FROM hit WHERE rowid IN (SELECT rowid FROM hit WHERE expires <= ? LIMIT ?)"
            connection.execute(past, (now, _TIDY_ROWS))
        return 0.0

    def _open(self) -> sqlite3.Connection:
        """Return the connection to the file that is there now: it may have been removed meanwhile."""
        if self._connection is not None and self._identity() == self._opened:
            return self._connection
        self._close()
        self._file.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(self._file, os.O_RDWR | os.O_CREAT, 0o600))
        self._connection = sqlite3.connect(
            self._file, timeout=PATIENCE_S, isolation_level=None, check_same_thread=False
        )
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=NORMAL")
        self._connection.executescript(
            """
            CREATE TABLE IF NOT EXISTS hit (key TEXT NOT NULL, moment REAL NOT NULL, expires REAL NOT NULL);
            CREATE INDEX IF NOT EXISTS hit_key ON hit (key, moment);
            CREATE INDEX IF NOT EXISTS hit_expires ON hit (expires);
            """
        )
        self._opened = self._identity()
        return self._connection

    def _identity(self) -> tuple[int, int] | None:
        try:
            status = self._file.stat()
        except FileNotFoundError:
            return None
        return status.st_dev, status.st_ino

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


_SCRIPT = """
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local wait = 0
for i, key in ipairs(KEYS) do
    local moment = redis.call('LINDEX', key, ARGV[2 * i - 1] - 1)
    if moment then
        wait = math.max(wait, moment + ARGV[2 * i] - now)
    end
end
if wait == 0 then
    for i, key in ipairs(KEYS) do
        redis.call('LPUSH', key, string.format('%.6f', now))
        redis.call('LTRIM', key, 0, ARGV[2 * i - 1] - 1)
        redis.call('EXPIRE', key, ARGV[2 * i] + 1)
    end
end
return string.format('%.6f', wait)
"""


class RedisStore:
    """A Redis server.

    Parameters
    ----------
    url : str
        `redis://...`

    Raises
    ------
    ValueError
        It is no such address.
    """

    def __init__(self, url: str) -> None:
        pool = BlockingConnectionPool.from_url(
            url,
            max_connections=32,
            timeout=PATIENCE_S,
            socket_timeout=PATIENCE_S,
            socket_connect_timeout=PATIENCE_S,
            # A connection that a restart of the server broke is made anew; what timed out may have been counted.
            retry=Retry(NoBackoff(), 1, (RedisConnectionError,)),
        )
        self._client = Redis.from_pool(pool)
        self._script = self._client.register_script(_SCRIPT)

    async def acquire(self, windows: Sequence[Window]) -> float:
        """Take a place in every window, or in none."""
        keys = [f"solflis:rate:{window.key}" for window in windows]
        arguments = [number for window in windows for number in (window.amount, window.seconds)]
        try:
            return float(await self._script(keys=keys, args=arguments))
        except (RedisError, OSError) as error:
            raise StoreAway(f"Redis: {error}") from error

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()
