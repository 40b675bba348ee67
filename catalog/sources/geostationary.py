"""What a satellite over the equator sees: at which angle, and when its scan reaches a place.

SEVIRI scans the disc from south to north, three lines of 3 km to each turn of the spinning satellite.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Doubles = NDArray[np.float64]

# CGMS 03 "LRIT/HRIT Global Specification", 4.4.3.2: the reference ellipsoid and the satellite's distance, km.
_EQUATOR_KM, _POLE_KM, _ORBIT_KM = 6378.169, 6356.5838, 42164.0
_LINE_RAD = 83.8427e-6
_LINES = 3712
_LINE_S = 0.2  # 100 turns a minute, three lines a turn
_FIRST_LINE_S = 10.0  # after the nominal time; seen in files, nowhere promised


def zenith(lat: ArrayLike, lon: ArrayLike, longitude: float = 0.0) -> Doubles:
    """Return the angle between a place's vertical and the satellite, degrees; above 90 it is not seen.

    Parameters
    ----------
    lat, lon : (...)
        Geodetic, degrees.
    longitude : float
        Over which the satellite stands, degrees east.
    """
    _, up, towards = _vectors(lat, lon, longitude)
    cosine = (towards * up).sum(axis=0) / np.sqrt((towards**2).sum(axis=0))
    return np.asarray(np.rad2deg(np.arccos(np.clip(cosine, -1, 1))))


def scanned_after_s(lat: ArrayLike, lon: ArrayLike, longitude: float = 0.0) -> Doubles:
    """Return how long after an image's nominal time its scan reaches places, s: about 12 minutes in Norway.

    Parameters are those of `zenith`. Within some seconds: the satellite is taken to stand still on the equator.
    """
    _, _, towards = _vectors(lat, lon, longitude)
    # the scan mirror steps in the angle above the equator's plane as the satellite sees it
    north = np.arctan2(-towards[2], np.hypot(towards[0], towards[1]))
    line = _LINES / 2 + north / _LINE_RAD
    return np.asarray(_FIRST_LINE_S + _LINE_S * line)


def _vectors(lat: ArrayLike, lon: ArrayLike, longitude: float) -> tuple[Doubles, Doubles, Doubles]:
    """Return the place, its vertical, and the way from it to the satellite, (3, ...), km; x points to the satellite."""
    phi, lam = np.deg2rad(np.asarray(lat, np.float64)), np.deg2rad(np.asarray(lon, np.float64) - longitude)
    phi, lam = np.broadcast_arrays(phi, lam)
    up = np.stack([np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)])
    squared = np.array([_EQUATOR_KM, _EQUATOR_KM, _POLE_KM]).reshape(3, *([1] * phi.ndim)) ** 2
    place = squared * up / np.sqrt((squared * up**2).sum(axis=0))
    satellite = np.array([_ORBIT_KM, 0.0, 0.0]).reshape(3, *([1] * phi.ndim))
    return place, up, satellite - place
