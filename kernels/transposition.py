"""The sky of a place as five numbers an hour, and what a tilted plane gets of them: Hay & Davies, and Perez 1990.

Of a plane only three things matter: the cosine of the angle at which the sun strikes it, and the sine and cosine of
its tilt. Everything else depends on place and hour alone, is worked out once, and serves every plane:

    plane = (beam + circumsolar) max(cos aoi, 0) + isotropic (1 + cos tilt)/2 + band sin tilt + ground (1 - cos tilt)/2
"""

import math

import numpy as np
from numba.extending import register_jitable

_HAY_DAVIES_LOWEST = 0.01745
_PEREZ_LOWEST = math.cos(math.radians(85.0))

_BINS = (1.065, 1.23, 1.5, 1.95, 2.8, 4.5, 6.2)
_F = np.array(
    [
        [-0.0080, 0.5880, -0.0620, -0.0600, 0.0720, -0.0220],
        [0.1300, 0.6830, -0.1510, -0.0190, 0.0660, -0.0290],
        [0.3300, 0.4870, -0.2210, 0.0550, -0.0640, -0.0260],
        [0.5680, 0.1870, -0.2950, 0.1090, -0.1520, -0.0140],
        [0.8730, -0.3920, -0.3620, 0.2260, -0.4620, 0.0010],
        [1.1320, -1.2370, -0.4120, 0.2880, -0.8230, 0.0560],
        [1.0600, -1.6000, -0.3590, 0.2640, -1.1270, 0.1310],
        [0.6780, -0.3270, -0.2500, 0.1560, -1.3770, 0.2510],
    ]
)
"""F11 F12 F13 F21 F22 F23 of the eight clearness bins (allsitescomposite1990)."""


@register_jitable
def haydavies_into(dni, dhi, sine, e0, circumsolar, isotropic, band):  # type: ignore[no-untyped-def]
    """Divide the diffuse irradiance by Hay & Davies 1980.

    Parameters
    ----------
    dni, dhi : (n,)
        Beam and diffuse irradiance, W/m2.
    sine : (n,)
        Of the elevation of the sun in the middle of the hour.
    e0 : (n,)
        Extraterrestrial normal irradiance, W/m2.
    circumsolar, isotropic, band : (n,)
        To fill, W/m2: from around the sun's disc, on a plane facing it; from the even rest of the sky, on a level
        plane; from the band along the horizon, on an upright one, negative under cloud.
    """
    for i in range(dni.size):
        share = dni[i] / e0[i]
        circumsolar[i] = dhi[i] * share / max(sine[i], _HAY_DAVIES_LOWEST)
        isotropic[i] = dhi[i] * (1.0 - share)
        band[i] = 0.0


@register_jitable
def perez_factors(dni, dhi, elevation, mass, e0):  # type: ignore[no-untyped-def]
    """Give F1 and F2 of one hour with diffuse irradiance and the sun up."""
    zenith = math.radians(90.0 - elevation)
    kappa = 1.041 * zenith**3
    clearness = ((dhi + dni) / dhi + kappa) / (1.0 + kappa)
    brightness = dhi * mass / e0
    row = 0
    for edge in _BINS:
        row += clearness >= edge
    f1 = _F[row, 0] + _F[row, 1] * brightness + _F[row, 2] * zenith
    f2 = _F[row, 3] + _F[row, 4] * brightness + _F[row, 5] * zenith
    # above 1, in a sky brighter than any that it was fitted to, the rest of the sky would be negative
    return min(max(f1, 0.0), 1.0), f2


@register_jitable
def perez_into(dni, dhi, light, e0, circumsolar, isotropic, band):  # type: ignore[no-untyped-def]
    """Divide the diffuse irradiance by Perez et al. 1990, all sites composite.

    Parameters
    ----------
    light : three (n,)
        As in `decomposition.skartveit`.
    dni, dhi, e0, circumsolar, isotropic, band : (n,)
        As in `haydavies_into`.

    Notes
    -----
    As `perez_parts` of each hour.
    """
    sine, elevation, masses = light
    for i in range(dni.size):
        sun = sine[i], elevation[i], masses[i]
        circumsolar[i], isotropic[i], band[i] = perez_parts(dni[i], dhi[i], sun, e0[i])


@register_jitable
def perez_parts(dni, dhi, sun, e0):  # type: ignore[no-untyped-def]
    """Give the circumsolar, isotropic and band parts of one moment's diffuse irradiance, as in `haydavies_into`.

    Parameters
    ----------
    dni, dhi : float
        Beam and diffuse irradiance, W/m2.
    sun : three float
        Sine of its apparent elevation, degrees, air mass.
    e0 : float
        Extraterrestrial normal irradiance, W/m2.

    Notes
    -----
    Source: Perez, Ineichen, Seals, Michalsky & Stewart, Solar Energy 44 (1990) 271-289; air mass by Kasten & Young.
    Around a sun below 5 degrees the circumsolar part is limited as in pvlib. When the sun's centre is down, the sky is
    even (pvlib has no air mass then, and gives nothing).
    """
    sine, elevation, mass = sun
    f1 = f2 = 0.0
    if dhi > 0.0 and sine > 0.0:
        f1, f2 = perez_factors(dni, dhi, elevation, mass, e0)
    return dhi * f1 / max(sine, _PEREZ_LOWEST), dhi * (1.0 - f1), dhi * f2
