"""One plane through a typical year: from the light of a place to watts."""

import math

import numpy as np
from numba.extending import register_jitable

from kernels.incidence import DIMMING, diffuse_modifiers, passing, upright
from kernels.module import faiman, huld_of
from kernels.production import ALBEDO
from kernels.pv.sky_view import sky_view

POA, EFFECTIVE, USABLE, DC = 0, 1, 2, 3
"""Rows of a plane's sums."""

_FAINTEST = 1e-3
"""W/m2 whose logarithm stands for that of less light, as in `kernels.module.huld`."""
_ROOM = 5
_LN_2, _ROOT_2 = math.log(2.0), math.sqrt(2.0)
_HALVINGS = 1.0 / 32.0
_MANTISSA, _EXPONENT_OF_1, _BITS = 0x000F_FFFF_FFFF_FFFF, 0x3FF0_0000_0000_0000, 52
_BIAS = 1023


@register_jitable
def plane_into(months, sky, air, module, plane, sums, watts):  # type: ignore[no-untyped-def]
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
        To fill: Wh/m2 on the plane, through the glass, and corrected for the spectrum; Wh of modules of 1 kWp.
    watts : (n,) or (0,)
        To fill: power of modules of 1 kWp, W.
    """
    parts, sun, seen, skyline = sky
    geometry = geometry_of(plane, skyline)
    # Month by month, so that what is kept in between stays near the processor.
    room = np.empty((_ROOM + 1, np.diff(months).max()))
    for month in range(12):
        begin, end = months[month], months[month + 1]
        on_plane, through, usable, watt = room[0, : end - begin], room[1], room[2], room[_ROOM, : end - begin]
        shine_into(parts[:, begin:end], sun[:, begin:end], seen[begin:end], geometry, on_plane, through)
        _give(begin, air, module, room, watt)
        _add_up(on_plane, through, usable, watt, sums[:, month])
        if watts.size:
            watts[begin:end] = watt


@register_jitable
def geometry_of(plane, skyline):  # type: ignore[no-untyped-def]
    """Give the unit vector upright on a plane; what reaches it of even sky, band and ground; what of it passes."""
    facing, steep = upright(plane[0], plane[1])
    of_sky, of_band = sky_view(skyline, *facing)
    return facing, (of_sky, of_band * steep, (1.0 - facing[2]) / 2.0 * ALBEDO), diffuse_modifiers(plane[0])


@register_jitable
def shine_into(parts, sun, seen, geometry, on_plane, through):  # type: ignore[no-untyped-def]
    """Fill the irradiance on a plane, and what of it gets through the glass."""
    (to_east, to_north, level), (of_sky, of_band, of_ground), (sky_passes, ground_passes) = geometry
    for i in range(seen.size):
        aims = max(to_east * sun[0, i] + to_north * sun[1, i] + level * sun[2, i], 0.0)
        sunny = parts[0, i] * seen[i] * aims
        even = parts[1, i] * of_sky + parts[2, i] * of_band
        ground = parts[3, i] * of_ground
        on_plane[i] = max(sunny + even + ground, 0.0)
        passed = sunny * passing(exp_down(aims * DIMMING))
        through[i] = max(passed + even * sky_passes + ground * ground_passes, 0.0)


@register_jitable
def _give(begin, air, module, room, watt):  # type: ignore[no-untyped-def]
    """Fill the power of modules of 1 kWp, in as many hours as `watt` has from one on.

    Parameters
    ----------
    begin : int
    air, module
        As `plane_into` takes them.
    room : (5, at least as many)
        Irradiance on the plane, and through the glass; to fill: what of that is of use, and two for what is between.
    watt
        To fill.
    """
    spectrum, (u0, u1), (k1, k2, k3, k4, k5, k6) = module
    on_plane, through, usable, temperature, log = room[0], room[1], room[2], room[3], room[4, : watt.size]
    for i in range(watt.size):
        usable[i] = through[i] * spectrum[begin + i]
        log[i] = max(usable[i], _FAINTEST) * 1e-3
        temperature[i] = faiman(on_plane[i], air[0, begin + i], air[1, begin + i], u0, u1)
    log_into(log, watt)
    for i in range(watt.size):
        watt[i] = huld_of(usable[i], watt[i], temperature[i], k1, k2, k3, k4, k5, k6)


@register_jitable
def _add_up(on_plane, through, usable, watt, sums):  # type: ignore[no-untyped-def]
    poa = effective = of_use = power = 0.0
    for i in range(watt.size):  # side by side: each sum waits for itself alone
        poa += on_plane[i]
        effective += through[i]
        of_use += usable[i]
        power += watt[i]
    sums[POA], sums[EFFECTIVE], sums[USABLE], sums[DC] = poa, effective, of_use, power


# Plain arithmetic without branches, which a processor does for several numbers at once; a call of the library does one:
# a plane's year takes 0.06 ms with these two, 0.11 ms with the library's.
@register_jitable
def exp_down(x):  # type: ignore[no-untyped-def]
    """Give e to the power of x for -6.5 <= x <= 0, within 4e-9 of it: a series for x / 32, squared five times."""
    x *= _HALVINGS
    p = 1 + x * (1 + x * (1 / 2 + x * (1 / 6 + x * (1 / 24 + x * (1 / 120 + x * (1 / 720 + x * (1 / 5040)))))))
    p *= p
    p *= p
    p *= p
    p *= p
    return p * p


@register_jitable
def log_into(values, out):  # type: ignore[no-untyped-def]
    """Fill `out` with natural logarithms, within 2e-11.

    Parameters
    ----------
    values : float64 (n,)
        Normal numbers above 0.
    out : float64 (n,)

    Notes
    -----
    Of the exponent in the number's bits, and of the mantissa by the series of the inverse hyperbolic tangent around the
    root of two.
    """
    bits, mantissa = values.view(np.int64), out.view(np.int64)
    for i in range(values.size):
        mantissa[i] = (bits[i] & _MANTISSA) | _EXPONENT_OF_1
    for i in range(values.size):
        s = (out[i] - _ROOT_2) / (out[i] + _ROOT_2)
        q = s * s
        of_mantissa = 2.0 * s * (1.0 + q * (1 / 3 + q * (1 / 5 + q * (1 / 7 + q * (1 / 9 + q * (1 / 11))))))
        out[i] = ((bits[i] >> _BITS) - _BIAS + 0.5) * _LN_2 + of_mantissa
