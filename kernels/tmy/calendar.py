"""The hours and days of an archive of whole years, and which of them make up a year of 8760 hours.

Hours are counted from 1 January 00 UTC of the first year, without a gap. Days are those of UTC+1, as the statistics
take them: day d holds the hours 24 d - 1 to 24 d + 22, the very first one hour less. 29 February lies on the axis,
where joins may reach into it, but belongs to no month of the statistics and to no typical year.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

MONTH_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
YEAR_HOURS = 8760
PLACEHOLDER_YEAR = 2001
"""The year whose dates a typical year bears; its sun is the one that splits the irradiance."""
PERIOD_30 = (1991, 2020)
PERIOD_18 = (2008, 2025)

_HOUR = np.timedelta64(1, "h")


@dataclass(frozen=True)
class Calendar:
    """The axis of an archive: all hours of the years first_year..last_year."""

    first_year: int
    last_year: int

    def __post_init__(self) -> None:
        if not 1 <= self.first_year <= self.last_year:
            msg = f"{self.first_year} to {self.last_year} are no years one after the other"
            raise ValueError(msg)

    @property
    def n_years(self) -> int:
        """Number of years."""
        return self.last_year - self.first_year + 1

    @property
    def n_days(self) -> int:
        """Number of days, 29 February included."""
        return self.n_hours // 24

    @cached_property
    def n_hours(self) -> int:
        """Number of hours, 29 February included."""
        return int((np.datetime64(f"{self.last_year + 1:04d}-01-01") - self._first) // _HOUR)

    @property
    def first_hour(self) -> int:
        """Unix seconds at the start of the first hour."""
        return int(np.datetime64(f"{self.first_year:04d}-01-01", "s").astype(np.int64))

    @cached_property
    def unix(self) -> NDArray[np.int64]:
        """Unix seconds at the start of each hour, (n_hours,)."""
        return self.first_hour + 3600 * np.arange(self.n_hours, dtype=np.int64)

    @cached_property
    def month_starts(self) -> NDArray[np.int64]:
        """Hour at which each month of each year begins, (n_years, 12)."""
        months = np.datetime64(f"{self.first_year:04d}-01") + np.arange(12 * self.n_years)
        hours = (months.astype("datetime64[h]") - self._first) // _HOUR
        return hours.astype(np.int64).reshape(-1, 12)

    @cached_property
    def day_months(self) -> NDArray[np.int64]:
        """Month 0..11 of each day, (n_days + 1,); the last is the day that the last hour begins."""
        days = self._first.astype("datetime64[D]") + np.arange(self.n_days + 1)
        months: NDArray[np.int64] = days.astype("datetime64[M]").astype(np.int64) % 12
        return months

    @cached_property
    def slots(self) -> NDArray[np.int16]:
        """Which of the 8760 hours of a year each hour is, (n_hours,); on 29 February those of the 28th."""
        starts, ends = self.month_starts.ravel(), np.tile(24 * np.cumsum(MONTH_DAYS), self.n_years)
        lengths = np.diff(starts, append=self.n_hours)
        slots = np.arange(self.n_hours) - np.repeat(starts + 24 * np.tile(MONTH_DAYS, self.n_years) - ends, lengths)
        return np.asarray(np.where(slots < np.repeat(ends, lengths), slots, slots - 24), np.int16)

    def year_index(self, year: int) -> int:
        """Return how many years after the first one a year is.

        Raises
        ------
        ValueError
            It is not in the archive.
        """
        if not self.first_year <= year <= self.last_year:
            msg = f"the year {year} is not in the archive, which has {self.first_year} to {self.last_year}"
            raise ValueError(msg)
        return year - self.first_year

    def until(self, year: int) -> int:
        """Return the number of hours up to the end of a year."""
        ends = [*self.month_starts[1:, 0].tolist(), self.n_hours]
        return int(ends[self.year_index(year)])

    def starts_of(self, years: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the hours at which the twelve months begin, each in its own year, (12,).

        Parameters
        ----------
        years : int (12,)
            A year for each of January to December.

        Raises
        ------
        ValueError
            There are not twelve, or one is not in the archive.
        """
        if np.shape(years) != (12,):
            msg = f"twelve years are needed, one for each month, not {np.shape(years)}"
            raise ValueError(msg)
        rows = [self.year_index(int(year)) for year in years]
        starts: NDArray[np.int64] = self.month_starts[rows, np.arange(12)]
        return starts

    def hours_of(self, years: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return which hours make up the year of these twelve months, (8760,); see `starts_of`."""
        starts = self.starts_of(years).tolist()
        return np.concatenate(
            [np.arange(start, start + 24 * days) for start, days in zip(starts, MONTH_DAYS, strict=True)]
        )

    @property
    def _first(self) -> np.datetime64:
        return np.datetime64(f"{self.first_year:04d}-01-01", "h")
