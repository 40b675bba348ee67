"""What is done with plants that nobody uses, and with uploads that nobody confirmed."""

import asyncio
import tomllib
from pathlib import Path
from string import Template
from typing import NamedTuple

import orjson

from api.core.email_address import read_address
from api.data.plants import retention, uploads
from api.data.plants.retention import Owner
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
        gone = await connection.run_sync(retention.unused, now)
        owners = [one for one in await connection.run_sync(retention.to_tell, now) if _can_be_told(one)]
        late = await connection.run_sync(uploads.count_expired, now)
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


def _can_be_told(owner: Owner) -> bool:
    return not owner.email.endswith(_LOCAL) and read_address(owner.email) is not None


async def _tell(accounts: Accounts, owner: Owner) -> None:
    """Queue the mail, then note it: broken off in between, the same mail is not queued again."""
    days = {"deleted": owner.deleted_at, "created": owner.created_at, "used": owner.used_at}
    values = {name: f"{day:%d.%m.%Y}" for name, day in days.items()} | {"plant": owner.plant_id}
    subject, text = (Template(_MAIL[name]).substitute(values) for name in ("subject", "text"))
    mail = orjson.dumps({"to": owner.email, "subject": subject, "text": text.lstrip()})
    question = question_of("mail", "plant is unused", owner.plant_id, owner.used_at)
    await accounts.jobs.ask("mail", question, mail, b"", plant=owner.plant_id)
    async with accounts.engine.begin() as connection:
        await connection.run_sync(retention.note_told, owner.plant_id, accounts.now)
