"""The schema: one migration whoever starts first, and the tables that the code declares."""

import asyncio
import sqlite3
import stat
import threading
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from api.access.secret import Secret
from api.database.current import REVISION, is_current, make_current
from api.database.database import Database
from api.database.engine import DatabaseError, address, make_async_engine, make_engine
from api.database.migrate import configuration, migrate
from api.database.tables import metadata


def test_the_revision_is_the_newest_script() -> None:
    assert ScriptDirectory.from_config(configuration()).get_current_head() == REVISION


def test_the_migrations_make_the_tables_that_are_declared(database_url: str, tmp_path: Path) -> None:
    engine = make_engine(address(database_url, tmp_path))
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
    engine.dispose()


async def test_several_at_once_on_an_empty_database_migrate_once(empty_database_url: str, tmp_path: Path) -> None:
    url = address(empty_database_url, tmp_path)
    await asyncio.gather(*(make_current(url) for _ in range(3)))
    engine = make_engine(url)
    with engine.connect() as connection:
        assert connection.execute(sa.text("SELECT version_num FROM alembic_version")).all() == [(REVISION,)]
    engine.dispose()
    assert is_current(url)


@pytest.mark.parametrize("revision", ["head", None], ids=["migrated", "looked at"])
async def test_a_new_file_that_another_process_changes_just_now(tmp_path: Path, revision: str | None) -> None:
    """Whoever looks whether it is migrated changes it to a write-ahead log too; SQLite then refuses others at once."""
    url = address(None, tmp_path)
    other = sqlite3.connect(str(url.database), isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    done = threading.Timer(0.3, other.execute, ("COMMIT",))
    done.start()
    if revision is not None:
        assert migrate(url, revision) == f"migrated from nothing to {REVISION}"
    else:
        engine = make_async_engine(url)
        await (await engine.connect()).close()
        await engine.dispose()
    done.join()
    other.close()


def test_only_its_owner_reads_a_sqlite_file(tmp_path: Path) -> None:
    file = tmp_path / "new.sqlite"
    migrate(address(f"sqlite:///{file}", tmp_path))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


async def test_newer_code_was_here(database_url: str, tmp_path: Path) -> None:
    url = address(database_url, tmp_path)
    engine = make_engine(url)
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()
    with pytest.raises(DatabaseError, match="newer code"):
        await make_current(url)


async def test_a_missing_sqlite_file_is_not_made_by_looking(tmp_path: Path) -> None:
    url = address(None, tmp_path)
    assert not is_current(url)
    engine = make_async_engine(url)
    with pytest.raises(sa.exc.OperationalError):
        await engine.connect()
    await engine.dispose()
    # aiosqlite does not wait for the thread of a connection that failed, which still has a word for this test's loop.
    for thread in threading.enumerate():
        if "_connection_worker_thread" in thread.name:
            await asyncio.to_thread(thread.join, 10)
    assert list(tmp_path.iterdir()) == []


async def test_a_database_that_nobody_serves(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="reached"):
        await make_current(address(f"postgresql://x:hidden@/solflis?host={tmp_path}", tmp_path))


@pytest.mark.parametrize(
    "text", ["mysql://x/y", "sqlite://", "sqlite:///:memory:", "nonsense", "postgresql://host", "postgresql://h:port/x"]
)
def test_what_is_no_address(text: str, tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="SOLFLIS_DATABASE"):
        address(text, tmp_path)


@pytest.mark.usefixtures("patient_database")
async def test_of_two_secrets_at_once_one_has_the_database(empty_database_url: str, tmp_path: Path) -> None:
    url = address(empty_database_url, tmp_path)
    await make_current(url)
    several = [Database(url, Secret(f"the secret of host {n}".encode())) for n in range(4)]
    outcomes = await asyncio.gather(*(one.prepare() for one in several), return_exceptions=True)
    assert [one.ready for one in several].count(True) == 1
    refused = [outcome for outcome in outcomes if outcome is not None]
    assert {type(outcome) for outcome in refused} == {DatabaseError}
    for one in several:
        await one.engine.dispose()
