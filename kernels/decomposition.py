"""Global irradiance split into beam and diffuse: Erbs, and Skartveit, Olseth & Tuft.

Both close exactly: ghi = dni sine + dhi in every hour. An hour in whose middle the sun is not up is all diffuse,
and so is what comes from below: a caller need not care for nights. Where an input of the hour is NaN, beam and diffuse
are.
"""

import math

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from kernels.atmosphere import SEA_LEVEL
from kernels.compiled import compiled
from kernels.sizes import require_size

Floats = NDArray[np.float64]

_ERBS_LOWEST_SINE = math.cos(math.radians(87.0))
"""Erbs gives no beam to a sun lower than 3 degrees, as pvlib does: a small cosine would make it endless."""
_LN_75, _LN_81 = math.log(0.75), math.log(0.81)


def skartveit(ghi: Floats, light: tuple[Floats, Floats, Floats], e0: Floats, pressure: float) -> tuple[Floats, Floats]:
    """Split global irradiance by clearness index, sun height and the change from hour to hour.

    Parameters
    ----------
    ghi : float64 (n,)
        W/m2, means over consecutive hours; below 0 is taken as 0.
    light : three float64 (n,)
        Of the sun in the middle of each hour, or the mean over the sunlit part of it: sine of the apparent elevation,
        the elevation in degrees, relative air mass; the last two are read only of a sun that is up.
    e0 : float64 (n,)
        Extraterrestrial normal irradiance, times the sunlit part of the hour, W/m2.
    pressure : float
        Of the place, Pa: it bounds the beam.

    Returns
    -------
    dni, dhi : float64 (n,)
        Beam on a plane facing the sun, and diffuse on a level one, W/m2; both NaN where an input that is read is.

    Notes
    -----
    Source: Skartveit, Olseth & Tuft, Solar Energy 63 (1998) 173-183, made for Bergen; snow-free ground. Variability
    is measured against the hours before and after; where one of them is missing or without sun, against the other.
    The beam is at most 0.9 E0 0.75^(AM^0.678), with AM the absolute air mass; what is over is diffuse.
    """
    require_size(light[0].size, ghi=ghi, e0=e0)
    dni, dhi = np.empty((2, ghi.size))
    _skartveit(ghi, light, e0, pressure, dni, dhi)
    return dni, dhi


@register_jitable
def strongest_beam(e0, absolute):  # type: ignore[no-untyped-def]
    """Give what the clearest air lets through of extraterrestrial irradiance (W/m2), by the absolute air mass."""
    return 0.9 * e0 * math.exp(_LN_75 * math.exp(0.678 * math.log(absolute)))


@register_jitable
def erbs_fraction(k):  # type: ignore[no-untyped-def]
    """Give the diffuse part (0..1) of an hour with clearness index k."""
    if k <= 0.22:
        return 1.0 - 0.09 * k
    if k <= 0.8:
        return 0.9511 + k * (-0.1604 + k * (4.388 + k * (-16.638 + k * 12.336)))
    return 0.165


@register_jitable
def erbs_into(ghi, sine, e0, dni, dhi):  # type: ignore[no-untyped-def]
    """Split global irradiance by the clearness index alone.

    Parameters
    ----------
    ghi : (n,)
        W/m2, mean over the hour; below 0 is taken as 0.
    sine : (n,)
        Of the elevation of the sun in the middle of the hour.
    e0 : (n,)
        Extraterrestrial normal irradiance, W/m2.
    dni, dhi : (n,)
        To fill: beam on a plane facing the sun, and diffuse on a level one, W/m2; both NaN where an input is.

    Notes
    -----
    Source: Erbs, Klein & Duffie, Solar Energy 28 (1982) 293-302.
    """
    for i in range(ghi.size):
        g = ghi[i]
        if math.isnan(g + sine[i] + e0[i]):
            dni[i] = dhi[i] = math.nan
            continue
        dni[i], dhi[i] = 0.0, max(g, 0.0)
        if g > 0.0 and sine[i] >= _ERBS_LOWEST_SINE:
            k = min(g / (e0[i] * max(sine[i], 0.065)), 1.0)
            dhi[i] = erbs_fraction(k) * g
            dni[i] = (g - dhi[i]) / sine[i]


@register_jitable
def _steady_fraction(k, k1, d1):  # type: ignore[no-untyped-def]
    """Give the diffuse part between k = 0.22, where it is 1, and k1, where it is d1."""
    bend = 0.5 * (1.0 - math.cos(math.pi * (k - 0.22) / (k1 - 0.22)))
    return 1.0 - (1.0 - d1) * (0.11 * math.sqrt(bend) + bend * (0.15 + 0.74 * bend))


@register_jitable
def clearest(elevation):  # type: ignore[no-untyped-def]
    """Give the clearness index k1 of a clear sky with the sun at this elevation in degrees."""
    return 0.83 - 0.56 * math.exp(-0.06 * elevation)


@register_jitable
def skartveit_fraction(k, k1, sine, elevation, variability):  # type: ignore[no-untyped-def]
    """Give the diffuse part of an hour.

    Parameters
    ----------
    k : float
        Clearness index.
    k1 : float
        What it is at this elevation under a clear sky (`clearest`).
    sine, elevation : float
        Of the sun's elevation, and in degrees; > 0.
    variability : float
        Root mean square change of k/k1 to the hours beside, >= 0.

    Returns
    -------
    0..1
    """
    d1 = 0.07 + 0.046 * (90.0 - elevation) / (elevation + 3.0) if elevation > 1.4 else 1.0
    k2 = 0.95 * k1
    if k <= 0.22:
        d = 1.0
    elif k <= k2:
        d = _steady_fraction(k, k1, d1)
    else:
        ratio = _steady_fraction(k2, k1, d1) * k2 / (1.0 - k2)
        # The beam's part of E0 at most: 0.81^((1/sin h)^0.6).
        most = math.exp(_LN_81 * math.exp(-0.6 * math.log(sine)))
        kmax = (most + ratio) / (1.0 + ratio)
        # Beyond kmax the paper's 1 - kmax (1 - dmax) / k comes to this: the beam stays what it is at kmax.
        d = ratio * (1.0 - k) / k if k <= kmax else 1.0 - most / k
    if variability > 0.0:
        # kx by the way of k1, which holds the same exponential.
        kx = 0.56 - 0.32 * (0.83 - k1) / 0.56
        if 0.14 <= k <= kx:
            part = (k - 0.14) / (kx - 0.14)
            d -= 3.0 * part * part * (1.0 - part) * variability**1.3
        elif kx < k < kx + 0.71:
            part = (k - kx) / 0.71
            d += 3.0 * part * (1.0 - part) * (1.0 - part) * variability**0.6
    return min(max(d, 0.0), 1.0)


@register_jitable
def _change(part, i):  # type: ignore[no-untyped-def]
    """Give the root mean square change of k/k1 from hour i to those beside it that have one."""
    total, count = 0.0, 0
    if i > 0 and not math.isnan(part[i - 1]):
        total += (part[i] - part[i - 1]) ** 2
        count += 1
    if i + 1 < part.size and not math.isnan(part[i + 1]):
        total += (part[i] - part[i + 1]) ** 2
        count += 1
    return math.sqrt(total / count) if count else 0.0


@register_jitable
def skartveit_into(ghi, light, e0, pressure, dni, dhi):  # type: ignore[no-untyped-def]
    """Fill dni and dhi as `skartveit` says."""
    sine, elevation, masses = light
    # Until its turn an hour's dhi holds k1. An hour without sun has NaN for its part of k1.
    part = np.empty(ghi.size)
    for i in range(ghi.size):
        part[i] = math.nan
        if sine[i] > 0.0 and ghi[i] >= 0.0:
            dhi[i] = clearest(elevation[i])
            part[i] = ghi[i] / (e0[i] * sine[i] * dhi[i])
    for i in range(ghi.size):
        g, k1 = ghi[i], dhi[i]
        if math.isnan(g + sine[i] + e0[i]) or (sine[i] > 0.0 and math.isnan(elevation[i] + masses[i])):
            dni[i] = dhi[i] = math.nan
            continue
        dni[i], dhi[i] = 0.0, max(g, 0.0)
        if g > 0.0 and sine[i] > 0.0:
            d = skartveit_fraction(part[i] * k1, k1, sine[i], elevation[i], _change(part, i))
            absolute = masses[i] * (pressure / SEA_LEVEL)
            dni[i] = min(g * (1.0 - d) / sine[i], strongest_beam(e0[i], absolute))
            dhi[i] = g - dni[i] * sine[i]


@compiled()
def _skartveit(ghi, light, e0, pressure, dni, dhi):  # type: ignore[no-untyped-def]
    skartveit_into(ghi, light, e0, pressure, dni, dhi)
