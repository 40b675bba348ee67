"""Functions that a process of the pool is told to run."""

import os
import time
from pathlib import Path

from catalog.sources.errors import Throttled


def process() -> int:
    """Return the id of the process."""
    return os.getpid()


def dies_once(flag: str) -> int:
    """Kill the process; the next one returns its id."""
    if not Path(flag).exists():
        Path(flag).touch()
        os.kill(os.getpid(), 9)
    return os.getpid()


def dies() -> None:
    """Kill the process."""
    os.kill(os.getpid(), 9)


def hangs(flag: str) -> None:
    """Do not return."""
    Path(flag).write_text(str(os.getpid()))
    time.sleep(600)


def draw(data: dict[str, str]) -> bytes:
    """Fail, with data in the message."""
    raise ValueError(f"no picture of {data}")


def spared() -> None:
    """Fail as a source that wants to be left alone."""
    raise Throttled("not now", 600.0)
