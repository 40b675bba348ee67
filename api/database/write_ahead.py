"""Having a SQLite file use a write-ahead log, where several processes may open a new one at the same moment."""

import sqlite3
from typing import Any, Protocol

from tenacity import Retrying, retry_if_exception, stop_after_delay, wait_fixed

# SQLite's codes have the kind of the error in their last byte.
_KIND = 0xFF


class _Asked(Protocol):
    """A connection or a cursor."""

    def execute(self, sql: str, /) -> Any: ...


def write_ahead(asked: _Asked, patience_s: float) -> None:
    """Have the file use a write-ahead log.

    While somebody else changes a new file to one, SQLite refuses at once instead of waiting as it does for all else.
    That takes milliseconds, for which this waits in the caller's thread, be it the event loop's; later it asks once.

    Parameters
    ----------
    asked : connection or cursor
    patience_s : float
        How long to go on asking, s.

    Raises
    ------
    sqlite3.Error
    """
    patient = Retrying(
        retry=retry_if_exception(_is_busy), wait=wait_fixed(0.005), stop=stop_after_delay(patience_s), reraise=True
    )
    patient(asked.execute, "PRAGMA journal_mode=WAL")


def _is_busy(error: BaseException) -> bool:
    return bool(getattr(error, "sqlite_errorcode", 0) & _KIND == sqlite3.SQLITE_BUSY)
