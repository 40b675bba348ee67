"""Requests that fail while 20 cycles are published under load, 2 workers: `python -m tests.bench.bench_publish`.

The cycles go through the real writer, validators and index; the workers follow them while wrk asks for random points.
"""

import re
import subprocess
import tempfile
import time
from datetime import datetime, timedelta
from pathlib import Path

from tests.bench.bench_http import get, process
from tests.support.tiles import CYCLE, OSLO, WINDOW, publish_made_up
from tiles.clock import iso
from tiles.grid import FORECAST
from tiles.store import Store, open_store

CYCLES = 20
SECONDS = 60
NOW = CYCLE + timedelta(hours=11)
POINT = f"/api/forecast?lat={OSLO[0]}&lon={OSLO[1]}"


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(f"{folder}/tiles")
        publish_made_up(store, CYCLE)
        # what is served is at most 12 hours old: ten cycles lie within that, and each is published twice
        environment = {
            "SOLFLIS_STATE": f"{folder}/state",
            "SOLFLIS_STORE": f"{folder}/tiles",
            "SOLFLIS_CLOCK": f"{iso(NOW)}!",
        }
        with process(["-m", "api.worker", "--fd", "{fd}"], environment, copies=2) as (api, _):
            wait_for(api, CYCLE, "the first version")
            script = Path(folder) / "window.lua"
            script.write_text(_lua())
            command = ["wrk", "-t1", "-c32", f"-d{SECONDS}s", "--latency", "-s", str(script), api]
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as wrk:
                begin = time.monotonic()
                lags = publish_all(store, api)
                took = time.monotonic() - begin
                said, _ = wrk.communicate(timeout=SECONDS + 60)
    failed = sum(int(n) for n in re.findall(r"Non-2xx or 3xx responses: (\d+)", said))
    failed += sum(int(n) for line in re.findall(r"Socket errors: (.*)", said) for n in re.findall(r"\d+", line))
    total = int(re.search(r"(\d+) requests in", said)[1])  # type: ignore[index]
    p99 = re.search(r"99%\s+(\S+)", said)[1]  # type: ignore[index]
    print(f"{CYCLES} cycles published in {took:.0f} s under load, 2 workers: {total} requests, p99 {p99}")
    print(f"  failed requests: {failed} (bar 0)")
    print(
        f"  a new cycle was served after {max(lags):.1f} s at most, {sorted(lags)[len(lags) // 2]:.1f} s at the median"
    )


def publish_all(store: Store, api: str) -> list[float]:
    """Publish one cycle after the other; return how long after its publication each was served."""
    lags = []
    for number in range(CYCLES):
        cycle = CYCLE + timedelta(hours=1 + number % 10)
        publish_made_up(store, cycle, now=NOW, level=500.0 + 10 * number)
        published = time.monotonic()
        if number < 10:  # the second time round, the newest version stays the newest
            wait_for(api, cycle, "a new version")
            lags.append(time.monotonic() - published)
    return lags


def wait_for(api: str, cycle: datetime, what: str, seconds: float = 60) -> None:
    """Ask until the cycle is served."""
    deadline = time.monotonic() + seconds
    while f'"cycle_time":"{iso(cycle)}"'.encode() not in get(api + POINT):
        if time.monotonic() > deadline:
            raise SystemExit(f"{what}: {iso(cycle)} was not served within {seconds} s")
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
