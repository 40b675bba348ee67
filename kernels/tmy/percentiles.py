"""What years bring, and how often: mean, spread, and the sums that so many years in a hundred exceed."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

EXCEEDANCE = {"p50": 0.50, "p75": 0.25, "p90": 0.10, "p95": 0.05}
"""P90 is exceeded in 90 % of years: the 10th percentile."""


@dataclass(frozen=True)
class YearStatistics:
    """Of the sums of years.

    Attributes
    ----------
    mean, std : float
        Std is that of a sample (n - 1).
    p50, p75, p90, p95 : float
        Exceeded in so many years of a hundred.
    """

    mean: float
    std: float
    p50: float
    p75: float
    p90: float
    p95: float


def year_statistics(sums: ArrayLike) -> YearStatistics:
    """Describe sums of at least two years, (n,), by their mean, spread and percentiles (linear, type 7)."""
    values = np.asarray(sums, np.float64)
    if values.ndim != 1 or values.size < 2 or not np.isfinite(values).all():
        raise ValueError("sums of at least two years are needed, none of them missing")
    levels = {name: float(percentile(values[:, None], level)[0]) for name, level in EXCEEDANCE.items()}
    return YearStatistics(float(values.mean()), float(values.std(ddof=1)), **levels)


def month_percentiles(sums: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Give p50 and p90 of each month, (12,) each, of sums (years, 12)."""
    return {name: percentile(sums, EXCEEDANCE[name]) for name in ("p50", "p90")}


def percentile(values: NDArray[np.float64], level: float) -> NDArray[np.float64]:
    """Return what a part (0..1) of each column does not exceed, as numpy's nanpercentile does in many times the time.

    Parameters
    ----------
    values : float64 (n, m)
        NaN is left out.
    level : float

    Returns
    -------
    float64 (m,)
        Linear between rows; NaN where a column has none.
    """
    if not len(values):
        return np.full(values.shape[1], np.nan)
    ordered = np.sort(values, axis=0)  # NaN last
    last = np.maximum(np.isfinite(ordered).sum(axis=0) - 1, 0)
    position = level * last
    below, columns = position.astype(np.int64), np.arange(last.size)
    low, high = ordered[below, columns], ordered[np.minimum(below + 1, last), columns]
    between: NDArray[np.float64] = low + (position - below) * (high - low)
    return between
