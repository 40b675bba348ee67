"""Beam, diffuse and plane-of-array irradiance of an hourly series, as the engines of `production` see them."""

import math

import numpy as np
from numba import types
from numpy.typing import ArrayLike, NDArray

from kernels.atmosphere import air_mass, pressure_at
from kernels.compiled import ROWS, TABLE, VECTOR, compiled
from kernels.decomposition import erbs_into, skartveit_into
from kernels.incidence import upright
from kernels.position import hidden_by, lift_sun, place_sun
from kernels.production import ALBEDO, planes_of, profile_of
from kernels.sizes import require_size
from kernels.sun import SunTable
from kernels.transposition import haydavies_into, perez_into


def irradiance(
    sun: SunTable,
    lat: float,
    lon: float,
    ghi: NDArray[np.float64],
    planes: ArrayLike,
    *,
    altitude: float | None = None,
    horizon: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Return DNI, DHI, and the irradiance on planes.

    Parameters
    ----------
    sun : SunTable
        At the middle of the n hours.
    lat, lon : float
        Degrees.
    ghi : float64 (n,)
        W/m2, mean over each hour; below 0 is taken as 0.
    planes : (m, 3)
        As `production.simplified` takes them; the rated power is not read.
    altitude : float, optional
        m above sea level. With it as the precise engine does (Skartveit, Perez), else as the simplified one (Erbs,
        Hay & Davies).
    horizon : (720,), optional
        As `production.precise` takes it, so that it needs an altitude: it takes beam and circumsolar light from
        planes, not from DNI.

    Returns
    -------
    float64 (2 + m, n)
        W/m2: DNI, DHI, then each plane.

    Raises
    ------
    ValueError
        When sizes do not agree, or a horizon is given without an altitude.
    """
    if horizon is not None and altitude is None:
        raise ValueError("a horizon needs an altitude: the simplified engine knows none")
    ghi = np.ascontiguousarray(ghi, np.float64)
    require_size(sun.e0.size, ghi=ghi)
    planes = planes_of(planes)
    out = np.empty((2 + len(planes), ghi.size))
    pressure = 0.0 if altitude is None else pressure_at(float(altitude))
    _irradiance((sun.direction, sun.e0, float(lat), float(lon), pressure), ghi, planes, profile_of(horizon), out)
    return out


@compiled(types.Tuple((TABLE, VECTOR, types.float64, types.float64, types.float64)), VECTOR, TABLE, VECTOR, ROWS)
def _irradiance(place, ghi, planes, horizon, out):  # type: ignore[no-untyped-def]
    direction, e0, lat, lon, pressure = place
    east, north, up, elevation, masses, circumsolar, isotropic, band = np.empty((8, ghi.size))
    dni, dhi = out[0], out[1]
    place_sun(direction, lat, lon, east, north, up)
    if pressure > 0.0:
        lift_sun(pressure, east, north, up, elevation)
        for i in range(ghi.size):
            if up[i] > 0.0:
                masses[i] = air_mass(elevation[i])
        light = up, elevation, masses
        skartveit_into(ghi, light, e0, pressure, dni, dhi)
        perez_into(dni, dhi, light, e0, circumsolar, isotropic, band)
    else:
        erbs_into(ghi, up, e0, dni, dhi)
        haydavies_into(dni, dhi, up, e0, circumsolar, isotropic, band)
    for p in range(len(planes)):
        (to_east, to_north, level), of_band = upright(planes[p, 0], planes[p, 1])
        of_sky, of_ground = (1.0 + level) / 2.0, (1.0 - level) / 2.0 * ALBEDO
        for i in range(ghi.size):
            g = ghi[i]
            if math.isnan(g) or g <= 0.0:
                out[2 + p, i] = g if math.isnan(g) else 0.0
                continue
            hidden = horizon.size and up[i] > 0.0 and hidden_by(horizon, elevation[i], east[i], north[i])
            facing = max(to_east * east[i] + to_north * north[i] + level * up[i], 0.0)
            sunny = 0.0 if hidden else (dni[i] + circumsolar[i]) * facing
            out[2 + p, i] = max(sunny + isotropic[i] * of_sky + band[i] * of_band + g * of_ground, 0.0)
