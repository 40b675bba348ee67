"""Extremes of season maxima: what is exceeded once in so many years, by a gamma, a Gumbel and no distribution."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernels.snowload.gamma import exceeded, shape_of

METHODS = ("gamma", "gumbel", "empirical")
LEAST_SEASONS = 2
MOST_YEARS = 1e6
"""The longest return period."""

_BEFORE, _AFTER = 0.44, 0.12
"""Gringorten's: the i-th of n values, from the lowest, is not exceeded with a chance of (i - 0.44) / (n + 0.12)."""
_EULER = 0.57721566490153286

Floats = NDArray[np.float64]


def levels(maxima: Floats, periods: ArrayLike) -> Floats:
    """Give the snow water equivalent that is exceeded once in so many years.

    Parameters
    ----------
    maxima : float64 (n,)
        Of seasons in any order, mm, none missing; at least two.
    periods : (k,)
        Return periods, years; more than 1, at most `MOST_YEARS`.

    Returns
    -------
    float64 (3, k)
        By method, in the order of `METHODS`, and period, mm.

    Raises
    ------
    ValueError
        A maximum is missing, below 0 or infinite, or a period out of its range.

    Notes
    -----
    gamma : maximum likelihood with location 0, of the seasons with snow; of a share p0 without, it is what those with
    snow exceed with a chance of 1 / (T (1 - p0)), and 0 where that is 1 or more.
    gumbel : moments, the deviation being that of a sample (n - 1); never below 0.
    empirical : Gringorten's plotting positions p (J. Geophys. Res. 68, 1963, 813-814), linear in p between two of them;
    beyond the highest on the line in -ln(-ln p) of the last two; below the lowest it is the lowest.
    Seasons that are all the same give that in any method.
    """
    ascending, years = np.sort(np.asarray(maxima, np.float64)), np.array(periods, np.float64)
    if ascending.ndim != 1 or ascending.size < LEAST_SEASONS or np.isnan(ascending[-1]):
        raise ValueError("maxima of at least two seasons are needed, none of them missing")
    highest = ascending[-1]
    if ascending[0] < 0.0 or highest == np.inf:
        raise ValueError("snow is at least 0 mm, and finite")
    if years.ndim != 1 or not ((years > 1.0) & (years <= MOST_YEARS)).all():
        msg = f"return periods are more than 1 and at most {MOST_YEARS:.0f} years, in a row, not {periods!r:.100}"
        raise ValueError(msg)
    if highest == 0.0:
        return np.zeros((len(METHODS), years.size))
    # As parts of the highest, no sum overflows.
    sample = ascending / highest
    return np.asarray(highest * np.stack([_gamma(sample, years), _gumbel(sample, years), _empirical(sample, years)]))


def combined(by_method: Floats) -> Floats:
    """Give the mean of the methods, (..., k), of their levels (..., 3, k)."""
    mean: Floats = by_method.mean(axis=-2)
    return mean


def plotting(maxima: Floats) -> tuple[Floats, Floats]:
    """Give the points of the empirical method: return periods, years, and maxima, mm, both (n,) and ascending."""
    ascending = np.sort(maxima)
    return 1.0 / _chance(np.arange(1, ascending.size + 1), ascending.size), ascending


def _gamma(sample: Floats, periods: Floats) -> Floats:
    snow = sample[sample > 0.0]
    shape, mean = shape_of(snow)
    chances = sample.size / (periods * snow.size)
    return np.array([mean * exceeded(shape, chance) if chance < 1.0 else 0.0 for chance in chances.tolist()])


def _gumbel(sample: Floats, periods: Floats) -> Floats:
    scale = math.sqrt(6.0) * sample.std(ddof=1) / math.pi
    return np.asarray(np.maximum(sample.mean() + scale * (_reduced(-1.0 / periods) - _EULER), 0.0))


def _empirical(sample: Floats, periods: Floats) -> Floats:
    n = sample.size
    ranks = (1.0 - 1.0 / periods) * (n + _AFTER) + _BEFORE
    low, high = _reduced(-_chance(np.array([n - 1, n]), n))
    beyond = np.maximum((_reduced(-1.0 / periods) - high) / (high - low), 0.0)
    # At the highest rank both meet.
    return np.asarray(np.interp(ranks, np.arange(1, n + 1), sample) + beyond * (sample[-1] - sample[-2]))


def _chance(ranks: NDArray[np.int64], n: int) -> Floats:
    """Return the chances that a season has more than the rank-th of n, from the lowest."""
    return np.asarray((n + _AFTER + _BEFORE - ranks) / (n + _AFTER))


def _reduced(less: Floats) -> Floats:
    """Return Gumbel's reduced variates -ln(-ln p) of chances p = 1 + less."""
    return np.asarray(-np.log(-np.log1p(less)))
