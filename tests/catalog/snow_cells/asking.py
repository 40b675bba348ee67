"""Run as a program: asks for the snow of a cell through a folder, as a worker would, and prints what it got."""

import sys
from pathlib import Path

from catalog.snow_cells import SnowCells
from catalog.sources.http import Deadline
from tiles.clock import Clock


def main(folder: str, url: str, clock: str) -> None:
    """Wait for a line on stdin, then ask."""
    cells = SnowCells(url, "solflis-test (test@example.com)", Path(folder), Clock.parse(clock))
    print("ready", flush=True)
    sys.stdin.readline()
    data = cells.outlook((262_500, 6_649_500), Deadline(20))
    print(data.points[0], float(data.values["swe"][0, 0]))


if __name__ == "__main__":
    main(*sys.argv[1:])
