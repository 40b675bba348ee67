"""`GET /api/forecast` with key, quota, logs and metrics against the gate off.

`python -m tests.bench.bench_access [--seconds 4]` needs `wrk`. Figures, no assertions.
"""

import argparse
import asyncio
import statistics
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

from api.access import keys
from api.access.secret import load_secret
from api.database.current import make_current
from api.database.engine import address, make_async_engine
from tests.bench.bench_http import LUA, ROUNDS, Load, apart, get, load, national, process

FEW = Path(__file__).with_name("few_points.lua")
PLAN = """
requests_per_day = 2000000000
plants_per_day = 2000000000
kwp_per_plant = 25
systems_per_bulk = 1
"""


def issue(environment: Mapping[str, str]) -> str:
    """Make the database and a key that lasts."""

    async def issuing() -> str:
        state = Path(environment["SOLFLIS_STATE"])
        url = address(environment.get("SOLFLIS_DATABASE"), state)
        await make_current(url)
        engine = make_async_engine(url)
        try:
            return await keys.issue(engine, load_secret(None, state), "bench@localhost", "free", datetime.now(UTC))
        finally:
            await engine.dispose()

    return asyncio.run(issuing())


def throughput(environment: dict[str, str], seconds: int) -> None:
    """Compare counting with not counting, in alternating rounds on the same points."""
    folder = Path(environment["SOLFLIS_STATE"])
    plans = folder / "plans.toml"
    plans.write_text(f"[anonymous]{PLAN}\n[plans.free]{PLAN}\n[tmy]\nrequests_per_day = 2000\n")
    shared = {**environment, "SOLFLIS_PLANS": str(plans)}
    counting = {**shared, "SOLFLIS_ACCESS": "keys", "SOLFLIS_METRICS": str(folder / "metrics")}
    key = issue(shared)
    worker = ["-m", "api.worker", "--fd", "{fd}"]
    apps = {
        "gate off": (worker, {**shared, "SOLFLIS_ACCESS": "open"}),
        "counted": (worker, counting),
        "one by one": (["-m", "tests.bench.one_by_one", "--fd", "{fd}"], counting),
    }
    with ExitStack() as running:
        targets: dict[str, tuple[str, Path, int, str | None]] = {}
        for name, (arguments, settings) in apps.items():
            log = running.enter_context((folder / f"{name}.log").open("wb"))
            url, [pid] = running.enter_context(process(arguments, settings, log=log))
            get(f"{url}/health")
            given = None if name == "gate off" else f"X-API-Key: {key}"
            targets[f"{name}, new plants"] = (url, LUA, pid, given)
            if name != "one by one":
                targets[f"{name}, 1000 plants"] = (url, FEW, pid, given)
        results: dict[str, list[Load]] = {name: [] for name in targets}
        running.enter_context(apart({pid for _, _, pid, _ in targets.values()}))
        for number in range(ROUNDS + 1):
            for name, (url, script, pid, given) in targets.items():
                measured = load(f"{url}/api/forecast", seconds if number else 1, script, pid, given)
                if number:  # the first warms up
                    results[name].append(measured)
    show(results)


def show(results: Mapping[str, list[Load]]) -> None:
    """Print what was measured, and the ratios that have a bar."""
    print(f"{'wrk -c32, one worker, SQLite':28}{'req/s':>9}{'p50 ms':>9}{'p99 ms':>9}{'cpu us':>9}{'failed':>8}")
    for name, loads in results.items():
        middle = {key: statistics.median(getattr(one, key) for one in loads) for key in Load.__annotations__}
        failed = sum(one.failed for one in loads)
        figures = f"{middle['per_second']:9.0f}{middle['p50_ms']:9.2f}{middle['p99_ms']:9.2f}{middle['cpu_us']:9.1f}"
        print(f"{name:28}{figures}{failed:8}")
    for name in ("counted, new plants", "counted, 1000 plants", "one by one, new plants"):
        off = results[f"gate off, {name.split(', ')[1]}"]
        ratio = statistics.median(a.per_second / b.per_second for a, b in zip(results[name], off, strict=True))
        bar = "" if name.startswith("one") else " (bars 0.4 and 4,000 requests/s)"
        print(f"{name} / gate off: {ratio:.2f}{bar}")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        throughput(national(Path(folder) / "state", Path(folder) / "tiles"), options.seconds)


if __name__ == "__main__":
    main()
