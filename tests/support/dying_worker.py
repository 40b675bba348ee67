"""The API's worker, but it is killed at a certain step of its first charge: `DIE_AT` says which."""

import os
import signal
import sys
from typing import Any

import api.worker
from api.access.clerk import Clerk
from api.access.settlement import _Tally

COUNTED, INSERTED, COMMITTED = "counted", "inserted", "committed"
STAGES = (COUNTED, INSERTED, COMMITTED)
"""After the day's row is written, after all rows are, after the commit."""


def die(*_: Any) -> None:
    """End as a process ends that the kernel kills."""
    os.kill(os.getpid(), signal.SIGKILL)


def arm(stage: str) -> None:
    """See to it that this process dies at a stage."""
    if stage == COUNTED:
        _Tally._insert = die  # type: ignore[method-assign]
        return
    owner, name = (_Tally, "write") if stage == INSERTED else (Clerk, "_charge")
    original = getattr(owner, name)

    def and_die(*arguments: Any) -> None:
        original(*arguments)
        die()

    setattr(owner, name, and_die)


if __name__ == "__main__":
    arm(os.environ["DIE_AT"])
    sys.exit(api.worker.main(sys.argv[1:]))
