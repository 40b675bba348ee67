"""The sun as one place sees it, hour by hour: direction, refraction, and whether the land hides it."""

import math

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from kernels.atmosphere import pressure_at, refraction_at
from kernels.compiled import compiled
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
    east, north, up, elevation = np.empty((4, sun.e0.size))
    _apparent(sun.direction, float(lat), float(lon), pressure_at(float(altitude)), east, north, up, elevation)
    return elevation, np.mod(np.rad2deg(np.arctan2(east, north)), 360.0)


@register_jitable
def place_sun(direction, lat, lon, east, north, up):  # type: ignore[no-untyped-def]
    """Fill the unit vectors to the sun in a place's own axes; it stands there, and is seen higher.

    Parameters
    ----------
    direction : (n, 3)
        `SunTable.direction`.
    lat, lon : float
        Degrees.
    east, north, up : (n,)
        To fill; `up` is the sine of the true elevation.
    """
    axes = axes_at(lat, lon)
    for i in range(up.size):
        east[i], north[i], up[i] = towards(direction[i, 0], direction[i, 1], direction[i, 2], axes)


@register_jitable
def lift_sun(pressure, east, north, up, elevation):  # type: ignore[no-untyped-def]
    """Turn true unit vectors into those at which the sun is seen.

    Parameters
    ----------
    pressure : float
        Pa.
    east, north, up : (n,)
        From `place_sun`; changed in place.
    elevation : (n,)
        To fill: the apparent one, degrees.
    """
    for i in range(up.size):
        east[i], north[i], up[i], elevation[i] = lifted(east[i], north[i], up[i], pressure)


@register_jitable
def axes_at(lat, lon):  # type: ignore[no-untyped-def]
    """Give the axes of a place (degrees) as `towards` takes them."""
    phi, lam = math.radians(lat), math.radians(lon)
    return math.sin(phi), math.cos(phi), math.sin(lam), math.cos(lam)


@register_jitable
def towards(x, y, z, axes):  # type: ignore[no-untyped-def]
    """Turn one earth-fixed vector into a place's own axes: east, north, up."""
    sin_lat, cos_lat, sin_lon, cos_lon = axes
    outwards = x * cos_lon + y * sin_lon
    return y * cos_lon - x * sin_lon, z * cos_lat - outwards * sin_lat, z * sin_lat + outwards * cos_lat


@register_jitable
def lifted(east, north, up, pressure):  # type: ignore[no-untyped-def]
    """Turn one true unit vector into that at which the sun is seen, with its elevation in degrees."""
    elevation = math.degrees(math.asin(min(max(up, -1.0), 1.0)))
    # Below -1 degree nothing is bent, and night is most of the hours.
    if elevation > -1.0:
        level = max(math.sqrt(east * east + north * north), 1e-9)
        bent = refraction_at(elevation, up, level, pressure)
        elevation += bent
        # At most 0.6 degrees: sine and cosine by their series, to 1e-9.
        angle = math.radians(bent)
        sine, cosine = angle * (1.0 - angle * angle / 6.0), 1.0 - angle * angle / 2.0
        stretch = cosine - up * sine / level
        up = up * cosine + level * sine
        east *= stretch
        north *= stretch
    return east, north, up, elevation


@register_jitable
def hidden_by(horizon, elevation, east, north):  # type: ignore[no-untyped-def]
    """Say whether the sun's centre is below the horizon of a place.

    Parameters
    ----------
    horizon : (k,)
        Elevation, degrees, at k even steps of azimuth from true north clockwise; between them it is linear.
    elevation : float
        Apparent, of the sun, degrees.
    east, north : float
        Of the vector to the sun.
    """
    size = horizon.size
    position = math.degrees(math.atan2(east, north)) * (size / 360.0)
    if position < 0.0:
        position += size
    whole = int(position)
    here, beyond = horizon[whole % size], horizon[(whole + 1) % size]
    return elevation < here + (position - whole) * (beyond - here)


@compiled()
def _apparent(direction, lat, lon, pressure, east, north, up, elevation):  # type: ignore[no-untyped-def]
    place_sun(direction, lat, lon, east, north, up)
    lift_sun(pressure, east, north, up, elevation)
