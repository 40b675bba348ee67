"""One plane through a typical year: from the light of a place to watts."""

import math

from numba.extending import register_jitable

from kernels.incidence import beam_modifier, diffuse_modifiers
from kernels.module import faiman, huld
from kernels.production import ALBEDO
from kernels.pv.sky_view import sky_view

POA, EFFECTIVE, USABLE, DC = 0, 1, 2, 3
"""Rows of a plane's sums."""


@register_jitable
def plane_into(months, sky, air, module, plane, sums, watts, sunny_part):  # type: ignore[no-untyped-def]
    """Add up a plane's months, and keep its hours where there is room for them.

    Parameters
    ----------
    months : int64 (13,)
        Of `Site`.
    sky : tuple
        Parts of `Light` (4, n); sun (3, n) and the part of the time that it is seen (n,), of `Daylight`; `Skyline`.
    air : (2, n)
        Of `Site`.
    module : tuple
        Spectral factor (n,), U0 and U1 of Faiman, k1..k6 of Huld.
    plane : tuple of float
        Tilt, degrees; azimuth, degrees clockwise from true north.
    sums : (4, 12)
        To fill: W h/m2 on the plane, through the glass, and corrected for the spectrum; W h of modules of 1 kWp.
    watts, sunny_part : (n,) or (0,)
        To fill: power of modules of 1 kWp, W; what of the irradiance on the plane comes from the sun and around it, 0..1.
    """
    parts, sun, seen, skyline = sky
    spectrum, u, k = module
    u0, u1 = u
    k1, k2, k3, k4, k5, k6 = k
    tilt, azimuth = math.radians(plane[0]), math.radians(plane[1])
    steep, level = math.sin(tilt), math.cos(tilt)
    to_east, to_north = steep * math.sin(azimuth), steep * math.cos(azimuth)
    of_sky, of_band = sky_view(skyline, to_east, to_north, level)
    of_band *= steep
    of_ground = (1.0 - level) / 2.0 * ALBEDO
    sky_passes, ground_passes = diffuse_modifiers(plane[0])
    for month in range(12):
        poa = effective = usable = power = 0.0
        for i in range(months[month], months[month + 1]):
            facing = max(to_east * sun[0, i] + to_north * sun[1, i] + level * sun[2, i], 0.0)
            sunny = parts[0, i] * seen[i] * facing
            even = parts[1, i] * of_sky + parts[2, i] * of_band
            ground = parts[3, i] * of_ground
            on_plane = max(sunny + even + ground, 0.0)
            through = max(sunny * beam_modifier(facing) + even * sky_passes + ground * ground_passes, 0.0)
            of_use = through * spectrum[i]
            watt = huld(of_use, faiman(on_plane, air[0, i], air[1, i], u0, u1), k1, k2, k3, k4, k5, k6)
            poa += on_plane
            effective += through
            usable += of_use
            power += watt
            if watts.size:
                watts[i] = watt
                sunny_part[i] = min(sunny / on_plane, 1.0) if on_plane > 0.0 else 0.0
        sums[POA, month], sums[EFFECTIVE, month], sums[USABLE, month], sums[DC, month] = poa, effective, usable, power
