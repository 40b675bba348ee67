"""Run as a program: asks for the water of cells through a folder, as a worker would, and prints what it got."""

import sys
from pathlib import Path

from catalog.snow_water import SnowWater
from catalog.sources.http import Deadline
from tests.support.snow_water import grid
from tiles.clock import Clock


def main(folder: str, url: str, clock: str) -> None:
    """Wait for a line on stdin, then ask."""
    water = SnowWater(url, "solflis-test (test@example.com)", Path(folder), Clock.parse(clock))
    print("ready", flush=True)
    sys.stdin.readline()
    fetched = water.fetch(grid(), Deadline(30))
    print(fetched.failed, [float(cell.swe[0]) for cell in fetched.found.values() if cell])


if __name__ == "__main__":
    main(*sys.argv[1:])
