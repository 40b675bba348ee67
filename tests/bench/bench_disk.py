"""Ten days of hourly cycles by a fast clock, housekeeping each night.

A cycle is built when the one before is, with the clock set to its hour, from the simulator on a coarse grid. What was
replaced may go after as many cycles as the grace period has hours.
"""

import time
from datetime import datetime, timedelta
from pathlib import Path

from catalog import gc
from dags.build import housekeeping
from dags.build.forecast import day, forecast
from tests.bench.timing import SIMULATED, SIMULATOR, service
from tests.support.context import context_of
from tiles.clock import HOUR, Clock, format_partition, iso, parse_iso

FIRST = parse_iso("2026-06-11T00:00:00Z")
DAYS = 10
FLAT_FROM = 8
BAR = 1.02


def build_day(folder: Path, first: datetime) -> None:
    """Build the cycles of a day, and tidy up after them."""
    begun = time.monotonic()
    with service(*SIMULATOR, CLOCK=f"{iso(first + 24 * HOUR)}!", STATE=str(folder / "state")):
        for moment in (first + hour * HOUR for hour in range(24)):
            context = context_of(
                folder / "tiles",
                Clock.parse(f"{iso(moment + HOUR)}!"),
                partition=format_partition(moment),
                source="met_nordic",
                addresses={"met_nordic": f"{SIMULATED}/met_nordic"},
            )
            forecast.build(context)
            day.build(context)
    gc.GRACE = (time.monotonic() - begun) / 24 * timedelta(seconds=6)
    housekeeping.build(context)


def size(folder: Path) -> tuple[int, int]:
    """Bytes and files below a folder."""
    sizes = [path.lstat().st_size for path in folder.rglob("*") if path.is_file()]
    return sum(sizes), len(sizes)


def measure(folder: Path, days: int = DAYS) -> int:
    """Print the bytes and files after each day; return 1 where they go on growing."""
    after = []
    for number in range(days):
        build_day(folder, FIRST + number * timedelta(days=1))
        after.append(size(folder))
        print(f"day {number + 1:2}: {after[-1][0] / 1e6:7.1f} MB in {after[-1][1]} files", flush=True)
    flat = min(FLAT_FROM, days)
    growth = [last / before for last, before in zip(after[-1], after[flat - 1], strict=True)]
    print(f"day {days} has {growth[0]:.3f} of the bytes of day {flat}, {growth[1]:.3f} of the files (bar {BAR})")
    return int(max(growth) > BAR)
