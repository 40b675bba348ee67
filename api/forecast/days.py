"""The days of a series: which hours belong to each, and whether all of it is there."""

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

_HOUR_S = 3600


class Days(NamedTuple):
    """The d days of a series; an hour belongs to the day in which it starts.

    Parameters
    ----------
    dates : sequence of str
    complete : sequence of bool
        Whether all hours of the day are in the series.
    spans : sequence of (int, int)
        First row, and the one behind the last.
    ends : int64 (d,)
        The latter of each.
    """

    dates: Sequence[str]
    complete: Sequence[bool]
    spans: Sequence[tuple[int, int]]
    ends: NDArray[np.int64]

    def sums(self, hourly: NDArray[np.int64]) -> list[int]:
        """Return the sum of hourly values, (n,), over each day."""
        totals: list[int] = np.add.reduceat(hourly, [begin for begin, _ in self.spans]).tolist()
        return totals

    def fields(self, ghi: Sequence[int], production: Sequence[int] | None = None) -> list[dict[str, Any]]:
        """Return the answer's `days`, of sums over each day in tenths of W/m2 and of W."""
        if production is None:
            given = zip(self.dates, ghi, self.complete, strict=True)
            return [{"date": date, "ghi_kwh_m2": sum_ / 10_000, "complete": whole} for date, sum_, whole in given]
        return [
            {"date": date, "ghi_kwh_m2": sum_ / 10_000, "production_kwh": energy / 10_000, "complete": whole}
            for date, sum_, energy, whole in zip(self.dates, ghi, production, self.complete, strict=True)
        ]


def days_of(times: NDArray[np.int64], zone: str = "UTC") -> Days:
    """Return the days of consecutive hours.

    Parameters
    ----------
    times : int64 (n,)
        Starts of the hours, unix seconds.
    zone : str
        An IANA name.
    """
    local = ZoneInfo(zone)
    around = [int(times[0]) - _HOUR_S, *times.tolist(), int(times[-1]) + _HOUR_S]
    dates = [datetime.fromtimestamp(start, UTC).astimezone(local).date() for start in around]
    found = [(date, len(list(hours))) for date, hours in groupby(dates[1:-1])]
    ends = np.cumsum([hours for _, hours in found])
    return Days(
        [date.isoformat() for date, _ in found],
        [date not in (dates[0], dates[-1]) for date, _ in found],
        list(zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)),
        ends,
    )
