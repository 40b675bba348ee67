"""What must be free before anything is started."""

import fcntl
import os
import socket
from pathlib import Path
from typing import IO

import click

from infra.serve import PortTaken, listen
from infra.settings import Settings


class StateTaken(click.ClickException):
    """Another `solflis up` works in the state folder; the text names both."""


def check_ports(settings: Settings) -> None:
    """Look whether the ports are free.

    Raises
    ------
    PortTaken, AddressUnusable
        One is not; the text names its setting.
    """
    wanted = {"SOLFLIS_PORT": settings.port, "SOLFLIS_AIRFLOW_PORT": settings.airflow_port}
    if settings.simulated_sources:
        wanted["SOLFLIS_SIMULATOR_PORT"] = settings.simulator_port
    if len(set(wanted.values())) < len(wanted):
        raise PortTaken(f"{', '.join(f'{name}={port}' for name, port in wanted.items())}: each needs its own port")
    for name, port in wanted.items():
        try:
            listen(settings.host if name == "SOLFLIS_PORT" else "127.0.0.1", port).close()
        except PortTaken as error:
            raise PortTaken(f"{name}: {error}") from error


def listens(port: int) -> bool:
    """Whether somebody on this machine accepts connections on a port."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def take_state(folder: Path) -> IO[str]:
    """Make the state folder and lock it; the lock holds until the file is closed or the process ends.

    Raises
    ------
    StateTaken
        Another process holds it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / "up.lock").open("a+")
    except OSError as error:
        raise StateTaken(f"SOLFLIS_STATE={folder} cannot be used: {error.strerror}") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        lock.seek(0)
        owner = lock.read().strip() or "unknown"
        lock.close()
        raise StateTaken(
            f"`solflis up` already runs with the state folder {folder} (process {owner}); "
            "stop it, or set SOLFLIS_STATE and the ports to others"
        ) from error
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()
    return lock
