"""Loss of a plane's irradiance in a typical year by its horizon: by terrain, and by each object near by."""

import math
from typing import NamedTuple

import numpy as np
from numba import types
from numba.extending import register_jitable
from numpy.typing import ArrayLike, NDArray

from kernels.compiled import ROWS, TABLE, VECTOR, WHOLE, compiled
from kernels.horizon.moments import DISC_DEG, Moments, shown
from kernels.incidence import upright
from kernels.production import ALBEDO, HORIZON_AZIMUTHS
from kernels.pv.sky_view import sky_behind, skyline_of
from kernels.sizes import require_size
from kernels.tmy.year_sun import SAMPLES

BAND_DEG = 10.0
"""Up to here the light of the band along the horizon comes from."""

Floats = NDArray[np.float64]


class Shade(NamedTuple):
    """Irradiance of a plane without land and what land takes of it, by month, kWh/m2; and hours of sun; float64.

    Parameters
    ----------
    open : (12,)
        Without any horizon.
    terrain : (12,)
        Lost to terrain.
    objects : (m, 12)
        Lost to each object, beyond what the terrain takes in its directions.
    daylight : (12,)
        Hours in which the sun's centre is above the level horizon.
    shaded : (12,)
        Hours of those in which it is behind the horizon.
    """

    open: Floats
    terrain: Floats
    objects: Floats
    daylight: Floats
    shaded: Floats


def shade_of(
    moments: Moments, horizon: ArrayLike, terrain: ArrayLike, owner: ArrayLike, tilt: float, azimuth: float
) -> Shade:
    """Return what a horizon takes of a plane's irradiance.

    Parameters
    ----------
    moments : Moments
    horizon : (720,)
        Of all that is there, degrees, by azimuth 0, 0.5 .. 359.5 clockwise from true north. Below 0 counts as 0.
    terrain : (720,)
        Without the objects: as `horizon` in directions without one, else as high or lower.
    owner : int (720,)
        Index of the object that makes the horizon in each direction, from 0; -1 where none does.
    tilt : float
        Of the plane, degrees from level, 0..90.
    azimuth : float
        That it faces, degrees clockwise from true north.

    Raises
    ------
    ValueError
        Sizes do not agree, a number is NaN, or an owner is below -1.

    Notes
    -----
    The beam and the circumsolar light are lost with the part of the sun's disc that the horizon hides at its azimuth,
    linear between directions; even light of the sky direction by direction (`kernels.pv.sky_view.sky_behind`);
    light that the ground reflects not at all. Of what is hidden terrain takes what it would hide alone, an object
    the rest, so that terrain and objects together are the whole loss.

    The band along the horizon comes from the lowest 10 degrees of the sky: land e degrees high takes e / 10 of it.
    A step at 5 degrees, which takes none or all, is the usual form and has the same mean; but then a horizon that
    grows from 5.0 to 5.1 degrees costs a jump, and under cloud, whose band is darker than the rest, a negative one.
    """
    land, below = (_profile(name, of) for name, of in (("horizon", horizon), ("terrain", terrain)))
    whose = np.ascontiguousarray(owner, np.int64)
    require_size(HORIZON_AZIMUTHS, owner=whose)
    if whose.min() < -1:
        raise ValueError("an owner is the index of an object, or -1")
    ground = ALBEDO * (1 - math.cos(math.radians(tilt))) / 2
    skyline, lower = skyline_of(land), skyline_of(below)
    profiles = land, below, np.stack([skyline.zenith, lower.zenith]), skyline.direction
    sums = np.zeros((_OBJECTS + int(whose.max()) + 1, 12))
    facing, steep = upright(float(tilt), float(azimuth))
    _add_up(tuple(moments), profiles, whose, (*facing, steep), ground, sums)
    sums[[_DAYLIGHT, _SHADED]] /= SAMPLES
    sums[[_OPEN, *range(_TERRAIN, len(sums))]] /= 1000
    return Shade(sums[_OPEN], sums[_TERRAIN], sums[_OBJECTS:], sums[_DAYLIGHT], sums[_SHADED])


def _profile(name: str, degrees: ArrayLike) -> Floats:
    profile = np.maximum(np.asarray(degrees, np.float64), 0.0)
    require_size(HORIZON_AZIMUTHS, **{name: profile})
    if not np.isfinite(profile).all():
        msg = f"{name} has directions without a number"
        raise ValueError(msg)
    return profile


_OPEN, _DAYLIGHT, _SHADED, _TERRAIN, _OBJECTS = 0, 1, 2, 3, 4
"""Rows of the sums; object k has row `_OBJECTS + k`, so that owner -1, nobody, is the terrain before them."""


@register_jitable
def _shine(sun, elevation, beam, land, sums):  # type: ignore[no-untyped-def]
    """Add one moment's beam, and the sun's time, to the sums of its month."""
    (horizon, terrain, _, _), owner, highest = land
    up = shown(elevation)
    sums[_OPEN] += beam * up
    if elevation > 0.0:
        sums[_DAYLIGHT] += 1.0
    if elevation >= highest:
        return
    position = math.degrees(math.atan2(sun[0], sun[1])) * (horizon.size / 360.0)
    whole = math.floor(position)
    part, here = position - whole, int(whole) % horizon.size
    after = (here + 1) % horizon.size
    edge = horizon[here] + part * (horizon[after] - horizon[here])
    lower = terrain[here] + part * (terrain[after] - terrain[here])
    if 0.0 < elevation < edge:
        sums[_SHADED] += 1.0
    behind, far_behind = up - shown(elevation - edge), up - shown(elevation - lower)
    nearest, other = (here, after) if part < 0.5 else (after, here)
    taker = owner[nearest] if owner[nearest] >= 0 else owner[other]
    sums[_TERRAIN] += beam * far_behind
    sums[_OBJECTS + taker] += beam * (behind - far_behind)


@register_jitable
def _sky_lost(profiles, owner, plane, takers):  # type: ignore[no-untyped-def]
    """Give what terrain and each object take (2, 1 + m): of even light, of a level plane's; of the band, a share."""
    horizon, terrain, zenith, direction = profiles
    lost, front, size = np.zeros((2, takers)), 0.0, horizon.size
    for k in range(size):
        ahead = direction[0, k] * plane[0] + direction[1, k] * plane[1]
        wide = max(ahead, 0.0)
        front += wide
        if horizon[k] > 0.0:
            behind = sky_behind(zenith[0, k], ahead, plane[2]) / size
            far_behind = sky_behind(zenith[1, k], ahead, plane[2]) / size if terrain[k] > 0.0 else 0.0
            high, low = min(horizon[k] / BAND_DEG, 1.0), min(terrain[k] / BAND_DEG, 1.0)
            lost[0, 0] += far_behind
            lost[0, 1 + owner[k]] += behind - far_behind
            lost[1, 0] += wide * low
            lost[1, 1 + owner[k]] += wide * (high - low)
    if front > 0.0:
        lost[1] /= front
    return lost


_ANY_TABLE = types.Array(types.float64, 2, "A", readonly=True)
_MOMENTS = types.Tuple((_ANY_TABLE, VECTOR, _ANY_TABLE, WHOLE))
_PROFILES = types.Tuple((VECTOR, VECTOR, TABLE, TABLE))


@compiled(_MOMENTS, _PROFILES, WHOLE, types.UniTuple(types.float64, 4), types.float64, ROWS)
def _add_up(moments, profiles, owner, plane, ground, sums):  # type: ignore[no-untyped-def]
    sun, elevation, parts, months = moments
    lost = _sky_lost(profiles, owner, plane, sums.shape[0] - _TERRAIN)
    of_sky, steep = (1.0 + plane[2]) / 2.0, plane[3]
    highest = profiles[0].max() + DISC_DEG
    for month in range(12):
        even = band = ghi = 0.0
        for i in range(months[month], months[month + 1]):
            even += parts[1, i]
            band += parts[2, i]
            ghi += parts[3, i]
            if elevation[i] > -DISC_DEG:
                aims = max(plane[0] * sun[0, i] + plane[1] * sun[1, i] + plane[2] * sun[2, i], 0.0)
                _shine(sun[:, i], elevation[i], parts[0, i] * aims, (profiles, owner, highest), sums[:, month])
        sums[_OPEN, month] += even * of_sky + band * steep + ghi * ground
        for taker in range(lost.shape[1]):
            sums[_TERRAIN + taker, month] += even * lost[0, taker] + band * steep * lost[1, taker]
