"""Partners: who has an agreement, on roof analyses or on plants, and the password that they show for it."""

import secrets
import string
from datetime import datetime
from typing import Literal, NamedTuple

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import AsyncEngine

from api.access.keys import KeyRefused
from api.access.secret import Secret
from api.database.engine import READS
from api.database.tables import partner

Purpose = Literal["tak", "anlegg"]
"""What the agreement is on: the password of one is none of the other."""

HEADER = "X-Partner-Code"
"""Header that may hold the password of `tak` in place of the body's `passord`."""

PLANT_HEADER = "X-Anlegg-Beta"
"""Header that holds the password of `anlegg`."""

MAX_PASSWORD = 200
_CHARACTERS = 32
_active = partner.c.revoked_at.is_(None)


class Partner(NamedTuple):
    """A partner as the operator sees it: never the password."""

    name: str
    purpose: Purpose
    created_at: datetime
    revoked_at: datetime | None


def _digest(secret: Secret, password: str) -> bytes:
    return secret.digest("partner", password)


async def add(engine: AsyncEngine, secret: Secret, name: str, now: datetime, purpose: Purpose = "tak") -> str:
    """Return the password of a new partner; it can be read nowhere afterwards.

    Raises
    ------
    KeyRefused
        There is an active partner of that name and purpose.
    """
    password = "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(_CHARACTERS))
    async with engine.begin() as connection:
        if await connection.scalar(sa.select(partner.c.id).where(_named(name, purpose))) is not None:
            raise KeyRefused(f"{name} is a partner already: revoke it to give it another password")
        values = {"name": name, "purpose": purpose, "digest": _digest(secret, password), "created_at": now}
        await connection.execute(sa.insert(partner).values(values))
    return password


async def revoke(engine: AsyncEngine, name: str, now: datetime, purpose: Purpose = "tak") -> None:
    """Make a partner's password invalid.

    Raises
    ------
    KeyRefused
        There is no active partner of that name and purpose.
    """
    async with engine.begin() as connection:
        update = sa.update(partner).where(_named(name, purpose)).values(revoked_at=now)
        if not (await connection.execute(update)).rowcount:
            raise KeyRefused(f"there is no active partner {name} for {purpose}: `solflis partners list` shows all")


async def listing(engine: AsyncEngine) -> list[Partner]:
    """Return every partner, the oldest first."""
    query = sa.select(*(partner.c[field] for field in Partner._fields)).order_by(partner.c.id)
    async with engine.execution_options(**READS).connect() as connection:
        return [Partner(*row) for row in await connection.execute(query)]


def is_valid(connection: Connection, secret: Secret, password: str, purpose: Purpose = "tak") -> bool:
    """Return whether a password is that of an active partner."""
    theirs = (partner.c.digest == _digest(secret, password)) & (partner.c.purpose == purpose)
    return connection.scalar(sa.select(partner.c.id).where(theirs, _active)) is not None


def _named(name: str, purpose: Purpose) -> sa.ColumnElement[bool]:
    return (partner.c.name == name) & (partner.c.purpose == purpose) & _active
