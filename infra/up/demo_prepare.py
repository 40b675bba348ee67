"""See that the demo has a key and passwords of agreements that work: `python -m infra.up.demo_prepare`.

A process of its own, for a database and its threads do not belong into the parent of all. It prints none.
"""

import sys
from contextlib import suppress
from typing import get_args

from api.access import keys, partners
from infra.accounts import Accounts, AccountsError, on_accounts
from infra.up import demo
from infra.up.private import write_private

# Every example works with the first; the second is in every file of plans.
_PLANS = ("pro", "free")


async def ensure(accounts: Accounts) -> None:
    """Leave key and the passwords of agreements in their files as long as they are active; else make others."""
    await _ensure_key(accounts)
    for purpose in get_args(partners.Purpose):
        await _ensure_partner(accounts, purpose)


async def _ensure_partner(accounts: Accounts, purpose: partners.Purpose) -> None:
    engine, now, state = accounts.engine, accounts.now, accounts.state
    async with engine.connect() as connection:
        if await connection.run_sync(partners.is_valid, accounts.secret, demo.partner(state, purpose), purpose):
            return
    with suppress(keys.KeyRefused):  # there is none yet
        await partners.revoke(engine, demo.PARTNER, now, purpose)
    password = await partners.add(engine, accounts.secret, demo.PARTNER, now, purpose)
    write_private(demo.partner_file(state, purpose), password + "\n")


async def _ensure_key(accounts: Accounts) -> None:
    engine, secret, now = accounts.engine, accounts.secret, accounts.now
    if await keys.is_active(engine, secret, demo.EMAIL, demo.key(accounts.state)):
        return
    plan = next(name for name in _PLANS if name in accounts.plans.plans)
    try:
        key = await keys.issue(engine, secret, demo.EMAIL, plan, now)
    except keys.KeyRefused:  # it has an account: the file is lost, or the key was deactivated
        key = await keys.rotate(engine, secret, demo.EMAIL, now)
    write_private(demo.file(accounts.state), key + "\n")


if __name__ == "__main__":
    try:
        on_accounts(ensure)
    except AccountsError as error:
        sys.exit(str(error))
