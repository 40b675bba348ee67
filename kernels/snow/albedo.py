"""How much of the light the ground gives back, with snow on it for a part of the time."""

import numpy as np
from numpy.typing import NDArray

BARE, UNDER_SNOW = 0.2, 0.6
"""Of grass and earth; of snow, between 0.40 for old and 0.95 for fresh snow. Oke 1987, table 1.1."""
DEPTH_MM = 20.0
"""With more snow than that the ground counts as covered."""


def monthly_albedo(months: NDArray[np.int64], depth: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean albedo of the ground in each month of the year.

    Parameters
    ----------
    months : int64 (n_days,)
        0 to 11, of each day.
    depth : float64 (n_days, n)
        Of the snow, mm; NaN where it is not known.

    Returns
    -------
    float64 (12, n)
        Between BARE and UNDER_SNOW by the share of known days with snow; NaN where no day of a month is known.

    Notes
    -----
    Source of the two albedos: T. R. Oke, Boundary Layer Climates, 2nd edition, 1987. Not calibrated to measurements.
    """
    known, covered = ~np.isnan(depth), depth > DEPTH_MM
    of_month = np.arange(12)[:, None] == months
    days, with_snow = of_month @ known.astype(np.float64), of_month @ covered.astype(np.float64)
    share = np.divide(with_snow, days, out=np.full(days.shape, np.nan), where=days > 0)
    albedo: NDArray[np.float64] = BARE + (UNDER_SNOW - BARE) * share
    return albedo
