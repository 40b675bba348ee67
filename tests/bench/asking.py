"""Clients of one kept connection each: response times in rounds, and of `/health` while others ask."""

import itertools
import socket
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

from tests.bench.serving import Server, apart, ready_made, settings_of, versions
from tests.bench.timing import cpu_s, private_mb
from tests.support.worker import until

CLIENTS = 8
ROUNDS = 5
Rounds = list[list[float]]
"""How long each answer took, by round, s."""


@dataclass(frozen=True)
class Paths:
    """Paths, or whole requests, that are asked for in turn.

    Parameters
    ----------
    paths : tuple of str
    warm : bool
        All are asked for once before each round.
    turn : iterator of int
        Of all connections together: were each to begin with the first, it would find what another had read.
    """

    paths: tuple[str, ...]
    warm: bool = False
    turn: Iterator[int] = field(default_factory=itertools.count)

    def next(self) -> str:
        """Return the next one."""
        return self.paths[next(self.turn) % len(self.paths)]


class Client:
    """One connection that is kept; it looks at no byte of a body, so as to take little time itself."""

    def __init__(self, url: str) -> None:
        host, port = url.removeprefix("http://").split(":")
        self._socket = socket.create_connection((host, int(port)))
        self._buffer = bytearray(1 << 20)
        self.body_bytes = 0

    def ask(self, question: str) -> float:
        """Return how long the answer to a path, or to a whole request, took, s.

        Raises
        ------
        RuntimeError
            The answer is not 200.
        """
        request = f"GET {question} HTTP/1.1\r\nHost: localhost\r\n\r\n" if question.startswith("/") else question
        begin = time.perf_counter()
        self._socket.sendall(request.encode())
        received = self._socket.recv_into(self._buffer)
        while (end := self._buffer.find(b"\r\n\r\n", 0, received)) < 0:
            received += self._socket.recv_into(memoryview(self._buffer)[received:])
        head = bytes(self._buffer[:end]).lower()
        if not head.startswith(b"http/1.1 200"):
            raise RuntimeError(head.decode())
        self.body_bytes = int(head.split(b"content-length: ")[1].split(b"\r\n")[0])
        left = self.body_bytes + end + 4 - received
        while left:
            left -= self._socket.recv_into(self._buffer, min(left, len(self._buffer)))
        return time.perf_counter() - begin

    def ask_for(self, paths: Paths, seconds: float) -> list[float]:
        """Ask for some paths in turn, again and again; return how long each answer took, s."""
        for path in paths.paths if paths.warm else ():
            self.ask(path)
        end = time.perf_counter() + seconds
        took = [self.ask(paths.next())]
        while time.perf_counter() < end:
            took.append(self.ask(paths.next()))
        return took


def percentile(took: list[float], share: float) -> float:
    """Return a share's time, ms."""
    return sorted(took)[min(int(share * len(took)), len(took) - 1)] * 1e3


def median_of(rounds: Rounds, share: float) -> float:
    """Return the median over rounds of a share's time, ms."""
    return statistics.median(percentile(one, share) for one in rounds)


def in_rounds(targets: Mapping[str, tuple[Server, Paths]], seconds: float) -> dict[str, Rounds]:
    """Ask for one after the other, by new connections, again and again; print a table and return the times."""
    took: dict[str, Rounds] = {name: [] for name in targets}
    spent, sizes = dict.fromkeys(targets, 0.0), {}
    for name, (server, paths) in targets.items():
        client = Client(server.url)
        client.ask_for(paths, 0.5)
        sizes[name] = client.body_bytes
    for _ in range(ROUNDS):
        for name, (server, paths) in targets.items():
            before = cpu_s(server.pids[0])
            took[name].append(Client(server.url).ask_for(paths, seconds))
            spent[name] += cpu_s(server.pids[0]) - before
    print(f"{'one connection':36}{'p50 ms':>9}{'p99 ms':>9}{'cpu ms':>9}{'bytes':>10}")
    for name, rounds in took.items():
        cpu_ms = spent[name] / sum(map(len, rounds)) * 1e3
        print(f"{name:36}{median_of(rounds, 0.5):9.2f}{median_of(rounds, 0.99):9.2f}{cpu_ms:9.2f}{sizes[name]:10}")
    return took


def health_beside(api: Server, what: str, paths: Paths, seconds: float, clients: int = CLIENTS) -> None:
    """Ask for `/health` by one connection, alone and while others, of a process of their own, ask for `paths`."""
    client, health = Client(api.url), Paths(("/health",))
    alone, beside, rates = [], [], []
    with ProcessPoolExecutor(1, get_context("spawn")) as others:
        others.submit(crowd, api.url, paths.paths[:1], 1, 0).result()  # until it has begun
        for _ in range(ROUNDS):
            alone.append(client.ask_for(health, 1))
            answers = others.submit(crowd, api.url, paths.paths, clients, seconds + 1)
            time.sleep(0.5)  # until they all ask
            beside.append(client.ask_for(health, seconds))
            rates.append(answers.result() / (seconds + 1))
    print(
        f"/health while {clients} clients ask {statistics.median(rates):.0f}/s ({what}): "
        f"p50 {median_of(beside, 0.5):.2f} ms, p99 {median_of(beside, 0.99):.2f} ms (bar 20), "
        f"worst round {max(percentile(one, 0.99) for one in beside):.2f} ms; alone p99 {median_of(alone, 0.99):.2f} ms"
    )


@dataclass
class Routes:
    """What a bench of routes publishes and asks for.

    Parameters
    ----------
    publish : callable
        Publishes below a folder.
    asked : mapping
        What is asked for, by name.
    crowded : tuple of str
        What `clients` ask for beside `/health`.
    compared : mapping
        Name -> path: `asked` of that name is compared with the ready-made bytes of the path's answer.
    clients : int
    """

    publish: Callable[[Path], object]
    asked: Mapping[str, Paths]
    crowded: tuple[str, ...]
    compared: Mapping[str, str] = field(default_factory=dict)
    clients: int = CLIENTS


def ask_routes(folder: Path, routes: Routes, seconds: float, old: str = "", **settings: str) -> None:
    """Publish and serve by one worker; print response times, and those of `/health` beside.

    Where `old` names another checkout, a worker of its code is asked for the same in the same rounds.
    """
    routes.publish(folder)
    environment = settings_of(folder, **settings)
    with ExitStack() as stack:
        servers = stack.enter_context(versions(environment, old))
        api = servers[""]
        targets = {label + name: (one, paths) for name, paths in routes.asked.items() for label, one in servers.items()}
        for name, path in routes.compared.items():
            body = until(api.url, path, 200).content
            targets[f"bytes of {name}"] = stack.enter_context(ready_made(environment, body)), Paths(("/prebuilt",))
        before = private_mb(api.pids[0])
        with apart(*(server for server, _ in targets.values())):
            took = in_rounds(targets, seconds / 4)
        for name in routes.compared:
            pairs = zip(took[name], took[f"bytes of {name}"], strict=True)
            ratio = statistics.median(percentile(a, 0.5) / percentile(b, 0.5) for a, b in pairs)
            print(f"{name} / ready-made bytes, p50: {ratio:.1f}")
        for what in routes.crowded:
            health_beside(api, what, routes.asked[what], seconds, routes.clients)
        print(f"private memory: {before:.0f} MB before, {private_mb(api.pids[0]):.0f} MB after all")


def crowd(url: str, paths: tuple[str, ...], clients: int, seconds: float) -> int:
    """Ask without a pause by several connections at once; return how many answers came."""
    shared = Paths(paths)
    with ThreadPoolExecutor(clients) as pool:
        asking = [pool.submit(Client(url).ask_for, shared, seconds) for _ in range(clients)]
        return sum(len(one.result()) for one in asking)
