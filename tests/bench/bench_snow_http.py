"""`GET /api/snowsoiling/calc` and `/api/snow/outlook` over HTTP; and `/health` while eight clients ask.

`made`: of a cell that is ready, no two questions alike, so that no answer is kept; `kept`: the same again and again;
`new cells`: of more cells in turn than are kept ready, so that each is read and prepared.

`python -m tests.bench.bench_snow_http [--seconds 3]`. Figures, no assertions; one worker. Clients run on the other
cores, where there are any.
"""

import argparse
import itertools
import tempfile
from datetime import date
from pathlib import Path

from tests.bench.bench_http import apart
from tests.bench.bench_tmy_http import BLOCK_OF_CELLS, CENTRES, PLACE, serving_a_block
from tests.bench.one_connection import Paths, health_beside
from tests.bench.one_worker import asking, in_rounds
from tests.support.horizon import publish_horizon
from tests.support.snow import publish_snow
from tiles.store import Store

MONTHS, DAYS = "/api/snowsoiling/calc", "/api/snow/outlook"
# More than are asked for: an answer that was made is kept.
_PLANES = tuple(
    f"&angle={tilt / 10}&aspect={aspect}" for tilt, aspect in itertools.product(range(50, 900), range(-170, 180, 10))
)
ASKED = {
    "months since 1991, made (bar 10)": Paths(tuple(f"{MONTHS}?{PLACE}{plane}" for plane in _PLANES)),
    "months since 1957, made": Paths(tuple(f"{MONTHS}?{PLACE}&start=1957{plane}" for plane in _PLANES)),
    "months, kept": Paths((f"{MONTHS}?{PLACE}",)),
    "months, csv, made": Paths(tuple(f"{MONTHS}?{PLACE}&format=csv{plane}" for plane in _PLANES)),
    "ten days, made (bar 8)": Paths(tuple(f"{DAYS}?{PLACE}{plane}" for plane in _PLANES)),
    "ten days, kept": Paths((f"{DAYS}?{PLACE}",)),
    "months, new cells": Paths(
        tuple(
            f"{MONTHS}?lat={lat:.5f}&lon={lon:.5f}&soiling={i / 100}" for i in range(500) for lat, lon in CENTRES
        )
    ),
}  # fmt: skip
CROWDED = ("months since 1991, made (bar 10)", "ten days, made (bar 8)")


def _publish(store: Store) -> None:
    publish_horizon(store)
    publish_snow(store, date(2026, 5, 31), BLOCK_OF_CELLS)


def measure(folder: Path, seconds: float) -> None:
    """Publish, serve, and print the figures."""
    with serving_a_block(folder, _publish) as (api, pids):
        with apart(pids):
            in_rounds({name: asking(api, paths) for name, paths in ASKED.items()}, seconds / 4, pids[0])
        for what in CROWDED:
            health_beside(api, what, ASKED[what], seconds)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), arguments.seconds)


if __name__ == "__main__":
    main()
