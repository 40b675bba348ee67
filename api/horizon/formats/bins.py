"""Whole degrees, for tools that take no finer steps."""

import numpy as np

from api.horizon.profile import Floats


def whole_degrees(elevation: Floats) -> Floats:
    """Return the horizon at 0, 1 .. 359 degrees from north, which are -180, -179 .. 179 from south; nothing below 0.

    Each is the highest of the point itself and its two neighbours half a degree away: no ridge is cut off.

    Parameters
    ----------
    elevation : float64 (720,)
        Degrees.

    Returns
    -------
    float64 (360,)
    """
    highest = np.maximum(np.maximum(np.roll(elevation, 1), elevation), np.roll(elevation, -1))[::2]
    floored: Floats = np.maximum(highest, 0.0)
    return floored
