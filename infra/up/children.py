"""The processes of `solflis up`, each with a log file of its own."""

import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from infra.processes import start
from infra.up.report import say

PAUSE_S = 5.0
"""Between two starts of a process that is killed again and again, at least, s."""


class ChildEnded(Exception):
    """A process that should run has ended; the text says which, and what it said last."""


class Children:
    """Starts processes by name and notices when one ends.

    Parameters
    ----------
    logs : Path
        Folder of their log files, `<name>.log`; the log of the start before is kept as `<name>.log.1`.

    Attributes
    ----------
    pids : set of int
        Of every process that was started.
    """

    def __init__(self, logs: Path) -> None:
        self._logs = logs
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._again: dict[str, Callable[[], subprocess.Popen[bytes]]] = {}
        self._begun: dict[str, float] = {}
        self.pids: set[int] = set()

    def start(
        self, name: str, argv: Sequence[str], environment: Mapping[str, str], *, if_killed_again: bool = False
    ) -> None:
        """Start a process that is to run until the end."""
        self._running[name] = self.begin(name, argv, environment)
        if if_killed_again:
            self._again[name] = partial(self.begin, name, argv, environment)

    def begin(self, name: str, argv: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
        """Start a process that ends by itself; `finished` says when."""
        self._logs.mkdir(parents=True, exist_ok=True)
        log = self._log(name)
        if log.exists():
            log.replace(log.with_name(f"{log.name}.1"))
        with log.open("wb") as output:
            # Python holds back what it prints to a file: a log is read while its process runs.
            process = start(argv, {**environment, "PYTHONUNBUFFERED": "1"}, output)
        self.pids.add(process.pid)
        self._begun[name] = time.monotonic()
        return process

    def finished(self, name: str, process: subprocess.Popen[bytes]) -> bool:
        """Whether a process that ends by itself has done so.

        Raises
        ------
        ChildEnded
            It failed.
        """
        if process.poll() is None:
            return False
        if process.returncode != 0:
            raise ChildEnded(self._obituary(name, process.returncode))
        return True

    def check(self) -> None:
        """Look whether all run; start again what was killed and may be.

        Raises
        ------
        ChildEnded
            One does not run.
        """
        for name, process in tuple(self._running.items()):
            if (code := process.poll()) is None:
                continue
            if code >= 0 or name not in self._again:
                raise ChildEnded(self._obituary(name, code))
            if time.monotonic() - self._begun[name] < PAUSE_S:  # look again later
                continue
            say(f"{name} was killed by signal {-code}: it is started again")
            self._running[name] = self._again[name]()

    def _log(self, name: str) -> Path:
        return self._logs / f"{name}.log"

    def _obituary(self, name: str, code: int) -> str:
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return f"{name} {how}; the end of {self._log(name)}:\n{tail(self._log(name))}"


def tail(log: Path, lines: int = 15) -> str:
    """Return the last lines of a log file, indented."""
    with log.open("rb") as handle:
        handle.seek(max(0, os.fstat(handle.fileno()).st_size - 20_000))
        text = handle.read().decode(errors="replace")
    return "\n".join(f"    {line}" for line in text.splitlines()[-lines:])
