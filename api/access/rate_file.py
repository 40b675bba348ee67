"""Rate limits in a SQLite file."""

import asyncio
import os
import sqlite3
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from api.access.rate_store import PATIENCE_S, StoreAway, Taken, Window
from api.database.write_ahead import write_ahead

_TIDY_S = 60.0
_TIDY_ROWS = 10_000
_SCHEMA = """
CREATE TABLE IF NOT EXISTS hit (key TEXT NOT NULL, moment REAL NOT NULL, expires REAL NOT NULL);
CREATE INDEX IF NOT EXISTS hit_key ON hit (key, moment);
CREATE INDEX IF NOT EXISTS hit_expires ON hit (expires);
"""
_LAST = "SELECT moment FROM hit WHERE key = ? ORDER BY moment DESC LIMIT 1 OFFSET ?"
_IN_WINDOW = "SELECT count(*) FROM hit WHERE key = ? AND moment > ?"
_TIDY = "DELETE FROM hit WHERE rowid IN (SELECT rowid FROM hit WHERE expires <= ? LIMIT ?)"


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

    async def acquire(self, windows: Sequence[Window]) -> Taken:
        """Take a place in every window, or in none."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._acquire, windows)

    async def close(self) -> None:
        """Close the file."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._close)
        self._thread.shutdown(wait=False)

    def _acquire(self, windows: Sequence[Window]) -> Taken:
        try:
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            now = time.time()
            taken = Taken(self._take(connection, windows, now), _left(connection, windows, now))
            connection.execute("COMMIT")
        except (sqlite3.Error, OSError) as error:
            self._close()  # which rolls back; the next one begins anew
            raise StoreAway(f"{self._file}: {error}") from error
        return taken

    def _take(self, connection: sqlite3.Connection, windows: Sequence[Window], now: float) -> float:
        wait = 0.0
        for key, amount, seconds in windows:
            for (moment,) in connection.execute(_LAST, (key, amount - 1)):
                wait = max(wait, moment + seconds - now)
        if wait > 0:
            return wait
        for key, _, seconds in windows:
            connection.execute("INSERT INTO hit VALUES (?, ?, ?)", (key, now, now + seconds))
        if not 0 <= now - self._tidied < _TIDY_S:
            self._tidied = now
            connection.execute(_TIDY, (now, _TIDY_ROWS))
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
        write_ahead(self._connection, PATIENCE_S)
        self._connection.execute("PRAGMA synchronous=NORMAL")
        self._connection.executescript(_SCHEMA)
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


def _left(connection: sqlite3.Connection, windows: Sequence[Window], now: float) -> tuple[int, ...]:
    left = []
    for key, amount, seconds in windows:
        [[inside]] = connection.execute(_IN_WINDOW, (key, now - seconds))
        left.append(max(0, amount - inside))
    return tuple(left)
