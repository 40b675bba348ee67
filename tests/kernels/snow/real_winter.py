"""The real winter of 2022-23 of two towns, as the daily model takes it.

What a station reports on the morning of a date, at 06 UTC, is of the day that begins the morning before. The files have
0 for what is missing. As missing is taken

- a temperature where the day's lowest is above its highest;
- snow depth from the first morning on at which more than 20 cm have gone overnight, to the end of May (of the stations
  here this is Tromso from 11 April on: 94 cm the day before).

New snow is the rise of the depth; its water what fell at less than 1 degree. All other zeros are believed.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kernels.snow.cloudless import cloudless_days
from kernels.snow.cover import SnowWeather

SHARE = 0.5
"""Of the cloudless light, as `snow_factors` takes it."""
_VANISHED_MM = 200.0
_SNOW_BELOW_C = 1.0


class Town(NamedTuple):
    lat: float
    lon: float
    altitude: float
    turbidity: list[float]
    """In the middle of each month (SoDa's climatology)."""


class Winter(NamedTuple):
    days: NDArray[np.int64]
    weather: SnowWeather


TOWNS = {
    "oslo": Town(59.94, 10.72, 94.0, [2.6, 2.75, 3.0, 3.26, 3.5, 3.71, 3.94, 4.12, 3.84, 3.27, 2.98, 2.05]),
    "tromso": Town(69.68, 18.91, 8.0, [2.02, 1.8, 2.1, 2.44, 2.89, 2.99, 3.05, 3.63, 3.21, 2.61, 2.0, 2.02]),
}


def winter(folder: Path, town: str) -> Winter:
    frame = pd.read_csv(folder / "snow" / f"seklima_{town}-daily.csv", encoding="utf-8-sig")
    dates = pd.to_datetime(frame["date"], format="%d.%m.%Y").to_numpy().astype("datetime64[D]")
    low, high, depth_cm, water = (
        frame[name].to_numpy(float) for name in ("min temperature", "max temperature", "snow depth", "precipitation")
    )
    depth = _without_vanished(10.0 * depth_cm, dates)
    temp_air = np.where(low > high, np.nan, (low + high) / 2)
    rise = np.maximum(np.diff(depth, prepend=0.0), 0.0)
    new_snow = np.where(temp_air < _SNOW_BELOW_C, water, np.where(np.isnan(temp_air), np.nan, 0.0))
    return Winter(dates.astype(np.int64) - 1, SnowWeather(new_snow, rise, depth, temp_air))


def light(town: str, tilt: float = 30.0, azimuth: float = 180.0) -> NDArray[np.float64]:
    place = TOWNS[town]
    days: NDArray[np.float64] = cloudless_days(*place[:3], np.array(place.turbidity), [(tilt, azimuth)], SHARE)[0]
    return days


def _without_vanished(depth: NDArray[np.float64], dates: NDArray[np.datetime64]) -> NDArray[np.float64]:
    gone = np.flatnonzero((depth[1:] == 0) & (depth[:-1] > _VANISHED_MM))
    if not gone.size:
        return depth
    begin = dates[gone[0] + 1]
    june = begin.astype("datetime64[Y]").astype("datetime64[M]") + 5
    return np.where((dates >= begin) & (dates < june), np.nan, depth)
