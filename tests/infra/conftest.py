"""What the tests of the commands share: free ports, and waiting with a deadline."""

import socket
import time
from collections.abc import Callable
from typing import Any

import psutil
import pytest


@pytest.fixture
def free_port() -> Callable[[], int]:
    """Picks a port on loopback that nobody listens on."""

    def pick() -> int:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return int(probe.getsockname()[1])

    return pick


@pytest.fixture
def eventually() -> Callable[..., Any]:
    """Asks again and again until the answer is true; fails when that takes too long."""

    def ask_until(ask: Callable[[], Any], within_s: float = 120.0) -> Any:
        deadline = time.monotonic() + within_s
        while True:
            try:
                if answer := ask():
                    return answer
            except (OSError, psutil.NoSuchProcess):
                pass
            assert time.monotonic() < deadline, "did not happen in time"
            time.sleep(0.02)

    return ask_until
