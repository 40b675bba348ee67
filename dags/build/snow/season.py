"""Which days a morning's snow is of."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

import numpy as np
from numpy.typing import NDArray

from catalog.publish import Moment
from dags.build.snow.packing import days_between

DAYS_AHEAD = 8
"""The last day of the forecast, counted from the morning's own."""
_BEGINS = time(6, tzinfo=UTC)


@dataclass(frozen=True)
class Season:
    """The snow year to a morning, and the days ahead.

    Parameters
    ----------
    today : date
        The morning's; the newest observed day is the one before it, which ends at 06 UTC of it.
    """

    today: date

    @property
    def observed(self) -> date:
        """The newest day that can be observed."""
        return self.today - timedelta(days=1)

    @property
    def first(self) -> date:
        """The 1 September with which the snow year of the newest observed day begins."""
        return snow_year_start(self.observed)

    @property
    def last(self) -> date:
        """The last day of the forecast."""
        return self.today + timedelta(days=DAYS_AHEAD)

    @property
    def days(self) -> NDArray[np.int64]:
        """All of them, days since 1970-01-01."""
        return days_between(self.first, self.last)

    @property
    def issued_at(self) -> datetime:
        """When it counts from."""
        return datetime.combine(self.today, _BEGINS)

    @property
    def moment(self) -> Moment:
        """When it counts from, and from the begin of which day to the end of which."""
        begins, ends = (datetime.combine(day, _BEGINS) for day in (self.first, self.last + timedelta(days=1)))
        return Moment(self.issued_at, begins, ends)


def snow_year_start(day: date) -> date:
    """Return the 1 September with which the snow year of a day begins."""
    return date(day.year if day.month >= 9 else day.year - 1, 9, 1)
