"""The schema: one migration whoever starts first, and the tables that the code declares."""

import asyncio
import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from api.access.secret import Secret
from api.database.current import REVISION, is_current, make_current
from api.database.database import Database
from api.database.engine import DatabaseError, address, make_engine
from api.database.migrate import configuration, migrate
from api.database.tables import metadata


@contextmanager
def connected(url: sa.URL) -> Iterator[sa.Connection]:
    engine = make_engine(url)
    with engine.begin() as connection:
        yield connection
    engine.dispose()


def test_the_revision_is_the_newest_script() -> None:
    assert ScriptDirectory.from_config(configuration()).get_current_head() == REVISION


@pytest.mark.parametrize("is_old", [False, True], ids=["new", "of the first revision"])
def test_the_migrations_make_the_tables_that_are_declared(database_url: str, tmp_path: Path, is_old: bool) -> None:
    url = address(database_url, tmp_path)
    if is_old:
        with connected(url) as connection:
            later = "lead job partner plant_month plant_upload plant_mapping plant_weather plant"
            for name in later.split():  # the first revision lacked them
                metadata.tables[name].drop(connection)
            connection.execute(sa.text("UPDATE alembic_version SET version_num = '0001'"))
        assert migrate(url) == f"migrated from 0001 to {REVISION}"
    with connected(url) as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


async def test_several_at_once_on_an_empty_database_migrate_once(empty_database_url: str, tmp_path: Path) -> None:
    url = address(empty_database_url, tmp_path)
    await asyncio.gather(*(make_current(url) for _ in range(3)))
    with connected(url) as connection:
        assert connection.execute(sa.text("SELECT version_num FROM alembic_version")).all() == [(REVISION,)]
    assert is_current(url)


def test_a_new_file_that_another_process_writes_just_now(tmp_path: Path) -> None:
    url = address(None, tmp_path)
    with sqlite3.connect(str(url.database), isolation_level=None, check_same_thread=False) as other:
        other.execute("BEGIN IMMEDIATE")
        done = threading.Timer(0.3, other.execute, ("COMMIT",))
        done.start()
        assert migrate(url) == f"migrated from nothing to {REVISION}"
        done.join()


def test_only_its_owner_reads_a_sqlite_file(tmp_path: Path) -> None:
    file = tmp_path / "new.sqlite"
    migrate(address(f"sqlite:///{file}", tmp_path))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


async def test_newer_code_was_here(database_url: str, tmp_path: Path) -> None:
    url = address(database_url, tmp_path)
    with connected(url) as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(DatabaseError, match="newer code"):
        await make_current(url)


def test_a_missing_sqlite_file_is_not_made_by_looking(tmp_path: Path) -> None:
    assert not is_current(address(None, tmp_path))
    assert list(tmp_path.iterdir()) == []


async def test_a_database_that_nobody_serves(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="reached"):
        await make_current(address(f"postgresql://x:hidden@/solflis?host={tmp_path}", tmp_path))


@pytest.mark.parametrize("text", ["mysql://x/y", "sqlite://", "sqlite:///:memory:", "nonsense", "postgresql://host"])
def test_what_is_no_address(text: str, tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="SOLFLIS_DATABASE"):
        address(text, tmp_path)


async def test_of_two_secrets_at_once_one_has_the_database(empty_database_url: str, tmp_path: Path) -> None:
    url = address(empty_database_url, tmp_path)
    await make_current(url)
    several = [Database(url, Secret(f"the secret of host {n}".encode())) for n in range(4)]

    async def prepare(one: Database) -> None:
        while True:
            try:
                return await one.prepare()
            except sa.exc.OperationalError:  # the others had the database all the time
                continue

    outcomes = await asyncio.gather(*(prepare(one) for one in several), return_exceptions=True)
    assert [one.ready for one in several].count(True) == 1
    refused = [outcome for outcome in outcomes if outcome is not None]
    assert {type(outcome) for outcome in refused} == {DatabaseError}
    for one in several:
        await one.engine.dispose()
