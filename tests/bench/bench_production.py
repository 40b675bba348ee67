"""`POST /api/forecast` with two arrays, simplified and precise, and bulk calls of 50 systems, over HTTP.

Needs `wrk`; one worker, with all its threads on one core. The GET tells how fast the machine is now.
"""

from pathlib import Path

from tests.bench.loading import Target, in_rounds, ratio
from tests.bench.serving import Server, national, versions
from tests.bench.timing import private_mb

PLANTS = Path(__file__).with_name("random_plants.lua")
PLANT, BULK = "/api/forecast", "/api/forecast/bulk"


def _targets(api: Server) -> dict[str, Target]:
    return {
        "GET, to compare": Target(api, PLANT),
        "simplified": Target(api, PLANT, PLANTS, bar="bar 3,000 requests/s"),
        "precise": Target(api, PLANT, PLANTS, arguments=("precise",), bar="bar 1,500 requests/s"),
        "bulk of 50, new": Target(api, BULK, PLANTS, 1, arguments=("50", "new"), bar="bar p50 25 ms"),
        "bulk of 50, kept": Target(api, BULK, PLANTS, 1, arguments=("50", "kept"), bar="bar p50 5 ms"),
    }


def measure(folder: Path, seconds: float = 4.0, old: str = "") -> None:
    """Load a worker with each kind of call in turn, and one of another checkout beside; print the figures."""
    with versions(national(folder), old) as servers:
        loads = {label + name: load for label, one in servers.items() for name, load in _targets(one).items()}
        results = in_rounds("wrk, one worker", loads, seconds)
        uss = private_mb(servers[""].pids[0])
    for name in ("simplified", "precise"):
        share = ratio(results[name], results["GET, to compare"], "cpu_us")
        print(f"{name} / GET, processor time: {share:.2f}")
    print(f"private memory after all of them: {uss:.0f} MB (bar 260)")
