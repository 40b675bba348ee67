"""`POST /api/forecast` with two arrays, simplified and precise, and bulk calls of 50 systems, over HTTP.

`python -m tests.bench.bench_production [--seconds 4]` needs `wrk`. Figures, no assertions; one worker, with
all its threads on one core.
"""

import argparse
import statistics
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import psutil

from tests.bench.bench_http import LUA as POINTS
from tests.bench.bench_http import Load, apart, get, national, process, wrk

PLANTS = Path(__file__).with_name("random_plants.lua")
ROUNDS = 5
PLANT = "/api/forecast"
BULK = "/api/forecast/bulk"
# Name -> path, script and its arguments, connections, what has a bar. The GET tells how fast the machine is now.
LOADS = {
    "GET, to compare": (PLANT, POINTS, (), 32, ""),
    "simplified": (PLANT, PLANTS, (), 32, "bar 3,000 requests/s"),
    "precise": (PLANT, PLANTS, ("precise",), 32, "bar 1,500 requests/s"),
    "bulk of 50, new": (BULK, PLANTS, ("50", "new"), 1, "bar p50 25 ms"),
    "bulk of 50, kept": (BULK, PLANTS, ("50", "kept"), 1, "bar p50 5 ms"),
}


def throughput(environment: dict[str, str], seconds: int) -> None:
    """Load one worker with each kind of call in turn."""
    results: dict[str, list[Load]] = {name: [] for name in LOADS}
    with ExitStack() as running:
        api, [pid] = running.enter_context(process(["-m", "api.worker", "--fd", "{fd}"], environment))
        get(f"{api}/api/forecast?lat=59.91&lon=10.75")
        running.enter_context(apart([pid]))
        for number in range(ROUNDS + 1):
            for name, (path, script, arguments, connections, _) in LOADS.items():
                length = seconds if number else 1
                before, began = psutil.Process(pid).cpu_times(), time.perf_counter()
                load = wrk(f"{api}{path}", length, script, connections=connections, arguments=arguments)
                after, took = psutil.Process(pid).cpu_times(), time.perf_counter() - began
                load.cpu_us = (after.user + after.system - before.user - before.system) / (load.per_second * took) * 1e6
                if number:  # the first warms up
                    results[name].append(load)
        uss = psutil.Process(pid).memory_full_info().uss / 2**20
    # On a machine that others use too, the best round says what this one can do by itself.
    print(f"{'wrk, one worker':20}{'req/s':>9}{'best':>9}{'p50 ms':>9}{'p99 ms':>9}{'cpu us':>9}{'failed':>8}")
    for name, loads in results.items():
        middle = {key: statistics.median(getattr(one, key) for one in loads) for key in Load.__annotations__}
        best = max(one.per_second for one in loads)
        rates = f"{middle['per_second']:9.0f}{best:9.0f}"
        figures = f"{rates}{middle['p50_ms']:9.2f}{middle['p99_ms']:9.2f}{middle['cpu_us']:9.0f}"
        print(f"{name:20}{figures}{sum(one.failed for one in loads):8}   {LOADS[name][4]}")
    for name in ("simplified", "precise"):
        ratios = [post.cpu_us / got.cpu_us for post, got in zip(results[name], results["GET, to compare"], strict=True)]
        print(f"{name} / GET, processor time: {statistics.median(ratios):.2f}")
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
