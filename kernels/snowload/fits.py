"""Extremes of season maxima: what is exceeded once in so many years, by a gamma, a Gumbel and no distribution."""

import math

import numpy as np
from numba import types
from numba.extending import register_jitable
from numpy.typing import ArrayLike, NDArray

from kernels.compiled import TABLE, VECTOR, compiled
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
        Saying what is wrong.

    Notes
    -----
    gamma : maximum likelihood with location 0, of the seasons with snow; of a share p0 without, it is what those with
    snow exceed with a chance of 1 / (T (1 - p0)), and 0 where that is 1 or more.
    gumbel : moments, the deviation being that of a sample (n - 1); never below 0.
    empirical : Gringorten's plotting positions p (J. Geophys. Res. 68, 1963, 813-814), linear in p between two of them;
    beyond the highest on the line in -ln(-ln p) of the last two; below the lowest it is the lowest.
    Seasons that are all the same give that in any method. Releases the GIL.
    """
    maxima = np.asarray(maxima, np.float64)
    if maxima.ndim != 1 or maxima.size < LEAST_SEASONS or np.isnan(maxima).any():
        raise ValueError("maxima of at least two seasons are needed, none of them missing")
    by_method: Floats = levels_of_cells(maxima[:, None], periods)[0]
    return by_method


def levels_of_cells(maxima: NDArray[np.floating], periods: ArrayLike) -> Floats:
    """Give `levels` of many cells at once.

    Parameters
    ----------
    maxima : float32 or float64 (n_seasons, n_cells)
        mm; NaN where missing.
    periods : (k,)

    Returns
    -------
    float64 (n_cells, 3, k)
        NaN where a cell has fewer than two seasons.

    Raises
    ------
    ValueError
        A maximum is below 0 or infinite, or a period out of its range.
    """
    years = np.array(periods, np.float64)
    if years.ndim != 1 or not ((years > 1.0) & (years <= MOST_YEARS)).all():
        msg = f"return periods are more than 1 and at most {MOST_YEARS:.0f} years, in a row, not {periods!r:.100}"
        raise ValueError(msg)
    ascending = np.array(maxima.T, np.float64, order="C")
    if (ascending < 0.0).any() or np.isinf(ascending).any():
        raise ValueError("snow is at least 0 mm, and finite")
    ascending.sort(axis=1)  # NaN last
    out = np.full((len(ascending), len(METHODS), years.size), np.nan)
    _fit(ascending, years, out)
    return out


def combined(by_method: Floats) -> Floats:
    """Give the mean of the methods, (..., k), of their levels (..., 3, k)."""
    mean: Floats = by_method.mean(axis=-2)
    return mean


def plotting(maxima: Floats) -> tuple[Floats, Floats]:
    """Give the points of the empirical method: return periods, years, and maxima, mm, both (n,) and ascending."""
    ascending = np.sort(maxima)
    return 1.0 / _chance(np.arange(1, ascending.size + 1), ascending.size), ascending


@register_jitable
def _gamma(sample, periods, out):  # type: ignore[no-untyped-def]
    snow = sample[np.searchsorted(sample, 0.0, "right") :]
    shape, mean = shape_of(snow)
    for i in range(periods.size):
        chance = sample.size / (periods[i] * snow.size)
        out[i] = mean * exceeded(shape, chance) if chance < 1.0 else 0.0


@register_jitable
def _gumbel(sample, periods, out):  # type: ignore[no-untyped-def]
    mean = sample.mean()
    scale = math.sqrt(6.0 * ((sample - mean) ** 2).sum() / (sample.size - 1)) / math.pi
    for i in range(periods.size):
        out[i] = max(mean + scale * (_reduced(-1.0 / periods[i]) - _EULER), 0.0)


@register_jitable
def _empirical(sample, periods, out):  # type: ignore[no-untyped-def]
    n = sample.size
    low, high = _reduced(-_chance(n - 1, n)), _reduced(-_chance(n, n))
    for i in range(periods.size):
        rank = (1.0 - 1.0 / periods[i]) * (n + _AFTER) + _BEFORE
        if rank < 1.0:
            out[i] = sample[0]
        elif rank < n:
            below = int(rank)
            out[i] = sample[below - 1] + (rank - below) * (sample[below] - sample[below - 1])
        else:
            beyond = (_reduced(-1.0 / periods[i]) - high) / (high - low)
            out[i] = sample[n - 1] + beyond * (sample[n - 1] - sample[n - 2])


@register_jitable
def _chance(rank, n):  # type: ignore[no-untyped-def]
    """Give the chance that a season has more than the rank-th of n, from the lowest."""
    return (n + _AFTER + _BEFORE - rank) / (n + _AFTER)


@register_jitable
def _reduced(less):  # type: ignore[no-untyped-def]
    """Give Gumbel's reduced variate -ln(-ln p) of a chance p = 1 + less."""
    return -math.log(-math.log1p(less))


@compiled(TABLE, VECTOR, types.Array(types.float64, 3, "C"))
def _fit(ascending, periods, out):  # type: ignore[no-untyped-def]
    for cell in range(len(ascending)):
        n = ascending.shape[1]
        while n > 0 and math.isnan(ascending[cell, n - 1]):
            n -= 1
        if n < LEAST_SEASONS:
            continue
        highest = ascending[cell, n - 1]
        if highest == 0.0:
            out[cell] = 0.0
            continue
        # As parts of the highest, no sum overflows.
        sample = ascending[cell, :n] / highest
        _gamma(sample, periods, out[cell, 0])
        _gumbel(sample, periods, out[cell, 1])
        _empirical(sample, periods, out[cell, 2])
        out[cell] *= highest
