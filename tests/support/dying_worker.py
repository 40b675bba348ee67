"""The API's worker, but it is killed at a certain step of its first charge: `DIE_AT` says which."""

import os
import signal
import sys
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import api.core.worker
from api.access import settlement
from api.access.quota_worker import QuotaWorker

WRITTEN, COMMITTED = "written", "committed"
STAGES = (WRITTEN, COMMITTED)
"""After all rows are written, after the commit."""


def and_die(work: Callable[..., Any]) -> Callable[..., Any]:
    """Return what does some work on charges, and ends the process as one ends that the kernel kills."""

    def dying(*arguments: Any) -> Any:
        outcome = work(*arguments)
        if arguments[-1]:  # now and then there is nothing to settle
            os.kill(os.getpid(), signal.SIGKILL)
        return outcome

    return dying


if __name__ == "__main__":
    owner, name = {WRITTEN: (settlement, "charge"), COMMITTED: (QuotaWorker, "settle")}[os.environ["DIE_AT"]]
    with patch.object(owner, name, and_die(getattr(owner, name))):
        sys.exit(api.core.worker.main(sys.argv[1:]))
