"""Hours laid out as days of mean solar time, so that whole days can be compared."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.plants.output import solar_hours

HOURS = 24


class DayGrid(NamedTuple):
    """Which row and column of a table (days, 24) each hour has.

    Attributes
    ----------
    days : int64 (d,)
        Since 1970, all from the first to the last, with or without hours.
    row, column : int64 (n,)
        Of each hour.
    """

    days: NDArray[np.int64]
    row: NDArray[np.int64]
    column: NDArray[np.int64]

    def spread(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return values of hours (n,) as float64 (d, 24), NaN where there is no hour."""
        table = np.full((self.days.size, HOURS), np.nan)
        table[self.row, self.column] = values
        return table

    def mark(self, hours: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return flags of hours (n,) as bool (d, 24), False where there is no hour."""
        table = np.zeros((self.days.size, HOURS), bool)
        table[self.row, self.column] = hours
        return table


def day_grid(lon: float, hour_starts: NDArray[np.int64]) -> DayGrid:
    """Lay out hours by their middles in mean solar time.

    Parameters
    ----------
    lon : float
        Degrees.
    hour_starts : int64 (n,)
        Unix seconds, whole hours, each once; at least one.
    """
    day, hour = np.divmod(solar_hours(lon, hour_starts), HOURS)
    days = np.arange(day.min(), day.max() + 1)
    return DayGrid(days, day - days[0], hour)
