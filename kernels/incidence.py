"""What glass lets through at an angle: Martin & Ruiz. For arrays, and inside numba loops."""

import math

import numpy as np
from numba.extending import register_jitable

ANGULAR_LOSS = 0.16
"""a_r of Martin & Ruiz: clean glass."""
DIMMING = -1 / ANGULAR_LOSS

_C1 = 4 / (3 * math.pi)
_C2 = 0.5 * ANGULAR_LOSS - 0.154
_OF_FACING = 1 / (1 - math.exp(-1 / ANGULAR_LOSS))


@register_jitable
def upright(tilt, azimuth):  # type: ignore[no-untyped-def]
    """Give the unit vector upright on a plane (east, north, up), and the sine of its tilt.

    Parameters
    ----------
    tilt, azimuth : float
        Degrees from level, and clockwise from true north.
    """
    steep, facing = math.sin(math.radians(tilt)), math.radians(azimuth)
    return (steep * math.sin(facing), steep * math.cos(facing), math.cos(math.radians(tilt))), steep


@register_jitable
def beam_modifier(cos_aoi):  # type: ignore[no-untyped-def]
    """Give the part of the sun's light that passes, of what passes when it comes straight.

    Parameters
    ----------
    cos_aoi : scalar or array
        Cosine of the angle of incidence; below 0 the sun is behind the plane.

    Returns
    -------
    0..1

    Notes
    -----
    Source: Martin & Ruiz, Solar Energy Materials & Solar Cells 70 (2001) 25-38, and 110 (2013) 154.
    """
    return passing(np.exp(np.maximum(cos_aoi, 0.0) * DIMMING))


@register_jitable
def passing(dimmed):  # type: ignore[no-untyped-def]
    """Give what `beam_modifier` does, of e to the power of `DIMMING` times the cosine (>= 0)."""
    return (1.0 - dimmed) * _OF_FACING


@register_jitable
def diffuse_modifiers(tilt):  # type: ignore[no-untyped-def]
    """Give the same for light from the whole sky, and from the whole ground.

    Parameters
    ----------
    tilt : scalar or array
        Degrees from level, 0..180.

    Returns
    -------
    sky, ground : 0..1

    Notes
    -----
    Source: as `beam_modifier`; c2 by IEC 61853-3.
    """
    # A level plane sees no ground: 0/0. A hundredth of a degree away the limit is reached, and rounding is not.
    beta = np.deg2rad(np.minimum(np.maximum(tilt, 0.01), 179.99))
    sine, cosine = np.sin(beta), np.cos(beta)
    sky = sine + (math.pi - beta - sine) / (1.0 + cosine)
    ground = sine + (beta - sine) / (1.0 - cosine)
    return (
        1.0 - np.exp(-(_C1 + _C2 * sky) * sky / ANGULAR_LOSS),
        1.0 - np.exp(-(_C1 + _C2 * ground) * ground / ANGULAR_LOSS),
    )
