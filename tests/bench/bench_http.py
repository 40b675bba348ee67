"""`GET /api/forecast` over HTTP: requests/s and p99 against ready-made bytes, start-up, memory.

All are asked for the same random points: making them up costs the client so much that a server on the same processor,
even if it is another core, does fewer of any kind. Needs `wrk`; one worker.
"""

import time
from contextlib import ExitStack
from pathlib import Path

from tests.api.fabricated import HOURS
from tests.bench.loading import Target, in_rounds, ratio
from tests.bench.serving import national, process, ready_made, versions
from tests.bench.timing import private_mb
from tests.support.worker import until

BARS = {"prebuilt": " (bar 0.6)", "bare": " (bar 0.35)"}
POINT = "/api/forecast?lat=59.91&lon=10.75"


def throughput(environment: dict[str, str], seconds: float, old: str) -> None:
    """Compare the forecast with ready-made bytes, and with another checkout's, in alternating rounds."""
    with ExitStack() as stack:
        servers = stack.enter_context(versions(environment, old))
        body = until(servers[""].url, "/api/forecast?lat=61.37412&lon=9.63254", 200).content
        print(f"body: {len(body)} bytes, {HOURS} rows")
        targets = {f"{label}forecast": Target(server, "/api/forecast") for label, server in servers.items()}
        for kind in BARS:
            targets[kind] = Target(stack.enter_context(ready_made(environment, body, kind)), "/prebuilt")
        results = in_rounds("wrk -c32, one worker", targets, seconds)
    ours = results.pop("forecast")
    for other, loads in results.items():
        by_cpu = f"by processor time {ratio(loads, ours, 'cpu_us'):.2f}"
        print(f"forecast / {other}: {ratio(ours, loads):.2f}{BARS.get(other, '')}; {by_cpu}")
    print(f"p99 / prebuilt's p99: {ratio(ours, results['prebuilt'], 'p99_ms'):.2f} (bar 3)")


def start(environment: dict[str, str], what: str, rounds: int = 0) -> None:
    """Print the time of start-up to the first answer, and private memory after rounds of random points."""
    begin = time.perf_counter()
    with process(environment) as api:
        until(api.url, POINT, 200)
        print(f"API start to first answer: {time.perf_counter() - begin:.2f} s ({what})")
        for _ in range(rounds):
            points = Target(api, "/api/forecast").load(2).requests
            uss = private_mb(api.pids[0])
            print(f"private memory after {points} points more: {uss:.1f} MB (flat; of all routes: bar 260)")


def measure(folder: Path, seconds: float = 4.0, old: str = "") -> None:
    """Print the figures."""
    environment = national(folder)
    start(environment, "bar 2; hydration of 4 variables")
    start({**environment, "SOLFLIS_STATE": f"{folder}/nothing"}, "the same, and the database made too")
    start(environment, "bar 2; hydrated before", rounds=3)
    throughput(environment, seconds, old)
