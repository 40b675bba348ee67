"""`GET /api/snowload/calc` over HTTP; and `/health` while eight clients ask.

`3 x 3`: around points in turn; `36 cells`: as many chosen by hand; both read, fitted and written anew each time, for
no answer is kept. `on demand`: nine cells that are not published but kept on this machine's disk.

`python -m tests.bench.bench_snowload_http [--seconds 3]`. Figures, no assertions; one worker. Clients run on the
other cores, where there are any.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bench.bench_http import apart, get
from tests.bench.one_connection import Paths, health_beside
from tests.bench.one_worker import asking, in_rounds, serving
from tests.support.snowload import CENTRE, publish_snowload, publish_squares, winters
from tiles.store import open_store

PATH = "/api/snowload/calc"
_SIDE = 64
"""Cells to a side that are published: four shards."""
_SQUARE = [(CENTRE[0] + 1000 * (k % _SIDE), CENTRE[1] + 1000 * (k // _SIDE)) for k in range(_SIDE**2)]
_POINTS = [(x + 137, y - 211) for x, y in _SQUARE if x % 3000 < 1000 and y % 3000 < 1000]
_BY_HAND = ",".join(f"{x}_{y}" for x, y in (_SQUARE[_SIDE * (k // 6) + k % 6] for k in range(36)))
"""They lie in the corner, and so over several chunks."""
_VARIED = tuple(f"&variability={1 + k / 1000}" for k in range(1000))
ASKED = {
    "3 x 3 (bar 10)": Paths(tuple(f"{PATH}?x={x}&y={y}" for x, y in _POINTS)),
    "5 x 5": Paths(tuple(f"{PATH}?x={x}&y={y}&grid=5" for x, y in _POINTS)),
    "36 cells (bar 25)": Paths(tuple(f"{PATH}?x={CENTRE[0]}&y={CENTRE[1]}&cells={_BY_HAND}{v}" for v in _VARIED)),
    "3 x 3, csv": Paths(tuple(f"{PATH}?x={x}&y={y}&format=csv" for x, y in _POINTS)),
}
KEPT = Paths(tuple(f"{PATH}?x={CENTRE[0] - 10_000}&y={CENTRE[1]}{v}" for v in _VARIED))
ASKED["3 x 3, on demand, kept"] = KEPT
CROWDED = "36 cells (bar 25)"


@contextmanager
def _authority() -> Iterator[str]:
    """Run a snow authority that answers at once; its address."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.bench.snow_server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        try:
            yield running.stdout.readline().strip()
        finally:
            running.communicate()


def measure(folder: Path, seconds: float) -> None:
    """Publish, serve, and print the figures."""
    store = open_store(str(folder / "tiles"))
    publish_snowload(store, {point: winters(point) for point in _SQUARE})
    publish_squares(store, folder / "borders")
    with _authority() as url, serving(folder, SOLFLIS_NVE_GTS_URL=url) as (api, pids):
        begun = time.perf_counter()
        get(f"{api}{KEPT.paths[0]}")
        print(f"nine cells asked of an authority that answers at once: {time.perf_counter() - begun:.2f} s")
        with apart(pids):
            in_rounds({name: asking(api, paths) for name, paths in ASKED.items()}, seconds / 4, pids[0])
        health_beside(api, CROWDED, ASKED[CROWDED], seconds)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), arguments.seconds)


if __name__ == "__main__":
    main()
