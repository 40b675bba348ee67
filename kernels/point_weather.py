"""Hourly weather at a place from instants that lie hours apart, with the irradiance under its cloud."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernels.clearsky import hours_at
from kernels.cloud import ghi_under_cloud
from kernels.hourly import HOUR_SECONDS, at_moments, hour_means


class HourlyWeather(NamedTuple):
    """Means over n hours.

    Parameters
    ----------
    starts : int64 (n,)
        Unix seconds, each an hour after the one before.
    ghi : float64 (n,)
        W/m2.
    cloud : float64 (n,)
        Cloud fraction, 0-1.
    temp_air, wind_speed : float64 (n,)
        In the units given.
    """

    starts: NDArray[np.int64]
    ghi: NDArray[np.float64]
    cloud: NDArray[np.float64]
    temp_air: NDArray[np.float64]
    wind_speed: NDArray[np.float64]


def hourly_weather(
    times: NDArray[np.int64],
    cloud: NDArray[np.float64],
    temp_air: NDArray[np.float64],
    wind_speed: NDArray[np.float64],
    lat: float,
    lon: float,
    altitude: float,
    turbidity: ArrayLike,
    first: int,
) -> HourlyWeather:
    """Return the hours from one on that instants cover whole.

    Cloud, temperature and wind change evenly between instants; irradiance is the clear sky under that cloud.

    Parameters
    ----------
    times : int64 (m,)
        Unix seconds, whole hours, ascending; they may lie hours apart.
    cloud, temp_air, wind_speed : float64 (m,)
        At these instants; cloud as a fraction.
    lat, lon : float
        Degrees.
    altitude : float
        m above sea level.
    turbidity : float (12,)
        Linke turbidity from January to December.
    first : int
        Start of the first hour, unix seconds; no hours are returned where the instants end before that hour does.

    Raises
    ------
    ValueError
        The instants begin later than `first`, or as `hour_means`.

    Notes
    -----
    Sources: `kernels.clearsky` (Ineichen & Perez), `kernels.cloud` (Kasten & Czeplak).
    """
    starts = np.arange(first, times[-1], HOUR_SECONDS, dtype=np.int64)
    cloud, temp_air, wind_speed = (hour_means(times, values, starts) for values in (cloud, temp_air, wind_speed))
    clear = hours_at(lat, lon, altitude, at_moments(turbidity, starts), starts)
    ghi = np.empty(len(starts), np.float32)
    ghi_under_cloud(clear.astype(np.float32), cloud.astype(np.float32), ghi)
    return HourlyWeather(starts, ghi.astype(np.float64), cloud, temp_air, wind_speed)
