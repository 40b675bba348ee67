"""From a plant and its weather to watts: the one place where the API calls the production kernels."""

from collections.abc import Sequence
from math import fsum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from api import texts
from api.errors import Unavailable
from api.forecast.body import Weather
from api.forecast.models import PvArray


class Plant(NamedTuple):
    """What stands somewhere.

    Parameters
    ----------
    lat, lon : float
        Degrees north and east.
    arrays : sequence of PvArray
        At least one.
    performance_ratio : float
    temp_coeff_pmax : float
        Per degree C.
    precise : bool
        Which engine.
    altitude_m : float
        Metres above sea level; for the precise engine.
    """

    lat: float
    lon: float
    arrays: Sequence[PvArray]
    performance_ratio: float
    temp_coeff_pmax: float
    precise: bool = False
    altitude_m: float = 0.0


class Power(NamedTuple):
    """What a plant produces.

    Parameters
    ----------
    watts : float64 (m, n)
        Mean over each of n hours, of each of m arrays.
    engine : str
        As answers name it.
    horizon_applied : bool
    """

    watts: NDArray[np.float64]
    engine: str
    horizon_applied: bool


def total_kwp(arrays: Sequence[PvArray]) -> float:
    """Return the power of all arrays, kWp: 250 times 0.1 is 25, not a little more than a plan allows."""
    return round(fsum(array.kwp for array in arrays), 9)


def power_of(plant: Plant, weather: Weather, horizon: NDArray[np.float64] | None = None) -> Power:
    """Calculate what a plant produces.

    Parameters
    ----------
    plant : Plant
    weather : Weather
    horizon : float64 (720,), optional
        Elevation by azimuth, degrees; only the precise engine takes it.

    Raises
    ------
    Unavailable
        The weather lacks what the engine needs.
    """
    from kernels.production import PRECISE, SIMPLIFIED, Planes, precise, simplified  # see api/engines.py

    planes = Planes(
        np.array([array.tilt_deg for array in plant.arrays], np.float64),
        np.array([array.azimuth_deg for array in plant.arrays], np.float64),
        np.array([array.kwp for array in plant.arrays], np.float64),
    )
    place, system = (plant.lat, plant.lon), (plant.performance_ratio, plant.temp_coeff_pmax)
    if not plant.precise:
        watts = simplified(weather.sun, *place, weather.ghi, weather.temp_air, planes, *system)
        return Power(watts, SIMPLIFIED, False)
    if weather.wind_speed is None:
        raise Unavailable(texts.NO_WIND)
    watts = precise(
        weather.sun,
        *place,
        plant.altitude_m,
        weather.ghi,
        weather.temp_air,
        weather.wind_speed,
        planes,
        *system,
        horizon=horizon,
    )
    return Power(watts, PRECISE, horizon is not None)
