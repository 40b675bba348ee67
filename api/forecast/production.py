"""From a plant and its weather to watts, and to what an answer says of them.

It imports kernels, so who answers on the event loop imports it when it is used: see `api/core/engines.py`.
"""

import struct
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from api.forecast import problems
from api.forecast.days import Days
from api.forecast.place import total_kwp
from api.forecast.requests import Plant
from api.forecast.rows import Layout, RowTemplate, key
from api.forecast.series import Series, Sums
from api.forecast.snow.applied import OnPlant
from api.forecast.surroundings import AppliedHorizon
from kernels.packed import Packed, unpack
from kernels.printed import Fields, Rows, append_fields, whole_tenths
from kernels.production import PRECISE, SIMPLIFIED, precise, simplified
from kernels.production_rows import precise_rows, simplified_rows
from kernels.sun import SunTable

Floats = NDArray[np.float64]


class Weather(NamedTuple):
    """Hourly inputs of production.

    Parameters
    ----------
    sun : SunTable
        At the middle of each of n hours.
    ghi : float64 (n,)
        Mean over the hour, W/m2, in tenths.
    temp_air, wind_speed, cloud : float64 (n,) or None
        degC; 10 m above ground, m/s; fraction, NaN where not known. None where the source has none.
    """

    sun: SunTable
    ghi: Floats
    temp_air: Floats | None = None
    wind_speed: Floats | None = None
    cloud: Floats | None = None


class Printed(NamedTuple):
    """Hours as they are printed, and their sums.

    Parameters
    ----------
    text : bytes
        JSON of the series.
    sums : Sums
        Of the irradiance, or of all arrays together: whole tenths, so that every printed sum is exact.
    """

    text: bytes
    sums: Sums


def weather_of(series: Series, packed: bytes, first: int = 0) -> Weather:
    """Return hourly weather from a row on, of packed weather that a series gave."""
    names = series.variables_of(packed)
    ghi, *others = unpack(Packed(packed, series.units, first), len(names))
    return Weather(series.sun(first), ghi.round(1), **dict(zip(names[1:], others, strict=True)))


def power_of(plant: Plant, weather: Weather, horizon: Floats | None = None, snow: OnPlant | None = None) -> Floats:
    """Return what a plant produces.

    Parameters
    ----------
    plant : ForecastRequest or System
    weather : Weather
        With temperature.
    horizon : float64 (720,), optional
        Elevation by azimuth, degrees; only the precise engine takes it.
    snow : OnPlant, optional
        What it leaves of the power.

    Returns
    -------
    float64 (m, n)
        Mean W over each of n hours, of each of m arrays.

    Raises
    ------
    ApiError
        The weather lacks what the engine needs.
    """
    place, system = (plant.latitude, plant.longitude), _system(plant)
    planes, ghi, temp_air = planes_of(plant), weather.ghi, weather.temp_air
    if temp_air is None:
        raise problems.NO_WEATHER(variable="temp_air")
    if plant.precise:
        if (wind := weather.wind_speed) is None:
            raise problems.NO_WIND()
        watts = precise(weather.sun, *place, plant.altitude_m, ghi, temp_air, wind, planes, *system, horizon=horizon)
    else:
        watts = simplified(weather.sun, *place, ghi, temp_air, planes, *system)
    return watts if snow is None or snow.factors is None else watts * snow.factors


def power_columns(plant: Plant, watts: Floats) -> tuple[dict[str, Floats], Sums]:
    """Return power by array and of all together, W, and the energy of the hour, kWh, from (m, n) W; and their sums."""
    tenths, total, peak = whole_tenths(watts)
    columns = {name: tenths[row] / 10**decimals for name, row, decimals in _fields(_names(plant))}
    return columns, Sums(total, peak, [])


def print_power(plant: Plant, watts: Floats, rows: bytes, layout: Layout, days: Days) -> Printed:
    """Print what a plant produces.

    Parameters
    ----------
    plant : ForecastRequest or System
    watts : float64 (m, n)
        From `power_of`.
    rows : bytes
        What it is appended to, as `RowTemplate.render` gives it.
    layout : {"rows", "columns"}
        Of the same.
    days : Days

    Raises
    ------
    ValueError
        A number is none: the weather or the engine is wrong. No request can bring it about; it is logged as a fault.
    """
    fields = _printed_fields(_names(plant))
    tenths, total, peak = whole_tenths(watts)
    sums = Sums(total, peak, days.sums(tenths[-1]))
    if layout == "rows":
        return Printed(append_fields(Rows.of(rows), Fields.of(fields), tenths), sums)
    columns = (
        key + orjson.dumps(tenths[row] / 10**decimals, option=orjson.OPT_SERIALIZE_NUMPY)
        for key, row, decimals in fields
    )
    return Printed(b"%b%b}" % (rows[:-1], b"".join(columns)), sums)


def print_forecast(
    plant: Plant,
    series: Series,
    packed: bytes,
    first: int,
    layout: Layout,
    days: Days,
    horizon: Floats | None = None,
    snow: OnPlant | None = None,
) -> tuple[Printed, Printed]:
    """Print the irradiance in the weather of a tile, and what a plant produces in it.

    Parameters
    ----------
    plant : ForecastRequest or System
    series : Series
    packed : bytes
        From its `packed_weather`.
    first : int
        The row of it to begin with.
    layout : {"rows", "columns"}
    days : Days
    horizon : float64 (720,), optional
        As `power_of` takes it.
    snow : OnPlant, optional
        As `power_of` takes it.

    Returns
    -------
    Printed
        `ghi_timeseries`.
    Printed
        `pv_timeseries`.

    Raises
    ------
    ApiError
        The weather lacks what the engine needs.
    ValueError
        As `print_power`.
    """
    if plant.precise and "wind_speed" not in series.variables_of(packed):
        raise problems.NO_WIND()
    if layout == "columns" or (snow is not None and snow.factors is not None):
        ghi = series.packed_ghi(packed, first)
        rows = series.print(ghi, first, layout)
        watts = power_of(plant, weather_of(series, packed, first), horizon, snow)
        return Printed(rows, series.sums(ghi, days)), print_power(plant, watts, rows, layout, days)
    place, system = (plant.latitude, plant.longitude), _system(plant)
    lines = _rows(series.template(first)), _fields_after_ghi(_names(plant))
    packed = packed if plant.precise else series.part(packed, 2)
    weather, planes = Packed(packed, series.units, first), _planes(plant)
    if plant.precise:
        printed = precise_rows(
            *lines, series.sun(first), *place, plant.altitude_m, weather, planes, *system, horizon, days.ends
        )
    else:
        printed = simplified_rows(*lines, series.sun(first), *place, weather, planes, *system, days.ends)
    ghi_days, power_days = printed.days
    return (
        Printed(printed.irradiance, Sums(printed.ghi_total, printed.ghi_peak, ghi_days)),
        Printed(printed.power, Sums(printed.total, printed.peak, power_days)),
    )


def sums_of(power: Sums) -> dict[str, float]:
    """Return what is said of a plant over the whole series."""
    return {"peak_power_w": power.peak / 10, "total_production_kwh": power.total / 10_000}


def system_of(plant: Plant, horizon: AppliedHorizon, power: Sums) -> dict[str, Any]:
    """Return what is said of a plant."""
    return {
        "total_kwp": total_kwp(plant.arrays),
        "arrays": [array.__dict__ for array in plant.arrays],
        "performance_ratio": plant.performance_ratio,
        **sums_of(power),
        "engine": PRECISE if plant.precise else SIMPLIFIED,
        **horizon.fields,
    }


def texts_of(plant: Plant, printed: Printed, horizon: AppliedHorizon, snow: OnPlant | None) -> dict[str, bytes]:
    """Return the JSON of each of the fields that production adds to an answer."""
    system = system_of(plant, horizon, printed.sums)
    fields = {"pv_system": orjson.dumps(system), "pv_timeseries": printed.text}
    return fields if snow is None else {**fields, "snow": orjson.dumps(snow.fields)}


@lru_cache(maxsize=4)
def _rows(template: RowTemplate) -> Rows:
    return Rows.of(template.rows)


def _names(plant: Plant) -> tuple[str, ...]:
    return tuple([array.name for array in plant.arrays])


def _fields(names: Sequence[str]) -> list[tuple[str, int, int]]:
    """Return name, row of the values and decimals of what is printed of arrays with these names."""
    m = len(names)
    # The sum's tenths of a watt are ten-thousandths of a kilowatt hour.
    return [*((f"{name}_W", row, 1) for row, name in enumerate(names)), ("total_W", m, 1), ("total_kWh", m, 4)]


def _printed_fields(names: Sequence[str]) -> list[tuple[bytes, int, int]]:
    return [(b"," + key(name), row, decimals) for name, row, decimals in _fields(names)]


@lru_cache(maxsize=64)
def _fields_after_ghi(names: tuple[str, ...]) -> Fields:
    """Return the fields with irradiance as their first number, as the engines that print take them."""
    return Fields.of([(b"", len(names) + 1, 1), *_printed_fields(names)])


def _system(plant: Plant) -> tuple[float, float]:
    return plant.performance_ratio or 0.0, plant.temp_coeff_pmax


def _planes(plant: Plant) -> bytes:
    numbers = [number for array in plant.arrays for number in (array.tilt_deg, array.azimuth_deg, array.kwp)]
    return struct.pack(f"{len(numbers)}d", *numbers)


def planes_of(plant: Plant) -> Floats:
    """Return tilt, azimuth and kWp of each array, (m, 3)."""
    return np.frombuffer(_planes(plant)).reshape(-1, 3)
