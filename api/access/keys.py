"""API keys: what they look like, and what the operator does with them."""

import secrets
import string
from datetime import date, datetime
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from api.access.secret import Secret
from api.access.settlement import payer_of
from api.database.engine import READS
from api.database.tables import account, api_key, insert, quota_day, registration

PREFIX = "sk_live_"


class KeyRefused(Exception):
    """What the operator asks for cannot be done; the text says why."""


class IssuedKey(NamedTuple):
    """A key as the operator sees it: never the key itself.

    Parameters
    ----------
    email, plan : str
        Of its account.
    hint : str
        How the key begins.
    created_at : datetime
    deactivated_at : datetime or None
    requests, plants : int
        What its account has used of the day, with whichever of its keys.
    """

    email: str
    plan: str
    hint: str
    created_at: datetime
    deactivated_at: datetime | None
    requests: int
    plants: int


def new_key() -> str:
    """Return a new key: 72 characters, 381 random bits."""
    return PREFIX + "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(64))


def digest_of(secret: Secret, key: str) -> bytes:
    """Return what a key is known by."""
    return secret.digest("key", key)


async def make_account(connection: AsyncConnection, email: str, plan: str, now: datetime) -> int | None:
    """Make an account; return its id, or None where the address has one.

    Whoever registered the address and has not opened the link needs it no more.
    """
    new = insert(account, connection.dialect.name).values(email=email, plan=plan, created_at=now)
    made: int | None = await connection.scalar(new.on_conflict_do_nothing().returning(account.c.id))
    await connection.execute(sa.delete(registration).where(registration.c.email == email))
    return made


async def add_key(connection: AsyncConnection, secret: Secret, account_id: int, now: datetime) -> str:
    """Give an account a new key and return it; it can be read nowhere afterwards."""
    key = new_key()
    values = {"account_id": account_id, "digest": digest_of(secret, key), "hint": key[:12], "created_at": now}
    await connection.execute(sa.insert(api_key).values(values))
    return key


async def issue(engine: AsyncEngine, secret: Secret, email: str, plan: str, now: datetime) -> str:
    """Make an account with a key; return the key.

    Raises
    ------
    KeyRefused
        The address has an account.
    """
    async with engine.begin() as connection:
        account_id = await make_account(connection, email, plan, now)
        if account_id is None:
            raise KeyRefused(f"{email} has an account: rotate gives it a new key, plan changes its plan")
        return await add_key(connection, secret, account_id, now)


async def rotate(engine: AsyncEngine, secret: Secret, email: str, now: datetime) -> str:
    """Deactivate an account's keys and return a new one; what is used of the day's quota stays used.

    Raises
    ------
    KeyRefused
        The address has no account.
    """
    async with engine.begin() as connection:
        account_id = await _account_of(connection, email)
        await _deactivate(connection, api_key.c.account_id == account_id, now)
        return await add_key(connection, secret, account_id, now)


async def deactivate(engine: AsyncEngine, secret: Secret, email_or_key: str, now: datetime) -> int:
    """Deactivate a key, or all keys of an address; return how many were active.

    Raises
    ------
    KeyRefused
        There is no such key or address.
    """
    async with engine.begin() as connection:
        if email_or_key.startswith(PREFIX):
            where = api_key.c.digest == digest_of(secret, email_or_key)
            if await connection.scalar(sa.select(api_key.c.id).where(where)) is None:
                raise KeyRefused("there is no such key")
        else:
            where = api_key.c.account_id == await _account_of(connection, email_or_key)
        return await _deactivate(connection, where, now)


async def change_plan(engine: AsyncEngine, email: str, plan: str) -> None:
    """Give an account another plan.

    Raises
    ------
    KeyRefused
        The address has no account.
    """
    async with engine.begin() as connection:
        account_id = await _account_of(connection, email)
        await connection.execute(sa.update(account).where(account.c.id == account_id).values(plan=plan))


async def is_active(engine: AsyncEngine, secret: Secret, email: str, key: str) -> bool:
    """Return whether a key is an active one of this address."""
    theirs = (account.c.email == email) & (api_key.c.digest == digest_of(secret, key))
    active = theirs & api_key.c.deactivated_at.is_(None)
    query = sa.select(api_key.c.id).join_from(account, api_key).where(active)
    async with engine.execution_options(**READS).connect() as connection:
        return await connection.scalar(query) is not None


async def listing(engine: AsyncEngine, day: date) -> list[IssuedKey]:
    """Return every key with what is used of a UTC day, the oldest first."""
    payer = sa.literal(payer_of("")) + sa.cast(account.c.id, sa.String)
    theirs = (quota_day.c.day == day) & (quota_day.c.payer == payer)
    used = (sa.func.coalesce(count, 0) for count in (quota_day.c.requests, quota_day.c.plants))
    columns = (account.c.email, account.c.plan, api_key.c.hint, api_key.c.created_at, api_key.c.deactivated_at)
    query = sa.select(*columns, *used).select_from(account.join(api_key).outerjoin(quota_day, theirs))
    async with engine.execution_options(**READS).connect() as connection:
        return [IssuedKey(*row) for row in await connection.execute(query.order_by(api_key.c.id))]


async def _account_of(connection: AsyncConnection, email: str) -> int:
    """Return an account, locked: of several who change its keys at once, one comes after the other."""
    found = await connection.scalar(sa.select(account.c.id).where(account.c.email == email).with_for_update())
    if found is None:
        raise KeyRefused(f"{email} has no account")
    return int(found)


async def _deactivate(connection: AsyncConnection, where: sa.ColumnElement[bool], now: datetime) -> int:
    active = where & api_key.c.deactivated_at.is_(None)
    return (await connection.execute(sa.update(api_key).where(active).values(deactivated_at=now))).rowcount
