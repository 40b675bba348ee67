"""Where the sun is: a table that depends on time only, and the geometry of many cells against it.

The sun's direction is written as a unit vector in earth-fixed axes (x through 0 N 0 E, y through 0 N 90 E,
z through the north pole), and so is each cell's vertical; the cosine of the zenith angle is their dot
product, so that nothing trigonometric is left to do for a cell and an hour.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

SOLAR_CONSTANT = 1366.1
"""Extraterrestrial normal irradiance at one astronomical unit, W/m2 (ASTM E490-00a; pvlib's default too)."""

_PARALLAX = np.deg2rad(8.794 / 3600)
_J2000_UNIX = 946_728_000.0


@dataclass(frozen=True)
class SunTable:
    """The sun at n instants, for no place in particular.

    Attributes
    ----------
    unix : int64 (n,)
        Seconds since 1970-01-01T00 UTC.
    e0 : float64 (n,)
        Extraterrestrial normal irradiance, W/m2.
    direction : float64 (n, 3)
        Unit vector to the sun in earth-fixed axes.
    """

    unix: NDArray[np.int64]
    e0: NDArray[np.float64]
    direction: NDArray[np.float64]

    def part(self, first: int, end: int | None = None) -> "SunTable":
        """Give the instants first..end-1 as views."""
        return SunTable(self.unix[first:end], self.e0[first:end], self.direction[first:end])


def sun_table(unix: ArrayLike) -> SunTable:
    """Place the sun at the given instants.

    Elevations derived from it agree with the SPA (Reda & Andreas 2004) within 0.012 degrees over 1990-2050.

    Parameters
    ----------
    unix : int64 (n,)
        Seconds since 1970-01-01T00 UTC (UT1 is taken to be UTC: at most 0.9 s or 0.004 degrees).

    Returns
    -------
    SunTable

    Notes
    -----
    Source: J. Meeus, Astronomical Algorithms, 2nd ed. 1998, chapters 12 (sidereal time), 22 (the two largest
    terms of nutation in longitude, and the largest in obliquity) and 25 (low accuracy: 0.01 degrees). Delta T
    by Espenak & Meeus 2006, the polynomial of 2005-2050; at 1990 it is 3 s off, or 0.00004 degrees.
    """
    seconds = np.atleast_1d(np.asarray(unix, dtype=np.int64))
    days = (seconds - _J2000_UNIX) / 86_400.0
    years = days / 365.25
    delta_t = 62.92 + 0.32217 * years + 0.005589 * years**2
    t = (days + delta_t / 86_400.0) / 36_525.0

    mean_longitude = 280.46646 + t * (36_000.76983 + t * 0.0003032)
    anomaly = np.deg2rad(357.52911 + t * (35_999.05029 - t * 0.0001537))
    eccentricity = 0.016708634 - t * (0.000042037 + t * 0.0000001267)
    centre = (
        (1.914602 - t * (0.004817 + t * 0.000014)) * np.sin(anomaly)
        + (0.019993 - t * 0.000101) * np.sin(2 * anomaly)
        + 0.000289 * np.sin(3 * anomaly)
    )
    distance = 1.000001018 * (1 - eccentricity**2) / (1 + eccentricity * np.cos(anomaly + np.deg2rad(centre)))

    node = np.deg2rad(125.04 - 1934.136 * t)
    nutation = -0.00478 * np.sin(node) - 0.00037 * np.sin(2 * np.deg2rad(mean_longitude))
    longitude = np.deg2rad(mean_longitude + centre - 0.00569 + nutation)
    obliquity = np.deg2rad(23.4392911 - t * 0.0130042 + 0.00256 * np.cos(node))

    sin_declination = np.sin(obliquity) * np.sin(longitude)
    right_ascension = np.arctan2(np.cos(obliquity) * np.sin(longitude), np.cos(longitude))
    sidereal = 280.46061837 + 360.98564736629 * days + 0.000387933 * (days / 36_525.0) ** 2
    sidereal += nutation * np.cos(obliquity)
    hour_angle = np.mod(np.deg2rad(np.mod(sidereal, 360.0)) - right_ascension, 2 * np.pi)  # Greenwich

    cos_declination = np.sqrt(1 - sin_declination**2)
    equatorial = (cos_declination * np.cos(hour_angle), -cos_declination * np.sin(hour_angle))
    direction = np.stack([*equatorial, sin_declination], axis=-1)
    return SunTable(seconds, SOLAR_CONSTANT / distance**2, direction)


def vertical(lat: ArrayLike, lon: ArrayLike) -> NDArray[np.float64]:
    """Give the upward unit vector of each place, once per grid.

    Parameters
    ----------
    lat, lon : (...)
        Geodetic latitude and longitude, degrees.

    Returns
    -------
    float64 (3, ...)
        x = cos lat cos lon, y = cos lat sin lon, z = sin lat.
    """
    phi, lam = np.deg2rad(np.asarray(lat, dtype=np.float64)), np.deg2rad(np.asarray(lon, dtype=np.float64))
    phi, lam = np.broadcast_arrays(phi, lam)
    return np.stack([np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)])


def cos_zenith(up: NDArray[np.floating], sun: SunTable) -> NDArray[np.float64]:
    """Give the cosine of the true (geocentric, unrefracted) zenith angle of many cells at many instants.

    Parameters
    ----------
    up : (3, cells)
        From `vertical`.
    sun : SunTable
        n instants.

    Returns
    -------
    float64 (n, cells)
        Negative below the horizon. The sun's parallax (0.0024 degrees) is left out.
    """
    product: NDArray[np.float64] = sun.direction @ up
    return product


def elevation(lat: ArrayLike, lon: ArrayLike, unix: ArrayLike) -> NDArray[np.float64]:
    """Give the true topocentric elevation of the sun's centre, without refraction.

    Parameters
    ----------
    lat, lon : scalar or (n,)
        Degrees.
    unix : int64, scalar or (n,)
        Seconds since 1970-01-01T00 UTC; broadcast against the places.

    Returns
    -------
    float64 (n,)
        Degrees above the horizon.
    """
    lat, lon, unix = np.broadcast_arrays(np.atleast_1d(lat), lon, unix)
    sine = (sun_table(unix.ravel()).direction.T * vertical(lat.ravel(), lon.ravel())).sum(axis=0)
    geocentric = np.arcsin(np.clip(sine, -1, 1))
    topocentric: NDArray[np.float64] = np.rad2deg(geocentric - _PARALLAX * np.cos(geocentric))
    return topocentric
