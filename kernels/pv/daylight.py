"""The sun of a typical year's hours as a place sees it, and for how much of each hour the land lets it."""

import math
from dataclasses import dataclass

import numpy as np
from numba import types
from numba.extending import register_jitable
from numpy.typing import NDArray

from kernels.atmosphere import air_mass
from kernels.compiled import TABLE, VECTOR, compiled
from kernels.position import axes_at, hidden_by, lifted, towards
from kernels.tmy.year_sun import SAMPLES, TURN, year_sun

_AROUND_DEG = 20.0
"""More than the sun's azimuth changes in half an hour, north of 45 degrees."""
_REFRACTED_DEG = 0.6


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

    sun: NDArray[np.float64]
    elevation: NDArray[np.float64]
    masses: NDArray[np.float64]
    lit: NDArray[np.float64]
    free: NDArray[np.float64]
    seen: NDArray[np.float64]


def daylight(
    hours: NDArray[np.int64], lat: float, lon: float, pressure: float, horizon: NDArray[np.float64]
) -> Daylight:
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
    n = hours.size
    sun, free = np.empty((2, 3, n))
    elevation, masses, lit, seen = np.empty((4, n))
    year = year_sun()
    reach = 7.5 * math.cos(math.radians(lat)) + _REFRACTED_DEG
    place = float(lat), float(lon), float(pressure), reach
    _show(
        hours, year.middles, year.samples, place, (horizon, *_around(horizon)), sun, free, elevation, masses, lit, seen
    )
    return Daylight(sun, elevation, masses, lit, free, seen)


def _around(horizon: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give the lowest and highest land within reach of the sun in half an hour, for each azimuth."""
    if not horizon.size:
        return horizon, horizon
    reach = math.ceil(_AROUND_DEG * horizon.size / 360) + 1
    wrapped = np.concatenate([horizon[-reach:], horizon, horizon[:reach]])
    windows = np.lib.stride_tricks.sliding_window_view(wrapped, 2 * reach + 1)
    return windows.min(axis=1), windows.max(axis=1)


@register_jitable
def _unit(total, count):  # type: ignore[no-untyped-def]
    """Give the unit vector whose sine of elevation is the mean of some vectors', in their mean direction."""
    up = total[2] / count
    level = math.sqrt(max(total[0] * total[0] + total[1] * total[1], 1e-18))
    stretch = math.sqrt(max(1.0 - up * up, 0.0)) / level
    return total[0] * stretch, total[1] * stretch, up


_CUBE = types.Array(types.float64, 3, "C", readonly=True)
_HOURS = types.Array(types.int64, 1, "C", readonly=True)
_ROWS = types.Array(types.float64, 2, "C")
_ROW = types.Array(types.float64, 1, "C")


@compiled(
    _HOURS,
    TABLE,
    _CUBE,
    types.UniTuple(types.float64, 4),
    types.UniTuple(VECTOR, 3),
    *(_ROWS, _ROWS),
    *(_ROW, _ROW, _ROW, _ROW),
)
def _show(hours, middles, samples, place, land, sun, free, elevation, masses, lit, seen):  # type: ignore[no-untyped-def]
    lat, lon, pressure, reach = place
    horizon, low, high = land
    axes = axes_at(lat, lon)
    dark = air_mass(0.0)
    some, clear = np.empty(3), np.empty(3)
    for k in range(hours.size):
        i = hours[k]
        sun[:, k], free[:, k], elevation[k], masses[k], lit[k], seen[k] = 0.0, 0.0, 0.0, dark, 0.0, 0.0
        east, north, up = towards(middles[i, 0], middles[i, 1], middles[i, 2], axes)
        if up < -TURN:
            continue
        turning = up < TURN
        east, north, up, height = lifted(east, north, up, pressure)
        lit_samples = free_samples = SAMPLES
        near = False
        if horizon.size:
            at = int(math.degrees(math.atan2(east, north)) * (horizon.size / 360.0)) % horizon.size
            near = height - reach < high[at]
            if near and not turning and height + reach < low[at]:
                near, free_samples = False, 0
        if turning or near:
            some[:], clear[:] = 0.0, 0.0
            lit_samples = free_samples = 0
            for j in range(SAMPLES):
                e, n, u = towards(samples[i, j, 0], samples[i, j, 1], samples[i, j, 2], axes)
                e, n, u, h = lifted(e, n, u, pressure)
                if h > 0.0:
                    lit_samples += 1
                    some[0], some[1], some[2] = some[0] + e, some[1] + n, some[2] + u
                    if not horizon.size or not hidden_by(horizon, h, e, n):
                        free_samples += 1
                        clear[0], clear[1], clear[2] = clear[0] + e, clear[1] + n, clear[2] + u
        if lit_samples == 0:
            continue
        if lit_samples < SAMPLES:
            east, north, up = _unit(some, lit_samples)
            height = math.degrees(math.asin(up))
        sun[0, k], sun[1, k], sun[2, k] = east, north, up
        if free_samples == lit_samples:
            free[0, k], free[1, k], free[2, k] = east, north, up
        elif free_samples:
            free[0, k], free[1, k], free[2, k] = _unit(clear, free_samples)
        elevation[k], masses[k] = height, air_mass(height)
        lit[k], seen[k] = lit_samples / SAMPLES, free_samples / lit_samples
