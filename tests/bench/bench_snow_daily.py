"""The snow of a morning for the whole 3 km grid: `python -m tests.bench.bench_snow_daily`.

A server of its own process answers as the snow authority does, with every cell and all days; `solflis build snow_daily`
is measured from outside as a whole process: with borders, municipalities and factors, to published.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import orjson

from catalog.sources.kartverket import borders as kartverket
from catalog.versions import read_index
from infra.simulator import borders
from tests.bench.bench_national import measured
from tiles.manifest import Manifest
from tiles.store import open_store

BAR_S, BAR_GIB = 120.0, 3.0
FULL = "2024-09-01"
"""The last morning of a leap year's season: 366 days and nine of forecast."""
MORNINGS = (("a season of 83 days", "2026-11-23"), ("the next morning", "2026-11-24"))


def build(url: str, folder: Path, store: Path, morning: str) -> tuple[float, float, float]:
    """Build a morning; seconds, GiB and seconds of processor."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SOLFLIS_")}
    environment = {
        **kept,
        "SOLFLIS_NVE_GTS_URL": url,
        "SOLFLIS_KARTVERKET_URL": str(folder),
        "SOLFLIS_AREAS": "norway",
        "SOLFLIS_STATE": str(folder / "state"),
        "SOLFLIS_STORE": str(store),
        "SOLFLIS_CLOCK": f"{morning}T08:00:00Z!",
    }
    command = [sys.executable, "-m", "infra.cli", "build", "snow_daily"]
    return measured(command, environment)


def main() -> int:
    """Print the figures; 1 where a bar is missed."""
    missed = False
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.snow_server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with server, tempfile.TemporaryDirectory() as name:
        assert server.stdin is not None
        assert server.stdout is not None
        folder = Path(name)
        (folder / kartverket.COUNTIES).write_bytes(orjson.dumps(borders.document("Fylker")))
        (folder / kartverket.MUNICIPALITIES).write_bytes(orjson.dumps(borders.document("Kommuner")))
        try:
            url = server.stdout.readline().strip()
            for what, morning, store in (
                *((what, morning, folder / "tiles") for what, morning in MORNINGS),
                ("a season of 366 days", FULL, folder / "full"),
            ):
                seconds, gib, processor = build(url, folder, store, morning)
                entry = read_index(open_store(str(store)), "snow_outlook").entries[-1]
                told = Manifest.read(open_store(str(store)), entry.manifest).provenance
                print(
                    f"{what} and the days ahead: {seconds:.0f} s (bar {BAR_S:.0f}), {processor:.0f} s of processor, "
                    f"peak {gib:.2f} GiB (bar {BAR_GIB:g}), {told['requests']} requests",
                    flush=True,
                )
                missed |= seconds > BAR_S or gib > BAR_GIB
        finally:
            server.stdin.close()
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
