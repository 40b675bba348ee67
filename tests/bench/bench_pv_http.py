"""`GET /api/pv/calc` over HTTP: one surface, four, the best angle, CSV; and `/health` while eight clients ask.

`warm`: of a cell that is ready, with a made-up horizon; `new cells`: of more cells in turn than are kept ready, so that
each is read and prepared.

`python -m tests.bench.bench_pv_http [--seconds 3]`. Figures, no assertions; one worker. Clients run on the other cores,
where there are any.
"""

import argparse
import tempfile
from pathlib import Path

from tests.bench.bench_http import apart
from tests.bench.bench_tmy_http import CENTRES, PLACE, serving_a_block
from tests.bench.one_connection import Paths, health_beside
from tests.bench.one_worker import asking, in_rounds
from tests.support.horizon import publish_horizon

CALC = f"/api/pv/calc?{PLACE}"
# No two of a round are the same: nothing could be kept but the cell.
_TILTS = tuple(range(5, 85, 5))
FOUR = "5:{tilt}:-90,3:20:90,{tilt}:35:0,2:90:10"
ASKED = {
    "one surface, warm (bar 3)": Paths(tuple(f"{CALC}&angle={tilt}" for tilt in _TILTS)),
    "four surfaces, warm (bar 8)": Paths(tuple(f"{CALC}&arrays={FOUR.format(tilt=tilt)}" for tilt in _TILTS)),
    "four, with a limit": Paths(tuple(f"{CALC}&arrays={FOUR.format(tilt=tilt)}&maxpower=9" for tilt in _TILTS)),
    "optimize=slope": Paths(tuple(f"{CALC}&optimize=slope&aspect={3 * tilt - 120}" for tilt in _TILTS)),
    "optimize=both (bar 25)": Paths(tuple(f"{CALC}&optimize=both&loss={tilt / 2}" for tilt in _TILTS)),
    "optimize=both, with a limit": Paths(tuple(f"{CALC}&optimize=both&maxpower=0.6&loss={t / 2}" for t in _TILTS)),
    "csv": Paths(tuple(f"{CALC}&angle={tilt}&format=csv" for tilt in _TILTS)),
    "new cells": Paths(tuple(f"/api/pv/calc?lat={lat:.5f}&lon={lon:.5f}" for lat, lon in CENTRES)),
    "picture": Paths((f"{CALC}&format=png",)),
}
CROWDED = ("one surface, warm (bar 3)", "four surfaces, warm (bar 8)", "optimize=both (bar 25)", "new cells")


def measure(folder: Path, seconds: float) -> None:
    """Publish, serve, and print the figures."""
    with serving_a_block(folder, publish_horizon) as (api, pids):
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
