"""`GET /api/horizon/terrain` over HTTP: binary, JSON, files and pictures; and `/health` while eight clients ask.

`warm`: of places that were asked for before; `new places`: of more cells in turn than are kept, so that each is made
anew, from chunks that are decoded already.

`python -m tests.bench.bench_horizon_http [--seconds 3]`. Figures, no assertions; one worker. Clients run on the other
cores, where there are any.
"""

import argparse
import asyncio
import statistics
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from api.database.current import make_current
from api.database.engine import address
from tests.bench.bench_http import apart, get, process
from tests.bench.one_connection import ROUNDS, Client, Paths, health_beside, percentile
from tests.support.horizon import BODO, OSLO, SIZE, corner, publish_horizon
from tiles.grid import HORIZON
from tiles.store import open_store

PATH = "/api/horizon/terrain?lat={0:.5f}&lon={1:.5f}&format="
OSLO_PLACE = PATH.format(*OSLO)
_FIRST = corner(*BODO)
# Of all chunks of a block in turn: 4096 cells, of which the application keeps 64.
CELLS = [
    PATH.format(*HORIZON.centre((_FIRST[0] + 8 * i + row, _FIRST[1] + 8 * j + column)))
    for row in range(8)
    for column in range(8)
    for i in range(SIZE // 8)
    for j in range(SIZE // 8)
]
FEW = CELLS[:16]
ASKED = {
    "binary, warm (bar 1.5)": Paths(tuple(f"{path}binary" for path in FEW)),
    "json, warm (bar 3)": Paths(tuple(f"{path}json" for path in FEW)),
    "binary, new places": Paths(tuple(f"{path}binary" for path in CELLS)),
    "json, new places": Paths(tuple(f"{path}json" for path in CELLS)),
    "csv, new places": Paths(tuple(f"{path}csv" for path in CELLS)),
    "geojson, new places": Paths(tuple(f"{path}geojson" for path in CELLS)),
    "export_e, new places": Paths(tuple(f"{path}export_e" for path in CELLS)),
    "csv, warm": Paths((f"{OSLO_PLACE}csv",)),
    "png, warm": Paths((f"{OSLO_PLACE}png",)),
    "png, new places": Paths(tuple(f"{path}png" for path in CELLS)),
}
CROWDED = ("json, new places", "export_e, new places")


def questions(api: str, pid: int, seconds: float) -> None:
    """Ask by one connection, in rounds."""
    took: dict[str, list[list[float]]] = {name: [] for name in ASKED}
    spent = dict.fromkeys(ASKED, 0.0)
    for paths in ASKED.values():
        Client(api).ask_for(paths, 0.5)
    for _ in range(ROUNDS):
        for name, paths in ASKED.items():
            client = Client(api)
            if "warm" in name:
                for _ in paths.paths:
                    client.ask(paths.next())
            before = psutil.Process(pid).cpu_times()
            took[name].append(client.ask_for(paths, seconds / 4))
            after = psutil.Process(pid).cpu_times()
            spent[name] += after.user + after.system - before.user - before.system
    print(f"{'one connection':32}{'p50 ms':>9}{'p99 ms':>9}{'cpu ms':>9}")
    for name, rounds in took.items():
        p50, p99 = (statistics.median(percentile(one, share) for one in rounds) for share in (0.5, 0.99))
        print(f"{name:32}{p50:9.2f}{p99:9.2f}{spent[name] / sum(map(len, rounds)) * 1e3:9.2f}")


@contextmanager
def serving(folder: Path) -> Iterator[tuple[str, list[int]]]:
    """Serve two tiles by one worker in June 2026."""
    publish_horizon(open_store(str(folder / "tiles")))
    asyncio.run(make_current(address(None, folder / "state")))
    environment = {
        "SOLFLIS_STATE": str(folder / "state"),
        "SOLFLIS_STORE": str(folder / "tiles"),
        "SOLFLIS_CLOCK": "2026-06-01T00:00:00Z",
        "SOLFLIS_ACCESS": "open",
    }
    with process(["-m", "api.worker", "--fd", "{fd}"], environment) as running:
        yield running


def measure(folder: Path, seconds: float) -> None:
    """Publish, serve, and print the figures."""
    with serving(folder) as (api, pids):
        print(", ".join(f"{form}: {len(get(f'{api}{OSLO_PLACE}{form}'))} bytes" for form in ("binary", "json", "png")))
        with apart(pids):
            questions(api, pids[0], seconds)
        for what in CROWDED:
            health_beside(api, what, ASKED[what], seconds)
        print(f"private memory then: {psutil.Process(pids[0]).memory_full_info().uss / 2**20:.0f} MB")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), arguments.seconds)


if __name__ == "__main__":
    main()
