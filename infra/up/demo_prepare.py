"""See that the demo account has a key that works: `python -m infra.up.demo_prepare`.

A process of its own, for a database and its threads do not belong into the parent of all. It prints no key.
"""

import sys

from api.access import keys
from infra.accounts import Accounts, AccountsError, on_accounts
from infra.up import demo
from infra.up.private import write_private

# Every example works with the first; the second is in every file of plans.
_PLANS = ("pro", "free")


async def ensure(accounts: Accounts) -> None:
    """Leave the key in its file as long as it is active; else make another."""
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
