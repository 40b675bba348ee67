"""Partners: who has an agreement on roof analyses, and the password that they show for it."""

import secrets
import string
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from api.access.keys import KeyRefused
from api.access.secret import Secret
from api.database.engine import READS
from api.database.tables import partner

HEADER = "X-Partner-Code"
"""Header that may hold the password in place of the body's `passord`."""

MAX_PASSWORD = 200
_CHARACTERS = 32
_active = partner.c.revoked_at.is_(None)


class Partner(NamedTuple):
    """A partner as the operator sees it: never the password."""

    name: str
    created_at: datetime
    revoked_at: datetime | None


def _digest(secret: Secret, password: str) -> bytes:
    return secret.digest("partner", password)


async def add(engine: AsyncEngine, secret: Secret, name: str, now: datetime) -> str:
    """Return the password of a new partner; it can be read nowhere afterwards.

    Raises
    ------
    KeyRefused
        There is an active partner of that name.
    """
    password = "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(_CHARACTERS))
    async with engine.begin() as connection:
        if await connection.scalar(sa.select(partner.c.id).where(partner.c.name == name, _active)) is not None:
            raise KeyRefused(f"{name} is a partner already: revoke it to give it another password")
        values = {"name": name, "digest": _digest(secret, password), "created_at": now}
        await connection.execute(sa.insert(partner).values(values))
    return password


async def revoke(engine: AsyncEngine, name: str, now: datetime) -> None:
    """Make a partner's password invalid.

    Raises
    ------
    KeyRefused
        There is no active partner of that name.
    """
    async with engine.begin() as connection:
        update = sa.update(partner).where(partner.c.name == name, _active).values(revoked_at=now)
        if not (await connection.execute(update)).rowcount:
            raise KeyRefused(f"there is no active partner {name}")


async def listing(engine: AsyncEngine) -> list[Partner]:
    """Return every partner, the oldest first."""
    query = sa.select(partner.c.name, partner.c.created_at, partner.c.revoked_at).order_by(partner.c.id)
    async with engine.execution_options(**READS).connect() as connection:
        return [Partner(*row) for row in await connection.execute(query)]


async def is_valid(connection: AsyncConnection, secret: Secret, password: str) -> bool:
    """Return whether a password is that of an active partner."""
    query = sa.select(partner.c.id).where(partner.c.digest == _digest(secret, password), _active)
    return await connection.scalar(query) is not None
