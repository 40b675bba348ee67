"""The parent of the API's workers: one listening socket, N processes, respawned when they die.

It imports nothing of the API: a parent that holds no state cannot be what breaks.
"""

import errno
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from infra.processes import STOP_SIGNALS, adopt_orphans, collect_orphans, start, stop_all

GRACE_S = 5.0
BACKLOG = 1024
# A worker that dies younger than this died at once: wait before the next one, twice as long each time.
YOUNG_S = 5.0
FIRST_BACKOFF_S = 0.5
MAX_BACKOFF_S = 30.0
TICK_S = 0.1


class PortTaken(click.ClickException):
    """Somebody else listens on the port; the text names it."""


class AddressUnusable(click.ClickException):
    """This machine cannot listen on the address; the text names it."""


class CannotServe(click.ClickException):
    """No worker can serve with these settings: the last one said why, where it logs."""


def url(host: str, port: int) -> str:
    """Return the address of what listens there, as a URL."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; `::` takes IPv4 connections too.

    Parameters
    ----------
    host : str
        IPv4 or IPv6 address of this machine; 0.0.0.0 or :: for all.
    port : int

    Raises
    ------
    PortTaken
        The port is in use, or may not be used.
    AddressUnusable
        This machine does not have the address.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    both = host == "::" and socket.has_dualstack_ipv6()
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG, dualstack_ipv6=both)
    except OSError as error:
        # create_server puts the address behind the reason: "Address already in use (while attempting ...)"
        reason = (os.strerror(error.errno) if error.errno else str(error)).lower()
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            raise PortTaken(f"port {port}: {reason}; stop what uses it, or set another port") from error
        raise AddressUnusable(
            f"address {host}: {reason}; set SOLFLIS_HOST (--host) to one of this machine, 0.0.0.0 or :: for all of them"
        ) from error


@dataclass
class _Slot:
    """One worker's place: who runs there, and when the next may."""

    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    not_before: float = 0.0
    backoff_s: float = 0.0

    def bury(self, now: float) -> None:
        """Note that the worker has died, and how long its successor has to wait."""
        assert self.process is not None  # noqa: S101 -- for the type checker
        young = now - self.started < YOUNG_S
        self.backoff_s = min(MAX_BACKOFF_S, max(FIRST_BACKOFF_S, 2 * self.backoff_s)) if young else 0.0
        self.not_before = now + self.backoff_s
        _say(f"worker {self.process.pid} ended ({self.process.returncode}); next in {self.backoff_s:.1f} s")
        self.process = None

    def gave_up(self) -> bool:
        """Return whether the worker ended because of its settings."""
        return self.process is not None and self.process.poll() == os.EX_CONFIG

    def stands(self, now: float) -> bool:
        """Return whether a worker runs that serves, or takes its time to say that it cannot."""
        return self.process is not None and self.process.poll() is None and now - self.started >= YOUNG_S


def tend(slots: list[_Slot], argv: list[str], environment: Mapping[str, str], fd: int) -> None:
    """Start the workers that are missing, as far as they need not wait.

    Raises
    ------
    CannotServe
        A worker ended because of its settings, and none has been running with them for long.
    """
    now = time.monotonic()
    if any(slot.gave_up() for slot in slots) and not any(slot.stands(now) for slot in slots):
        raise CannotServe("a worker cannot serve with these settings; its last line says why")
    for slot in slots:
        if slot.process is not None and slot.process.poll() is not None:
            slot.bury(now)
        if slot.process is None and now >= slot.not_before:
            slot.process = start(argv, environment, inherit=[fd])
            slot.started = now


def fresh(metrics: Path) -> None:
    """Make the folder in which the workers add up their metrics, without what earlier ones left there."""
    metrics.mkdir(parents=True, exist_ok=True)
    for kind in ("counter", "histogram"):
        for path in metrics.glob(f"{kind}_*.db"):
            path.unlink()


def serve(
    host: str,
    port: int,
    workers: int,
    settings: Mapping[str, str],
    metrics: Path | None = None,
    module: str = "api.core.worker",
) -> None:
    """Run the workers until SIGTERM, SIGINT or SIGHUP; all are gone when this returns.

    Parameters
    ----------
    host : str
        Address to listen on.
    port : int
    workers : int
        Number of processes.
    settings : mapping
        `SOLFLIS_*` variables for the workers, beside this process's environment.
    metrics : Path, optional
        Folder in which these workers add up their metrics; nobody else's. Each counts for itself when not given.
    module : str
        What a worker runs: `python -m module --fd N`, with the listening socket as descriptor N.

    Raises
    ------
    PortTaken, AddressUnusable
        It cannot listen there.
    CannotServe
        A worker ended because of its settings. Where others serve, it is only started again later: a file that they
        read at their start has been spoilt since.
    """
    stopping = False

    def on_signal(*_: object) -> None:
        nonlocal stopping
        stopping = True

    listener = listen(host, port)
    adopt_orphans()
    for number in STOP_SIGNALS:
        signal.signal(number, on_signal)
    if metrics is not None:
        fresh(metrics)
        settings = {**settings, "SOLFLIS_METRICS": str(metrics)}
    fd = listener.fileno()
    slots = [_Slot() for _ in range(workers)]
    argv = [sys.executable, "-m", module, "--fd", str(fd)]
    environment = {**os.environ, **settings}
    _say(f"{url(host, port)} with {workers} workers")
    try:
        while not stopping:
            tend(slots, argv, environment, fd)
            collect_orphans({slot.process.pid for slot in slots if slot.process is not None})
            time.sleep(TICK_S)
    finally:
        listener.close()
        for line in stop_all(GRACE_S):
            _say(f"killed after {GRACE_S:.0f} s: {line}")
        _say("stopped")


def _say(text: str) -> None:
    print(f"serve: {text}", flush=True)
