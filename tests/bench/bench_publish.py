"""Requests that fail while 20 cycles are published under load, 2 workers: `python -m tests.bench.bench_publish`.

The cycles go through the real writer, validators and index; the workers follow them while wrk asks for random points.
"""

import re
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from catalog.versions import Entry
from tests.bench.bench_http import process
from tests.support.tiles import CYCLE, OSLO, WINDOW, publish_made_up
from tiles.clock import iso
from tiles.grid import FORECAST
from tiles.store import Store, open_store

CYCLES = 20
SECONDS = 600
NOW = CYCLE + timedelta(hours=11)
POINT = f"/api/forecast?lat={OSLO[0]}&lon={OSLO[1]}"


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(f"{folder}/tiles")
        first = publish_made_up(store, CYCLE)
        environment = {
            "SOLFLIS_STATE": f"{folder}/state",
            "SOLFLIS_STORE": f"{folder}/tiles",
            "SOLFLIS_CLOCK": f"{iso(NOW)}!",
            "SOLFLIS_ACCESS": "open",
        }
        with process(["-m", "api.worker", "--fd", "{fd}"], environment, copies=2) as (api, _):
            wait_for(api, first)
            script = Path(folder) / "window.lua"
            script.write_text(_lua())
            command = ["wrk", "-t1", "-c32", f"-d{SECONDS}s", "--latency", "-s", str(script), api]
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as wrk:
                begin = time.monotonic()
                lags = publish_all(store, api)
                took = time.monotonic() - begin
                wrk.send_signal(signal.SIGINT)  # it prints what it measured so far
                said, _ = wrk.communicate(timeout=60)
    failed = sum(int(n) for n in re.findall(r"Non-2xx or 3xx responses: (\d+)", said))
    failed += sum(int(n) for line in re.findall(r"Socket errors: (.*)", said) for n in re.findall(r"\d+", line))
    total = int(re.search(r"(\d+) requests in", said)[1])  # type: ignore[index]
    p99 = re.search(r"99%\s+(\S+)", said)[1]  # type: ignore[index]
    print(f"{CYCLES} versions published in {took:.0f} s under load, 2 workers: {total} requests, p99 {p99}")
    print(f"  failed requests: {failed} (bar 0)")
    print(
        f"  a new cycle was served after {max(lags):.1f} s at most, {sorted(lags)[len(lags) // 2]:.1f} s at the median"
    )


def publish_all(store: Store, api: str) -> list[float]:
    """Publish one version after the other; return how long after its publication each was served."""
    lags = []
    for number in range(CYCLES):
        # what is served is at most 12 hours old: eleven new cycles, then the newest of them again and again
        cycle = min(CYCLE + timedelta(hours=1 + number), NOW)
        entry = publish_made_up(store, cycle, now=NOW, level=500.0 + 10 * number)
        published = time.monotonic()
        wait_for(api, entry)
        lags.append(time.monotonic() - published)
    return lags


def wait_for(api: str, entry: Entry, seconds: float = 60) -> None:
    """Ask until a version is served, which its ETag tells."""
    deadline = time.monotonic() + seconds
    while True:
        with suppress(urllib.error.URLError), urllib.request.urlopen(api + POINT, timeout=30) as answer:
            if entry.attempt in answer.headers["ETag"]:
                return
        if time.monotonic() > deadline:
            raise SystemExit(f"{entry.version} was not served within {seconds} s")
        time.sleep(0.02)


def _lua() -> str:
    south, north = FORECAST.lats[WINDOW[0]][[0, -1]]
    west, east = FORECAST.lons[WINDOW[1]][[0, -1]]
    return (
        "request = function()\n"
        f"  local lat = {south} + math.random() * {north - south}\n"
        f"  local lon = {west} + math.random() * {east - west}\n"
        '  return wrk.format("GET", string.format("/api/forecast?lat=%.4f&lon=%.4f", lat, lon))\n'
        "end\n"
    )


if __name__ == "__main__":
    main()
