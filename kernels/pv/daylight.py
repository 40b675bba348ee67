"""The sun of a typical year's hours as a place sees it, and for how much of each hour the land lets it."""

import math
from dataclasses import dataclass

import numpy as np
from numba import types
from numba.extending import register_jitable
from numpy.typing import NDArray

from kernels.atmosphere import air_mass, air_mass_at
from kernels.compiled import ROWS, TABLE, VECTOR, WHOLE, compiled
from kernels.position import axes_at, hidden_by, lifted, towards
from kernels.tmy.year_sun import SAMPLES, year_sun

_AROUND_DEG = 11.0
"""More than the azimuth of a sun that is not high changes in half an hour, north of 45 degrees."""
_HIGH_DEG = 45.0
_REFRACTED_DEG = 0.6
_DARK = -0.0146
"""Sine of the true elevation below which no sun's centre is seen: all that refraction lifts is less."""
_CURVED = 0.003
"""More than the sun's sine within an hour leaves the range of its middle and ends."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Daylight:
    """The sun of n hours; float64.

    Attributes
    ----------
    sun : (3, n)
        Unit vector (east, north, up) to where the sun is seen: in the middle of the hour, or where it rises or sets the
        mean over the lit samples. 0 where it is down all the hour.
    elevation : (n,)
        Of that, degrees; 0 where it is down.
    masses : (n,)
        Relative air mass of that; 38 where it is down.
    lit : (n,)
        Part of the hour in which it is up.
    free : (3, n)
        The same as `sun` over those samples in which the land does not hide it.
    seen : (n,)
        Part of the lit time in which the land does not hide it.
    """

    sun: Floats
    elevation: Floats
    masses: Floats
    lit: Floats
    free: Floats
    seen: Floats


def daylight(hours: NDArray[np.int64], lat: float, lon: float, pressure: float, horizon: Floats) -> Daylight:
    """Show the placeholder year's sun to a place.

    Parameters
    ----------
    hours : int64 (n,)
        Which of the 8760.
    lat, lon : float
        Degrees.
    pressure : float
        Of the place, Pa: it bends the light.
    horizon : float64 (720,) or (0,)
        Elevation of the land, degrees, by azimuth from true north clockwise; empty is none.

    Notes
    -----
    The sun is its centre, up when its apparent elevation is above 0. Where the land might hide it for a part of the
    hour, each five minutes are looked at.
    """
    out = np.empty((10, hours.size))
    year = year_sun()
    reach = 7.5 * math.cos(math.radians(lat)) + _REFRACTED_DEG
    place = float(lat), float(lon), float(pressure), reach
    _show(hours, year.middles, year.samples, place, (horizon, *_around(horizon)), out)
    return Daylight(out[:3], out[6], out[7], out[8], out[3:6], out[9])


def _around(horizon: Floats) -> tuple[Floats, Floats, float, float]:
    """Give the lowest and highest land within reach of the sun in half an hour, for each azimuth, and of all."""
    if not horizon.size:
        return horizon, horizon, 0.0, 0.0
    reach = math.ceil(_AROUND_DEG * horizon.size / 360) + 1
    wrapped = np.concatenate([horizon[-reach:], horizon, horizon[:reach]])
    windows = np.lib.stride_tricks.sliding_window_view(wrapped, 2 * reach + 1)
    return windows.min(axis=1), windows.max(axis=1), float(horizon.min()), float(horizon.max())


@register_jitable
def _unit(east, north, up, count):  # type: ignore[no-untyped-def]
    """Give the unit vector in the direction of some vectors, of their mean sine of elevation; given is their sum."""
    if count == 0:
        return 0.0, 0.0, 0.0
    sine = up / count
    stretch = math.sqrt(max(1.0 - sine * sine, 0.0) / max(east * east + north * north, 1e-18))
    return east * stretch, north * stretch, sine


@register_jitable
def _turns(samples, middle, turn, axes):  # type: ignore[no-untyped-def]
    """Say whether the sun may rise or set in an hour, by its true sines: -1 it is down all the time."""
    if middle >= turn:
        return 0
    first = towards(samples[0, 0], samples[0, 1], samples[0, 2], axes)[2]
    last = towards(samples[-1, 0], samples[-1, 1], samples[-1, 2], axes)[2]
    if max(first, last, middle) < _DARK - _CURVED:
        return -1
    return 1 if min(first, last, middle) < _CURVED else 0


@register_jitable
def _covers(land, height, reach, east, north):  # type: ignore[no-untyped-def]
    """Say whether the land hides a sun of that height (degrees) within half an hour: 0 never, 1 at times, 2 always."""
    horizon, low, high, lowest, highest = land
    if horizon.size == 0:
        return 0
    at = int(math.degrees(math.atan2(east, north)) * (horizon.size / 360.0)) % horizon.size
    least, most = (low[at], high[at]) if height < _HIGH_DEG else (lowest, highest)
    if height - reach >= most:
        return 0
    return 2 if height + reach < least else 1


@register_jitable
def _look(samples, axes, pressure, horizon):  # type: ignore[no-untyped-def]
    """Give how many of an hour's samples are lit and free of land, and the mean sun of either."""
    lit = free = 0
    lit_east = lit_north = lit_up = free_east = free_north = free_up = 0.0
    for j in range(SAMPLES):
        east, north, up = towards(samples[j, 0], samples[j, 1], samples[j, 2], axes)
        if up < _DARK:
            continue
        east, north, up, height = lifted(east, north, up, pressure)
        if height <= 0.0:
            continue
        lit += 1
        lit_east, lit_north, lit_up = lit_east + east, lit_north + north, lit_up + up
        if horizon.size == 0 or not hidden_by(horizon, height, east, north):
            free += 1
            free_east, free_north, free_up = free_east + east, free_north + north, free_up + up
    return lit, free, _unit(lit_east, lit_north, lit_up, lit), _unit(free_east, free_north, free_up, free)


_CUBE = types.Array(types.float64, 3, "C", readonly=True)
_LAND = types.Tuple((VECTOR, VECTOR, VECTOR, types.float64, types.float64))


@compiled(WHOLE, TABLE, _CUBE, types.UniTuple(types.float64, 4), _LAND, ROWS)
def _show(hours, middles, samples, place, land, out):  # type: ignore[no-untyped-def]
    lat, lon, pressure, reach = place
    horizon = land[0]
    axes, turn, dark = axes_at(lat, lon), math.sin(math.radians(reach)), air_mass(0.0)
    for k in range(hours.size):
        i = hours[k]
        east, north, up = towards(middles[i, 0], middles[i, 1], middles[i, 2], axes)
        turns = _turns(samples[i], up, turn, axes)
        lit = free = 0
        sun = clear = 0.0, 0.0, 0.0
        height = 0.0
        if turns >= 0:
            east, north, up, height = lifted(east, north, up, pressure)
            covers = _covers(land, height, reach, east, north)
            lit, free = SAMPLES, SAMPLES if covers == 0 else 0
            if turns == 1 or covers == 1:
                lit, free, sun, clear = _look(samples[i], axes, pressure, horizon)
            if lit == SAMPLES:
                sun = east, north, up
            if free == lit:
                clear = sun
        out[0, k], out[1, k], out[2, k] = sun
        out[3, k], out[4, k], out[5, k] = clear
        if 0 < lit < SAMPLES:
            height = math.degrees(math.asin(sun[2]))
        out[6, k] = height if lit else 0.0
        out[7, k] = air_mass_at(sun[2], height) if lit else dark
        out[8, k] = lit / SAMPLES
        out[9, k] = free / lit if lit else 0.0
