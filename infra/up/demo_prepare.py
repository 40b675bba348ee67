"""See that the demo account has a key that works: `python -m infra.up.demo_prepare`.

A process of its own, for a database and its threads do not belong into the parent of all. It prints no key.
"""

import sys
from pathlib import Path

from api.access import keys
from infra.accounts import Accounts, AccountsError, api_settings, on_accounts
from infra.up import demo
from infra.up.private import write_private

# Every example works with the first; the second is in every file of plans.
_PLANS = ("pro", "free")


async def ensure(accounts: Accounts, state: Path) -> None:
    """Leave the key in its file as long as it is active; else make another."""
    engine, secret, now = accounts.engine, accounts.secret, accounts.now
    if await keys.is_active(engine, secret, demo.EMAIL, demo.key(state)):
        return
    plan = next(name for name in _PLANS if name in accounts.plans.plans)
    try:
        key = await keys.issue(engine, secret, demo.EMAIL, plan, now)
    except keys.KeyRefused:  # it has an account: the file is lost, or the key was deactivated
        key = await keys.rotate(engine, secret, demo.EMAIL, now)
    write_private(demo.file(state), key + "\n")


def main() -> int:
    """Run as a command; return the exit code."""
    try:
        settings = api_settings()
        on_accounts(settings, lambda accounts: ensure(accounts, settings.state))
    except AccountsError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
