"""The sun as one place sees it, hour by hour: direction, refraction, and whether the land hides it."""

import math

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from kernels.atmosphere import pressure_at, refraction
from kernels.sun import SunTable


def apparent(sun: SunTable, lat: float, lon: float, altitude: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give where one place sees the sun.

    Parameters
    ----------
    sun : SunTable
        n instants.
    lat, lon : float
        Degrees.
    altitude : float
        m above sea level.

    Returns
    -------
    elevation, azimuth : float64 (n,)
        Degrees above the horizon, with refraction at 10 degrees C, and clockwise from true north.

    Notes
    -----
    Within 0.02 degrees of the SPA. The sun's parallax (0.0024 degrees) is left out.
    """
    east, north, up = np.empty((3, sun.e0.size))
    place_sun(sun.direction, lat, lon, pressure_at(altitude), east, north, up)
    return np.rad2deg(np.arcsin(np.clip(up, -1, 1))), np.mod(np.rad2deg(np.arctan2(east, north)), 360.0)


@register_jitable
def place_sun(direction, lat, lon, pressure, east, north, up):  # type: ignore[no-untyped-def]
    """Fill the unit vectors to the sun in a place's own axes.

    Parameters
    ----------
    direction : (n, 3)
        `SunTable.direction`.
    lat, lon : float
        Degrees.
    pressure : float
        Pa, which bends the light; 0 for the true position.
    east, north, up : (n,)
        To fill; `up` is the sine of the elevation.
    """
    phi, lam = math.radians(lat), math.radians(lon)
    sin_lat, cos_lat, sin_lon, cos_lon = math.sin(phi), math.cos(phi), math.sin(lam), math.cos(lam)
    for i in range(up.size):
        x, y, z = direction[i, 0], direction[i, 1], direction[i, 2]
        outwards = x * cos_lon + y * sin_lon
        east[i] = y * cos_lon - x * sin_lon
        north[i] = z * cos_lat - outwards * sin_lat
        up[i] = z * sin_lat + outwards * cos_lat
        # The sine of -1 degree: below it nothing is bent, and night is most of the hours.
        if pressure > 0.0 and up[i] > -0.0175:
            true = math.asin(min(up[i], 1.0))
            seen = true + math.radians(refraction(math.degrees(true), pressure))
            stretch = math.cos(seen) / max(math.cos(true), 1e-9)
            east[i] *= stretch
            north[i] *= stretch
            up[i] = math.sin(seen)


@register_jitable
def hidden_by(horizon, east, north, up):  # type: ignore[no-untyped-def]
    """Say whether the sun's centre is below the horizon of a place.

    Parameters
    ----------
    horizon : (k,)
        Elevation, degrees, at k even steps of azimuth from true north clockwise; between them it is linear.
    east, north, up : float
        Unit vector to the sun.
    """
    size = horizon.size
    position = math.degrees(math.atan2(east, north)) % 360.0 * (size / 360.0)
    whole = int(position)
    here, beyond = horizon[whole % size], horizon[(whole + 1) % size]
    return math.degrees(math.asin(min(up, 1.0))) < here + (position - whole) * (beyond - here)
