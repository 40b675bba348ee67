"""The round earth and its bending air, and where on a map north is."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernels import utm

Floats = NDArray[np.float64]

RADIUS = 6_371_000.0
REFRACTION = 0.13
"""Part of the earth's curvature that the air's bending makes good, over land by day."""

DROP = (1 - REFRACTION) / (2 * RADIUS)
"""Times the squared distance: by how much what is far away seems lower, m; 1536 m at 150 km, 0.4 m off the sphere."""

_CENTRAL_X = 500_000.0


def scale(x: ArrayLike, y: ArrayLike) -> Floats:
    """Return how many metres of the map UTM 33 a metre on the ground is: 1.003 at Bergen, 1.004 in Varanger.

    Parameters
    ----------
    x, y : (...)
        Easting and northing, m.
    """
    lat = np.radians(utm.inverse(x, y)[0])
    e2 = utm.FLATTENING * (2 - utm.FLATTENING)
    squared = utm.SEMI_MAJOR_AXIS**2 * (1 - e2) / (1 - e2 * np.sin(lat) ** 2) ** 2  # of the mean radius there
    off = np.asarray(x, np.float64) - _CENTRAL_X
    found: Floats = utm.SCALE * (1 + off**2 / (2 * squared * utm.SCALE**2))
    return found


def convergence(x: ArrayLike, y: ArrayLike) -> Floats:
    """Return what is added to an azimuth from the north of the map UTM 33 to have it from true north, degrees."""
    lat, lon = utm.inverse(x, y)
    return utm.grid_convergence(lat, lon)


def destination(lat: float, lon: float, azimuth: ArrayLike, distance: ArrayLike) -> tuple[Floats, Floats]:
    """Return where a line of sight ends, which is straight in UTM 33, as those are that a horizon is computed by.

    Parameters
    ----------
    lat, lon : float
        Of the observer, degrees.
    azimuth : (n,)
        From true north, degrees.
    distance : (n,)
        On the ground, m; of the map it is as many more as there is of it at the observer. At 120 km the end is up to
        0.05 degrees and 0.1 % off the geodesic.

    Returns
    -------
    lat, lon : float64 (n,)
        Degrees; NaN where the distance is.
    """
    x, y = utm.forward(lat, lon)
    away = np.asarray(distance) * scale(x, y)
    on_map = np.radians(np.asarray(azimuth) - utm.grid_convergence(lat, lon))
    return utm.inverse(x + away * np.sin(on_map), y + away * np.cos(on_map))


def sea_dip(eye: ArrayLike) -> Floats:
    """Return the elevation of the open sea's horizon, degrees, from a height of so many metres.

    The tangent of what lies at sea level, -z/d - DROP d, is highest at d = sqrt(z / DROP).
    """
    dip: Floats = -np.degrees(np.arctan(2 * np.sqrt(np.maximum(np.asarray(eye, np.float64), 0) * DROP)))
    return dip
