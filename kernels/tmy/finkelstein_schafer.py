"""Which year gives each month, by how far its days are from those of all years: Finkelstein and Schafer's statistic."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kernels.tmy.calendar import MONTH_DAYS, Calendar

WEIGHTS = np.array([1, 1, 2, 1, 1, 2, 1, 1, 5, 5]) / 20
"""Of the indices in `daily.INDICES`: those of NREL for TMY2 and TMY3."""

CANDIDATES = 5
"""Years nearest to all years, among which the one of the most usual irradiance gives a month."""
_LONGEST = max(MONTH_DAYS)


class RankedDays(NamedTuple):
    """The days of all years, in the order of each index within each calendar month.

    Parameters
    ----------
    keys : int64 (k, 12, 31 n_years)
        Value and year of each day, ascending; what follows the days of a month means nothing.
    n_years : int
    """

    keys: NDArray[np.int64]
    n_years: int


def ranked(days: NDArray[np.float32], calendar: Calendar, n_years: int | None = None) -> RankedDays:
    """Put days in order, once for all the periods that `distances` compares.

    Parameters
    ----------
    days : float32 (k, at least the days of these years)
        Indices of each day of the calendar, not NaN.
    calendar : Calendar
    n_years : int, optional
        Years that count, from the calendar's first on; all when absent.

    Returns
    -------
    RankedDays
    """
    n_years = calendar.n_years if n_years is None else n_years
    starts = calendar.month_starts[:n_years] // 24
    if days.shape[1] < starts[-1, -1] + _LONGEST or n_years > 255:
        msg = f"{days.shape[1]} days are not those of {n_years} years"
        raise ValueError(msg)
    keys = np.full((days.shape[0], 12, _LONGEST * n_years), np.iinfo(np.int64).max)
    # Plus 0, because -0 and 0 are the same day but not the same bits.
    _pack((np.ascontiguousarray(days) + np.float32(0)).view(np.int32), starts, np.array(MONTH_DAYS), keys)
    keys.sort(axis=2)
    return RankedDays(keys, n_years)


def distances(days: RankedDays, first: int, count: int) -> NDArray[np.float64]:
    """Give the statistic of each index, month and year against the years of a period.

    Parameters
    ----------
    days : RankedDays
    first, count : int
        First year of the period, from 0, and how many it has.

    Returns
    -------
    float64 (k, 12, count)
        (1/n) sum over the n days of the month of |CDF of the period - CDF of the year|, both step functions, at the
        value of each day. 0..1. The year's own days are among the period's.

    Notes
    -----
    Source: Finkelstein & Schafer, Biometrika 58 (1971) 641-645; Wilcox & Marion, Users manual for TMY3 data sets,
    NREL/TP-581-43156 (2008). Counted in whole numbers up to the last division, so that equal months come out equal.
    """
    if not 0 <= first < first + count <= days.n_years:
        msg = f"years {first} to {first + count - 1} are not among {days.n_years}"
        raise ValueError(msg)
    out = np.empty((*days.keys.shape[:2], count))
    _distances(days.keys, days.n_years, np.array(MONTH_DAYS), first, out)
    return out


def weighted(parts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the weighted sum over the ten indices, (12, years), of distances (10, 12, years)."""
    if parts.shape[0] != WEIGHTS.size:
        msg = f"{WEIGHTS.size} indices have a weight, not {parts.shape[0]}"
        raise ValueError(msg)
    total = np.zeros(parts.shape[1:])
    for weight, part in zip(WEIGHTS.tolist(), parts, strict=True):  # one after the other: the same bytes everywhere
        total += weight * part
    return total


def typical_years(scores: NDArray[np.float64], monthly_ghi: NDArray[np.float64], first_year: int) -> NDArray[np.int64]:
    """Choose a year for each month.

    Parameters
    ----------
    scores : (12, years)
        Weighted Finkelstein-Schafer statistics.
    monthly_ghi : (years, 12)
        Sums of global irradiance.
    first_year : int
        The first of the years.

    Returns
    -------
    int64 (12,)
        Calendar years. Of the five smallest scores, the one whose irradiance is nearest to the mean of all years;
        where several are as near (polar night), the one of the smallest score, then the earliest.
    """
    away = np.abs(monthly_ghi - monthly_ghi.mean(axis=0)).T
    order = np.argsort(scores, axis=1, kind="stable")[:, :CANDIDATES]
    best = np.take_along_axis(scores, order, 1)
    near = np.take_along_axis(away, order, 1)
    chosen = np.lexsort((order, best, near), axis=1)[:, 0]
    years: NDArray[np.int64] = first_year + order[np.arange(12), chosen]
    return years


@njit(nogil=True, cache=True, error_model="numpy")
def _pack(bits, starts, month_days, keys):  # type: ignore[no-untyped-def]
    """Fill keys that sort as the float32 whose bits are given, with the year in the lowest eight bits."""
    for index in range(bits.shape[0]):
        for month in range(12):
            n = month_days[month]
            for year in range(starts.shape[0]):
                for day in range(n):
                    value = np.int64(bits[index, starts[year, month] + day])
                    if value < 0:  # of negative numbers the larger has the smaller bits
                        value ^= 0x7FFFFFFF
                    keys[index, month, year * n + day] = (value << 8) | year


@njit(nogil=True, cache=True, error_model="numpy")
def _distances(keys, n_years, month_days, first, out):  # type: ignore[no-untyped-def]
    count = out.shape[2]
    below, total = np.empty(count, np.int64), np.empty(count, np.int64)
    for index in range(keys.shape[0]):
        for month in range(12):
            row, n = keys[index, month], month_days[month]
            size, i, rank = n * n_years, 0, 0
            below[:], total[:] = 0, 0
            while i < size:
                value, j = row[i] >> 8, i
                while j < size and row[j] >> 8 == value:
                    year = (row[j] & 255) - first
                    if 0 <= year < count:
                        rank += 1
                        below[year] += 1
                    j += 1
                for same in range(i, j):
                    year = (row[same] & 255) - first
                    if 0 <= year < count:
                        # rank / (n count) - below / n, times n count.
                        total[year] += abs(rank - below[year] * count)
                i = j
            for year in range(count):
                out[index, month, year] = total[year] / (n * n * count)
