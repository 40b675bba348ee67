"""The simulated climate archives, made and read over HTTP.

24 x 24 km around Oslo, every month of both archives, all variables, with one reader. Seconds of the
processor are those of reader and simulator together.
"""

import resource
import time
from pathlib import Path

import numpy as np
import pyproj
from numpy.typing import NDArray

from catalog.sources.climate_archive import ArchiveMonth, open_month
from catalog.sources.http import make_client
from tests.bench.timing import SIMULATED, SIMULATOR, service

LAST_YEAR, ALL_YEARS = 2025, 35
CELLS, SPACING_M = 8, 3000.0
CORNER_M = (250_000.0, 6_637_000.0)  # UTM 33


def measure(folder: Path, years: int = 4) -> None:
    """Print months and cells a second, seconds a block, and what it would take of all years."""
    with service(*SIMULATOR, STATE=str(folder), AREAS="Oslo:59.91,10.75"):
        read_all(years)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    processor = sum(usage.ru_utime + usage.ru_stime for usage in used)
    print(f"processor: {processor:.1f} s, of {ALL_YEARS} years {processor / years * ALL_YEARS:.0f} s a block")


def read_all(years: int) -> None:
    """Read the last `years` of both archives and print the figures."""
    x, y = np.meshgrid(*(start + SPACING_M * (np.arange(CELLS) + 0.5) for start in CORNER_M))
    with make_client("solflis-bench") as client:
        for archive in ("nora3", "sarah3"):
            begun, read, cells = time.perf_counter(), 0, 0
            for year in range(LAST_YEAR - years + 1, LAST_YEAR + 1):
                for month in range(1, 13):
                    with open_month(
                        archive, f"{SIMULATED}/{archive}", year, month,
                        user_agent="solflis-bench", deadline_s=60, client=client,
                    ) as opened:  # fmt: skip
                        points = nearest(opened, x.ravel(), y.ravel())
                        opened.read(points)
                        read, cells = read + opened.receipt()["bytes_read"], points.size
            seconds, months = time.perf_counter() - begun, 12 * years
            print(
                f"{archive}: {months} months of {cells} cells in {seconds:.1f} s: "
                f"{1000 * seconds / months:.0f} ms a month, {cells * months / seconds:.0f} cells x months a second, "
                f"{read / months / 1e6:.2f} MB a month"
            )


def nearest(opened: ArchiveMonth, east: NDArray[np.float64], north: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the cells of an archive that are nearest to places in UTM 33, each once."""
    x, y = pyproj.Transformer.from_crs(25833, opened.proj4, always_xy=True).transform(east, north)
    column = np.rint((x - opened.x[0]) / (opened.x[1] - opened.x[0])).astype(np.int64)
    row = np.rint((y - opened.y[0]) / (opened.y[1] - opened.y[0])).astype(np.int64)
    return np.unique(row * opened.x.size + column)
