"""Weighing a reanalysis and a satellite's solar model, by the day, and the monthly correction of what comes out.

Hour by hour a mean of both would blur the clouds, which each has at other times, and lower the beam. So it is the
daily sums that are weighed, and the hours have the shape of the solar model. The clear sky cancels in that: it is the
same for both.
"""

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from kernels.compiled import compiled
from kernels.tmy.calendar import MONTH_DAYS, YEAR_HOURS, Calendar
from kernels.tmy.daily import day_sums

REANALYSIS, SOLARMODEL = 0.40, 0.60
"""Weights of the two."""
HIGHEST_KC = 1.15
"""No hour is brighter than this times the clear sky."""
LOWEST_CLEAR_SKY = 40.0
"""W/m2 of clear sky below which an hour is judged more leniently: the typical year's sun differs from this year's."""
LENIENCE = 8.0
"""W/m2 that the clear sky of such an hour may be more: 0.3 degrees of the sun's height."""


def weighed_days(
    reanalysis: NDArray[np.float64], solarmodel: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Weigh daily sums.

    Parameters
    ----------
    reanalysis, solarmodel : float64 (days,)
        Daily sums, from `daily.day_sums`; NaN in the solar model where it has no such day.

    Returns
    -------
    sums : float64 (days,)
        0.40 and 0.60 of both. Of the reanalysis alone where the solar model lacks the day, or has a day without any
        light: that is a satellite which did not see the low sun, not a sky without light.
    seen : bool (days,)
        Where the solar model counts.
    """
    seen = solarmodel > 0
    return np.where(seen, REANALYSIS * reanalysis + SOLARMODEL * solarmodel, reanalysis), seen


def monthly_means(sums: NDArray[np.float64], calendar: Calendar, last_year: int) -> NDArray[np.float64]:
    """Give the mean of each calendar month, W/m2 (12,), of daily sums up to a year's end; 29 February counts not."""
    starts = calendar.month_starts[: calendar.year_index(last_year) + 1] // 24
    means = [sums[starts[:, month, None] + np.arange(days)].mean() / 24 for month, days in enumerate(MONTH_DAYS)]
    return np.array(means)


def spread(
    reanalysis: NDArray[np.float32],
    solarmodel: NDArray[np.float32],
    factor: NDArray[np.float64],
    clear: NDArray[np.float32],
    calendar: Calendar,
    last_year: int,
) -> tuple[NDArray[np.float32], float]:
    """Give the ensemble's hours.

    Parameters
    ----------
    reanalysis, solarmodel : float32 (n_hours,)
        Global irradiance, W/m2, means of hours; the solar model may be NaN.
    factor : (12,)
        By which each month is corrected (`bias.correction`); ones for none.
    clear : float32 (8760,)
        Global irradiance under a clear sky in a year's hours, W/m2.
    calendar : Calendar
    last_year : int
        The ensemble goes from the calendar's first year to this one.

    Returns
    -------
    ghi : float32 (hours up to the end of that year,)
    dropped : float
        W h/m2 that found no room, see below, over all years.

    Notes
    -----
    A day's weighed and corrected sum takes the shape of the solar model's day, of the reanalysis' where that is not
    seen. What exceeds 1.15 of the clear sky in an hour goes to the day's other hours, in proportion to the room they
    have: the sum stays. Where all of them are full the rest is dropped, because no sky is that bright.
    """
    n = calendar.until(last_year)
    r, s = day_sums(reanalysis, n), day_sums(solarmodel, n)
    sums, seen = weighed_days(r, s)
    sums *= np.asarray(factor, np.float64)[calendar.day_months[: sums.size]]
    out = np.empty(n, np.float32)
    if clear.shape != (YEAR_HOURS,):
        msg = f"the clear sky has shape {clear.shape}, not ({YEAR_HOURS},)"
        raise ValueError(msg)
    shape_sum = np.where(seen, s, r)
    scale = np.divide(sums, shape_sum, out=np.zeros_like(sums), where=shape_sum > 0)
    dropped = np.zeros(1)
    _spread(reanalysis[:n], solarmodel[:n], seen, scale, clear, calendar.slots, dropped, out)
    return out, float(dropped[0])


@register_jitable
def brightest(sky):  # type: ignore[no-untyped-def]
    """Give what an hour may have at most under this clear sky, W/m2; night has nothing."""
    if sky >= LOWEST_CLEAR_SKY:
        return HIGHEST_KC * sky
    return HIGHEST_KC * min(sky + LENIENCE, LOWEST_CLEAR_SKY)


@compiled()
def _spread(reanalysis, solarmodel, seen, scale, clear, slots, total, out):  # type: ignore[no-untyped-def]
    for day in range(scale.size):
        first, end = max(24 * day - 1, 0), min(24 * day + 23, out.size)
        shape = solarmodel if seen[day] else reanalysis
        excess, room = 0.0, 0.0
        for i in range(first, end):
            value, most = scale[day] * shape[i], brightest(clear[slots[i]])
            if value > most:
                excess += value - most
                value = most
            elif clear[slots[i]] > 0.0:
                room += most - value
            out[i] = value
        if excess > 0.0:
            share = min(excess / room, 1.0) if room > 0.0 else 0.0
            total[0] += max(excess - room, 0.0)
            for i in range(first, end):
                if clear[slots[i]] > 0.0:
                    out[i] += share * (brightest(clear[slots[i]]) - out[i])
