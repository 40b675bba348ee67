"""One worker of the API that serves tiles of a folder in June 2026, and what it is asked for in rounds."""

import asyncio
import statistics
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import psutil

from api.database.current import make_current
from api.database.engine import address
from tests.bench.bench_http import process
from tests.bench.one_connection import ROUNDS, Client, Paths, percentile

Ask = Callable[[float], list[float]]
"""Asks for so many seconds; how long each answer took, s."""


@contextmanager
def serving(folder: Path, **settings: str) -> Iterator[tuple[str, list[int]]]:
    """Serve the tiles below a folder; the worker's address and process."""
    asyncio.run(make_current(address(None, folder / "state")))
    environment = {
        "SOLFLIS_STATE": str(folder / "state"),
        "SOLFLIS_STORE": str(folder / "tiles"),
        "SOLFLIS_CLOCK": "2026-06-01T00:00:00Z",
        "SOLFLIS_ACCESS": "open",
        **settings,
    }
    with process(["-m", "api.worker", "--fd", "{fd}"], environment) as running:
        yield running


def asking(api: str, paths: Paths) -> Ask:
    """By a new connection each time."""
    return lambda seconds: Client(api).ask_for(paths, seconds)


def in_rounds(asks: Mapping[str, Ask], seconds: float, pid: int) -> dict[str, list[list[float]]]:
    """Ask for one after the other, again and again, and print a table; how long each answer took in each round, s.

    The time of the processor is that of the process with this id.
    """
    took: dict[str, list[list[float]]] = {name: [] for name in asks}
    spent = dict.fromkeys(asks, 0.0)
    for ask in asks.values():
        ask(0.5)
    for _ in range(ROUNDS):
        for name, ask in asks.items():
            before = psutil.Process(pid).cpu_times()
            took[name].append(ask(seconds))
            after = psutil.Process(pid).cpu_times()
            spent[name] += after.user + after.system - before.user - before.system
    print(f"{'one connection':32}{'p50 ms':>9}{'p99 ms':>9}{'cpu ms':>9}")
    for name, rounds in took.items():
        p50, p99 = (statistics.median(percentile(one, share) for one in rounds) for share in (0.5, 0.99))
        print(f"{name:32}{p50:9.2f}{p99:9.2f}{spent[name] / sum(map(len, rounds)) * 1e3:9.2f}")
    return took
