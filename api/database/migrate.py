"""Migrate a database: its address comes by stdin to `python -m api.database.migrate`."""

import fcntl
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import URL, make_url

from api.database.engine import make_engine, sqlite_file
from api.database.tables import metadata

_FOLDER = Path(__file__).parent / "migrations"
# Any number that nobody else uses for an advisory lock of PostgreSQL's.
_ADVISORY_LOCK = 0x501F115


def configuration(connection: sa.Connection | None = None) -> Config:
    """Return Alembic's configuration, for an open connection where one is given."""
    made = Config()
    made.set_main_option("script_location", str(_FOLDER))
    made.attributes["connection"] = connection
    return made


def migrate(url: URL) -> str:
    """Bring a database to the newest revision, alone: others who want the same wait and find it done.

    An empty one gets the tables as they are now, any other one the revisions that it lacks.

    Returns
    -------
    str
        What was done, in words; empty where there was nothing to do.
    """
    with _alone(url):
        engine = make_engine(url, create=True)
        try:
            with engine.begin() as connection:
                if connection.dialect.name == "postgresql":
                    for timeout in ("statement", "lock", "idle_in_transaction_session"):
                        connection.execute(sa.text(f"SET LOCAL {timeout}_timeout = 0"))
                    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_ADVISORY_LOCK)))
                before = _revision(connection)
                if before is None:
                    metadata.create_all(connection)
                    command.stamp(configuration(connection), "head")
                else:
                    command.upgrade(configuration(connection), "head")
                after = _revision(connection)
        finally:
            engine.dispose()
    return "" if before == after else f"migrated from {before or 'nothing'} to {after}"


def _revision(connection: sa.Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


@contextmanager
def _alone(url: URL) -> Iterator[None]:
    """Hold a lock file beside a SQLite database; PostgreSQL has its own lock."""
    file = sqlite_file(url)
    if file is None:
        yield
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.with_name(f"{file.name}.migrating").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def main() -> int:
    """Run as a command; return the exit code."""
    try:
        print(migrate(make_url(sys.stdin.read())))
    except (sa.exc.SQLAlchemyError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
