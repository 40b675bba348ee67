"""Clocks of export files: offsets from UTC, with the summer time of Europe, as whole arrays."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

HOUR = 3600
DAY = 24 * HOUR
ZONES = ("Europe/Oslo", "UTC", "+01:00")


def unix(year: int, month: int, day: int, hour: int = 0) -> int:
    """Return the unix seconds of a time in UTC."""
    return int(datetime(year, month, day, hour, tzinfo=UTC).timestamp())


@lru_cache(maxsize=64)
def summer_time(year: int) -> tuple[int, int]:
    """Return the two change-over instants of a year, unix seconds: last Sundays of March and October, 01:00 UTC."""

    def last_sunday(month: int) -> int:
        day = datetime(year, month, 31, 1, tzinfo=UTC)
        return int((day - timedelta(days=(day.weekday() + 1) % 7)).timestamp())

    return last_sunday(3), last_sunday(10)


def offset_seconds(times: Ints, zone: str) -> Ints:
    """Return the offset of the zone's clock from UTC at each time, seconds."""
    if zone == "UTC":
        return np.zeros(len(times), dtype=np.int64)
    offsets = np.full(len(times), HOUR, dtype=np.int64)
    if zone == "Europe/Oslo" and len(times):
        for year in range(datetime.fromtimestamp(int(times.min()), UTC).year, 2100):
            begin, end = summer_time(year)
            offsets[(times >= begin) & (times < end)] = 2 * HOUR
            if end > times.max():
                break
    return offsets


def local_seconds(times: Ints, zone: str) -> Ints:
    """Return the clock's reading at each time, as seconds since 1970 of that clock."""
    return times + offset_seconds(times, zone)


def midnight(year: int, month: int, day: int, zone: str) -> int:
    """Return the unix seconds of a day's first instant on the zone's clock."""
    naive = unix(year, month, day)
    return naive - int(offset_seconds(np.array([naive - HOUR]), zone)[0])
