"""The snow on a plane of modules, day by day: it falls, slides, melts, and may stand so deep that it buries them."""

import math
from typing import NamedTuple

import numpy as np
from numba import types
from numba.extending import register_jitable
from numpy.typing import NDArray

from kernels.compiled import ROW, TABLE, VECTOR, WHOLE, compiled
from kernels.sizes import require_size
from kernels.snow.days import SnowWeather, months_since_epoch, require_ascending, require_light
from kernels.snow.panel import SLIDES, Panel, retention

FRESH_MM = 10.0
"""Depth of new snow that covers a plane it stays on. Proposed, as all numbers here but the two of Marion."""
BARE_MM = 10.0
"""Snow on the ground below which none is left on modules (Ryberg & Freeman 2017)."""

_SLIDE_PER_HOUR = 0.197  # Marion 2013
_WM2_PER_K = 80.0  # Marion 2013
_SWING_K, _WARMEST_HOUR = 4.0, 14.0
_MELT_MM_PER_K, _MELT_FROM_C, _MELT_MM_PER_KWH = 3.0, 0.5, 0.6
_DRY_MM = 1.0
_ON_FLAT_ROOF, _SLANT_MM = 0.8, 1100.0
_NEVER = math.inf

Floats = NDArray[np.float64]


class Cover(NamedTuple):
    """What snow does to modules; (n,) each.

    Parameters
    ----------
    coverage : float64, part of the plane that is covered, 0..1.
    loss : float64, part of the energy that the day could give that is lost, 0..1; 0 where there is none to lose.
    missing : bool, whether the weather of the day is.
    """

    coverage: Floats
    loss: Floats
    missing: NDArray[np.bool_]


def cover(days: NDArray[np.int64], weather: SnowWeather, light: Floats, panel: Panel, lon: float) -> Cover:
    """Follow the snow on a plane, from bare modules on.

    Parameters
    ----------
    days : int64 (n,)
        Counted from 1970-01-01, ascending; each begins at 06 UTC.
    weather : SnowWeather
        Of these days.
    light : float64 (12, 24)
        Mean irradiance on the plane by month and hour of the day in UTC, W/m2, as of `kernels.pv.mean_days`.
    panel : Panel
    lon : float
        Degrees east, for the local solar time.

    Returns
    -------
    Cover
        The snow of a day is that at its end, when it has slid and melted. A day without weather changes nothing.

    Raises
    ------
    ValueError
        Sizes do not agree, days do not ascend, or the light is none.

    Notes
    -----
    New snow of 10 mm depth covers the whole plane; of one steeper than 45 degrees, as large a part as what stays there
    (`kernels.snow.panel.retention`) covers 10 mm deep. On days without such snow it slides, by 0.197 sin(tilt) of the
    plane in every hour with light whose air temperature is above -G/80, G being the plane's irradiance in W/m2:
    Marion et al., Solar Energy 97 (2013) 112-121, with their coefficient of roof mounting replaced by a factor for each
    mounting; Ryberg & Freeman, NREL/TP-6A20-68705 (2017), for the ground without snow.
    They go by the hour; here the hours are those of the month's mean day, and the temperature swings by 4 K around the
    day's mean, warmest at 14 h.

    Proposals, to be calibrated on plants with snow: this way of making hours, the factors of mountings, the depth that
    covers, melting (3 mm for each K of the day's mean above 0.5 degrees C, and 0.6 mm for each kWh/m2 of irradiation),
    and the snow that stands on flat roofs (0.8 of the ground's depth, before modules of 1.1 m from edge to edge).
    Burial leaves the snow on the plane as it is. Releases the GIL.
    """
    require_ascending(days)
    months = months_since_epoch(days) % 12
    series = SnowWeather(*(np.ascontiguousarray(values, np.float64) for values in weather))
    require_size(days.size, **series._asdict())
    light = np.ascontiguousarray(light, np.float64)
    require_light(light)
    made = Cover(np.empty(days.size), np.empty(days.size), np.empty(days.size, np.bool_))
    _follow(months, tuple(series), light, float(lon), _numbers_of(panel), *made)
    return made


def _numbers_of(panel: Panel) -> tuple[float, ...]:
    """Return what the loop takes: sine of the tilt, slide by the hour, retention, depths of burial, strings."""
    sine = math.sin(math.radians(panel.tilt))
    return (
        sine,
        _SLIDE_PER_HOUR * sine * SLIDES[panel.mounting],
        retention(panel.tilt),
        float(panel.height_mm) if panel.mounting == "flat" else _NEVER,
        _NEVER if panel.burial_mm is None else float(panel.burial_mm),
        float(panel.strings) if panel.loss_mode == "strings" else 0.0,
    )


@register_jitable
def _slides_above(light, lon):  # type: ignore[no-untyped-def]
    """Give by month the day's mean temperatures above which snow slides in its hours with light, ascending."""
    limits = np.full((12, 24), _NEVER)
    for month in range(12):
        for hour in range(24):
            if light[month, hour] > 0.0:
                solar = hour + 0.5 + lon / 15.0
                swing = _SWING_K * math.cos(2.0 * math.pi * (solar - _WARMEST_HOUR) / 24.0)
                limits[month, hour] = -light[month, hour] / _WM2_PER_K - swing
        limits[month].sort()
    return limits


@register_jitable
def _hours_above(limits, temp_air):  # type: ignore[no-untyped-def]
    hours = 0
    while hours < limits.size and temp_air > limits[hours]:
        hours += 1
    return hours


@register_jitable
def _buried(snow_depth, sine, height, burial):  # type: ignore[no-untyped-def]
    """Give the part of a plane that the snow before it reaches, 0..1."""
    if snow_depth > burial:
        return 1.0
    above = snow_depth * _ON_FLAT_ROOF - height
    if above <= 0.0:
        return 0.0
    rise = _SLANT_MM * sine
    return 1.0 if above >= rise else above / rise


@register_jitable
def _lost(coverage, strings):  # type: ignore[no-untyped-def]
    if strings == 0.0:
        return coverage
    # Not one string more for the last digit of a part that is whole.
    return max(math.ceil(coverage * strings - 1e-9), 0.0) / strings


_MISSING = types.Array(types.boolean, 1, "C")


@compiled(
    *(WHOLE, types.UniTuple(VECTOR, 4), TABLE, types.float64, types.UniTuple(types.float64, 6)), *(ROW, ROW, _MISSING)
)
def _follow(months, weather, light, lon, panel, coverage, loss, missing):  # type: ignore[no-untyped-def]
    new_snow, new_snow_depth, snow_depth, temp_air = weather
    sine, slide, retained, height, burial, strings = panel
    limits = _slides_above(light, lon)
    kwh = light.sum(axis=1) / 1000.0
    covered = water = 0.0
    for i in range(months.size):
        month, buried = months[i], 0.0
        missing[i] = math.isnan(new_snow[i] + new_snow_depth[i] + snow_depth[i] + temp_air[i])
        if not missing[i]:
            if new_snow_depth[i] >= FRESH_MM:
                covered = max(covered, min(retained * new_snow_depth[i] / FRESH_MM, 1.0))
                water += retained * new_snow[i]
            elif covered > 0.0:
                left = max(covered - slide * _hours_above(limits[month], temp_air[i]), 0.0)
                water *= left / covered
                covered = left
            if covered > 0.0:
                water -= _MELT_MM_PER_K * max(temp_air[i] - _MELT_FROM_C, 0.0) + _MELT_MM_PER_KWH * kwh[month]
                if water < _DRY_MM or snow_depth[i] < BARE_MM:
                    covered = water = 0.0
            buried = _buried(snow_depth[i], sine, height, burial)
        coverage[i] = max(covered, buried)
        loss[i] = _lost(coverage[i], strings) if kwh[month] > 0.0 else 0.0
