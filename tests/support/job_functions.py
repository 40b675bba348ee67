"""Functions of made-up jobs, and the kinds that name them."""

import errno
import os
import signal
import time
from datetime import timedelta

from api.core import problems
from api.jobs.kinds import Kind
from api.jobs.run import Later, Run
from catalog.sources.errors import SourceError


def echo(run: Run) -> None:
    """Give back the input."""
    run.put({"echo": run.input})


def nothing(run: Run) -> None:
    """Do nothing."""


def die(run: Run) -> None:
    """End the process as the kernel does that lacks memory; with the input `once`, in the first run alone."""
    if run.input != b"once" or run.runs == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    run.put({"echo": run.input})


def refuse(run: Run) -> None:
    """Say why it cannot be done."""
    raise problems.MISSING("panel")


def fail(run: Run) -> None:
    """Fail as nobody foresaw."""
    raise RuntimeError("a secret")


def away(run: Run) -> None:
    """Find a source away."""
    raise SourceError("nobody answers")


def full(run: Run) -> None:
    """Find the disk full in the middle of the result."""
    run.put({"echo": run.input})
    raise OSError(errno.ENOSPC, "No space left on device")


def hang(run: Run) -> None:
    """Tell how far it is, and go on for ever; a second run ends at once."""
    run.report_progress(0.5, "hanging")
    if run.runs == 1:
        time.sleep(600)
    run.put({"echo": run.input})


def late(run: Run) -> None:
    """Go on for ever."""
    time.sleep(600)


def later(run: Run) -> None:
    """Ask for a second run."""
    if run.runs == 1:
        raise Later(0.2)
    run.put({"echo": run.input})


def sleep(run: Run) -> None:
    """Take a tenth of a second."""
    time.sleep(0.1)
    run.put({"echo": run.input})


KINDS = {
    name: Kind(f"tests.support.job_functions:{name}", seconds=30, kept=timedelta(days=7), queued=5)
    for name in ("echo", "die", "refuse", "fail", "full", "away", "hang", "later")
}
KINDS["sleep"] = Kind("tests.support.job_functions:sleep", seconds=30, kept=timedelta(days=7), queued=1000)
KINDS["nothing"] = KINDS["sleep"]._replace(function="tests.support.job_functions:nothing")
KINDS["many"] = KINDS["echo"]._replace(queued=1000)
KINDS["brief"] = KINDS["echo"]._replace(kept=timedelta(minutes=15))
KINDS["late"] = KINDS["echo"]._replace(function="tests.support.job_functions:late", seconds=0.3, runs=2)
