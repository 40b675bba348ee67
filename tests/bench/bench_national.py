"""A national cycle, read over HTTP, to a published tile.

One process serves the file, another merely reads it, a third builds and publishes; each is measured from outside as a
whole process.
"""

import sys
import tempfile
import time
from pathlib import Path

from catalog.sources import met_nordic
from tests.bench.make_national_cycle import CYCLE, write
from tests.bench.timing import measured, service
from tiles.clock import format_partition, iso

BAR_S, BAR_GIB = 60, 4
# Made once and kept: a file of 2 GB that takes a minute to make.
FILE = Path(tempfile.gettempdir()) / "solflis-bench" / Path(met_nordic.file_urls("", CYCLE)[1]).name


def read(url: str) -> None:
    """Read the cycle and print the figures."""
    start = time.perf_counter()
    with met_nordic.open_cycle(url, CYCLE, user_agent="solflis-bench", deadline_s=600) as cycle:
        opened = time.perf_counter() - start
        fields = [set(step) for step in cycle.instants()]
    assert fields == [{"ghi_acc", "cloud", "temp_air", "wind_speed"}] * len(fields)
    seconds = time.perf_counter() - start
    megabytes = FILE.stat().st_size / 1e6
    print(f"read {len(fields)} steps, {megabytes:.0f} MB: {megabytes / seconds:.0f} MB/s; opening {opened:.1f} s")


def measure(folder: Path) -> None:
    """Print the figures."""
    if not FILE.exists():
        FILE.parent.mkdir(exist_ok=True)
        write(FILE)
    with service("-m", "tests.support.http_files", str(FILE.parent)) as url:
        reading = measured("-m", "tests.bench.bench_national", url)
        build = ("-m", "infra.cli", "build", "forecast", "--partition", format_partition(CYCLE))
        building = measured(*build, MET_NORDIC_URL=url, STATE=str(folder), CLOCK=f"{iso(CYCLE)}!")
    print(f"national cycle, {FILE.stat().st_size / 1e9:.2f} GB over HTTP")
    for what, (seconds, gib, processor), bars in (
        ("merely read:", reading, ("", "")),
        ("read to published:", building, (f" (bar {BAR_S})", f" (bar {BAR_GIB})")),
    ):
        print(f"  {what:20}{seconds:6.1f} s{bars[0]}, {processor:.1f} s of processor, peak {gib:.2f} GiB{bars[1]}")


if __name__ == "__main__":
    read(sys.argv[1])
