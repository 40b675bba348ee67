"""From a plant and its weather to watts: the one place where the API calls the production kernels.

It imports them, so who answers on the event loop imports it when it is used: see `api/engines.py`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from api import texts
from api.errors import Unavailable
from api.forecast.production.plant import Plant
from api.forecast.production.weather import Weather
from kernels.production import PRECISE, SIMPLIFIED, precise, simplified


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
    planes = np.array([(array.tilt_deg, array.azimuth_deg, array.kwp) for array in plant.arrays], np.float64)
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
