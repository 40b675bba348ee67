"""A known horizon as it looks from another height.

What stands at distance d is seen under another angle from elsewhere:

    tan e' = tan e + (eye - other eye) / d

What stands behind it, and is hidden by it from the first eye, is not known: it may show over it by up to the angle by
which it sank, which for an eye 8 m higher is 0.9 degrees at 500 m and 0.1 at 5 km. But nothing is seen lower than the
open sea would be, for no land is.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.horizon.earth import sea_dip

_ABOVE_SEA_DEG = 0.05


class Vantage(NamedTuple):
    """A horizon from another height.

    Parameters
    ----------
    elevation, distance : float64 (n,)
        Degrees; m to what makes it, NaN where that is the sea or not known.
    sunk : float64 (n,)
        By how much lower land is than from the first eye, degrees; 0 at sea.
    """

    elevation: NDArray[np.float64]
    distance: NDArray[np.float64]
    sunk: NDArray[np.float64]


def seen_from(elevation: NDArray[np.float64], distance: NDArray[np.float64], eye: float, other: float) -> Vantage:
    """Return a horizon as it is seen from another height at its place.

    Parameters
    ----------
    elevation, distance : float64 (n,)
        As seen from `eye`: degrees, and m to what makes it, NaN where that is the sea or not known.
    eye, other : float
        m above the sea.
    """
    sea = float(sea_dip(other))
    moved = np.degrees(np.arctan(np.tan(np.radians(elevation)) + (eye - other) / distance))
    # What stands higher than the sea is land whose distance is not known: as it is.
    untold = np.where(elevation > sea_dip(eye) + _ABOVE_SEA_DEG, elevation, sea)
    seen = np.maximum(np.where(np.isnan(distance), untold, moved), sea)
    return Vantage(seen, np.where(moved >= sea, distance, np.nan), np.where(np.isnan(distance), 0.0, elevation - seen))
