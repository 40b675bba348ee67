"""`POST /api/horizon/rooftop` over HTTP: a roof whose heights are kept, in JSON, as a file and without level 1.

`first`: nothing is kept and the process that fetches does not run; the service is next door and answers at once. Then
`/health` while four clients ask, and what memory a worker has before and after.

`python -m tests.bench.bench_rooftop_http [--seconds 3]`. Figures, no assertions; one worker. Clients run on the other
cores, where there are any. Each request comes from an address of its own: an address may ask five times a second.
"""

import argparse
import itertools
import json
import os
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
import psutil

from tests.bench.bench_http import apart, get
from tests.bench.one_connection import Client, crowd, health_beside_a_crowd
from tests.bench.one_worker import in_rounds, serving
from tests.support.coverages import Coverages, Floats
from tests.support.horizon import OSLO, publish_horizon
from tiles.store import open_store

PATH = "/api/horizon/rooftop"
CLIENTS = 4
# Within 100 m of each other: the same squares, and each a roof of its own.
ROOFS = tuple((OSLO[0] + 1e-4 * i, OSLO[1] + 1e-4 * i) for i in range(8))
ASKED = {
    "json (bar 300, aim 60)": ("", {}),
    "json, near field alone": ("", {"include_tier1": False}),
    "csv": ("?format=csv", {}),
    "export_e": ("?format=export_e", {}),
    "png": ("?format=png", {}),
}
_numbers = itertools.count(os.getpid() << 20)


def town(x: Floats, y: Floats) -> Floats:
    """Return houses of 10 x 10 m and 4-12 m height, 18 m apart, on a slope."""
    row, column = np.broadcast_arrays(y // 18, x // 18)
    high = 4 + 8 * ((row * 7919 + column * 104_729) % 97) / 97
    return 50 + 0.05 * (x % 1000) + np.where((x % 18 < 10) & (y % 18 < 10), high, 0)


def ground(x: Floats, y: Floats) -> Floats:
    """Return the slope."""
    return 50 + 0.05 * (x % 1000) + 0 * y


class Asking(Client):
    """A client that posts roofs."""

    def roof(self, what: str, turn: int) -> float:
        """Return how long an answer took, s."""
        query, more = ASKED[what]
        lat, lon = ROOFS[turn % len(ROOFS)]
        body = json.dumps({"lat": lat, "lon": lon, "observer_height_m": 9, **more})
        number = next(_numbers)
        return self.exchange(
            f"POST {PATH}{query} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"X-Forwarded-For: 2001:db8:{number >> 16 & 0xFFFF:x}:{number & 0xFFFF:x}::1\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
        )

    def roofs(self, what: str, seconds: float) -> list[float]:
        """Ask again and again; return how long each answer took, s."""
        end, took = time.perf_counter() + seconds, []
        while not took or time.perf_counter() < end:
            took.append(self.roof(what, len(took)))
        return took


def memory(pid: int) -> float:
    """Return what a process has in memory, MB."""
    return float(psutil.Process(pid).memory_info().rss) / 1e6


def measure(folder: Path, seconds: float) -> None:
    """Publish, serve, and print the figures."""
    publish_horizon(open_store(str(folder / "tiles")))
    with (
        Coverages(dom=town, dtm=ground) as service,
        serving(folder, SOLFLIS_KARTVERKET_WCS_URL=service.url) as (api, [pid]),
    ):
        get(f"{api}/api/horizon/terrain?lat={OSLO[0]}&lon={OSLO[1]}")
        time.sleep(2)  # until it has loaded what comes behind the first answers
        before = memory(pid)
        first = Asking(api).roof(next(iter(ASKED)), 0)
        print(f"first: {first * 1e3:.0f} ms, {len(service.asked)} squares fetched")
        with apart([pid]):
            asks = {what: partial(Asking(api).roofs, what) for what in ASKED}
            in_rounds(asks, seconds / 4, pid)
        argv = [sys.executable, "-m", "tests.bench.bench_rooftop_http", "--crowd", api]
        health_beside_a_crowd(api, f"{CLIENTS} clients ask", "roofs", argv, "", seconds)
        print(f"memory of the worker: {before:.0f} MB before the first roof, {memory(pid):.0f} MB after all")


def main() -> None:
    """Print the figures, or be a crowd."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--crowd", metavar="URL")
    arguments = parser.parse_args()
    if arguments.crowd:
        what = next(iter(ASKED))
        print(crowd(lambda: Asking(arguments.crowd).roofs(what, arguments.seconds), CLIENTS))
        return
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), arguments.seconds)


if __name__ == "__main__":
    main()
