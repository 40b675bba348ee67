"""A horizon in half degrees as coarser tables: whole degrees, and the beam that it hides by azimuth and altitude."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ALTITUDES = np.arange(91.0)


def whole_degrees(elevation: Floats) -> Floats:
    """Return the horizon at 0, 1 .. 359 degrees from north; nothing below 0.

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


def beam_losses(elevation: Floats) -> Floats:
    """Return the part of each cell of one degree that is below the horizon, by altitude 0-90 and azimuth 0-360.

    For readers that interpolate between the cells' middles. Of an azimuth half a degree to each side counts, its ends
    half as much; a cell at altitude 0 is its upper half, so that a plain is no obstacle.

    Parameters
    ----------
    elevation : float64 (720,)
        Degrees.

    Returns
    -------
    float64 (91, 361)
        0 to 1.
    """
    low = np.maximum(ALTITUDES - 0.5, 0.0)[:, None]
    high = np.minimum(ALTITUDES + 0.5, 90.0)[:, None]
    hidden = ((elevation[None, :] - low) / (high - low)).clip(0.0, 1.0)
    west, east = np.roll(hidden, 1, axis=1), np.roll(hidden, -1, axis=1)
    whole = (0.25 * west + 0.5 * hidden + 0.25 * east)[:, ::2]
    round_about: Floats = np.concatenate([whole, whole[:, :1]], axis=1)
    return round_about
