"""Which 1 km cell of the snow authority stands for each 3 km cell: the nearest that has data.

The authority refuses a whole list for one point at sea: so points are asked for only where there is land, by the
borders, and of each 3 km cell one after the other, nearest first.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from catalog.sources.kartverket.borders import counties
from catalog.sources.nve_gts import Point
from dags.build.borders.raster import land_share, projected
from dags.build.context import Report
from dags.build.provenance import user_agent
from dags.build.snow.authority import Authority
from tiles.grid import NORWAY3KM, SENORGE1KM, Cell

REACH_KM = 4.0
"""So far from a cell's centre its snow cell may lie."""
MOST_TRIES = 8
"""So many 1 km cells are asked for before a cell counts as one without snow data."""

_RATIO = round(NORWAY3KM.size / SENORGE1KM.size)
_SAMPLES = 5
_DEADLINE_S = 120.0

Shares = NDArray[np.float64]


@lru_cache(maxsize=1)
def land_of(kartverket_url: str) -> Shares:
    """Return which share of each 1 km cell is land, (rows, columns), by the borders.

    Raises
    ------
    SourceError
        The borders cannot be had or are malformed.
    """
    borders = counties(kartverket_url, user_agent=user_agent(), deadline_s=_DEADLINE_S)
    return land_share(projected(borders.areas.geometry), SENORGE1KM, _SAMPLES)


def find(
    cells: Iterable[Cell],
    known: Mapping[Cell, Cell | None],
    authority: Authority,
    day: date,
    land: Callable[[], Shares],
    report: Report,
) -> dict[Cell, Cell]:
    """Return the snow cell of each 3 km cell that has one near enough.

    Parameters
    ----------
    cells : iterable of (row, column)
        Of the 3 km grid.
    known : mapping of cell to cell or None
        What was found before (None: that there is none), and is not asked for.
    authority : Authority
    day : date
        On which the authority has data.
    land : callable
        Returns the share of land of each 1 km cell; called where a cell is not known.
    report : callable
        Takes one line of progress.

    Raises
    ------
    SourceError
        The authority cannot be asked.
    """
    wanted = list(cells)
    found = {cell: snow for cell in wanted if (snow := known.get(cell)) is not None}
    waiting = [cell for cell in wanted if cell not in known]
    if waiting:
        share = land()
        found |= _search({cell: candidates(cell, share) for cell in waiting}, authority, day)
    if lacking := len(wanted) - len(found):
        report(f"{lacking} of {len(wanted)} cells are left out: the snow authority has none within {REACH_KM:g} km")
    return found


def _search(waiting: dict[Cell, list[Cell]], authority: Authority, day: date) -> dict[Cell, Cell]:
    """Ask for the first candidate of every cell, then for the second of those that have none, and so on."""
    found: dict[Cell, Cell] = {}
    searched: set[Point] = set()
    there: set[Point] = set()
    for number in range(MOST_TRIES):
        tried = {cell: ways[number] for cell, ways in waiting.items() if cell not in found and len(ways) > number}
        asked = sorted({point_of(snow) for snow in tried.values()} - searched)
        if asked:
            there.update(authority.with_data(asked, day))
            searched.update(asked)
        found |= {cell: snow for cell, snow in tried.items() if point_of(snow) in there}
    return found


def candidates(cell: Cell, share: Shares) -> list[Cell]:
    """Return the 1 km cells with land around the middle of a 3 km cell: those that are mostly land, nearest first.

    Parameters
    ----------
    cell : (row, column)
        Of the 3 km grid.
    share : float64 (rows, columns)
        Of each 1 km cell that is land.
    """
    row, column = (_RATIO * index + _RATIO // 2 for index in cell)
    reach = int(REACH_KM)
    rows, columns = np.mgrid[
        max(0, row - reach) : min(share.shape[0], row + reach + 1),
        max(0, column - reach) : min(share.shape[1], column + reach + 1),
    ].reshape(2, -1)
    away = (rows - row) ** 2 + (columns - column) ** 2
    part = share[rows, columns]
    order = np.lexsort((columns, rows, away, part < 0.5))
    return [(int(rows[i]), int(columns[i])) for i in order if part[i] > 0 and away[i] <= reach**2]


def point_of(snow_cell: Cell) -> Point:
    """Return the centre of a cell of the 1 km grid: easting and northing, m."""
    size = SENORGE1KM.size
    x, y = SENORGE1KM.x0 + size * (snow_cell[1] + 0.5), SENORGE1KM.y0 + size * (snow_cell[0] + 0.5)
    return int(x), int(y)
