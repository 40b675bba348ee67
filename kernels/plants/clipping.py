"""The limit of a plant's inverter: its peak flattens at one value while the sun still rises."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

AT_LIMIT = 0.97
"""Part of the limit from which an hour counts as limited: some of its minutes may have been below."""
_SAME = 1.015  # values so far apart are one
_HOURS, _DAYS = 3, 3
_RISE = 1.05  # of the model within these hours
_BEYOND = 2  # hours that may be above the limit: faults of the meter


def clip_watts(measured: Floats, clear: Floats) -> float | None:
    """Return the limit, W, or None where there is none to be seen.

    Parameters
    ----------
    measured, clear : float64 (d, 24)
        Mean W over the hours of days; NaN is missing. Clear sky without a limit.

    Notes
    -----
    On at least three days the highest hours, three or more one after the other, are within 1.5 % while clear sky varies
    by more than 5 %; these days agree within 1.5 %; and nothing is above them.
    """
    levels = np.array([level for day, model in zip(measured, clear, strict=True) if (level := _plateau(day, model))])
    for top in np.sort(levels)[::-1]:
        alike = levels[(levels <= top) & (levels >= top / _SAME)]
        if alike.size >= _DAYS:
            level = float(np.median(alike))
            return level if np.count_nonzero(measured > level * _SAME) <= _BEYOND else None
    return None


def _plateau(measured: Floats, model: Floats) -> float | None:
    """Return the median of a day's flat peak."""
    known = np.isfinite(measured)
    if known.sum() < _HOURS or not (top := measured[known].max()) > 0:
        return None
    high = known & (measured >= top / _SAME)
    first = last = int(np.nanargmax(measured))
    while first > 0 and high[first - 1]:
        first -= 1
    while last < measured.size - 1 and high[last + 1]:
        last += 1
    flat = slice(first, last + 1)
    if last - first + 1 < _HOURS or not model[flat].max() > _RISE * model[flat].min():
        return None
    return float(np.median(measured[flat]))
