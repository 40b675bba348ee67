"""Which days of a plant's measurements were clear.

`plain` is the rule of the calibration's first step: measurements follow the modelled clear sky. `alike` serves plants
whose clear days have another shape, with a tree or a wrong azimuth: two days resemble each other hour by hour only
without clouds, so a day is clear that another one within three weeks resembles.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

LOWEST_SUN = 10.0
"""Degrees; below it the ratio of a clear day is no measure for `plain`."""
_BAND = (0.6, 1.3)  # measured / clear of a clear day
_SPREAD = 0.08  # standard deviation of the ratio within a clear day
_ROUGHNESS = (1.5, 0.05)  # at most so many times the model's, and so much more
_FEWEST_HOURS, _MOST_MISSING = 4, 0.25

_REACH = 21  # days between two that are compared
_DISTANCE = 0.07  # relative root mean square difference of their ratios, weighted by energy
_BELOW_BEST = 0.88  # of the highest such day near: alike and lower is overcast
_LOWEST_SHARE = 0.3  # of clear sky: a plant that gives less is covered


def plain(measured: Floats, clear: Floats, elevation: Floats, limited: Flags) -> Flags:
    """Return which days are clear by the ratio to the modelled clear sky.

    Parameters
    ----------
    measured, clear : float64 (d, 24)
        Mean W over hours; NaN is missing.
    elevation : float64 (d, 24)
        Of the sun, degrees.
    limited : bool (d, 24)
        Hours at the inverter's limit, which are left out.

    Returns
    -------
    bool (d,)
        The day is smooth, its energy is 0.6 to 1.3 of clear sky, and the standard deviation of its hourly ratio is
        below 0.08, or 8 % of a mean above 1, where the sun is above 10 degrees.
    """
    known, complete = _known(measured, clear, (elevation > LOWEST_SUN) & ~limited, 0.1)
    ratio, count = _ratio(measured, clear, known), known.sum(axis=1)
    with np.errstate(all="ignore"):
        mean = ratio.sum(axis=1) / count
        spread = np.sqrt((np.where(known, ratio - mean[:, None], 0) ** 2).sum(axis=1) / count)
        level = _sum(measured, known) / _sum(clear, known)
    smooth = _roughness(measured, known) <= _ROUGHNESS[0] * _roughness(clear, known) + _ROUGHNESS[1]
    return np.asarray(
        complete & smooth & (spread < _SPREAD * np.maximum(level, 1)) & (level >= _BAND[0]) & (level <= _BAND[1])
    )


def alike(measured: Floats, clear: Floats, elevation: Floats, limited: Flags) -> Flags:
    """Return which days are clear by their likeness to others; arguments and result as of `plain`."""
    known, complete = _known(measured, clear, (elevation > LOWEST_SUN / 2) & ~limited, 0.05)
    ratio = _ratio(measured, clear, known)
    found = np.zeros(len(known), bool)
    for apart in range(1, min(_REACH, len(known) - 1) + 1):
        both = known[apart:] & known[:-apart] & (complete[apart:] & complete[:-apart])[:, None]
        weight = np.where(both, clear[apart:] + clear[:-apart], 0.0)
        one, other = ratio[apart:], ratio[:-apart]
        difference, size = (weight * (one - other) ** 2).sum(axis=1), (weight * (one + other) ** 2 / 4).sum(axis=1)
        near = (difference < _DISTANCE**2 * size) & (both.sum(axis=1) >= _FEWEST_HOURS)
        found[apart:] |= near
        found[:-apart] |= near
    level = _sum(measured, known) / np.maximum(_sum(clear, known), 1e-9)
    found &= level > _LOWEST_SHARE
    best = np.pad(np.where(found, level, 0.0), _REACH)
    near_best = np.lib.stride_tricks.sliding_window_view(best, 2 * _REACH + 1).max(axis=1)
    return np.asarray(found & (level >= _BELOW_BEST * near_best))


def _known(measured: Floats, clear: Floats, use: Flags, weak: float) -> tuple[Flags, Flags]:
    """Return the hours to compare, above a part of the day's peak, and the days that have most of them."""
    peak = np.where(np.isfinite(clear), clear, 0).max(axis=1, keepdims=True)
    expected = use & (clear > weak * peak)
    known = expected & np.isfinite(measured)
    count = known.sum(axis=1)
    return known, (count >= _FEWEST_HOURS) & (count >= (1 - _MOST_MISSING) * expected.sum(axis=1))


def _ratio(measured: Floats, clear: Floats, known: Flags) -> Floats:
    return np.divide(measured, clear, out=np.zeros_like(measured), where=known)


def _roughness(values: Floats, known: Flags) -> Floats:
    """Return the sum of second differences over the sum of values, of days."""
    three = known[:, :-2] & known[:, 1:-1] & known[:, 2:]
    bend = np.abs(values[:, :-2] - 2 * values[:, 1:-1] + values[:, 2:])
    rough: Floats = _sum(bend, three) / np.maximum(_sum(values, known), 1e-9)
    return rough


def _sum(values: Floats, where: Flags) -> Floats:
    total: Floats = np.where(where, values, 0.0).sum(axis=1)
    return total
