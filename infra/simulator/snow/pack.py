"""The days of cells: temperature and new snow from the truth's patterns, and the snow that lies.

Day d begins at 06 UTC of d. A snow year begins bare on 1 September: any of them can be had without those before.
"""

import threading
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infra.simulator.forecast_error import NO_ERROR, forecast_error
from infra.simulator.snow.cells import Cells, where
from infra.simulator.snow.normals import DAY_START_S, MOMENTS_H, climate, mean_wetness, moments, waves, wetness
from infra.simulator.snow.years import anomaly_k, wet_factor
from infra.simulator.weather import Weather

Floats = NDArray[np.float32]
Days = NDArray[np.int64]

# For so many places at most so many days at once, so that the temporaries stay in the processor's cache. There are few
# sizes, and blocks begin at multiples of them: the sun's course is costly, and kept by the moments that were asked.
_DAYS_AT_ONCE = ((64, 256), (512, 32))
_FEWEST_AT_ONCE = 8
_ALL_SNOW, _ALL_RAIN = -0.5, 1.5  # degC
_WET_SUMMER, _WET_WINTER = -0.45, 0.35  # how the year's wave goes, of inland and coastal precipitation
_MELT, _MELT_SEASON = 3.5, 1.0  # mm a day and K; the second less in midwinter, more in midsummer
_NEW_DENSITY, _DRY_DENSITY, _WET_DENSITY = 100.0, 320.0, 450.0  # kg/m3
_SETTLING, _WET_SETTLING = 0.02, 0.06  # of the way to it, a day
# In winter, of wet moments, for each mean of wetness above it: lows bring air from the sea, most where most rain falls.
_MILD_K, _MILD_MM = 2.2, (500.0, 2000.0)
_LEAST_MM = 0.5  # a thinner cover is none
_COMPUTING = threading.Lock()


class Snow(NamedTuple):
    """The days of n cells; float32 (n_days, n)."""

    temp_air: Floats  # degC, mean of the day
    new_snow: Floats  # mm water equivalent
    swe: Floats  # mm, at the end of the day
    snow_depth: Floats  # mm, likewise


class _Forcing(NamedTuple):
    temp_air: Floats
    new_snow: Floats
    thaw: Floats  # K above freezing, mean of the day


def snow_of_days(cells: Cells, first: int, last: int, today: int) -> Snow:
    """Return days of cells, from the snow years that were computed last: all themes of them are asked one by one.

    Parameters
    ----------
    cells : int64 (n,)
    first, last : int
        Days since 1970.
    today : int
        From this day on it is a forecast.
    """
    begins = _snow_year(first)
    with _COMPUTING:
        made = _snow_years(cells.tobytes(), begins, last, min(today, last + 1))
    return Snow(*(field[first - first_day(begins) :] for field in made))


@lru_cache(maxsize=16)
def _snow_years(cells: bytes, begins: int, last: int, today: int) -> Snow:
    return snow(np.frombuffer(cells, dtype=np.int64), range(begins, _snow_year(last) + 1), last, today)


def _snow_year(day: int) -> int:
    """Return the year in whose September a day's snow year begins."""
    year = 1970 + int(np.datetime64(day, "D").astype("datetime64[Y]").astype(np.int64))
    return year - (day < first_day(year))


def snow(cells: Cells, years: range, last: int, today: int) -> Snow:
    """Return snow years of cells.

    Parameters
    ----------
    cells : int64 (n,)
    years : range
        The years in which they begin.
    last : int
        The last day, since 1970, within the last of them.
    today : int
        From this day on it is a forecast.

    Returns
    -------
    Snow
        From 1 September of the first year to `last`.
    """
    starts = np.array([first_day(year) for year in years])
    days = np.arange(starts[0], last + 1)
    forcing = _forcing(cells, days, today)
    swe, depth = _cover(forcing, days, starts - starts[0])
    return Snow(forcing.temp_air, forcing.new_snow, swe, depth)


def first_day(year: int) -> int:
    """Return 1 September of a year, days since 1970."""
    return int(np.datetime64(f"{year}-09-01").astype("datetime64[D]").astype(np.int64))


class _Places:
    """What n places are like, and their weather of some days."""

    def __init__(self, cells: Cells) -> None:
        self._lat, lon, altitude = where(cells)
        self._weather = Weather(self._lat, lon)
        normal = climate(self._lat, lon, altitude, self._weather.ground.altitude)
        self._shift, self._day_mm = normal.shift, normal.year_mm / np.float32(365.25)
        self._goes = np.clip((normal.year_mm - 900) / 1500, _WET_SUMMER, _WET_WINTER)
        self._by_sea = np.clip((normal.year_mm - _MILD_MM[0]) / (_MILD_MM[1] - _MILD_MM[0]), 0.1, 1)

    def forcing(self, days: Days, issued: int | None = None) -> _Forcing:
        """Return the weather of days (n_days, n): what it was, or what was forecast at 06 UTC of a day."""
        times = moments(days)
        error = NO_ERROR if issued is None else forecast_error("nve_gts", int(issued * 86_400 + DAY_START_S), times)
        truth, patterns = self._weather.air(times, error)
        wave = waves(days)
        winter = wave[1]
        by_day = (len(days), len(MOMENTS_H), -1)
        wet = wetness(patterns).reshape(by_day) / np.float32(mean_wetness())
        mild = np.outer(_MILD_K / 2 * (1 + winter), self._by_sea).astype(np.float32)[:, None, :]
        shift = wave.T.astype(np.float32) @ self._shift + anomaly_k(days, winter, self._lat)
        temp_air = truth.reshape(by_day) + shift[:, None, :] + mild * np.minimum(wet - 1, np.float32(1.5))
        share = np.clip((_ALL_RAIN - temp_air) / np.float32(_ALL_RAIN - _ALL_SNOW), np.float32(0), np.float32(1))
        mm = wet_factor(days, self._lat) * (1 + np.outer(winter, self._goes)) * self._day_mm
        return _Forcing(
            temp_air.mean(axis=1),
            ((wet * share).mean(axis=1) * mm).astype(np.float32),
            np.maximum(temp_air, np.float32(0)).mean(axis=1),
        )


def _forcing(cells: Cells, days: Days, today: int) -> _Forcing:
    """Return the weather of days, by blocks; a day's is the same whatever other days are asked for."""
    places = _Places(cells)
    result = _Forcing(*(np.empty((len(days), len(cells)), dtype=np.float32) for _ in _Forcing._fields))
    size = next((size for most, size in _DAYS_AT_ONCE if len(cells) <= most), _FEWEST_AT_ONCE)
    observed = min(today, int(days[-1]) + 1)
    for first in range(int(days[0]) // size * size, observed, size):
        start, stop = max(first, int(days[0])), min(first + size, observed)
        for field, values in zip(result, places.forcing(np.arange(first, first + size)), strict=True):
            field[start - days[0] : stop - days[0]] = values[start - first : stop - first]
    ahead = days[days >= today]
    if len(ahead):
        for field, values in zip(result, places.forcing(ahead, issued=today), strict=True):
            field[-len(ahead) :] = values
    return result


def _cover(forcing: _Forcing, days: Days, starts: Days) -> tuple[Floats, Floats]:
    """Return water equivalent and depth at the ends of the days, all snow years at once.

    A day's snow falls on what lay; what lay settles; and a degree-day sum melts, at the density of the whole.
    """
    n_days, n = forcing.new_snow.shape
    swe_of, depth_of = np.zeros((n_days, n), dtype=np.float32), np.zeros((n_days, n), dtype=np.float32)
    lengths = np.diff([*starts, n_days])
    swe, depth = np.zeros((len(starts), n), dtype=np.float32), np.zeros((len(starts), n), dtype=np.float32)
    rate = (_MELT - _MELT_SEASON * waves(days + 25)[1]).astype(np.float32)
    for k in range(int(lengths.max())):
        going = np.flatnonzero(lengths > k)
        rows = starts[going] + k
        new, thaw = forcing.new_snow[rows], forcing.thaw[rows]
        wet = np.minimum(thaw, np.float32(1))
        before = np.maximum(swe[going], np.float32(1e-6))
        old_density = np.float32(1000) * before / np.maximum(depth[going], np.float32(1e-6))
        limit = _DRY_DENSITY + wet * np.float32(_WET_DENSITY - _DRY_DENSITY)
        settled = np.maximum(old_density, old_density + (limit - old_density) * (_SETTLING + _WET_SETTLING * wet))
        deep = np.float32(1000) * swe[going] / settled + new * np.float32(1000 / _NEW_DENSITY)
        whole = swe[going] + new
        left = np.maximum(whole - rate[rows][:, None] * thaw, np.float32(0))
        left[left < _LEAST_MM] = 0
        deep *= left / np.maximum(whole, np.float32(1e-6))
        swe[going], depth[going] = left, deep
        swe_of[rows], depth_of[rows] = left, deep
    return swe_of, depth_of
