"""Plants as the operator sees them: never where they are."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection

from api.data.plants import measurements, store
from api.database.engine import READS
from infra.accounts import Accounts


class Row(NamedTuple):
    """A plant."""

    id: str
    account: int
    created_at: datetime
    used_at: datetime
    hours: int


async def rows(accounts: Accounts) -> list[Row]:
    """Return all plants, the oldest first."""
    async with accounts.engine.execution_options(**READS).connect() as connection:
        return await connection.run_sync(_rows)


def _rows(connection: Connection) -> list[Row]:
    hours = measurements.hours_by_plant(connection)
    plants = store.every(connection)
    return [Row(one.id, one.account, one.created_at, one.used_at, hours.get(one.id, 0)) for one in plants]
