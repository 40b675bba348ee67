"""Real API workers as processes of their own, for tests that ask them from outside."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx


class Workers:
    """Workers on one listening socket.

    Parameters
    ----------
    sock : socket
    environment : mapping
    log : Path
        Where all say what they say.
    checkout : str
        Of other code, which is set up there; empty for this one.
    """

    def __init__(self, sock: socket.socket, environment: Mapping[str, str], log: Path, checkout: str = "") -> None:
        self.url = f"http://127.0.0.1:{sock.getsockname()[1]}"
        self.processes: list[subprocess.Popen[bytes]] = []
        self._sock, self._environment, self._log, self._checkout = sock, environment, log, checkout
        self._python = f"{checkout}/.venv/bin/python" if checkout else sys.executable

    def start(self, module: str = "api.core.worker", **environment: str) -> subprocess.Popen[bytes]:
        """Start one more, as `python -m module --fd N`."""
        with self._log.open("ab") as out:
            process = subprocess.Popen(
                [self._python, "-m", module, "--fd", str(self._sock.fileno())],
                env={**self._environment, **environment},
                cwd=self._checkout or None,
                pass_fds=(self._sock.fileno(),),
                stdout=out,
                stderr=out,
            )
        self.processes.append(process)
        return process

    def stop(self) -> None:
        """End all."""
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(10)


@contextmanager
def workers(count: int, store: str, state: Path, clock: str, log: Path, **settings: str) -> Iterator[Workers]:
    """Run workers, without quotas unless told otherwise."""
    authorities = ("LOCATIONFORECAST", "KARTVERKET_WCS", "KARTVERKET_POINTS", "NVE_GTS")
    nobody = {f"{name}_URL": "http://127.0.0.1:9" for name in authorities}  # tests never ask them
    ours = {"STORE": store, "STATE": str(state), "CLOCK": clock, "ACCESS": "open", **nobody, **settings}
    environment = {**os.environ, **{f"SOLFLIS_{name}": value for name, value in ours.items()}}
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as sock:
        running = Workers(sock, environment, log)
        try:
            for _ in range(count):
                running.start()
            yield running
        finally:
            running.stop()


@contextmanager
def job_worker(**settings: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a worker of jobs; yield its process."""
    environment = {**os.environ, **{f"SOLFLIS_{name}": value for name, value in settings.items()}}
    command = [sys.executable, "-m", "infra.cli", "worker"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as running:
        try:
            yield running
        finally:
            running.terminate()


@contextmanager
def worker(store: str, state: Path, clock: str, log: Path, **settings: str) -> Iterator[str]:
    """Run one worker; yield its address."""
    with workers(1, store, state, clock, log, **settings) as running:
        yield running.url


def until(
    url: str, path: str, status: int, seconds: float = 120, headers: Mapping[str, str] | None = None
) -> httpx.Response:
    """Ask again and again until the answer has a status."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            answer = httpx.get(url + path, timeout=10, headers=headers)
            if answer.status_code == status:
                return answer
        except httpx.TransportError:
            if time.monotonic() > deadline:
                raise
        else:
            assert time.monotonic() < deadline, f"{path} still answers {answer.status_code} {answer.text[:300]}"
        time.sleep(0.05)
