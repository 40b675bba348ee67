"""`POST /api/forecast` with two arrays, simplified and precise, and bulk calls of 50 systems, over HTTP.

`python -m tests.bench.bench_production [--seconds 4]` needs `wrk`. Figures, no assertions; one worker.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import psutil

from tests.bench.bench_http import Load, get, national, process, wrk

LUA = Path(__file__).with_name("random_plants.lua")
ROUNDS = 3
PLANT = "/api/forecast"
BULK = "/api/forecast/bulk"
# Name -> path, arguments of the script, connections, what has a bar.
LOADS = {
    "simplified": (PLANT, (), 32, "bar 3,000 requests/s"),
    "precise": (PLANT, ("precise",), 32, "bar 1,500 requests/s"),
    "bulk of 50, new": (BULK, ("50", "new"), 1, "bar p50 25 ms"),
    "bulk of 50, kept": (BULK, ("50", "kept"), 1, "bar p50 5 ms"),
}


def throughput(environment: dict[str, str], seconds: int) -> None:
    """Load one worker with each kind of call in turn."""
    results: dict[str, list[Load]] = {name: [] for name in LOADS}
    with process(["-m", "api.worker", "--fd", "{fd}"], environment) as (api, [pid]):
        get(f"{api}/api/forecast?lat=59.91&lon=10.75")
        for number in range(ROUNDS + 1):
            for name, (path, arguments, connections, _) in LOADS.items():
                length = seconds if number else 1
                before, began = psutil.Process(pid).cpu_times(), time.perf_counter()
                load = wrk(f"{api}{path}", length, LUA, connections=connections, arguments=arguments)
                after, took = psutil.Process(pid).cpu_times(), time.perf_counter() - began
                load.cpu_us = (after.user + after.system - before.user - before.system) / (load.per_second * took) * 1e6
                if number:  # the first warms up
                    results[name].append(load)
        uss = psutil.Process(pid).memory_full_info().uss / 2**20
    print(f"{'wrk, one worker':20}{'req/s':>9}{'p50 ms':>9}{'p99 ms':>9}{'cpu us':>9}{'failed':>8}")
    for name, loads in results.items():
        middle = {key: statistics.median(getattr(one, key) for one in loads) for key in Load.__annotations__}
        figures = f"{middle['per_second']:9.0f}{middle['p50_ms']:9.2f}{middle['p99_ms']:9.2f}{middle['cpu_us']:9.0f}"
        print(f"{name:20}{figures}{sum(one.failed for one in loads):8}   {LOADS[name][3]}")
    print(f"private memory after all of them: {uss:.0f} MB (bar 260)")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=4)
    seconds = parser.parse_args().seconds
    with tempfile.TemporaryDirectory() as folder:
        state, store = Path(folder) / "state", Path(folder) / "tiles"
        throughput(national(state, store, weather=True), seconds)


if __name__ == "__main__":
    main()
