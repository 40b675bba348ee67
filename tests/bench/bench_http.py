"""`GET /api/forecast` over HTTP: requests/s and p99 against ready-made bytes, start-up, memory,
publishing under load.

`python -m tests.bench.bench_http [--seconds 6]` needs `wrk`. Figures, no assertions; one worker.
"""

import argparse
import asyncio
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import IO

import numpy as np
import psutil

from api.database.current import make_current
from api.database.engine import address
from tests.api.fabricated import CYCLE, HOURS, WEATHER, entry, hydrate, series, write_index
from tests.support.tiles import CYCLE as MADE_UP_CYCLE
from tests.support.tiles import publish_made_up
from tiles.clock import iso
from tiles.grid import FORECAST
from tiles.store import open_store

LUA = Path(__file__).with_name("random_points.lua")
ROUNDS = 5


@dataclass
class Load:
    """What wrk measured."""

    per_second: float
    p50_ms: float
    p99_ms: float
    failed: int
    cpu_us: float = 0.0


def _milliseconds(text: str) -> float:
    value, unit = re.fullmatch(r"([\d.]+)(us|ms|s)", text).groups()  # type: ignore[union-attr]
    return float(value) * {"us": 1e-3, "ms": 1.0, "s": 1e3}[unit]


def wrk(
    url: str,
    seconds: int,
    script: Path | None = None,
    header: str | None = None,
    connections: int = 32,
    arguments: tuple[str, ...] = (),
) -> Load:
    """Load a URL; the script is given the arguments."""
    command = [
        "wrk",
        "-t1",
        f"-c{connections}",
        f"-d{seconds}s",
        "--latency",
        *(["-s", str(script)] if script else []),
        *(["-H", header] if header else []),
        url,
        *(["--", *arguments] if arguments else []),
    ]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    failed = sum(int(n) for n in re.findall(r"Non-2xx or 3xx responses: (\d+)", said))
    failed += sum(int(n) for line in re.findall(r"Socket errors: (.*)", said) for n in re.findall(r"\d+", line))
    return Load(
        float(re.search(r"Requests/sec:\s+([\d.]+)", said)[1]),  # type: ignore[index]
        _milliseconds(re.search(r"\n +50%\s+(\S+)", said)[1]),  # type: ignore[index]
        _milliseconds(re.search(r"\n +99%\s+(\S+)", said)[1]),  # type: ignore[index]
        failed,
    )


@contextmanager
def process(
    arguments: list[str], environment: dict[str, str], copies: int = 1, log: IO[bytes] | None = None
) -> Iterator[tuple[str, list[int]]]:
    """Run processes on one listening socket; `{fd}` in the arguments is its descriptor.

    What they log goes to the null device where no file is given: it is written all the same.
    """
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as sock:
        port = sock.getsockname()[1]
        argv = [sys.executable, *(a.replace("{fd}", str(sock.fileno())) for a in arguments)]
        running = [
            subprocess.Popen(
                argv,
                env={**os.environ, **environment},
                pass_fds=(sock.fileno(),),
                stdout=log or subprocess.DEVNULL,
                stderr=log or subprocess.DEVNULL,
            )
            for _ in range(copies)
        ]
    try:
        yield f"http://127.0.0.1:{port}", [p.pid for p in running]
    finally:
        for one in running:
            one.terminate()
        for one in running:
            one.wait(10)


@contextmanager
def apart(pids: Iterable[int]) -> Iterator[None]:
    """Keep servers on one core, and their clients, which this process starts, on the others.

    Where the kernel lets them meet on one core now and then, a server's processor time per request varies by half.
    """
    cores = sorted(os.sched_getaffinity(0))
    for thread in (thread for pid in pids for thread in psutil.Process(pid).threads()):
        os.sched_setaffinity(thread.id, cores[:1])
    os.sched_setaffinity(0, cores[1:] or cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def get(url: str, seconds: float = 30) -> bytes:
    """Ask until there is an answer."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(url, timeout=seconds) as answer:
                return answer.read()
        except urllib.error.URLError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def national(state: Path, store: Path, *, weather: bool = False) -> dict[str, str]:
    """Make a national tile with sun everywhere, and with weather for production; return the environment of a worker."""
    rng = np.random.default_rng(1)
    shapes = [series(int(peak)) for peak in rng.integers(500, 9000, 50)]
    cells = {(i, j): shapes[(i * 7 + j * 13) % 50] for i in range(FORECAST.n_lat) for j in range(FORECAST.n_lon)}
    made = entry(variables=WEATHER) if weather else entry()
    hydrate(state, made, cells)
    write_index(store, made)
    now = (CYCLE + timedelta(hours=1)).isoformat()
    return {
        "SOLFLIS_STATE": str(state),
        "SOLFLIS_STORE": str(store),
        "SOLFLIS_CLOCK": now,
        "SOLFLIS_ACCESS": "open",
    }


def load(url: str, seconds: int, script: Path | None, pid: int, header: str | None = None) -> Load:
    """Load a URL; count the processor time of a request too, which other load does not disturb much."""
    before = psutil.Process(pid).cpu_times()
    measured = wrk(url, seconds, script, header)
    after = psutil.Process(pid).cpu_times()
    spent = after.user + after.system - before.user - before.system
    measured.cpu_us = spent / (measured.per_second * seconds) * 1e6
    return measured


def throughput(environment: dict[str, str], body: Path, seconds: int) -> None:
    """Compare the forecast with ready-made bytes, in alternating rounds.

    All three are asked for the same random points: making them up costs the client so much that a server on the same
    processor, even if it is another core, does fewer of any kind.
    """
    results: dict[str, list[Load]] = {"forecast": [], "prebuilt": [], "bare": []}
    prebuilt = ["-m", "tests.bench.prebuilt_app", "{fd}"]
    with (
        process(["-m", "api.worker", "--fd", "{fd}"], environment) as (api, api_pids),
        process([*prebuilt, "prebuilt", str(body)], environment) as (same, same_pids),
        process([*prebuilt, "bare", str(body)], environment) as (bare, bare_pids),
    ):
        targets = {
            "forecast": (f"{api}/api/forecast", LUA, api_pids[0]),
            "prebuilt": (f"{same}/prebuilt", LUA, same_pids[0]),
            "bare": (f"{bare}/prebuilt", LUA, bare_pids[0]),
        }
        for url in (f"{api}/health", f"{same}/health", f"{bare}/prebuilt"):
            get(url)
        with apart(pid for _, _, pid in targets.values()):
            for url, script, _ in targets.values():
                wrk(url, 1, script)
            for _ in range(ROUNDS):
                for name, (url, script, pid) in targets.items():
                    results[name].append(load(url, seconds, script, pid))
    print(f"{'wrk -c32, one worker':24}{'req/s':>9}{'p50 ms':>9}{'p99 ms':>9}{'cpu us':>9}{'failed':>8}")
    for name, loads in results.items():
        middle = statistics.median(one.per_second for one in loads)
        p50, p99, cpu = (
            statistics.median(getattr(one, which) for one in loads) for which in ("p50_ms", "p99_ms", "cpu_us")
        )
        print(f"{name:24}{middle:9.0f}{p50:9.2f}{p99:9.2f}{cpu:9.1f}{sum(one.failed for one in loads):8}")
    for other, bar in (("prebuilt", 0.5), ("bare", 0.35)):
        ratios = [a.per_second / b.per_second for a, b in zip(results["forecast"], results[other], strict=True)]
        cpu = [b.cpu_us / a.cpu_us for a, b in zip(results["forecast"], results[other], strict=True)]
        by_cpu = f"by processor time {statistics.median(cpu):.2f}"
        print(f"forecast / {other}: {statistics.median(ratios):.2f} (bar {bar}); {by_cpu}")
    p99s = [a.p99_ms / b.p99_ms for a, b in zip(results["forecast"], results["prebuilt"], strict=True)]
    print(f"p99 / prebuilt's p99: {statistics.median(p99s):.2f} (bar 3)")


def start_and_memory(environment: dict[str, str]) -> None:
    """Measure start-up to the first answer, and private memory after 10,000 and 20,000 random points."""
    asyncio.run(make_current(address(None, Path(environment["SOLFLIS_STATE"]))))
    begin = time.perf_counter()
    with process(["-m", "api.worker", "--fd", "{fd}"], environment) as (api, pids):
        get(f"{api}/api/forecast?lat=59.91&lon=10.75")
        print(f"API start to first answer: {time.perf_counter() - begin:.2f} s (bar 2; hydrated before)")
        for _ in range(3):
            measured = wrk(f"{api}/api/forecast", 2, LUA)
            uss = psutil.Process(pids[0]).memory_full_info().uss / 2**20
            points = measured.per_second * 2
            print(f"private memory after {points:.0f} points more: {uss:.1f} MB (flat; of all routes: bar 260)")


def cold_start() -> None:
    """Measure start-up to the first answer where the tile has never been hydrated; then where no database is either."""
    with tempfile.TemporaryDirectory() as folder:
        publish_made_up(open_store(f"{folder}/tiles"), MADE_UP_CYCLE)
        environment = {
            "SOLFLIS_STORE": f"{folder}/tiles",
            "SOLFLIS_CLOCK": f"{iso(MADE_UP_CYCLE)}!",
            "SOLFLIS_ACCESS": "open",
        }
        for what in ("bar 2; hydration of 4 variables", "the same, and the database made too"):
            state = Path(folder) / what
            if what.startswith("bar"):
                asyncio.run(make_current(address(None, state)))
            begin = time.perf_counter()
            with process(["-m", "api.worker", "--fd", "{fd}"], {**environment, "SOLFLIS_STATE": str(state)}) as (
                api,
                _,
            ):
                get(f"{api}/api/forecast?lat=59.91&lon=10.75")
                print(f"API start to first answer: {time.perf_counter() - begin:.2f} s ({what})")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=4)
    seconds = parser.parse_args().seconds
    with tempfile.TemporaryDirectory() as folder:
        state, store = Path(folder) / "state", Path(folder) / "tiles"
        environment = national(state, store)
        start_and_memory(environment)
        cold_start()
        body = Path(folder) / "body.json"
        with process(["-m", "api.worker", "--fd", "{fd}"], environment) as (api, _):
            body.write_bytes(get(f"{api}/api/forecast?lat=61.37412&lon=9.63254"))
        print(f"body: {body.stat().st_size} bytes, {HOURS} rows")
        throughput(environment, body, seconds)


if __name__ == "__main__":
    main()
