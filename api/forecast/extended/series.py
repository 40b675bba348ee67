"""The hours of an extended forecast: those of the regional model, then those of the external service."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from api.forecast.body import HOUR_S
from catalog.sources.locationforecast import PointForecast
from kernels.hourly import at_moments, hour_means

Floats = NDArray[np.float64]


class ExternalHours(NamedTuple):
    """Hourly means from the external service.

    Parameters
    ----------
    starts : int64 (n,)
        Starts of the hours, unix seconds, each an hour after the one before.
    ghi : float64 (n,)
        W/m2, in tenths, as it is printed.
    cloud : float64 (n,)
        Cloud fraction, 0-1.
    temp_air, wind_speed : float64 (n,)
        degC, m/s.
    """

    starts: NDArray[np.int64]
    ghi: Floats
    cloud: Floats
    temp_air: Floats
    wind_speed: Floats


def external_hours(
    weather: PointForecast, turbidity: Floats, lat: float, lon: float, first: int
) -> ExternalHours | None:
    """Return the hours from one on that the external service covers whole.

    Its far steps are filled evenly in cloud and temperature; irradiance is the clear sky at the height that the service
    gives, under that cloud (Kasten & Czeplak).

    Parameters
    ----------
    weather : PointForecast
    turbidity : float64 (12,)
        Linke turbidity by month.
    lat, lon : float
        Degrees.
    first : int
        Start of the first hour that is wanted, unix seconds.

    Returns
    -------
    ExternalHours, or None where the service begins later than `first`, or ends before that hour does.
    """
    from kernels.clearsky import hours_at  # see api/engines.py
    from kernels.cloud import ghi_under_cloud

    if weather.times[0] > first or weather.times[-1] < first + HOUR_S:
        return None
    starts = np.arange(first, weather.times[-1], HOUR_S, dtype=np.int64)
    cloud, temp_air, wind_speed = (
        hour_means(weather.times, values, starts) for values in (weather.cloud, weather.temp_air, weather.wind_speed)
    )
    clear = hours_at(lat, lon, weather.altitude, at_moments(turbidity, starts), starts)
    under_cloud = np.empty(len(starts), np.float32)
    ghi_under_cloud(clear.astype(np.float32), cloud.astype(np.float32), under_cloud)
    return ExternalHours(starts, under_cloud.astype(np.float64).round(1), cloud, temp_air, wind_speed)
