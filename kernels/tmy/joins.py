"""Joining the chosen months: temperature, humidity, wind and pressure change over within twelve hours.

Irradiance is never joined: it meets at night, and a step under the midnight sun is a real one.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kernels.tmy.calendar import MONTH_DAYS, YEAR_HOURS, Calendar

REACH = 6
"""Hours on each side of a join that change."""


def joined(
    series: NDArray[np.float32],
    calendar: Calendar,
    years: NDArray[np.int64],
    low: float = -np.inf,
    high: float = np.inf,
) -> NDArray[np.float64]:
    """Give the year of twelve months of one variable, smooth where they meet, December and January too.

    Parameters
    ----------
    series : float32 (n_hours,)
        The archive, at each full hour.
    calendar : Calendar
    years : int (12,)
        The year of each month.
    low, high : float
        What the variable is held within, everywhere: supersaturated air counts as 100 %.

    Returns
    -------
    float64 (8760,)

    Notes
    -----
    Six hours each side of the first hour of a month fade from the year of the month that ends, as it really went on,
    to the year of the one that begins, as it really came about: a month between two of its own year stays as it
    is. Where the archive begins or ends there, a cubic Hermite curve leads from one to the other. A leap year goes on
    into 29 February.
    """
    if series.shape != (calendar.n_hours,):
        msg = f"a series of shape {series.shape} is not that of {calendar.n_hours} hours"
        raise ValueError(msg)
    out = np.empty(YEAR_HOURS)
    _join(series, calendar.starts_of(years), np.array(MONTH_DAYS), float(low), float(high), out)
    return out


@njit(nogil=True, cache=True, error_model="numpy")
def _join(series, starts, month_days, low, high, out):  # type: ignore[no-untyped-def]
    at = 0
    for month in range(12):
        for i in range(24 * month_days[month]):
            out[at + i] = min(max(float(series[starts[month] + i]), low), high)
        at += 24 * month_days[month]
    at = 0
    for month in range(12):
        before = (month + 11) % 12
        # Hours of the archive at which the year that ends, and the one that begins, stand at the join.
        ending, beginning = starts[before] + 24 * month_days[before], starts[month]
        if ending + REACH <= series.size and beginning >= REACH:
            for i in range(-REACH, REACH):
                share = (i + REACH + 0.5) / (2 * REACH)
                # A month that simply goes on keeps its very digits.
                mixed = series[ending + i] + share * (series[beginning + i] - series[ending + i])
                out[(at + i) % out.size] = min(max(mixed, low), high)
        else:
            _bridge(series, ending, beginning, at, low, high, out)
        at += 24 * month_days[month]


@njit(nogil=True, cache=True, error_model="numpy")
def _bridge(series, ending, beginning, at, low, high, out):  # type: ignore[no-untyped-def]
    """Lead from the last hour left as it is to the first one, with their slopes."""
    a, b = ending - REACH - 1, beginning + REACH
    width = 2 * REACH + 1
    slope_a = float(series[a] - series[a - 1]) * width
    slope_b = float(series[b + 1] - series[b]) * width
    for i in range(-REACH, REACH):
        t = (i + REACH + 1) / width
        value = (1 + 2 * t) * (1 - t) ** 2 * series[a] + t * (1 - t) ** 2 * slope_a
        value += t * t * (3 - 2 * t) * series[b] - t * t * (1 - t) * slope_b
        out[(at + i) % out.size] = min(max(value, low), high)
