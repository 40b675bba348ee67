"""The first call of each route that computes, in a worker of its own that has just started; then memory after all.

Nothing but `GET /api/forecast` was asked before.
"""

import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx

from tests.api.fabricated import CYCLE, hydrate_turbidity, turbidity_entry, write_index
from tests.bench.serving import national, process
from tests.bench.timing import private_mb
from tests.support.horizon import publish_horizon
from tests.support.point_forecasts import PointForecasts
from tests.support.snow import publish_snow
from tests.support.snowload import publish_snowload, publish_squares
from tests.support.tmy import publish_climate
from tests.support.worker import until
from tiles.store import open_store

OSLO = {"latitude": 59.91, "longitude": 10.75}
ARRAYS = [{"name": "sor", "kwp": 6.4, "tilt_deg": 30, "azimuth_deg": 180}]
POINT = "lat=59.91&lon=10.75"
# Name -> path, body.
CALLS: dict[str, tuple[str, dict[str, Any] | None]] = {
    "simplified": ("/api/forecast", {**OSLO, "arrays": ARRAYS}),
    "precise": ("/api/forecast", {**OSLO, "arrays": ARRAYS, "precise": True}),
    "bulk": ("/api/forecast/bulk", {"systems": [{"id": "a", **OSLO, "arrays": ARRAYS}]}),
    "extended": (f"/api/forecast/extended?{POINT}", None),
    "extended, production": ("/api/forecast/extended", {**OSLO, "arrays": ARRAYS}),
    "nowcast": (f"/api/forecast/nowcast?{POINT}", None),
    "a typical year": (f"/api/tmy?{POINT}", None),
    "pv calc": (f"/api/pv/calc?{POINT}", None),
    "pv calc, best angles": (f"/api/pv/calc?{POINT}&optimize=both", None),
    "months of snow": (f"/api/snowsoiling/calc?{POINT}", None),
    "ten days of snow": (f"/api/snow/outlook?{POINT}", None),
    "snow load": (f"/api/snowload/calc?{POINT}", None),
    "terrain horizon": (f"/api/horizon/terrain?{POINT}", None),
    "terrain horizon, SAM": (f"/api/horizon/terrain?{POINT}&format=sam", None),
}
BAR_MS = 500
BAR_MB = 260


def call(url: str, body: dict[str, Any] | None) -> float:
    """Ask once; return the milliseconds until the answer was there."""
    begun = time.perf_counter()
    httpx.request("POST" if body else "GET", url, json=body, timeout=30).raise_for_status()
    return (time.perf_counter() - begun) * 1e3


def measure(folder: Path) -> None:
    """Print the figures."""
    with PointForecasts(CYCLE) as service:
        environment = {**national(folder), "SOLFLIS_LOCATIONFORECAST_URL": service.url}
        store = open_store(str(folder / "tiles"))
        hydrate_turbidity(folder / "state")
        write_index(folder / "tiles", turbidity_entry(), product="turbidity")
        publish_climate(store)
        publish_horizon(store)
        publish_snow(store, CYCLE.date() - timedelta(days=1))
        publish_snowload(store)
        publish_squares(store, folder / "borders")
        for name, (path, body) in CALLS.items():
            with process(environment) as api:
                until(api.url, f"/api/forecast?{POINT}", 200)
                first, again = (call(api.url + path, body) for _ in range(2))
            print(f"first call of {name:22}{first:8.1f} ms (bar {BAR_MS}), the next one {again:6.1f} ms")
        with process(environment) as api:
            until(api.url, f"/api/forecast?{POINT}", 200)
            for path, body in CALLS.values():
                call(api.url + path, body)
            uss = private_mb(api.pids[0])
    print(f"private memory after a call of each: {uss:.0f} MB (bar {BAR_MB})")
