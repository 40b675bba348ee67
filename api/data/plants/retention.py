"""Which plants nobody uses any more: their owners are told, then they are deleted."""

from datetime import datetime, timedelta
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import Connection

from api.data.plants import store
from api.database.tables import account, plant

UNUSED = timedelta(days=365)
"""After so long without use a plant is deleted."""

NOTICE = timedelta(days=30)
"""So long before its owner is told."""


class Unused(NamedTuple):
    """A plant that was hardly used, and the address of its owner, where there is one."""

    plant_id: str
    email: str | None
    created_at: datetime
    used_at: datetime
    warned_at: datetime | None

    def deleted_at(self, now: datetime) -> datetime:
        """Return when it is deleted, unless it is used before: its owner is told so long before."""
        return max(self.used_at + UNUSED, (self.warned_at or now) + NOTICE)


def unused(connection: Connection, now: datetime) -> list[Unused]:
    """Return the plants that are soon to be deleted, or now."""
    columns = plant.c.id, account.c.email, plant.c.created_at, plant.c.used_at, plant.c.warned_at
    rows = sa.select(*columns).select_from(plant.outerjoin(account))
    return [Unused(*row) for row in connection.execute(rows.where(_unused_at(now + NOTICE)).order_by(plant.c.number))]


def delete_unused(connection: Connection, plant_id: str, now: datetime) -> bool:
    """Delete a plant, unless it was used meanwhile; return whether it was deleted."""
    theirs = sa.select(plant.c.id).where(plant.c.id == plant_id, _unused_at(now)).with_for_update()
    if connection.scalar(theirs) is None:
        return False
    store.delete(connection, [plant_id])
    return True


def note_told(connection: Connection, plant_id: str, now: datetime) -> None:
    """Note that an owner was told."""
    connection.execute(sa.update(plant).where(plant.c.id == plant_id).values(warned_at=now))


def _unused_at(moment: datetime) -> sa.ColumnElement[bool]:
    return plant.c.used_at <= moment - UNUSED
