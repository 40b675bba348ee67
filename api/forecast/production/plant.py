"""A plant, as a request describes it."""

from collections.abc import Sequence
from math import fsum
from typing import NamedTuple

from api.forecast.models import PvArray
from api.forecast.production.models import ForecastRequest


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


def plant_of(asked: ForecastRequest) -> Plant:
    """Return the plant of a request."""
    return Plant(
        asked.latitude,
        asked.longitude,
        asked.arrays,
        asked.performance_ratio,
        asked.temp_coeff_pmax,
        asked.precise,
        asked.altitude_m,
    )


def total_kwp(arrays: Sequence[PvArray]) -> float:
    """Return the power of all arrays, kWp: 250 times 0.1 is 25, not a little more than a plan allows."""
    return round(fsum([array.kwp for array in arrays]) * 1e9) / 1e9
