"""Engines on the database: one address, SQLite or PostgreSQL, for tasks and for threads."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import URL, Engine, event, make_url
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from api.database.write_ahead import write_ahead

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


def make_engine(url: URL, *, create: bool = False, durable: bool = True) -> Engine:
    """Return an engine for use in threads.

    Parameters
    ----------
    url : URL
        From `address`.
    create : bool
        Whether a missing SQLite file is made; otherwise it is an error.
    durable : bool
        Whether a commit to SQLite outlives a power cut. A killed process loses no commit in any case.
    """
    engine = sa.create_engine(_file_uri(url, "sqlite", create), **_options(url))
    _prepare_sqlite(engine, durable)
    return engine


def make_async_engine(url: URL) -> AsyncEngine:
    """Return an engine for use in tasks; its commits are durable, a missing SQLite file is an error."""
    engine = create_async_engine(_file_uri(url, "sqlite+aiosqlite", create=False), **_options(url))
    _prepare_sqlite(engine.sync_engine, durable=True)
    return engine


def _file_uri(url: URL, driver: str, create: bool) -> URL:
    file = sqlite_file(url)
    if file is None:
        return url
    query = {"uri": "true", "mode": "rwc" if create else "rw"}
    return URL.create(driver, database=file.as_uri(), query=query)


def _options(url: URL) -> dict[str, Any]:
    if sqlite_file(url) is not None:
        return {"connect_args": {"timeout": WAIT_S}}
    milliseconds = int(WAIT_S * 1000)
    timeouts = {"statement": 1, "lock": 1, "idle_in_transaction_session": 2}
    limits = " ".join(f"-c {name}_timeout={milliseconds * times}" for name, times in timeouts.items())
    # A host that is gone says nothing: it is noticed within 12 s.
    alive = {"keepalives_idle": 5, "keepalives_interval": 2, "keepalives_count": 3}
    return {
        "connect_args": {"connect_timeout": 2, "options": limits, "tcp_user_timeout": 2 * milliseconds, **alive},
        # A stricter one, which a server may have as its default, refuses those who wait for the same row.
        "isolation_level": "READ COMMITTED",
        "pool_timeout": WAIT_S,
        "pool_pre_ping": True,
    }


def _prepare_sqlite(engine: Engine, durable: bool) -> None:
    """Set what a SQLite connection needs; PostgreSQL needs nothing."""
    if engine.dialect.name != "sqlite":
        return
    event.listen(engine, "connect", _on_connect("FULL" if durable else "NORMAL"))
    event.listen(engine, "begin", _begin)


def _on_connect(synchronous: str) -> Callable[[Any, Any], None]:
    def prepare(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # transactions begin where `_begin` says so
        cursor = connection.cursor()
        write_ahead(cursor, WAIT_S)
        # The log goes back into the file each 16 MB, not 4: a page that many charges wrote is then written once.
        for pragma in (f"synchronous={synchronous}", "foreign_keys=ON", "wal_autocheckpoint=4000"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    return prepare


def _begin(connection: sa.Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get("sqlite_begin", WRITES["sqlite_begin"]))
