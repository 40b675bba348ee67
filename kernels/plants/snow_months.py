"""Days on which a plant gives nothing, and what snow leaves in each month."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

WINTER = np.array([True, True, True, True, False, False, False, False, False, True, True, True])
"""Months, from January, in which a plant without production may be under snow; in the others it is dead."""
_COVERED_OF_CLEAR, _COVERED_OF_MODEL = 0.05, 0.15
_DEAD = 0.01  # of clear sky: no cloud leaves so little
_MUCH = 0.05  # of rated power
_FEWEST_DAYS = 3  # under snow, for a factor of the month
_PRIOR_DAYS = 5.0
_QUANTILE = 0.75  # of days, by energy: weeks of snow differ from winter to winter, and a factor too low costs more


def dead_hours(measured: Floats, clear: Floats, kwp: float) -> Flags:
    """Return in which hours (n,) an inverter gives nothing while clear sky gives much."""
    return np.asarray((clear > _MUCH * 1000 * kwp) & (measured < _DEAD * clear))


def covered_days(measured: Floats, clear: Floats, model: Floats) -> Flags:
    """Return on which days production is almost nothing, (d,).

    Parameters
    ----------
    measured, clear, model : float64 (d, 24)
        W; the model is the best that is known, with the first step's factor. Hours in which one is NaN are left out.
    """
    known = np.isfinite(measured) & np.isfinite(clear) & np.isfinite(model)
    sums = [np.where(known, values, 0.0).sum(axis=1) for values in (measured, clear, model)]
    return np.asarray((sums[1] > 0) & (sums[0] < _COVERED_OF_CLEAR * sums[1]) & (sums[0] < _COVERED_OF_MODEL * sums[2]))


def snow_factors(measured: Floats, expected: Floats, covered: Flags, months: NDArray[np.int64]) -> Floats:
    """Return what snow leaves in each month, (12,): 1 where there was none.

    Parameters
    ----------
    measured, expected : float64 (d,)
        Energy of days, and what they would have given without snow.
    covered : bool (d,)
    months : int64 (d,)
        0 for January.

    Notes
    -----
    The upper quartile of days, weighted by energy, drawn towards 1 as by five days. The mean absolute error of the next
    winter was lower by it, and higher for fewer plants, than by the median or the mean.
    """
    out = np.ones(12)
    for month in np.flatnonzero(WINTER):
        there = (months == month) & (expected > 0)
        if np.count_nonzero(covered & there) < _FEWEST_DAYS:
            continue
        ratio, weight = measured[there] / expected[there], expected[there]
        order = np.argsort(ratio)
        passed = np.cumsum(weight[order])
        middle = ratio[order][np.searchsorted(passed, _QUANTILE * passed[-1])]
        count = int(there.sum())
        out[month] = min((count * middle + _PRIOR_DAYS) / (count + _PRIOR_DAYS), 1.0)
    return out
