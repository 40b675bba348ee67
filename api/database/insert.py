"""INSERT with ON CONFLICT, which both databases have and SQLAlchemy keeps by dialect."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite


def insert(table: sa.Table, dialect: str) -> Any:
    """Return an INSERT that knows `on_conflict_do_nothing` and `on_conflict_do_update`.

    Parameters
    ----------
    table : Table
    dialect : str
        `sqlite` or `postgresql`.
    """
    return postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)
