"""Run as a program: asks for the snow of a cell through a folder, as a worker would, and prints what it got."""

import sys
from pathlib import Path

from catalog.snow_cells import SnowCells
from catalog.snow_products import OUTLOOK
from catalog.sources.http import Deadline
from tiles.clock import Clock


def main(folder: str, url: str, clock: str) -> None:
    """Wait for a line on stdin, then ask."""
    cells = SnowCells(url, "solflis-test (test@example.com)", Path(folder), Clock.parse(clock), (OUTLOOK,))
    print("ready", flush=True)
    sys.stdin.readline()
    [(point, cell)] = cells.fetch(OUTLOOK, [(262_500, 6_649_500)], Deadline(20)).found.items()
    print(point, cell and float(cell.values["swe"][0]))


if __name__ == "__main__":
    main(*sys.argv[1:])
