"""`GET /api/tmy` over HTTP: files of a typical year, uncompressed, and `/health` while eight clients download.

`kept`: of a cell whose chunks are decoded already; `from the store`: of more cells in turn than are kept decoded.

`python -m tests.bench.bench_tmy_http [--seconds 3]`. Figures, no assertions; one worker. Clients run on the
other cores, where there are any.
"""

import argparse
import statistics
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bench.bench_http import apart, get, process
from tests.bench.one_connection import Paths, health_beside, percentile
from tests.bench.one_worker import asking, in_rounds, serving
from tests.support.tmy import LEVELS, OSLO, OSLO_CELL, publish_climate
from tiles.grid import NORWAY3KM
from tiles.products.climate_archive import BLOCK
from tiles.products.tmy import MADE_OF
from tiles.products.tmy_stats import ANNUAL
from tiles.store import Store, open_store

PLACE = f"lat={OSLO[0]}&lon={OSLO[1]}"
EPW, JSON = f"/api/tmy?{PLACE}", f"/api/tmy?{PLACE}&format=json"
VARIANTS = tuple(f"&product={name}&confidence={which}" for name in MADE_OF for which in ANNUAL)
# All cells of Oslo's block: 31 MB of ens_tmy30, of which the application keeps 16.
BLOCK_OF_CELLS = tuple(
    (OSLO_CELL[0] // BLOCK * BLOCK + row, OSLO_CELL[1] // BLOCK * BLOCK + column)
    for row in range(BLOCK)
    for column in range(BLOCK)
)
CENTRES = tuple(NORWAY3KM.centre(cell) for cell in BLOCK_OF_CELLS if cell not in LEVELS)
STORED = tuple(f"/api/tmy?lat={lat:.5f}&lon={lon:.5f}" for lat, lon in CENTRES)


IN_STORE = Paths(STORED)
FILES = {
    "epw, kept (bar 8)": Paths(tuple(EPW + more for more in VARIANTS)),
    "json, kept (bar 4)": Paths(tuple(JSON + more for more in VARIANTS)),
    "epw, from the store": IN_STORE,
    "json, from the store": Paths(tuple(f"{path}&format=json" for path in STORED), IN_STORE.turn),
    "csv": Paths((f"{EPW}&format=csv",)),
    "tool_h": Paths((f"{EPW}&format=tool_h",)),
    "stats": Paths((f"/api/tmy/stats?{PLACE}",)),
}


def files(api: str, pid: int, prebuilt: dict[str, str], seconds: float) -> None:
    """Ask by one connection, in rounds that alternate with those of ready-made bytes."""
    targets = {name: (api, paths) for name, paths in FILES.items()}
    targets |= {f"ready-made bytes of {name}": (url, Paths(("/prebuilt",))) for name, url in prebuilt.items()}
    took = in_rounds({name: asking(url, paths) for name, (url, paths) in targets.items()}, seconds / 2, pid)
    for name in ("epw", "json"):
        made = next(took[of] for of in took if of.startswith(f"{name}, kept"))
        pairs = zip(made, took[f"ready-made bytes of {name}"], strict=True)
        ratio = statistics.median(percentile(a, 0.5) / percentile(b, 0.5) for a, b in pairs)
        print(f"{name} / ready-made bytes, p50: {ratio:.1f}")


@contextmanager
def ready_made(folder: Path, name: str, body: bytes) -> Iterator[tuple[str, list[int]]]:
    """Serve some bytes."""
    file = folder / name
    file.write_bytes(body)
    with process(
        ["-m", "tests.bench.prebuilt_app", "{fd}", "prebuilt", str(file)], {"SOLFLIS_ACCESS": "open"}
    ) as running:
        get(f"{running[0]}/prebuilt")
        yield running


@contextmanager
def serving_a_block(folder: Path, more: Callable[[Store], object] = lambda _: None) -> Iterator[tuple[str, list[int]]]:
    """Serve typical years of all cells of Oslo's block by one worker in June 2026, and what `more` publishes."""
    LEVELS.update(dict.fromkeys(set(BLOCK_OF_CELLS) - set(LEVELS), 1.0))
    store = open_store(str(folder / "tiles"))
    publish_climate(store)
    more(store)
    with serving(folder) as running:
        yield running


def measure(folder: Path, seconds: float) -> None:
    """Publish, serve, and print the figures."""
    with serving_a_block(folder) as (api, pids):
        bodies = {"epw": get(f"{api}{EPW}"), "json": get(f"{api}{JSON}")}
        print(", ".join(f"{name}: {len(body)} bytes" for name, body in bodies.items()))
        with (
            ready_made(folder, "epw", bodies["epw"]) as (epw, epw_pids),
            ready_made(folder, "json", bodies["json"]) as (json, json_pids),
            apart([*pids, *epw_pids, *json_pids]),
        ):
            files(api, pids[0], {"epw": epw, "json": json}, seconds)
        for what in ("epw, kept (bar 8)", "epw, from the store"):
            health_beside(api, what, FILES[what], seconds)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), arguments.seconds)


if __name__ == "__main__":
    main()
