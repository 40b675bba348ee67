"""Reads one file in this process, and tells seconds, peak memory, and whatever was written or called meanwhile.

For a process of its own, since the watch on files cannot be taken off again.
"""

import os
import resource
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from api.core.errors import ApiError
from api.plants.reading.read import read
from tests.support.hostile_files import FILES

_ALLOWED = {os.devnull}
_CALLS = ("os.mkdir", "os.rename", "os.remove", "os.link", "os.symlink", "os.system", "os.chdir", "shutil.", "socket.")


class Took(NamedTuple):
    """A code, or the kind of the workbook, and what reading cost."""

    outcome: str
    sentence: str
    seconds: float
    cpu_s: float
    peak_mb: float
    child_peak_mb: float
    written: list[str]


def read_hostile(name: str) -> Took:
    """Read one of the hostile files."""
    return read_file(FILES[name](), name)


def read_file(content: bytes, file_name: str) -> Took:
    """Read a file."""
    seen = _watch()
    seen.clear()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak begins anew
    seen.clear()
    begun, before = time.perf_counter(), os.times()
    sentence = ""
    try:
        outcome: str = read(content, file_name).kind
    except ApiError as error:
        outcome, sentence = error.problem.code, str(error)
    seconds, after = time.perf_counter() - begun, os.times()
    cpu = sum(after[:4]) - sum(before[:4])
    written = list(seen)
    status = Path("/proc/self/status").read_text(encoding="ascii")
    peak = int(status.partition("VmHWM:")[2].split()[0]) / 1024
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return Took(outcome, sentence, seconds, cpu, peak, child, written)


@cache
def _watch() -> list[str]:
    """Return a list to which files opened for writing, changes of folders and network calls are added."""
    seen: list[str] = []

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if isinstance(path, str) and path not in _ALLOWED and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                seen.append(path)
        elif event.startswith(_CALLS):
            seen.append(f"{event} {arguments}")

    sys.addaudithook(hook)
    return seen
