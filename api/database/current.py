"""Whether the database has the schema of this code; it is brought there where it has not."""

import asyncio
import logging
import sys

import sqlalchemy as sa
from sqlalchemy import URL

from api.database.engine import READS, DatabaseAway, DatabaseError, make_engine

REVISION = "0005"
"""The newest revision in `migrations/versions`; a test holds it to that."""

# Others may be migrating a large database: they are waited for.
_TIMEOUT_S = 120.0

log = logging.getLogger("solflis.api")


def is_current(url: URL) -> bool:
    """Return whether the database exists and has this code's schema.

    Raises
    ------
    DatabaseAway
        It cannot be reached.
    DatabaseError
        It was made by newer code.
    """
    engine = make_engine(url).execution_options(**READS)
    try:
        with engine.connect() as connection:
            if not sa.inspect(connection).has_table("alembic_version"):
                return False
            revision = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
    except sa.exc.OperationalError as error:
        if url.get_backend_name() == "sqlite":
            return False  # the file is not there yet; or whoever migrates will say what is wrong
        raise DatabaseAway(f"the database cannot be reached: {error.orig}") from error
    finally:
        engine.dispose()
    if revision is not None and revision > REVISION:
        raise DatabaseError(f"the database has revision {revision}, made by newer code than this ({REVISION})")
    return bool(revision == REVISION)


async def make_current(url: URL) -> None:
    """Migrate where that is needed; of several that do so at once, one does it and the others wait.

    Alembic runs in a process of its own: no worker carries it.

    Raises
    ------
    DatabaseAway
        The database cannot be reached, or does not take the migration.
    DatabaseError
        It was made by newer code.
    """
    if await asyncio.to_thread(is_current, url):
        return
    command = [sys.executable, "-m", "api.database.migrate"]
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    try:
        address = url.render_as_string(hide_password=False)  # by stdin: arguments are seen by everybody
        done, errors = await asyncio.wait_for(process.communicate(address.encode()), _TIMEOUT_S)
    except TimeoutError as error:
        process.kill()
        await process.wait()
        raise DatabaseAway(f"the database was not migrated within {_TIMEOUT_S:.0f} s") from error
    if process.returncode != 0:
        raise DatabaseAway(f"the database cannot be migrated: {errors.decode(errors='replace').strip()[-2000:]}")
    if done.strip():
        log.info("the database was %s", done.decode().strip())
