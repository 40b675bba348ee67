"""The snow of a morning for the whole 3 km grid.

A server of its own process answers as the snow authority does, with every cell and all days; `solflis build snow_daily`
is measured from outside as a whole process: with borders, municipalities and factors, to published.
"""

from pathlib import Path

import orjson

from catalog.sources.kartverket import borders as kartverket
from catalog.versions import read_index
from infra.simulator import borders
from tests.bench.timing import measured, service
from tiles.manifest import Manifest
from tiles.store import open_store

BAR_S, BAR_GIB = 120.0, 3.0
MORNINGS = (
    ("a season of 83 days", "2026-11-23", "tiles"),
    ("the next morning", "2026-11-24", "tiles"),
    # the last morning of a leap year's season: 366 days and nine of forecast
    ("a season of 366 days", "2024-09-01", "full"),
)


def measure(folder: Path) -> int:
    """Print the figures; 1 where a bar is missed."""
    missed = False
    (folder / kartverket.COUNTIES).write_bytes(orjson.dumps(borders.document("Fylker")))
    (folder / kartverket.MUNICIPALITIES).write_bytes(orjson.dumps(borders.document("Kommuner")))
    with service("-m", "tests.bench.snow_server") as url:
        for what, morning, store in MORNINGS:
            settings = {
                "NVE_GTS_URL": url,
                "KARTVERKET_URL": str(folder),
                "AREAS": "norway",
                "STATE": str(folder / "state"),
                "STORE": str(folder / store),
                "CLOCK": f"{morning}T08:00:00Z!",
            }
            seconds, gib, processor = measured("-m", "infra.cli", "build", "snow_daily", **settings)
            tiles = open_store(str(folder / store))
            told = Manifest.read(tiles, read_index(tiles, "snow_outlook").entries[-1].manifest).provenance
            print(
                f"{what} and the days ahead: {seconds:.0f} s (bar {BAR_S:.0f}), {processor:.0f} s of processor, "
                f"peak {gib:.2f} GiB (bar {BAR_GIB:g}), {told['requests']} requests",
                flush=True,
            )
            missed |= seconds > BAR_S or gib > BAR_GIB
    return int(missed)
