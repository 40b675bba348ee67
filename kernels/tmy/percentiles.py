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
    ordered = np.sort(values)[:, None]
    levels = {name: float(_percentile(ordered, level)[0]) for name, level in EXCEEDANCE.items()}
    return YearStatistics(float(values.mean()), float(values.std(ddof=1)), **levels)


def month_percentiles(sums: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Give p50 and p90 of each month, (12,) each, of sums (years, 12)."""
    ordered = np.sort(sums, axis=0)
    return {name: _percentile(ordered, EXCEEDANCE[name]) for name in ("p50", "p90")}


def _percentile(ordered: NDArray[np.float64], level: float) -> NDArray[np.float64]:
    """Interpolate rows (n, m) in ascending order, as numpy's percentile does in many times the time."""
    position = level * (ordered.shape[0] - 1)
    below = int(position)
    above = min(below + 1, ordered.shape[0] - 1)
    between: NDArray[np.float64] = ordered[below] + (position - below) * (ordered[above] - ordered[below])
    return between
