"""Wall-clock seconds to UTC, through both nights in which clocks change."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from api.plants.interpretation.mapping import OSLO, offset_minutes

Ints = NDArray[np.int64]
HOUR_S, DAY_S = 3600, 86_400
_ZONE = ZoneInfo(OSLO)


def changes_of(first_year: int, last_year: int) -> list[tuple[int, int]]:
    """Return begin and end of summer time in each year, unix seconds (Directive 2000/84/EC: last Sundays, 01 UTC)."""
    return [(_last_sunday(year, 3), _last_sunday(year, 10)) for year in range(first_year, last_year + 1)]


def _last_sunday(year: int, month: int) -> int:
    last = date(year, month, 31)
    sunday = last - timedelta(days=(last.weekday() + 1) % 7)
    return (sunday.toordinal() - date(1970, 1, 1).toordinal()) * DAY_S + HOUR_S


def is_summer_time(unix: Ints) -> NDArray[np.bool_]:
    """Return whether summer time is in force in Norway at moments in unix seconds (n,)."""
    out = np.zeros(len(unix), bool)
    if len(unix):
        years = 1970 + unix[[0, -1]] // (365.2425 * DAY_S)
        for begin, end in changes_of(int(years.min()) - 1, int(years.max()) + 1):
            out |= (unix >= begin) & (unix < end)
    return out


def seasons_of(local: Ints) -> tuple[str, ...]:
    """Return which of `normaltid` and `sommertid` moments in wall-clock seconds lie in."""
    summer = is_summer_time(local)
    return ("normaltid",) * bool((~summer).any()) + ("sommertid",) * bool(summer.any())


def to_utc(local: Ints, offset: NDArray[np.float64], zone: str) -> Ints:
    """Return wall-clock seconds as unix seconds (n,).

    Parameters
    ----------
    local : int64 (n,)
        Wall-clock seconds since 1970, in the order of time.
    offset : float64 (n,)
        Minutes from UTC as each stamp says; NaN where it says none.
    zone : str
        For stamps without offset.

    Notes
    -----
    Of an hour that comes twice in autumn the first pass is summer time: the second begins where the clock goes back, or
    at the second half of the rows where both passes are mixed. An hour that comes once is summer time.
    """
    fixed = offset_minutes(zone)
    shift = np.full(len(local), float(fixed)) if fixed is not None else _oslo_minutes(local)
    minutes = np.where(np.isnan(offset), shift, offset)
    return local - np.round(minutes * 60).astype(np.int64)


def _oslo_minutes(local: Ints) -> NDArray[np.float64]:
    minutes = np.full(len(local), 60.0)
    if not len(local):
        return minutes
    years = 1970 + np.array([local.min(), local.max()]) // (365.2425 * DAY_S)
    for begin, end in changes_of(int(years[0]) - 1, int(years[1]) + 1):
        first, last = begin + 2 * HOUR_S, end + 2 * HOUR_S  # 03:00 summer time; 03:00 summer time, then 02:00
        minutes[(local >= first) & (local < last - HOUR_S)] = 120.0
        # in spring nothing is at 02:30; clocks that did not jump show it in winter time
        ambiguous = np.flatnonzero((local >= last - HOUR_S) & (local < last))
        minutes[ambiguous] = np.where(_is_second_pass(local[ambiguous]), 60.0, 120.0)
    return minutes


def _is_second_pass(local: Ints) -> NDArray[np.bool_]:
    """Return which rows of an hour that comes twice are of its second pass, in winter time."""
    out = np.zeros(len(local), bool)
    steps = np.diff(local)
    if (steps < 0).any():
        out[int(np.argmax(steps < 0)) + 1 :] = True
    else:  # both passes side by side
        out[1:] = steps == 0
    return out


def local_moment(unix: float) -> datetime:
    """Return a moment in Norwegian time."""
    return datetime.fromtimestamp(unix, _ZONE)
