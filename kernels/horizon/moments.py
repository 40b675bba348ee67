"""The light of a typical year at a place in steps of five minutes, with the sun's disc as it rises and sets."""

import math
from typing import NamedTuple

import numpy as np
from numba import types
from numba.extending import register_jitable
from numpy.typing import ArrayLike, NDArray

from kernels.atmosphere import air_mass_at, pressure_at
from kernels.compiled import ROWS, TABLE, VECTOR, compiled
from kernels.position import axes_at, lifted, towards
from kernels.tmy.calendar import MONTH_DAYS, YEAR_HOURS
from kernels.tmy.year_sun import SAMPLES, year_sun
from kernels.transposition import perez_parts

DISC_DEG = 0.265
"""Radius of the sun's disc."""

_DARK = -0.0146
"""Sine of the true elevation below which no part of the disc is seen: all that refraction lifts is less."""
_NIGHT = _DARK - 0.14
"""The same in the middle of an hour: the sine changes by less than 0.14 in half an hour."""

Floats = NDArray[np.float64]


class Moments(NamedTuple):
    """The light of a place in the n moments of a year: five minutes in which the sun shows, hours in which it does not.

    Parameters
    ----------
    sun : float64 (3, n)
        Unit vector (east, north, up) to where its centre is seen.
    elevation : float64 (n,)
        Of that, degrees; -90 where the sun does not show.
    parts : float64 (4, n)
        Wh/m2: beam and circumsolar together, on a plane facing the sun, were its whole disc above the level horizon;
        the isotropic rest of the sky on a level plane; the band along the horizon on an upright one; ghi. As
        `kernels.transposition` has them, without land.
    months : int64 (13,)
        Where each month begins among the moments, and where the last one ends.
    """

    sun: Floats
    elevation: Floats
    parts: Floats
    months: NDArray[np.int64]


def moments_of(irradiance: ArrayLike, lat: float, lon: float, altitude: float) -> Moments:
    """Return the light of a typical year, moment by moment; it serves every plane and horizon of the place.

    Parameters
    ----------
    irradiance : (2, 8760)
        dni, dhi of the placeholder year, hour means, W/m2, hour-start UTC.
    lat, lon : float
        Degrees.
    altitude : float
        m above sea level.

    Raises
    ------
    ValueError
        The shape is another, or a number is NaN.

    Notes
    -----
    An hour's beam and diffuse irradiance are spread over its five-minute samples in proportion to the part of the
    sun's disc that is above the level horizon, so that the hour's sums are kept; without sun it has no beam. The sky
    is divided by Perez et al. 1990, see `kernels.transposition.perez_parts`; ghi is dhi + dni sine in each moment.
    """
    hours = np.ascontiguousarray(irradiance, np.float64)
    if hours.shape != (2, YEAR_HOURS):
        msg = f"irradiance has shape {hours.shape}, not (2, {YEAR_HOURS})"
        raise ValueError(msg)
    if not np.isfinite(hours.sum()):
        raise ValueError("irradiance has hours without a number")
    year, out, ends = year_sun(), np.empty((8, YEAR_HOURS * SAMPLES)), np.empty(YEAR_HOURS, np.int64)
    place = float(lat), float(lon), float(pressure_at(float(altitude)))
    _spread(hours, (year.middles, year.samples, year.e0), place, out, ends)
    months = np.concatenate([[0], ends[np.cumsum(MONTH_DAYS) * 24 - 1]])
    n = int(months[-1])
    return Moments(out[:3, :n], out[3, :n], out[4:, :n], months)


@register_jitable
def shown(above):  # type: ignore[no-untyped-def]
    """Give the part of the sun's disc above an edge from which its centre is so many degrees."""
    x = above / DISC_DEG
    if x >= 1.0:
        return 1.0
    if x <= -1.0:
        return 0.0
    return 0.5 + (math.asin(x) + x * math.sqrt(1.0 - x * x)) / math.pi


@register_jitable
def _place(samples, axes, pressure, sun):  # type: ignore[no-untyped-def]
    """Fill the apparent sun of an hour's samples: east, north, up, elevation, part of the disc; return its sum."""
    total = 0.0
    for j in range(SAMPLES):
        east, north, up = towards(samples[j, 0], samples[j, 1], samples[j, 2], axes)
        sun[4, j] = 0.0
        if up > _DARK:
            sun[0, j], sun[1, j], sun[2, j], sun[3, j] = lifted(east, north, up, pressure)
            sun[4, j] = shown(sun[3, j])
            total += sun[4, j]
    return total


@register_jitable
def _write(sun, dni, dhi, e0, column):  # type: ignore[no-untyped-def]
    sine, part = sun[2], sun[4] / SAMPLES
    shines = sine, sun[3], air_mass_at(sine, sun[3])
    circumsolar, isotropic, band = perez_parts(dni, dhi, shines, e0)
    column[:4] = sun[:4]
    column[4] = (dni + circumsolar) / SAMPLES
    column[5], column[6] = isotropic * part, band * part
    column[7] = (dhi + dni * max(sine, 0.0)) * part


_CUBE = types.Array(types.float64, 3, "C", readonly=True)
_YEAR = types.Tuple((TABLE, _CUBE, VECTOR))
_COUNTS = types.Array(types.int64, 1, "C")


@compiled(TABLE, _YEAR, types.UniTuple(types.float64, 3), ROWS, _COUNTS)
def _spread(hours, year, place, out, ends):  # type: ignore[no-untyped-def]
    """Fill the columns of `Moments` (sun, elevation, parts), and how many there are at the end of each hour."""
    middles, samples, e0 = year
    lat, lon, pressure = place
    axes, sun, n = axes_at(lat, lon), np.empty((5, SAMPLES)), 0
    for i in range(ends.size):
        dni, dhi, total = hours[0, i], hours[1, i], 0.0
        if towards(middles[i, 0], middles[i, 1], middles[i, 2], axes)[2] > _NIGHT:
            total = _place(samples[i], axes, pressure, sun)
        if total > 0.0:
            # While the whole disc is up: what one of its samples has does not depend on how many there are.
            dni, dhi = dni * (SAMPLES / total), dhi * (SAMPLES / total)
            for j in range(SAMPLES):
                if sun[4, j] > 0.0:
                    _write(sun[:, j], dni, dhi, e0[i], out[:, n])
                    n += 1
        elif dhi > 0.0:
            out[:, n] = 0.0
            out[2, n], out[3, n] = -1.0, -90.0
            out[5, n] = out[7, n] = dhi
            n += 1
        ends[i] = n
