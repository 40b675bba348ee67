"""What production is computed from, out of a tile."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from api.forecast.body import Series
from kernels.packed import Packed, unpack
from kernels.sun import SunTable


class Weather(NamedTuple):
    """What production is computed from, by the hour.

    Parameters
    ----------
    sun : SunTable
        At the middle of each of n hours.
    ghi, temp_air : float64 (n,)
        Means over the hour, W/m2 and degC.
    wind_speed : float64 (n,) or None
        10 m above ground, m/s; None where the source has none.
    """

    sun: SunTable
    ghi: NDArray[np.float64]
    temp_air: NDArray[np.float64]
    wind_speed: NDArray[np.float64] | None


def weather_of(series: Series, packed: bytes, first: int = 0) -> Weather:
    """Return hourly weather from a row on.

    Parameters
    ----------
    series : Series
    packed : bytes
        From its `packed_weather`.
    first : int
    """
    ghi, temp_air, *wind = unpack(Packed(packed, series.units, first), series.variables_of(packed))
    return Weather(series.sun(first), ghi, temp_air, wind[0] if wind else None)
