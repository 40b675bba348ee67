"""Clients of one kept connection each, and `/health` while some of them ask for something else.

`python -m tests.bench.one_connection URL --clients 8 --seconds 3 < paths.json` asks without a pause, in a process of
its own, and prints how many answers came.
"""

import argparse
import itertools
import json
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

CLIENTS = 8
ROUNDS = 5


@dataclass(frozen=True)
class Paths:
    """Paths that are asked for in turn.

    Parameters
    ----------
    paths : tuple of str
    turn : iterator of int
        Of all connections together: were each to begin with the first, it would find what another had read.
    """

    paths: tuple[str, ...]
    turn: Iterator[int] = field(default_factory=itertools.count)

    def next(self) -> str:
        """Return the next one."""
        return self.paths[next(self.turn) % len(self.paths)]


class Client:
    """One connection that is kept; it looks at no byte of a body, so as to take little time itself."""

    def __init__(self, url: str) -> None:
        host, port = url.removeprefix("http://").split(":")
        self._host, self._socket = host, socket.create_connection((host, int(port)))
        self._buffer = bytearray(1 << 20)

    def ask(self, path: str) -> float:
        """Return how long a question took, s.

        Raises
        ------
        RuntimeError
            The answer is not 200.
        """
        return self.exchange(f"GET {path} HTTP/1.1\r\nHost: {self._host}\r\n\r\n".encode())

    def exchange(self, request: bytes) -> float:
        """Return how long a request took, s; it fails as `ask` does."""
        begin = time.perf_counter()
        self._socket.sendall(request)
        received = self._socket.recv_into(self._buffer)
        while (end := self._buffer.find(b"\r\n\r\n", 0, received)) < 0:
            received += self._socket.recv_into(memoryview(self._buffer)[received:])
        head = bytes(self._buffer[:end]).lower()
        if not head.startswith(b"http/1.1 200"):
            raise RuntimeError(head.decode())
        left = int(head.split(b"content-length: ")[1].split(b"\r\n")[0]) + end + 4 - received
        while left:
            left -= self._socket.recv_into(self._buffer, min(left, len(self._buffer)))
        return time.perf_counter() - begin

    def ask_for(self, paths: Paths, seconds: float) -> list[float]:
        """Ask for some paths in turn, again and again; return how long each answer took, s."""
        end = time.perf_counter() + seconds
        took = [self.ask(paths.next())]
        while time.perf_counter() < end:
            took.append(self.ask(paths.next()))
        return took


def percentile(took: list[float], share: float) -> float:
    """Return a share's time, ms."""
    return sorted(took)[min(int(share * len(took)), len(took) - 1)] * 1e3


def crowd(ask: Callable[[], list[float]], clients: int) -> int:
    """Ask in several threads at once; return how many answers came."""
    counts: list[int] = []
    threads = [threading.Thread(target=lambda: counts.append(len(ask()))) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(counts) < clients:
        raise SystemExit(f"{clients - len(counts)} of {clients} clients failed")
    return sum(counts)


def health_beside(api: str, what: str, paths: Paths, seconds: float) -> None:
    """Ask for `/health` by one connection, alone and while others, of a process of their own, ask for `paths`."""
    argv = [sys.executable, "-m", "tests.bench.one_connection", api]
    health_beside_a_crowd(api, f"{CLIENTS} clients ask", what, argv, json.dumps(paths.paths), seconds)


def health_beside_a_crowd(api: str, who: str, what: str, argv: list[str], given: str, seconds: float) -> None:
    """The same beside a process that takes `--seconds` and some text, and prints how many answers it had."""
    client, path = Client(api), Paths(("/health",))
    alone, beside, rates = [], [], []
    for _ in range(ROUNDS):
        alone.append(percentile(client.ask_for(path, 1), 0.99))
        crowding = [*argv, "--seconds", str(seconds + 2)]
        with subprocess.Popen(crowding, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
            assert running.stdin is not None
            running.stdin.write(given)
            running.stdin.close()
            time.sleep(1.5)  # until it has begun
            beside.append(client.ask_for(path, seconds))
            assert running.stdout is not None
            rates.append(int(running.stdout.read()) / (seconds + 2))
    p50, p99 = (statistics.median(percentile(one, share) for one in beside) for share in (0.5, 0.99))
    print(
        f"/health while {who} {statistics.median(rates):.0f}/s ({what}): p50 {p50:.2f} ms, "
        f"p99 {p99:.2f} ms (bar 20), worst round {max(percentile(one, 0.99) for one in beside):.2f} ms; "
        f"alone p99 {statistics.median(alone):.2f} ms"
    )


def main() -> None:
    """Be a crowd."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--clients", type=int, default=CLIENTS)
    parser.add_argument("--seconds", type=float, default=3)
    arguments = parser.parse_args()
    paths = Paths(tuple(json.load(sys.stdin)))
    print(crowd(lambda: Client(arguments.url).ask_for(paths, arguments.seconds), arguments.clients))


if __name__ == "__main__":
    main()
