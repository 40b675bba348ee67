"""`GET /api/tmy` over HTTP: files of a typical year, uncompressed, and `/health` while eight clients download.

`kept`: of a cell whose chunks are decoded already; `from the store`: of more cells in turn than are kept decoded.

`python -m tests.bench.bench_tmy_http [--seconds 3]`. Figures, no assertions; one worker. Clients run on the
other cores, where there are any.
"""

import argparse
import asyncio
import itertools
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from api.database.current import make_current
from api.database.engine import address
from tests.bench.bench_http import apart, get, process
from tests.support.tmy import BUILT, LEVELS, OSLO, OSLO_CELL, publish_climate
from tiles.clock import iso
from tiles.grid import NORWAY3KM
from tiles.products.climate_archive import BLOCK
from tiles.products.tmy import MADE_OF
from tiles.products.tmy_stats import ANNUAL
from tiles.store import open_store

ROUNDS, CLIENTS = 5, 8
PLACE = f"lat={OSLO[0]}&lon={OSLO[1]}"
EPW, JSON = f"/api/tmy?{PLACE}", f"/api/tmy?{PLACE}&format=json"
VARIANTS = tuple(f"&product={name}&confidence={which}" for name in MADE_OF for which in ANNUAL)
# All cells of Oslo's block: 31 MB of ens_tmy30, of which the application keeps 16.
BLOCK_OF_CELLS = tuple(
    (OSLO_CELL[0] // BLOCK * BLOCK + row, OSLO_CELL[1] // BLOCK * BLOCK + column)
    for row in range(BLOCK)
    for column in range(BLOCK)
)
CENTRES = tuple(NORWAY3KM.centre(cell) for cell in BLOCK_OF_CELLS if cell not in LEVELS)
STORED = tuple(f"/api/tmy?lat={lat:.5f}&lon={lon:.5f}" for lat, lon in CENTRES)


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


IN_STORE = Paths(STORED)
FILES = {
    "epw, kept (bar 8)": Paths(tuple(EPW + more for more in VARIANTS)),
    "json, kept (bar 4)": Paths(tuple(JSON + more for more in VARIANTS)),
    "epw, from the store": IN_STORE,
    "json, from the store": Paths(tuple(f"{path}&format=json" for path in STORED), IN_STORE.turn),
    "csv": Paths((f"{EPW}&format=csv",)),
    "tool_h": Paths((f"{EPW}&format=tool_h",)),
    "stats": Paths((f"/api/tmy/stats?{PLACE}",)),
}


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
        begin = time.perf_counter()
        self._socket.sendall(f"GET {path} HTTP/1.1\r\nHost: {self._host}\r\n\r\n".encode())
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


def _percentile(took: list[float], share: float) -> float:
    return sorted(took)[min(int(share * len(took)), len(took) - 1)] * 1e3


def files(api: str, pid: int, prebuilt: dict[str, str], seconds: float) -> None:
    """Ask by one connection, in rounds that alternate with those of ready-made bytes."""
    targets = {name: (api, paths) for name, paths in FILES.items()}
    targets |= {f"ready-made bytes of {name}": (url, Paths(("/prebuilt",))) for name, url in prebuilt.items()}
    took: dict[str, list[list[float]]] = {name: [] for name in targets}
    spent = dict.fromkeys(targets, 0.0)
    for url, paths in targets.values():
        Client(url).ask_for(paths, 0.5)
    for _ in range(ROUNDS):
        for name, (url, paths) in targets.items():
            before = psutil.Process(pid).cpu_times()
            took[name].append(Client(url).ask_for(paths, seconds / 2))
            after = psutil.Process(pid).cpu_times()
            spent[name] += after.user + after.system - before.user - before.system
    print(f"{'one connection':32}{'p50 ms':>9}{'p99 ms':>9}{'cpu ms':>9}")
    for name, (url, _) in targets.items():
        p50, p99 = (statistics.median(_percentile(one, share) for one in took[name]) for share in (0.5, 0.99))
        cpu = f"{spent[name] / sum(map(len, took[name])) * 1e3:9.2f}" if url == api else ""
        print(f"{name:32}{p50:9.2f}{p99:9.2f}{cpu}")
    for name in ("epw", "json"):
        made = next(took[of] for of in took if of.startswith(f"{name}, kept"))
        pairs = zip(made, took[f"ready-made bytes of {name}"], strict=True)
        ratio = statistics.median(_percentile(a, 0.5) / _percentile(b, 0.5) for a, b in pairs)
        print(f"{name} / ready-made bytes, p50: {ratio:.1f}")


def download(api: str, what: str, seconds: float) -> None:
    """Download files by several connections at once, without a pause; print how many."""
    counts: list[int] = []
    threads = [
        threading.Thread(target=lambda: counts.append(len(Client(api).ask_for(FILES[what], seconds))))
        for _ in range(CLIENTS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(counts) < CLIENTS:
        raise SystemExit(f"{CLIENTS - len(counts)} of {CLIENTS} clients failed")
    print(sum(counts))


def health(api: str, what: str, seconds: float) -> None:
    """Ask for `/health` by one connection, alone and while others, of a process of their own, download files."""
    client, path = Client(api), Paths(("/health",))
    alone, beside, rates = [], [], []
    clients = [sys.executable, "-m", "tests.bench.bench_tmy_http", "--download", api, what]
    for _ in range(ROUNDS):
        alone.append(_percentile(client.ask_for(path, 1), 0.99))
        with subprocess.Popen([*clients, "--seconds", str(seconds + 2)], stdout=subprocess.PIPE, text=True) as running:
            time.sleep(1.5)  # until it has begun
            beside.append(client.ask_for(path, seconds))
            rates.append(int(running.communicate()[0]) / (seconds + 2))
    p50, p99 = (statistics.median(_percentile(one, share) for one in beside) for share in (0.5, 0.99))
    print(
        f"/health while {CLIENTS} clients download {statistics.median(rates):.0f}/s ({what}): p50 {p50:.2f} ms, "
        f"p99 {p99:.2f} ms (bar 20), worst round {max(_percentile(one, 0.99) for one in beside):.2f} ms; "
        f"alone p99 {statistics.median(alone):.2f} ms"
    )


@contextmanager
def ready_made(folder: Path, name: str, body: bytes) -> Iterator[tuple[str, list[int]]]:
    """Serve some bytes."""
    file = folder / name
    file.write_bytes(body)
    with process(
        ["-m", "tests.bench.prebuilt_app", "{fd}", "prebuilt", str(file)], {"SOLFLIS_ACCESS": "open"}
    ) as running:
        get(f"{running[0]}/prebuilt")
        yield running


def measure(folder: Path, seconds: float) -> None:
    """Publish, serve, and print the figures."""
    LEVELS.update(dict.fromkeys(set(BLOCK_OF_CELLS) - set(LEVELS), 1.0))
    publish_climate(open_store(str(folder / "tiles")))
    asyncio.run(make_current(address(None, folder / "state")))
    environment = {
        "SOLFLIS_STATE": str(folder / "state"),
        "SOLFLIS_STORE": str(folder / "tiles"),
        "SOLFLIS_CLOCK": iso(BUILT),
        "SOLFLIS_ACCESS": "open",
    }
    with process(["-m", "api.worker", "--fd", "{fd}"], environment) as (api, pids):
        bodies = {"epw": get(f"{api}{EPW}"), "json": get(f"{api}{JSON}")}
        print(", ".join(f"{name}: {len(body)} bytes" for name, body in bodies.items()))
        with (
            ready_made(folder, "epw", bodies["epw"]) as (epw, epw_pids),
            ready_made(folder, "json", bodies["json"]) as (json, json_pids),
            apart([*pids, *epw_pids, *json_pids]),
        ):
            files(api, pids[0], {"epw": epw, "json": json}, seconds)
        for what in ("epw, kept (bar 8)", "epw, from the store"):
            health(api, what, seconds)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--download", nargs=2, metavar=("URL", "WHAT"), help="be the clients that download")
    arguments = parser.parse_args()
    if arguments.download:
        download(*arguments.download, arguments.seconds)
        return
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), arguments.seconds)


if __name__ == "__main__":
    main()
