"""What is done with plants that nobody uses, and with uploads that nobody confirmed."""

import asyncio
import tomllib
from datetime import datetime
from pathlib import Path
from string import Template
from typing import NamedTuple

import orjson

from api.core.email_address import read_address
from api.data.plants import retention, uploads
from api.data.plants.retention import Unused
from api.database.engine import READS, truncate_log
from api.jobs.queue import question_of
from infra.accounts import Accounts

_MAIL = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_LOCAL = "@localhost"


class Retained(NamedTuple):
    """What was done, or would be."""

    deleted: int
    told: int
    expired: int


async def retain(accounts: Accounts, *, dry_run: bool = False) -> Retained:
    """Tell owners, delete plants, close uploads; with `dry_run` only count them."""
    engine, now = accounts.engine, accounts.now
    async with engine.execution_options(**READS).begin() as connection:
        unused = await connection.run_sync(retention.unused, now)
        late = await connection.run_sync(uploads.count_expired, now)
    owners = [one for one in unused if one.warned_at is None and _can_be_told(one)]
    gone = [one.plant_id for one in unused if one not in owners and _is_due(one, now)]
    if dry_run:
        return Retained(len(gone), len(owners), late)
    deleted = 0
    for plant_id in gone:  # each in a transaction of its own: others wait for SQLite's lock
        async with engine.begin() as connection:
            deleted += await connection.run_sync(retention.delete_unused, plant_id, now)
    async with engine.begin() as connection:
        expired = await connection.run_sync(uploads.expire, now)
    await asyncio.to_thread(truncate_log, accounts.url)
    for owner in owners:  # last: a full queue must not keep what is to be deleted
        await _tell(accounts, owner)
    return Retained(deleted, len(owners), expired)


def _can_be_told(owner: Unused) -> bool:
    email = owner.email or _LOCAL
    return not email.endswith(_LOCAL) and read_address(email) is not None


def _is_due(one: Unused, now: datetime) -> bool:
    return now >= (one.used_at + retention.UNUSED if one.warned_at is None else one.deleted_at(now))


async def _tell(accounts: Accounts, owner: Unused) -> None:
    """Queue the mail, then note it: broken off in between, the same mail is not queued again."""
    days = {"deleted": owner.deleted_at(accounts.now), "created": owner.created_at, "used": owner.used_at}
    values = {name: f"{day:%d.%m.%Y}" for name, day in days.items()} | {"plant": owner.plant_id}
    subject, text = (Template(_MAIL[name]).substitute(values) for name in ("subject", "text"))
    mail = orjson.dumps({"to": owner.email, "subject": subject, "text": text.lstrip()})
    question = question_of("mail", "plant is unused", owner.plant_id, owner.used_at)
    await accounts.jobs.ask("mail", question, mail, b"", plant=owner.plant_id)
    async with accounts.engine.begin() as connection:
        await connection.run_sync(retention.note_told, owner.plant_id, accounts.now)
