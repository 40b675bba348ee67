"""Which year gives each month: the five nearest to all years, and among these the one of the most usual irradiance."""

import numpy as np
from numpy.typing import NDArray

CANDIDATES = 5


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
