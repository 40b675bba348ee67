"""From a plant and its weather to watts: the one place where the API calls the production kernels.

It imports them, so who answers on the event loop imports it when it is used: see `api/engines.py`.
"""

import struct

import numpy as np
from numpy.typing import NDArray

from api import texts
from api.errors import Unavailable
from api.forecast.body import Series
from api.forecast.production.plant import Plant
from api.forecast.production.weather import Weather
from kernels.packed import Packed
from kernels.printed import Fields, Rows
from kernels.production import PRECISE, SIMPLIFIED, precise, simplified
from kernels.production_rows import PrintedRows, precise_rows, simplified_rows

Lines = tuple[Rows, Fields]


def power_of(plant: Plant, weather: Weather, horizon: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Calculate what a plant produces.

    Parameters
    ----------
    plant : Plant
    weather : Weather
    horizon : float64 (720,), optional
        Elevation by azimuth, degrees; only the precise engine takes it.

    Returns
    -------
    float64 (m, n)
        Mean W over each of n hours, of each of m arrays.

    Raises
    ------
    Unavailable
        The weather lacks what the engine needs.
    """
    place, system = (plant.lat, plant.lon), (plant.performance_ratio, plant.temp_coeff_pmax)
    planes = np.frombuffer(_planes(plant)).reshape(-1, 3)
    ghi, temp_air, wind = weather.ghi, weather.temp_air, weather.wind_speed
    if not plant.precise:
        return simplified(weather.sun, *place, ghi, temp_air, planes, *system)
    if wind is None:
        raise Unavailable(texts.NO_WIND)
    return precise(weather.sun, *place, plant.altitude_m, ghi, temp_air, wind, planes, *system, horizon=horizon)


def engine_of(plant: Plant) -> str:
    """Return the name of the engine that calculates a plant, as answers give it."""
    return PRECISE if plant.precise else SIMPLIFIED


def printed_power(
    plant: Plant, series: Series, packed: bytes, first: int, lines: Lines, horizon: NDArray[np.float64] | None
) -> PrintedRows:
    """Calculate what a plant produces in the weather of a tile, and print it, and the irradiance, in one step.

    Parameters
    ----------
    plant : Plant
    series : Series
    packed : bytes
        From its `packed_weather`.
    first : int
        The row of it to begin with.
    lines : (Rows, Fields)
        As the engines take them.
    horizon : float64 (720,) or None
        As `power_of` takes it.

    Raises
    ------
    Unavailable
        The weather lacks what the engine needs.
    ValueError
        A number is none.
    """
    place, system = (plant.lat, plant.lon), (plant.performance_ratio, plant.temp_coeff_pmax)
    weather = Packed(packed, series.units, first)
    if not plant.precise:
        return simplified_rows(*lines, series.sun(first), *place, weather, _planes(plant), *system)
    if series.variables_of(packed) < 3:
        raise Unavailable(texts.NO_WIND)
    return precise_rows(*lines, series.sun(first), *place, plant.altitude_m, weather, _planes(plant), *system, horizon)


def _planes(plant: Plant) -> bytes:
    numbers = [number for array in plant.arrays for number in (array.tilt_deg, array.azimuth_deg, array.kwp)]
    return struct.pack(f"{len(numbers)}d", *numbers)
