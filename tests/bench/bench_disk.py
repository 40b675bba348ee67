"""Ten days of hourly cycles by a fast clock, housekeeping each night: `python -m tests.bench.bench_disk`.

A cycle is built when the one before is, with the clock set to its hour, from the simulator on a coarse grid. What was
replaced may go after as many cycles as the grace period has hours.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

from catalog import gc
from dags.build import housekeeping
from dags.build.forecast import day, forecast
from tests.support.context import context_of
from tiles.clock import HOUR, Clock, format_partition, iso, parse_iso

FIRST = parse_iso("2026-06-11T00:00:00Z")
DAYS = 10
FLAT_FROM = 8
BAR = 1.02
PORT = 9391


@contextmanager
def simulator(folder: Path, until: datetime) -> Iterator[str]:
    """Run the simulator, its clock standing; yields its address."""
    environment = {**os.environ, "SOLFLIS_CLOCK": f"{iso(until)}!", "SOLFLIS_STATE": str(folder)}
    command = [sys.executable, "-m", "infra.cli", "simulator", "--port", str(PORT), "--spacing-km", "60"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        assert server.stdout
        server.stdout.readline()
        try:
            yield f"http://127.0.0.1:{PORT}/met_nordic"
        finally:
            server.terminate()


def build_day(folder: Path, first: datetime) -> None:
    """Build the cycles of a day, and tidy up after them."""
    begun = time.monotonic()
    with simulator(folder / "state", first + 24 * HOUR) as url:
        for moment in (first + hour * HOUR for hour in range(24)):
            context = context_of(
                folder / "tiles",
                Clock.parse(f"{iso(moment + HOUR)}!"),
                partition=format_partition(moment),
                source="met_nordic",
                addresses={"met_nordic": url},
            )
            forecast.build(context)
            day.build(context)
    gc.GRACE = (time.monotonic() - begun) / 24 * timedelta(seconds=6)
    housekeeping.build(context)


def size(folder: Path) -> tuple[int, int]:
    """Bytes and files below a folder."""
    sizes = [path.lstat().st_size for path in folder.rglob("*") if path.is_file()]
    return sum(sizes), len(sizes)


def main() -> int:
    """Print the bytes and files after each day; return 1 where they go on growing."""
    after = []
    with tempfile.TemporaryDirectory() as name:
        for number in range(DAYS):
            build_day(Path(name), FIRST + number * timedelta(days=1))
            after.append(size(Path(name)))
            print(f"day {number + 1:2}: {after[-1][0] / 1e6:7.1f} MB in {after[-1][1]} files", flush=True)
    growth = [last / before for last, before in zip(after[-1], after[FLAT_FROM - 1], strict=True)]
    print(f"day {DAYS} has {growth[0]:.3f} of the bytes of day {FLAT_FROM}, {growth[1]:.3f} of the files (bar {BAR})")
    return int(max(growth) > BAR)


if __name__ == "__main__":
    sys.exit(main())
