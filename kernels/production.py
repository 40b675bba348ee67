"""What solar panels produce, hour by hour: the two engines, each one loop from the sky's light to watts.

`simplified` takes the sun's true position, as the tiles' clear sky and pvlib's Erbs do; `precise` its apparent one,
bent by the air, which is where its beam comes from and what a horizon hides.
"""

import math

import numpy as np
from numba import types
from numba.extending import register_jitable
from numpy.typing import ArrayLike, NDArray

from kernels.atmosphere import air_mass, pressure_at
from kernels.compiled import ROWS, TABLE, VECTOR, compiled
from kernels.decomposition import erbs_into, skartveit_into
from kernels.incidence import beam_modifier, diffuse_modifiers, upright
from kernels.module import FAIMAN, HULD, MODULE_HEIGHT, faiman, huld, linear, simple_temperature
from kernels.position import hidden_by, lift_sun, place_sun
from kernels.sizes import require_size
from kernels.sun import SunTable
from kernels.transposition import haydavies_into, perez_into

SIMPLIFIED = "simplified_haydavies_v1"
"""Name of the engine `simplified`, as answers give it."""
PRECISE = "perez_huld_v1"
"""Name of the engine `precise`."""
ALBEDO = 0.2
"""Part of the light that snow-free ground gives back."""
HORIZON_AZIMUTHS = 720
"""Points of a horizon profile, half a degree apart."""

_OPEN = np.empty(0)
_K1, _K2, *_ = HULD["pvgis6"]["crystSi"]
_U0, _U1 = FAIMAN["free"]["crystSi"]


def simplified(
    sun: SunTable,
    lat: float,
    lon: float,
    ghi: ArrayLike,
    temp_air: ArrayLike,
    planes: ArrayLike,
    performance_ratio: float,
    temp_coeff: float,
) -> NDArray[np.float64]:
    """Give the production of planes at one place: Erbs, Hay & Davies, linear in irradiance and temperature.

    Parameters
    ----------
    sun : SunTable
        At the middle of the n hours.
    lat, lon : float
        Degrees.
    ghi : (n,)
        W/m2, mean over each hour; below 0 is taken as 0.
    temp_air : (n,)
        Degrees C.
    planes : (m, 3)
        Of each plane the tilt, degrees from level (0..90); the azimuth it faces, degrees clockwise from TRUE north;
        and the rated power, kW.
    performance_ratio : float
        Part that is left after all losses but the modules' warmth.
    temp_coeff : float
        Change of power per K above 25 degrees C, such as -0.004.

    Returns
    -------
    float64 (m, n)
        Mean W over each hour, at least 0; NaN where an input of the hour is.

    Raises
    ------
    ValueError
        When sizes do not agree.

    Notes
    -----
    Sources: `kernels.decomposition.erbs_into`, `kernels.transposition.haydavies_into`. Cell temperature is
    air + 0.0342 POA, ground albedo 0.2, and no horizon. Releases the GIL.
    """
    ghi, temp_air = _floats(ghi), _floats(temp_air)
    require_size(sun.e0.size, ghi=ghi, temp_air=temp_air)
    planes = planes_of(planes)
    out = np.empty((len(planes), ghi.size))
    _simplified(
        (sun.direction, sun.e0, float(lat), float(lon)),
        (ghi, temp_air),
        planes,
        (float(performance_ratio), float(temp_coeff)),
        out,
    )
    return out


def precise(
    sun: SunTable,
    lat: float,
    lon: float,
    altitude: float,
    ghi: ArrayLike,
    temp_air: ArrayLike,
    wind_speed: ArrayLike,
    planes: ArrayLike,
    performance_ratio: float,
    temp_coeff: float,
    horizon: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Give the production of planes at one place: Skartveit, Perez, Martin & Ruiz, Faiman, Huld.

    Parameters
    ----------
    sun : SunTable
        At the middle of n consecutive hours.
    lat, lon : float
        Degrees.
    altitude : float
        m above sea level: thinner air bends and dims the sun less.
    ghi : (n,)
        W/m2, mean over each hour; below 0 is taken as 0.
    temp_air : (n,)
        Degrees C.
    wind_speed : (n,)
        At 10 m, m/s; below 0 is taken as 0.
    planes : (m, 3)
        Of each plane the tilt, degrees from level (0..90); the azimuth it faces, degrees clockwise from TRUE north;
        and the rated power, kW.
    performance_ratio : float
        Part that is left after the losses not modelled here.
    temp_coeff : float
        Change of power per K above 25 degrees C; stands in the place of Huld's k3 (k4..k6 are 0).
    horizon : (720,), optional
        Elevation of the horizon, degrees, by azimuth 0, 0.5 .. 359.5 clockwise from TRUE north. A sun below it gives
        neither beam nor circumsolar light, in the whole hour.

    Returns
    -------
    float64 (m, n)
        Mean W over each hour, at least 0; NaN where an input of the hour is.

    Raises
    ------
    ValueError
        When sizes do not agree.

    Notes
    -----
    Sources: `kernels.decomposition.skartveit`, `kernels.transposition.perez_into`, `kernels.incidence`,
    `kernels.module` (free-standing crystalline silicon, k1 and k2 of PVGIS 6), ground albedo 0.2. No spectral
    correction. Releases the GIL.
    """
    ghi, temp_air, wind_speed = _floats(ghi), _floats(temp_air), _floats(wind_speed)
    require_size(sun.e0.size, ghi=ghi, temp_air=temp_air, wind_speed=wind_speed)
    planes = planes_of(planes)
    out = np.empty((len(planes), ghi.size))
    _precise(
        (sun.direction, sun.e0, float(lat), float(lon), pressure_at(float(altitude))),
        (ghi, temp_air, wind_speed),
        planes,
        (float(performance_ratio), float(temp_coeff)),
        profile_of(horizon),
        out,
    )
    return out


def planes_of(values: ArrayLike) -> NDArray[np.float64]:
    """Return module planes as the engines take them: float64 (m, 3).

    Raises
    ------
    ValueError
        They are of another shape.
    """
    planes = _floats(values)
    if planes.ndim != 2 or planes.shape[1] != 3:
        raise ValueError(f"planes have shape {planes.shape}, not (m, 3)")
    return planes


def profile_of(horizon: ArrayLike | None) -> NDArray[np.float64]:
    """Return a horizon as the engines take it: float64 (720,), or empty where none is given.

    Raises
    ------
    ValueError
        It is of another shape.
    """
    if horizon is None:
        return _OPEN
    profile = _floats(horizon)
    require_size(HORIZON_AZIMUTHS, horizon=profile)
    return profile


def _floats(values: ArrayLike) -> NDArray[np.float64]:
    return np.ascontiguousarray(values, dtype=np.float64)


_PLACE = (TABLE, VECTOR, types.float64, types.float64)


@register_jitable
def simplified_into(place, weather, planes, system, out):  # type: ignore[no-untyped-def]
    """Fill `out` as `simplified` says."""
    direction, e0, lat, lon = place
    ghi, temp_air = weather
    performance_ratio, temp_coeff = system
    east, north, up, dni, dhi, circumsolar, isotropic, band = np.empty((8, ghi.size))
    place_sun(direction, lat, lon, east, north, up)
    erbs_into(ghi, up, e0, dni, dhi)
    haydavies_into(dni, dhi, up, e0, circumsolar, isotropic, band)
    for p in range(len(planes)):
        (to_east, to_north, level), _ = upright(planes[p, 0], planes[p, 1])
        of_sky, of_ground = (1.0 + level) / 2.0, (1.0 - level) / 2.0 * ALBEDO
        for i in range(ghi.size):
            g = ghi[i]
            if math.isnan(g) or math.isnan(temp_air[i]):
                out[p, i] = math.nan
                continue
            if g <= 0.0:
                out[p, i] = 0.0
                continue
            facing = max(to_east * east[i] + to_north * north[i] + level * up[i], 0.0)
            plane = (dni[i] + circumsolar[i]) * facing + isotropic[i] * of_sky + g * of_ground
            temperature = simple_temperature(plane, temp_air[i])
            out[p, i] = planes[p, 2] * performance_ratio * linear(plane, temperature, temp_coeff)


@compiled(types.Tuple(_PLACE), types.UniTuple(VECTOR, 2), TABLE, types.UniTuple(types.float64, 2), ROWS)
def _simplified(place, weather, planes, system, out):  # type: ignore[no-untyped-def]
    simplified_into(place, weather, planes, system, out)


@register_jitable
def precise_into(place, weather, planes, system, horizon, out):  # type: ignore[no-untyped-def]
    """Fill `out` as `precise` says; an empty horizon is none."""
    direction, e0, lat, lon, pressure = place
    ghi, temp_air, wind_speed = weather
    performance_ratio, temp_coeff = system
    east, north, up, elevation, masses, dni, dhi, circumsolar, isotropic, band = np.empty((10, ghi.size))
    place_sun(direction, lat, lon, east, north, up)
    lift_sun(pressure, east, north, up, elevation)
    for i in range(ghi.size):
        if up[i] > 0.0:
            masses[i] = air_mass(elevation[i])
    light = up, elevation, masses
    skartveit_into(ghi, light, e0, pressure, dni, dhi)
    perez_into(dni, dhi, light, e0, circumsolar, isotropic, band)
    if horizon.size:
        for i in range(ghi.size):
            if up[i] > 0.0 and hidden_by(horizon, elevation[i], east[i], north[i]):
                dni[i] = circumsolar[i] = 0.0
    for p in range(len(planes)):
        (to_east, to_north, level), of_band = upright(planes[p, 0], planes[p, 1])
        of_sky, of_ground = (1.0 + level) / 2.0, (1.0 - level) / 2.0 * ALBEDO
        sky_passes, ground_passes = diffuse_modifiers(planes[p, 0])
        for i in range(ghi.size):
            g = ghi[i]
            if math.isnan(g) or math.isnan(temp_air[i]) or math.isnan(wind_speed[i]):
                out[p, i] = math.nan
                continue
            if g <= 0.0:
                out[p, i] = 0.0
                continue
            facing = max(to_east * east[i] + to_north * north[i] + level * up[i], 0.0)
            sunny = (dni[i] + circumsolar[i]) * facing
            sky = isotropic[i] * of_sky + band[i] * of_band
            ground = g * of_ground
            plane = max(sunny + sky + ground, 0.0)
            effective = max(sunny * beam_modifier(facing) + sky * sky_passes + ground * ground_passes, 0.0)
            temperature = faiman(plane, temp_air[i], wind_speed[i] * MODULE_HEIGHT, _U0, _U1)
            watts = huld(effective, temperature, _K1, _K2, temp_coeff, 0.0, 0.0, 0.0)
            out[p, i] = planes[p, 2] * performance_ratio * watts


@compiled(
    types.Tuple((*_PLACE, types.float64)),
    types.UniTuple(VECTOR, 3),
    TABLE,
    types.UniTuple(types.float64, 2),
    VECTOR,
    ROWS,
)
def _precise(place, weather, planes, system, horizon, out):  # type: ignore[no-untyped-def]
    precise_into(place, weather, planes, system, horizon, out)
