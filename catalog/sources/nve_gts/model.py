"""What the snow authority's data are to us: days from 06 to 06 UTC, cells of 1 km, millimetres and degrees C.

TRAP: the authority stamps a day with its END, `D 06:00`. Here day d runs from 06 UTC of d to 06 UTC of d + 1, so that
what is stamped D is of day D - 1, for all themes: new snow and mean temperature are of that day, depth and water
equivalent hold at its end. It is moved here (`stamp_of`, `day_of_stamp`) and nowhere else.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from catalog.sources.data_origin import DataOrigin
from catalog.sources.errors import SourceError

NAME = "nve_gts"

QUANTITIES = ("swe", "snow_depth", "new_snow", "new_snow_depth", "temp_air")
Point = tuple[int, int]
"""Easting and northing of a 1 km cell's centre, m, UTM 33."""

# The authority's grid: its western and southern edge, its rows and columns of 1 km.
WEST, SOUTH, CELL = -75_000, 6_450_000, 1_000
ROWS, COLUMNS = 1550, 1195
_EPOCH = date(1970, 1, 1)


class NoCell(SourceError):
    """The authority has no cell at a point, or none with data."""


@dataclass(frozen=True)
class SnowData:
    """Daily snow and temperature of some cells.

    Parameters
    ----------
    days : int64 (n_days,)
        Consecutive, days since 1970-01-01; day d runs from 06 UTC of d to 06 UTC of d + 1.
    points : tuple of (easting, northing)
        Those that have data, in the order asked for.
    altitude : float64 (n,)
        Of the cells, m above sea level.
    values : mapping of str to float32 (n_days, n)
        `swe`, `snow_depth` (mm, at the end of the day), `new_snow` (mm of water), `new_snow_depth` (mm), `temp_air`
        (degC, mean of the day); NaN is missing. Those of them that were asked for.
    observed_until : int
        The last day that is observed, days since 1970-01-01; later ones are forecast.
    data_origin : {"live", "simulated"}
    """

    days: NDArray[np.int64]
    points: tuple[Point, ...]
    altitude: NDArray[np.float64]
    values: Mapping[str, NDArray[np.float32]]
    observed_until: int
    data_origin: DataOrigin


def day_of(day: date) -> int:
    """Return a date as days since 1970-01-01."""
    return (day - _EPOCH).days


def stamp_of(day: date) -> date:
    """Return the date by which the authority stamps our day: that of its end."""
    return day + timedelta(days=1)


def day_of_stamp(stamp: date) -> int:
    """Return our day, days since 1970-01-01, of what the authority stamps with a date at 06 UTC."""
    return day_of(stamp) - 1


def centre_of(x: float, y: float) -> Point | None:
    """Return the centre of the 1 km cell that holds a position in UTM 33 (m); None outside of the grid."""
    column, row = int((x - WEST) // CELL), int((y - SOUTH) // CELL)
    if not (0 <= column < COLUMNS and 0 <= row < ROWS):
        return None
    return WEST + column * CELL + CELL // 2, SOUTH + row * CELL + CELL // 2


def point_of_index(index: int) -> Point | None:
    """Return the centre of the cell with a CellIndex: rows from the north times 1195, and columns from the west."""
    from_north, column = divmod(index, COLUMNS)
    return centre_of(WEST + column * CELL, SOUTH + (ROWS - 1 - from_north) * CELL)
