"""What the land leaves of a plane's sky: of its even light, and of the band along the horizon."""

import math
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

LOW_DEG = 5.0
"""Land up to here leaves the band along the horizon as it is."""

_MAX_ZENITH = math.pi / 2


class Skyline(NamedTuple):
    """A horizon as `sky_view` takes it; all of (k,) at even steps of azimuth from true north clockwise, or empty.

    Parameters
    ----------
    zenith : angle from the zenith down to the land, rad, at most a right one.
    direction : (2, k) east and north of the azimuth.
    low : 1 where the land is no higher than 5 degrees, else 0.
    """

    zenith: NDArray[np.float64]
    direction: NDArray[np.float64]
    low: NDArray[np.float64]


OPEN = Skyline(np.empty(0), np.empty((2, 0)), np.empty(0))
"""No land."""


def skyline_of(horizon: NDArray[np.float64]) -> Skyline:
    """Prepare a horizon, degrees (k,); below 0 there is no land in the sky."""
    if not horizon.size:
        return OPEN
    azimuth = 2 * np.pi * np.arange(horizon.size) / horizon.size
    zenith = _MAX_ZENITH - np.deg2rad(np.clip(horizon, 0.0, 90.0))
    return Skyline(zenith, np.stack([np.sin(azimuth), np.cos(azimuth)]), (horizon <= LOW_DEG).astype(np.float64))


@register_jitable
def sky_view(skyline, to_east, to_north, level):  # type: ignore[no-untyped-def]
    """Give what a plane keeps of its sky.

    Parameters
    ----------
    skyline : Skyline
    to_east, to_north, level : float
        Unit vector that stands upright on the plane.

    Returns
    -------
    sky : of even light from the sky, a part of what an open level plane gets: (1 + cos tilt) / 2 without land.
    band : of the band along the horizon, 0..1.

    Notes
    -----
    The band's light from an azimuth counts by its angle with the plane.
    """
    zenith, direction, low = skyline
    size = zenith.size
    whole = (1.0 + level) / 2.0
    if size == 0:
        return whole, 1.0
    lost = front = open_front = 0.0
    for k in range(size):
        # sin tilt cos(azimuth - the plane's)
        ahead = direction[0, k] * to_east + direction[1, k] * to_north
        if ahead > 0.0:
            front += ahead
            open_front += ahead * low[k]
        lost += sky_behind(zenith[k], ahead, level)
    sky = max(whole - lost / size, 0.0)
    return sky, open_front / front if front > 0.0 else 1.0


@register_jitable
def sky_behind(zenith, ahead, level):  # type: ignore[no-untyped-def]
    """Give what a plane would get of even light from behind the land in one direction.

    Parameters
    ----------
    zenith : float
        Angle from the zenith down to the land, rad.
    ahead : float
        Sine of the plane's tilt times the cosine of the angle between the direction and the plane's azimuth.
    level : float
        Cosine of the plane's tilt.

    Returns
    -------
    float
        Its mean over all directions is a part of what an open level plane gets. 0 behind the plane's own edge.

    Notes
    -----
    Source: Dozier & Frew, IEEE Transactions on Geoscience and Remote Sensing 28 (1990) 963-969, for what lies between
    the land and the plane itself.
    """
    edge_sine, edge_cosine = 1.0, 0.0
    if ahead < 0.0:  # the plane itself is in the way
        length = math.sqrt(level * level + ahead * ahead)
        edge_sine, edge_cosine = level / length, -ahead / length
    sine, cosine = math.sin(zenith), math.cos(zenith)
    if cosine <= edge_cosine:
        return 0.0
    edge = math.atan2(edge_sine, edge_cosine)
    even = level * (edge_sine * edge_sine - sine * sine)
    return even + ahead * ((edge - edge_sine * edge_cosine) - (zenith - sine * cosine))
