"""Clear-sky production of a plant and the sun over it, in any hours."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernels.clearsky import HOUR_SECONDS, hours_at
from kernels.hourly import at_moments
from kernels.position import axes_at, towards
from kernels.production import planes_of, simplified
from kernels.sun import sun_table

TEMP_COEFF = -0.004
"""Change of power per K above 25 degrees C."""
_DAY_SECONDS = 86_400
_NIGHT_SINE = -0.17  # 10 degrees below the horizon at mid-hour: no part of the hour has sun


def clear_sky_watts(
    lat: float,
    lon: float,
    altitude: float,
    turbidity: ArrayLike,
    planes: ArrayLike,
    performance_ratio: float,
    hour_starts: NDArray[np.int64],
    temp_air: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Return what planes produce under a clear sky.

    Parameters
    ----------
    lat, lon : float
        Degrees.
    altitude : float
        m above sea level.
    turbidity : (12,)
        Linke turbidity from January to December.
    planes : (m, 3)
        Tilt, azimuth (degrees clockwise from true north) and rated power (kW) of each.
    performance_ratio : float
        Part that is left after all losses but the modules' warmth.
    hour_starts : int64 (n,)
        Unix seconds; in any order, with any gaps.
    temp_air : (n,), optional
        Degrees C; by default `typical_temperature`.

    Returns
    -------
    float64 (m, n)
        Mean W over each hour, 0 at night; NaN where `temp_air` is.

    Notes
    -----
    Ineichen & Perez and the engine `kernels.production.simplified`; no horizon, no snow.
    """
    starts = np.asarray(hour_starts, np.int64)
    temps = typical_temperature(lat, altitude, starts) if temp_air is None else np.asarray(temp_air, np.float64)
    sun = sun_table(starts + HOUR_SECONDS // 2)
    _, _, up = towards(*sun.direction.T, axes_at(lat, lon))
    light = np.flatnonzero(up > _NIGHT_SINE)
    ghi = np.zeros(starts.size)
    ghi[light] = hours_at(lat, lon, altitude, at_moments(turbidity, starts[light]), starts[light])
    return simplified(sun, lat, lon, ghi, temps, planes_of(planes), performance_ratio, TEMP_COEFF)


def typical_temperature(lat: float, altitude: float, hour_starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return a plain climatology of the air in daylight of clear days, degrees C, float64 (n,).

    Notes
    -----
    9 degrees at 58 N and sea level, 0.4 K less per degree of latitude and 6 K per km, plus or minus 10 K over the
    year with the lowest on 25 January. An error of 5 K is 2 % of power.
    """
    year = 2 * np.pi * (hour_starts / _DAY_SECONDS - 25) / 365.25
    level = 9.0 - 0.4 * (lat - 58.0) - 0.006 * altitude
    temps: NDArray[np.float64] = level - 10.0 * np.cos(year)
    return temps


def sun_angles(
    lat: float, lon: float, hour_starts: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the sun's true elevation and azimuth in the middle of hours.

    Parameters
    ----------
    lat, lon : float
        Degrees.
    hour_starts : int64 (n,)
        Unix seconds; in any order, with any gaps.

    Returns
    -------
    elevation, azimuth : float64 (n,)
        Degrees above the horizon, without refraction; degrees clockwise from true north, 0..360.
    """
    sun = sun_table(np.asarray(hour_starts, np.int64) + HOUR_SECONDS // 2)
    east, north, up = towards(*sun.direction.T, axes_at(lat, lon))
    return np.rad2deg(np.arcsin(np.clip(up, -1, 1))), np.mod(np.rad2deg(np.arctan2(east, north)), 360.0)


def solar_hours(lon: float, hour_starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the hour of each hour's middle in mean solar time, counted from 1970, int64 (n,): 24 to a day."""
    offset = round(lon / 15 * HOUR_SECONDS)
    return (np.asarray(hour_starts, np.int64) + HOUR_SECONDS // 2 + offset) // HOUR_SECONDS
