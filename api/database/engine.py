"""Engines on the database: one address, SQLite or PostgreSQL, for tasks and for threads."""

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import URL, Connection, Engine, event, make_url
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

# Counted routes answer within 2 s whatever the database does: it gets less.
WAIT_S = 1.0
_FORMS = "expected sqlite:///path or postgresql://user:password@host/name"
# How a SQLite transaction begins, as an execution option: writers take the lock at once, or two readers that
# both want to write would refuse each other.
READS = {"sqlite_begin": "BEGIN"}
WRITES = {"sqlite_begin": "BEGIN IMMEDIATE"}


class DatabaseError(Exception):
    """The database's address cannot be used, or the database is not ours; the text says what to do."""


class DatabaseAway(DatabaseError):
    """The database does not answer now, or not as it should; it may later."""


def address(text: str | None, state: Path) -> URL:
    """Return the database's address.

    Parameters
    ----------
    text : str or None
        `sqlite:///path` or `postgresql://...`; None is `solflis.sqlite` in the state folder.
    state : Path

    Raises
    ------
    DatabaseError
        It is neither.
    """
    try:
        url = make_url(text) if text else URL.create("sqlite", database=str(state / "solflis.sqlite"))
    except (sa.exc.ArgumentError, ValueError) as error:
        raise DatabaseError(f"SOLFLIS_DATABASE: {_FORMS}") from error
    if url.get_backend_name() == "postgresql" and url.database:
        return url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() == "sqlite" and url.database and url.database != ":memory:":
        return url.set(drivername="sqlite", database=str(Path(url.database).resolve()), query={})
    raise DatabaseError(f"SOLFLIS_DATABASE: {_FORMS}")


def sqlite_file(url: URL) -> Path | None:
    """Return the file of a SQLite database, None where it is PostgreSQL."""
    return Path(str(url.database)) if url.get_backend_name() == "sqlite" else None


def truncate_log(url: URL) -> bool:
    """Empty SQLite's write-ahead log, in which pages lie as they were; return False where somebody is reading.

    PostgreSQL needs no such thing.
    """
    if (file := sqlite_file(url)) is None:
        return True
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=rw", WAIT_S, isolation_level=None, uri=True)) as connection:
        [(is_busy, _, _)] = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return not is_busy


def make_engine(url: URL, *, create: bool = False, durable: bool = True) -> Engine:
    """Return an engine for use in threads.

    Parameters
    ----------
    url : URL
        From `address`.
    create : bool
        Whether a missing SQLite file is made, for its owner alone; otherwise it is an error.
    durable : bool
        Whether a commit to SQLite outlives a power cut. A killed process loses no commit in any case.
    """
    engine = sa.create_engine(_file_uri(url, "sqlite", create), **_options(url))
    if create and (file := sqlite_file(url)) is not None:
        event.listen(engine, "do_connect", lambda *_: _make_file(file))
    return _prepared(engine, durable)


@contextmanager
def opened(url: URL) -> Iterator[Engine]:
    """Yield an engine for use in threads, as `make_engine`, for one piece of work."""
    engine = make_engine(url)
    try:
        yield engine
    finally:
        engine.dispose()


def make_async_engine(url: URL, *, durable: bool = True) -> AsyncEngine:
    """Return an engine for use in tasks, as `make_engine`; a missing SQLite file is an error."""
    engine = create_async_engine(_file_uri(url, "sqlite+aiosqlite", create=False), **_options(url))
    _prepared(engine.sync_engine, durable)
    return engine


class HeldConnection:
    """A connection for one thread, held open between transactions.

    It is opened anew after an error, and where the file of SQLite is another: one that was moved away would otherwise
    go on being written, unseen.

    Parameters
    ----------
    engine : Engine
    file : Path or None
        Of SQLite.
    """

    def __init__(self, engine: Engine, file: Path | None) -> None:
        self._engine, self._file, self._inode = engine, file, 0
        self._open: Connection | None = None

    @contextmanager
    def transaction(self, mode: Mapping[str, str]) -> Iterator[Connection]:
        """Yield the connection in a transaction that begins as `READS` or `WRITES`."""
        try:
            inode = _inode(self._file)
            if self._open is None or inode != self._inode:
                self.close()
                self._open, self._inode = self._engine.connect(), inode
            with self._open.execution_options(**mode).begin():
                yield self._open
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the connection."""
        if self._open is not None:
            with suppress(sa.exc.SQLAlchemyError, OSError, self._engine.dialect.loaded_dbapi.Error):
                self._open.invalidate()
                self._open.close()
            self._open = None


def _inode(file: Path | None) -> int:
    try:
        return 0 if file is None else os.stat(file).st_ino  # noqa: PTH116 -- a third of the time
    except FileNotFoundError:
        return 0


def _make_file(file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch(mode=0o600)  # SQLite gives its other files the same mode


def _file_uri(url: URL, driver: str, create: bool) -> URL:
    file = sqlite_file(url)
    if file is None:
        return url
    query = {"uri": "true", "mode": "rwc" if create else "rw"}
    return URL.create(driver, database=file.as_uri(), query=query)


def _options(url: URL) -> dict[str, Any]:
    # hidden: what is stored never gets into the log
    if sqlite_file(url) is not None:
        return {"connect_args": {"timeout": WAIT_S}, "hide_parameters": True}
    connect = {"connect_timeout": 2, "tcp_user_timeout": int(WAIT_S * 2000)}
    # A host that is gone says nothing: it is noticed within 12 s.
    connect |= {"keepalives_idle": 5, "keepalives_interval": 2, "keepalives_count": 3}
    return {
        # A pooler such as pgbouncer gives each transaction another session: nothing may be prepared or set in one.
        "connect_args": {**connect, "prepare_threshold": None},
        # A stricter one, which a server may have as its default, refuses those who wait for the same row.
        "isolation_level": "READ COMMITTED",
        "hide_parameters": True,
        "pool_timeout": WAIT_S,
        "pool_pre_ping": True,
    }


def _prepared(engine: Engine, durable: bool) -> Engine:
    """Return an engine after setting what its connections and transactions need."""
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", partial(_set_up, "FULL" if durable else "NORMAL"))
        event.listen(engine, "begin", _begin)
    else:
        event.listen(engine, "begin", _limit_time)
    return engine


def _set_up(synchronous: str, connection: Any, _: Any) -> None:
    connection.isolation_level = None  # transactions begin where `_begin` says so
    cursor = connection.cursor()
    # The file stays as it is set. Where others use it just now, SQLite refuses at once: the next connection tries.
    with suppress(sqlite3.OperationalError):
        cursor.execute("PRAGMA journal_mode=WAL")
    # The log goes back into the file each 16 MB, not 4: a page that many charges wrote is then written once.
    # What is deleted is overwritten: nothing of a plant is left in the file.
    for pragma in (f"synchronous={synchronous}", "foreign_keys=ON", "wal_autocheckpoint=4000", "secure_delete=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get("sqlite_begin", WRITES["sqlite_begin"]))


def _limit_time(connection: Connection) -> None:
    milliseconds = int(WAIT_S * 1000)
    limits = {"statement": 1, "lock": 1, "idle_in_transaction_session": 2}
    connection.exec_driver_sql(
        ";".join(f"SET LOCAL {name}_timeout = {milliseconds * times}" for name, times in limits.items())
    )
