"""Requests that fail while 20 cycles are published under load, 2 workers. Needs `wrk`.

The cycles go through the real writer, validators and index; the workers follow them while wrk asks for random points.
"""

import signal
import statistics
import subprocess
import time
from datetime import timedelta
from pathlib import Path

from catalog.versions import Entry
from tests.bench.loading import Target, read
from tests.bench.serving import process, settings_of
from tests.support.tiles import CYCLE, OSLO, WINDOW, publish_made_up
from tests.support.worker import until
from tiles.clock import iso
from tiles.grid import FORECAST
from tiles.store import open_store

NOW = CYCLE + timedelta(hours=11)
POINT = f"/api/forecast?lat={OSLO[0]}&lon={OSLO[1]}"
MOST_S = 600
WHERE = FORECAST.lats[WINDOW[0]], FORECAST.lons[WINDOW[1]]


def measure(folder: Path, cycles: int = 20) -> None:
    """Print the figures."""
    store = open_store(f"{folder}/tiles")
    first = publish_made_up(store, CYCLE)
    lags = []
    with process(settings_of(folder, f"{iso(NOW)}!"), copies=2) as api:
        wait_for(api.url, first)
        corners = [str(edge) for axis in WHERE for edge in (axis[0], axis[-1])]
        command = Target(api, "/api/forecast", arguments=tuple(corners)).command(MOST_S)
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as wrk:
            begin = time.monotonic()
            for number in range(cycles):
                # what is served is at most 12 hours old: eleven new cycles, then the newest of them again and again
                cycle = min(CYCLE + timedelta(hours=1 + number), NOW)
                entry = publish_made_up(store, cycle, now=NOW, level=500.0 + 10 * number)
                published = time.monotonic()
                wait_for(api.url, entry)
                lags.append(time.monotonic() - published)
            took = time.monotonic() - begin
            wrk.send_signal(signal.SIGINT)  # it prints what it measured so far
            load = read(wrk.communicate(timeout=60)[0])
    print(
        f"{cycles} versions published in {took:.0f} s under load, 2 workers: {load.requests} requests, "
        f"p99 {load.p99_ms:.2f} ms\n  failed requests: {load.failed} (bar 0)\n"
        f"  a new cycle was served after {max(lags):.1f} s at most, {statistics.median(lags):.1f} s at the median"
    )


def wait_for(url: str, entry: Entry) -> None:
    """Ask until a version is served, which its ETag tells."""
    while entry.attempt not in until(url, POINT, 200).headers["ETag"]:
        time.sleep(0.02)
