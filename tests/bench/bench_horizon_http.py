"""`GET /api/horizon/terrain` over HTTP: binary, JSON, files and pictures; and `/health` while eight clients ask.

`warm`: of places that were asked for before; `new places`: of more cells in turn than are kept, so that each is made
anew, from chunks that are decoded already.

`python -m tests.bench.bench_horizon_http [--seconds 3]`. Figures, no assertions; one worker. Clients run on the other
cores, where there are any.
"""

import argparse
import tempfile
from pathlib import Path

import psutil

from tests.bench.bench_http import apart, get
from tests.bench.one_connection import Client, Paths, health_beside
from tests.bench.one_worker import Ask, in_rounds, serving
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


def asking(api: str, name: str) -> Ask:
    """By a new connection each time; what is warm is asked for once before."""
    paths = ASKED[name]

    def ask(seconds: float) -> list[float]:
        client = Client(api)
        for _ in paths.paths if "warm" in name else ():
            client.ask(paths.next())
        return client.ask_for(paths, seconds)

    return ask


def measure(folder: Path, seconds: float) -> None:
    """Publish, serve, and print the figures."""
    publish_horizon(open_store(str(folder / "tiles")))
    with serving(folder) as (api, pids):
        print(", ".join(f"{form}: {len(get(f'{api}{OSLO_PLACE}{form}'))} bytes" for form in ("binary", "json", "png")))
        with apart(pids):
            in_rounds({name: asking(api, name) for name in ASKED}, seconds / 4, pids[0])
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
