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


class Owner(NamedTuple):
    """A plant whose owner is to be told, and when the plant will be deleted."""

    plant_id: str
    email: str
    created_at: datetime
    used_at: datetime

    @property
    def deleted_at(self) -> datetime:
        """Return when it is deleted, unless it is used before."""
        return self.used_at + UNUSED


def unused(connection: Connection, now: datetime) -> list[str]:
    """Return the ids of plants that are to be deleted."""
    return list(connection.scalars(sa.select(plant.c.id).where(_unused(now)).order_by(plant.c.number)))


def delete_unused(connection: Connection, plant_id: str, now: datetime) -> bool:
    """Delete a plant, unless it was used meanwhile; return whether it was deleted."""
    theirs = sa.select(plant.c.id).where(plant.c.id == plant_id, _unused(now)).with_for_update()
    if connection.scalar(theirs) is None:
        return False
    store.delete(connection, [plant_id])
    return True


def to_tell(connection: Connection, now: datetime) -> list[Owner]:
    """Return the plants whose owners are to be told, and have not been, where their address is known."""
    soon = (plant.c.used_at <= now - (UNUSED - NOTICE)) & ~_unused(now) & plant.c.warned_at.is_(None)
    columns = plant.c.id, account.c.email, plant.c.created_at, plant.c.used_at
    return [Owner(*row) for row in connection.execute(sa.select(*columns).join_from(plant, account).where(soon))]


def note_told(connection: Connection, plant_id: str, now: datetime) -> None:
    """Note that an owner was told."""
    connection.execute(sa.update(plant).where(plant.c.id == plant_id).values(warned_at=now))


def _unused(now: datetime) -> sa.ColumnElement[bool]:
    return plant.c.used_at <= now - UNUSED
