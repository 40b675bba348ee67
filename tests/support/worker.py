"""A real API worker as a process of its own, for tests that ask it from outside."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx


@contextmanager
def worker(store: str, state: Path, clock: str, log: Path, **settings: str) -> Iterator[str]:
    """Run a worker, without quotas unless told otherwise; yield its address. What it says goes to the log."""
    ours = {"STORE": store, "STATE": str(state), "CLOCK": clock, "ACCESS": "open", **settings}
    environment = {**os.environ, **{f"SOLFLIS_{name}": value for name, value in ours.items()}}
    with socket.create_server(("127.0.0.1", 0)) as sock, log.open("wb") as out:
        url = f"http://127.0.0.1:{sock.getsockname()[1]}"
        process = subprocess.Popen(
            [sys.executable, "-m", "api.worker", "--fd", str(sock.fileno())],
            env=environment,
            pass_fds=(sock.fileno(),),
            stdout=out,
            stderr=out,
        )
    try:
        yield url
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)


def until(url: str, path: str, status: int, seconds: float = 30) -> httpx.Response:
    """Ask again and again until the answer has a status."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            answer = httpx.get(url + path, timeout=10)
            if answer.status_code == status:
                return answer
        except httpx.TransportError:
            if time.monotonic() > deadline:
                raise
        else:
            assert time.monotonic() < deadline, f"{path} still answers {answer.status_code} {answer.text[:300]}"
        time.sleep(0.05)
