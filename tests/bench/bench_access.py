"""`GET /api/forecast` with key, quota, logs and metrics against the gate off, on the same points. Needs `wrk`."""

import asyncio
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

from api.access import keys
from api.access.secret import load_secret
from api.database.engine import address, make_async_engine
from tests.bench.loading import POINTS, Target, in_rounds, ratio
from tests.bench.serving import national, process
from tests.support.worker import until

FEW = Path(__file__).with_name("few_points.lua")
PLAN = """
requests_per_day = 2000000000
plants_per_day = 2000000000
kwp_per_plant = 25
systems_per_bulk = 1
"""


async def issue(state: Path) -> str:
    """Make a key that lasts."""
    engine = make_async_engine(address(None, state))
    try:
        return await keys.issue(engine, load_secret(None, state), "bench@localhost", "free", datetime.now(UTC))
    finally:
        await engine.dispose()


def measure(folder: Path, seconds: float = 4.0) -> None:
    """Print the figures."""
    plans = folder / "plans.toml"
    plans.write_text(f"[anonymous]{PLAN}\n[plans.free]{PLAN}\n[tmy]\nrequests_per_day = 2000\n")
    shared = {**national(folder), "SOLFLIS_PLANS": str(plans)}
    counting = {**shared, "SOLFLIS_ACCESS": "keys", "SOLFLIS_METRICS": str(folder / "metrics")}
    key = f"X-API-Key: {asyncio.run(issue(folder / 'state'))}"
    with ExitStack() as running:
        targets: dict[str, Target] = {}
        for name, module, settings, header in (
            ("gate off", "api.core.worker", shared, ""),
            ("counted", "api.core.worker", counting, key),
            ("one by one", "tests.bench.compared_app", {**counting, "BENCH_KIND": "one_by_one"}, key),
        ):
            server = running.enter_context(process(settings, module, log=folder / f"{name}.log"))
            until(server.url, "/health", 200)
            targets[f"{name}, new plants"] = Target(server, "/api/forecast", POINTS, header=header)
            if name != "one by one":
                targets[f"{name}, 1000 plants"] = Target(server, "/api/forecast", FEW, header=header)
        results = in_rounds("wrk -c32, one worker, SQLite", targets, seconds)
    for name in ("counted, new plants", "counted, 1000 plants", "one by one, new plants"):
        share = ratio(results[name], results[f"gate off, {name.split(', ')[1]}"])
        bar = "" if name.startswith("one") else " (bars 0.5 and 4,000 requests/s)"
        print(f"{name} / gate off: {share:.2f}{bar}")
