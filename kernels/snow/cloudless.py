"""The mean day of each month on planes where no typical year is known: a part of what a cloudless sky gives."""

import functools

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernels.atmosphere import SEA_LEVEL, air_mass, pressure_at
from kernels.clearsky import HOUR_SECONDS, hours_at
from kernels.position import apparent
from kernels.production import ALBEDO
from kernels.sizes import require_size
from kernels.sun import SunTable, sun_table
from kernels.tmy.calendar import MONTH_DAYS, PLACEHOLDER_YEAR

_SAMPLES = 4
"""Moments of an hour, at the middle of equal parts."""

Floats = NDArray[np.float64]


def cloudless_days(
    lat: float, lon: float, altitude: float, turbidity: ArrayLike, planes: ArrayLike, share: float
) -> Floats:
    """Give the irradiance on planes by month and hour of the day, without land around.

    Parameters
    ----------
    lat, lon : float
        Degrees.
    altitude : float
        m above sea level, -500..9000.
    turbidity : (12,)
        Linke's, in the middle of each month.
    planes : (m, 2)
        Of each the tilt, degrees from level, and the azimuth it faces, degrees clockwise from TRUE north.
    share : float
        Of the cloudless light that reaches the place in the long run, beam and diffuse alike; 0..1.

    Returns
    -------
    float64 (m, 12, 24)
        W/m2, over the hour that begins then (UTC), on the month's middle day.

    Raises
    ------
    ValueError
        Sizes do not agree, or a number is out of its range.

    Notes
    -----
    Sources: `kernels.clearsky`, and the beam of the same model, Ineichen & Perez, Solar Energy 73 (2002) 151-157;
    diffuse light is even over the sky (Liu & Jordan 1963), and the ground gives back 0.2. One share for beam and
    diffuse, and for all months, is a proposal: cloud takes the beam first, and more of it in winter.
    """
    planes, turbidity = np.asarray(planes, np.float64), np.asarray(turbidity, np.float64)
    require_size(len(MONTH_DAYS), turbidity=turbidity)
    if planes.ndim != 2 or planes.shape[1] != 2:
        msg = f"planes have shape {planes.shape}, not (m, 2)"
        raise ValueError(msg)
    if not 0.0 <= share <= 1.0:
        msg = f"a share of the cloudless light is 0 to 1, not {share}"
        raise ValueError(msg)
    sun = _middle_days()
    elevation, azimuth = apparent(sun, lat, lon, altitude)
    haze = np.repeat(turbidity, 24 * _SAMPLES)
    ghi = hours_at(lat, lon, altitude, haze, sun.unix - HOUR_SECONDS // 2, n_sub=1)
    dni = _beam(ghi, elevation, sun.e0, float(altitude), haze)
    on_planes = _on_planes(planes, np.deg2rad(elevation), np.deg2rad(azimuth), ghi, dni)
    means: Floats = share * on_planes.reshape(len(planes), 12, 24, _SAMPLES).mean(axis=-1)
    return means


def _beam(ghi: Floats, elevation: Floats, e0: Floats, altitude: float, turbidity: Floats) -> Floats:
    """Give the cloudless beam, W/m2, of the sun at apparent elevations, degrees."""
    thin = np.exp(altitude / 8000.0)
    masses = air_mass(np.maximum(elevation, 0.0)) * pressure_at(altitude) / SEA_LEVEL
    dni = e0 * (0.664 + 0.163 * thin) * np.exp(-0.09 * masses * (turbidity - 1.0))
    sine = np.sin(np.deg2rad(elevation))
    up = sine > 0.0
    # Of a low sun the air scatters some in any case.
    most = ghi / np.where(up, sine, 1.0) * (1.0 - (0.1 - 0.2 * np.exp(-turbidity)) / (0.1 + 0.882 * thin))
    beam: Floats = np.where(up, np.minimum(dni, most), 0.0)
    return beam


def _on_planes(planes: Floats, elevation: Floats, azimuth: Floats, ghi: Floats, dni: Floats) -> Floats:
    """Give the irradiance on planes (m, 2) at n moments, (m, n); the sun's angles in rad."""
    tilt, facing = np.deg2rad(planes).T[..., None]
    level = np.cos(tilt)
    cos_aoi = np.sin(elevation) * level + np.cos(elevation) * np.sin(tilt) * np.cos(azimuth - facing)
    dhi = ghi - dni * np.sin(elevation)
    diffuse = dhi * (1.0 + level) / 2.0 + ALBEDO * ghi * (1.0 - level) / 2.0
    on_planes: Floats = dni * np.maximum(cos_aoi, 0.0) + diffuse
    return on_planes


@functools.cache
def _middle_days() -> SunTable:
    """Place the sun on the middle day of each month, month by month."""
    middles = [f"{PLACEHOLDER_YEAR}-{month:02d}-{(days + 1) // 2}" for month, days in enumerate(MONTH_DAYS, 1)]
    begins = np.array(middles, "datetime64[s]").astype(np.int64)
    step = HOUR_SECONDS // _SAMPLES
    return sun_table((begins[:, None] + step // 2 + step * np.arange(24 * _SAMPLES)).ravel())
