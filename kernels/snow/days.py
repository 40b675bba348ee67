"""Days of snow, counted from 1970-01-01: their weather, their calendar, and what is asked of them and of light."""

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

MONTHS_PER_YEAR = 12
_DAY_S, _BEGINS_S = 86_400, 6 * 3600

Seconds = TypeVar("Seconds", int, NDArray[np.int64])


class SnowWeather(NamedTuple):
    """The snow authority's days at a place; floats (n,) each, NaN where missing.

    Parameters
    ----------
    new_snow : that fell in the day, mm of water.
    new_snow_depth : the same, mm of depth.
    snow_depth : on the ground at the end of the day, mm.
    temp_air : mean of the day, degrees C.
    """

    new_snow: NDArray[np.floating]
    new_snow_depth: NDArray[np.floating]
    snow_depth: NDArray[np.floating]
    temp_air: NDArray[np.floating]


def day_at(moments: Seconds) -> Seconds:
    """Return the day that runs at moments, (n,) unix seconds: from 06 UTC to 06 UTC of the next."""
    return (moments - _BEGINS_S) // _DAY_S


def months_since_epoch(days: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the calendar month that ascending days (n,) are of, counted from January 1970, int64 (n,)."""
    first, last = days[[0, -1]].astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    months = np.arange(first, last + 1)
    # By where months begin: to turn each day into a date takes ten times as long.
    begins = np.searchsorted(days, _first_days(months))
    return np.repeat(months, np.diff(begins, append=days.size))


def month_lengths(months: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many days months since January 1970 have, 29 February counted, int64 of their shape."""
    lengths: NDArray[np.int64] = _first_days(months + 1) - _first_days(months)
    return lengths


def require_ascending(days: NDArray[np.int64]) -> None:
    """Refuse days that do not follow one another.

    Raises
    ------
    ValueError
        They are no row of whole numbers, there are none, or one of them comes twice or too late.
    """
    if days.ndim != 1 or days.dtype != np.int64:
        msg = f"days are whole numbers in a row, not {days.dtype} of shape {days.shape}"
        raise ValueError(msg)
    if not days.size:
        raise ValueError("there are no days")
    late = np.flatnonzero(days[1:] <= days[:-1])
    if late.size:
        before, after = days[late[0] : late[0] + 2].astype("datetime64[D]")
        msg = f"days must ascend, but {before} is followed by {after}"
        raise ValueError(msg)


def require_light(light: NDArray[np.float64]) -> None:
    """Refuse light that is not of twelve months and 24 hours, or has no number somewhere, or one below 0.

    Raises
    ------
    ValueError
        Saying which.
    """
    if light.shape != (MONTHS_PER_YEAR, 24):
        msg = f"light has shape {light.shape}, not (12, 24)"
        raise ValueError(msg)
    if not (light.min() >= 0.0 and light.max() < np.inf):  # NaN is neither
        raise ValueError("light must be finite and at least 0 W/m2 in every hour of every month")


def _first_days(months: NDArray[np.int64]) -> NDArray[np.int64]:
    return months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
