"""What the air does to sunlight on its way: pressure, refraction, air mass. For arrays, and inside numba loops."""

import numpy as np
from numba.extending import register_jitable

SEA_LEVEL = 101_325.0
"""Pressure of the standard atmosphere at sea level, Pa."""

_SUNRISE = -(0.26667 + 0.5667)
"""Elevation of the sun's centre when its rim appears, degrees: below, the SPA refracts no more."""


@register_jitable
def pressure_at(altitude):  # type: ignore[no-untyped-def]
    """Give the pressure of the standard atmosphere.

    Parameters
    ----------
    altitude : scalar or array
        m above sea level, below 44 km.

    Returns
    -------
    Pa.

    Notes
    -----
    Source: Portland State Aerospace Society, A quick derivation relating altitude to air pressure, 2004.
    """
    return 100.0 * ((44331.514 - altitude) / 11880.516) ** (1 / 0.1902632)


@register_jitable
def refraction(elevation, pressure):  # type: ignore[no-untyped-def]
    """Give how much higher the sun is seen than it stands, at 10 degrees C.

    Parameters
    ----------
    elevation : scalar or array
        True elevation of the sun's centre, degrees.
    pressure : scalar or array
        Pa.

    Returns
    -------
    Degrees; 0 where even the sun's upper rim is below the horizon.

    Notes
    -----
    Source: Bennett's formula as in the SPA, Reda & Andreas, Solar Energy 76 (2004) 577-589. At -20 C it is an eighth
    more: 0.06 degrees on the horizon, 0.01 at 10 degrees.
    """
    seen = np.maximum(elevation, _SUNRISE)
    bent = 1.02 / (60.0 * np.tan(np.deg2rad(seen + 10.3 / (seen + 5.11))))
    return (elevation >= _SUNRISE) * (pressure / 101_000.0) * bent


@register_jitable
def refraction_at(elevation, sine, cosine, pressure):  # type: ignore[no-untyped-def]
    """Give what `refraction` does for one elevation, whose sine and cosine are known: the tangent of a sum."""
    if elevation < _SUNRISE:
        return 0.0
    more = np.deg2rad(10.3 / (elevation + 5.11))  # at most 2.4 degrees, whose tangent is two terms of its series
    tangent = more * (1.0 + more * more / 3.0)
    return pressure / 101_000.0 * (1.02 / 60.0) * (cosine - sine * tangent) / (sine + cosine * tangent)


@register_jitable
def air_mass(elevation):  # type: ignore[no-untyped-def]
    """Give the relative optical air mass, not corrected for pressure.

    Parameters
    ----------
    elevation : scalar or array
        Apparent elevation of the sun's centre, degrees, >= 0.

    Returns
    -------
    1 at the zenith, 38 on the horizon.

    Notes
    -----
    Source: Kasten & Young, Applied Optics 28 (1989) 4735-4738.
    """
    return air_mass_at(np.sin(np.deg2rad(elevation)), elevation)


@register_jitable
def air_mass_at(sine, elevation):  # type: ignore[no-untyped-def]
    """Give what `air_mass` does where the sine of the elevation is known already."""
    return 1.0 / (sine + 0.50572 * np.exp(-1.6364 * np.log(elevation + 6.07995)))
