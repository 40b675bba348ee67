"""PostgreSQL behind a pooler of transactions."""

import asyncio
from pathlib import Path

import sqlalchemy as sa

from api.access.secret import Secret
from api.database.database import Database
from api.database.engine import address, make_engine
from tests.support.database import Postgres, in_url
from tests.support.pooler import pooler


async def test_the_database_works_behind_a_pooler_of_transactions(postgres: Postgres, tmp_path: Path) -> None:
    async with pooler(postgres.make()) as pooled:
        url = address(in_url(pooled.url), tmp_path)
        database = Database(url, Secret(b"of this test"))
        await database.prepare()
        for _ in range(12):  # a driver that prepares statements does so after some times
            async with database.engine.begin() as connection:
                assert await connection.scalar(sa.text("SHOW statement_timeout")) == "1s"
                assert await connection.scalar(sa.text("SELECT CAST(:n AS integer)"), {"n": 7}) == 7
        await database.engine.dispose()
        assert await asyncio.to_thread(_limits, url) == ["1s", "1s", "2s"]


def _limits(url: sa.URL) -> list[str]:
    engine = make_engine(url)
    with engine.begin() as connection:
        names = ("statement", "lock", "idle_in_transaction_session")
        found = [str(connection.scalar(sa.text(f"SHOW {name}_timeout"))) for name in names]
    engine.dispose()
    return found
