"""The first call of each route that computes, in a worker of its own that has just started; then memory after all.

`python -m tests.bench.bench_first_call`. Figures, no assertions; nothing but `GET /api/forecast` was asked before.
"""

import json
import tempfile
import time
import urllib.request
from datetime import timedelta
from pathlib import Path
from typing import Any

import psutil

from tests.api.fabricated import CYCLE, hydrate_turbidity, turbidity_entry, write_index
from tests.bench.bench_http import get, national, process
from tests.support.horizon import publish_horizon
from tests.support.point_forecasts import PointForecasts
from tests.support.snow import publish_snow
from tests.support.snowload import publish_snowload, publish_squares
from tests.support.tmy import publish_climate
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
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"} if body else {})
    begun = time.perf_counter()
    with urllib.request.urlopen(request, timeout=30) as answer:
        answer.read()
    return (time.perf_counter() - begun) * 1e3


def main() -> None:
    """Print the figures."""
    worker = ["-m", "api.worker", "--fd", "{fd}"]
    with tempfile.TemporaryDirectory() as folder, PointForecasts(CYCLE) as service:
        state, store = Path(folder) / "state", Path(folder) / "tiles"
        environment = {**national(state, store, weather=True), "SOLFLIS_LOCATIONFORECAST_URL": service.url}
        hydrate_turbidity(state)
        write_index(store, turbidity_entry(), product="turbidity")
        publish_climate(open_store(str(store)))
        publish_horizon(open_store(str(store)))
        publish_snow(open_store(str(store)), CYCLE.date() - timedelta(days=1))
        publish_snowload(open_store(str(store)))
        publish_squares(open_store(str(store)), Path(folder) / "borders")
        for name, (path, body) in CALLS.items():
            with process(worker, environment) as (api, _):
                get(f"{api}/api/forecast?{POINT}")
                first = call(api + path, body)
                again = call(api + path, body)
            print(f"first call of {name:22}{first:8.1f} ms (bar {BAR_MS}), the next one {again:6.1f} ms")
        with process(worker, environment) as (api, [pid]):
            get(f"{api}/api/forecast?{POINT}")
            for path, body in CALLS.values():
                call(api + path, body)
            uss = psutil.Process(pid).memory_full_info().uss / 2**20
    print(f"private memory after a call of each: {uss:.0f} MB (bar {BAR_MB})")


if __name__ == "__main__":
    main()
