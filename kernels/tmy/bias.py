"""What a model is off at a pyranometer, month by month, and which pyranometers can tell."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernels.sizes import require_size
from kernels.tmy.calendar import MONTH_DAYS, Calendar

VALID_PART = 0.9
"""Of a month's hours that must be there for it to count."""
FEWEST_YEARS = 5
"""In which a calendar month must count for a station to tell its bias."""
LOWEST, HIGHEST = -20.0, 1500.0
"""W/m2 that a pyranometer can show."""
ABSURD_PART = 0.001
"""Of its values that may be beyond; these are then missing."""
LARGEST_BIAS = 0.4
"""Of the observed mean."""
LEAST_CORRELATION = 0.9
"""Of daily sums."""


@dataclass(frozen=True)
class StationBias:
    """What one station tells.

    Attributes
    ----------
    bias : float64 (12,)
        Mean of the model less that of the station, W/m2; NaN in months that it cannot tell.
    years : int64 (12,)
        Years that counted in each month.
    reason : str
        Why the station is left out, then all of `bias` is NaN; empty where it is not.
    """

    bias: NDArray[np.float64]
    years: NDArray[np.int64]
    reason: str = ""


def station_bias(model: NDArray[np.float32], observed: NDArray[np.float32], calendar: Calendar) -> StationBias:
    """Compare a model with a pyranometer over the hours that both have.

    Parameters
    ----------
    model, observed : float32 (n_hours,)
        Global irradiance, W/m2, means of the same hours; NaN where missing.
    calendar : Calendar

    Returns
    -------
    StationBias
        A month of a year counts with 90 % of its hours, a calendar month with five such years.
    """
    require_size(calendar.n_hours, model=model, observed=observed)
    there = np.isfinite(observed)
    absurd = there & ((observed < LOWEST) | (observed > HIGHEST))
    if absurd.sum() > ABSURD_PART * there.sum():
        worst = float(observed[absurd][np.argmax(np.abs(observed[absurd]))])
        return _left_out(f"{absurd.sum()} of {there.sum()} values are absurd, such as {worst:.0f} W/m2")
    both = there & ~absurd & np.isfinite(model)
    bias, level, years, counted = _months(model, observed, both, calendar)
    if np.isnan(bias).all():
        most = f"at most {years.max()} years of a month have {VALID_PART:.0%} of their hours"
        return _left_out(f"too few months: {most}, {FEWEST_YEARS} are needed")
    reason = _implausible(model, observed, counted, calendar)
    told = np.isfinite(bias)
    off, mean = float(bias[told].mean()), float(level[told].mean())
    if not reason and abs(off) > LARGEST_BIAS * mean:
        reason = f"the model is {off:+.0f} W/m2 off a mean of {mean:.0f}, more than {LARGEST_BIAS:.0%}"
    return _left_out(reason) if reason else StationBias(bias, years)


def correction(bias: NDArray[np.float64], mean: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the factors that take a bias away.

    Parameters
    ----------
    bias : (12,)
        Model less truth, W/m2, of each month at a cell.
    mean : (12,)
        The model's mean of each month there, W/m2.

    Returns
    -------
    float64 (12,)
        (mean - bias) / mean within 0.80..1.25; 1 where the mean is below 5 W/m2 (polar night). What is added is
        then mean (factor - 1).

    Raises
    ------
    ValueError
        A bias is missing.
    """
    bias, mean = np.asarray(bias, np.float64), np.asarray(mean, np.float64)
    if bias.shape != (12,) or mean.shape != (12,) or not np.isfinite(bias).all():
        raise ValueError("a bias is needed for each of twelve months; 0 where it is not known")
    factor = np.clip((mean - bias) / np.maximum(mean, 1e-9), 0.80, 1.25)
    return np.where(mean < 5.0, 1.0, factor)


def _left_out(reason: str) -> StationBias:
    return StationBias(np.full(12, np.nan), np.zeros(12, np.int64), reason)


def _months(
    model: NDArray[np.float32], observed: NDArray[np.float32], both: NDArray[np.bool_], calendar: Calendar
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64], NDArray[np.bool_]]:
    """Give bias, observed mean and years of each calendar month, and which hours they are from."""
    bias, level, years = np.full(12, np.nan), np.full(12, np.nan), np.zeros(12, np.int64)
    counted = np.zeros(both.size, bool)
    for month, days in enumerate(MONTH_DAYS):
        for start in calendar.month_starts[:, month].tolist():
            hours = slice(start, start + 24 * days)
            if both[hours].mean() >= VALID_PART:
                years[month] += 1
                counted[hours] = both[hours]
    months = calendar.day_months[:-1].repeat(24)
    for month in np.flatnonzero(years >= FEWEST_YEARS).tolist():
        hours_of = counted & (months == month)
        level[month] = observed[hours_of].mean(dtype=np.float64)
        bias[month] = model[hours_of].mean(dtype=np.float64) - level[month]
    return bias, level, years, counted


def _implausible(
    model: NDArray[np.float32], observed: NDArray[np.float32], counted: NDArray[np.bool_], calendar: Calendar
) -> str:
    """Say what is wrong with a station whose days do not go with the model's; empty where nothing is."""
    days = counted.reshape(calendar.n_days, 24)
    whole = days.all(axis=1)
    seen, expected = (x.reshape(-1, 24)[whole].mean(axis=1, dtype=np.float64) for x in (observed, model))
    if seen.size == 0:
        return "no day has all its hours"
    if np.ptp(seen) < 1e-3:
        return f"it shows the same on every day, {seen.mean():.1f} W/m2"
    if np.ptp(expected) < 1e-3:
        return "the model is the same on every day"
    fit = float(np.corrcoef(seen, expected)[0, 1])
    if fit < LEAST_CORRELATION:
        return f"its days go with the model's by a correlation of {fit:.2f}, {LEAST_CORRELATION} is needed"
    return ""
