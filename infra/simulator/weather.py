"""The truth: one synthetic weather over the Nordic countries, a function of place and time and of nothing
else.

Cloud, temperature, wind and humidity follow the same travelling patterns, so that a front is cloudy, windy
and mild at once. The sources of the simulator show this weather, each with its own error.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from infra.simulator import clouds
from infra.simulator.clearsky import ClearSky, day_of_year, sun_at
from infra.simulator.forecast_error import NO_ERROR, ForecastError
from infra.simulator.relief import ground
from infra.simulator.waves import Basis, Patterns

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
ErrorAt = Callable[[Doubles], ForecastError]

BLOCK = 4_096  # places at once: the temporaries then stay in the processor's cache
SUBSTEPS = 6  # moments to an hour mean: the middles of as many equal parts
_HEAT_LAG_S = 5400.0


def _column(values: ArrayLike) -> Floats:
    return np.asarray(values, dtype=np.float32)[:, None]


class Weather:
    """The weather over a fixed list of places.

    Parameters
    ----------
    lat, lon : (n,) float64
        Degrees north and east.

    Raises
    ------
    ValueError
        A place lies outside what the maps cover.
    """

    def __init__(self, lat: Doubles, lon: Doubles):
        self.ground = ground(lat, lon)
        self._lat = lat.astype(np.float32)
        self._solar_s = (lon * 240).astype(np.float32)
        self._sky = ClearSky(lat, lon, self.ground)
        self._waves = Basis(lat, lon)

    def surface(self, times: Doubles, error: ForecastError = NO_ERROR) -> dict[str, Floats]:
        """Return what `truth` has, without irradiance, which is the costly part.

        Parameters
        ----------
        times : (n_times,) float64
            Unix seconds.
        error : ForecastError
            Of a forecast at these moments.

        Returns
        -------
        dict of (n_times, n) float32
        """
        patterns, heat, logit = self._cloud(times, error)
        cloud = clouds.fraction(logit)
        season = _column(np.cos(2 * np.pi * (day_of_year(times) - 15) / 365.25))  # 1 in mid January
        calm = (2.4 + 3.4 * (1 - self.ground.inland) + 1.5e-3 * self.ground.altitude) * (1 + 0.2 * season)
        gusty = np.exp(0.35 * patterns.synoptic + 0.15 * patterns.meso + 0.3 * patterns.fronts)
        speed = np.minimum(calm * gusty, np.float32(38)) * _column(error.wind)
        towards = 0.3 + 0.9 * patterns.quadrature + 0.2 * patterns.meso  # rad from east
        humidity = 0.70 + 0.22 * cloud - 0.30 * heat * (1 - cloud) + 0.05 * patterns.meso
        return {
            "cloud": cloud,
            "temp_air": self._temperature(times, patterns, cloud) + _column(error.temperature),
            "wind_speed": speed,
            "wind_east": speed * np.cos(towards),
            "wind_north": speed * np.sin(towards),
            "relative_humidity": np.clip(humidity, np.float32(0.12), np.float32(1)),
            "mslp": 1012 - (9 + 3 * season) * patterns.synoptic - 2 * patterns.fronts,
        }

    def air(self, times: Doubles, error: ForecastError = NO_ERROR) -> tuple[Floats, Patterns]:
        """Return the air temperature of `surface`, (n_times, n), and the patterns that made it."""
        patterns, _, logit = self._cloud(times, error)
        return self._temperature(times, patterns, clouds.fraction(logit)) + _column(error.temperature), patterns

    def ghi(self, times: Doubles, error: ForecastError = NO_ERROR, logit: Floats | None = None) -> Floats:
        """Return global horizontal irradiance alone, W/m2, (n_times, n); of other clouds where `logit` is given."""
        clear, mu = self._sky.ghi(sun_at(times), times)
        if not clear.any():
            return clear
        return clear * clouds.transmission(self._cloud(times, error)[2] if logit is None else logit, mu)

    def clear_ghi(self, times: Doubles) -> Floats:
        """Return what `ghi` would be without clouds."""
        return self._sky.ghi(sun_at(times), times)[0]

    def ghi_hour_mean(self, hour_starts: Doubles, error_at: ErrorAt = lambda _: NO_ERROR) -> Floats:
        """Return hour means of global horizontal irradiance, W/m2, (n_hours, n).

        Parameters
        ----------
        hour_starts : (n_hours,) float64
            Unix seconds.
        error_at : callable
            Gives a forecast's error at moments.
        """
        moments = (hour_starts[:, None] + 3600 * (np.arange(SUBSTEPS) + 0.5) / SUBSTEPS).ravel()
        values = self.ghi(moments, error_at(moments))
        return np.asarray(values.reshape(len(hour_starts), SUBSTEPS, -1).mean(axis=1))

    def sine_of_height(self, times: Doubles) -> Floats:
        """Return the sine of the sun's true elevation at moments (n_times,), (n_times, n)."""
        return self._sky.sine_of_height(sun_at(times))

    def _cloud(self, times: Doubles, error: ForecastError) -> tuple[Patterns, Floats, Floats]:
        """Return the patterns, how far the sun has heated the land (0-1), and the logit of cloud."""
        patterns = self._waves.at(times, error)
        heat = np.maximum(self.sine_of_height(times - _HEAT_LAG_S), np.float32(0)) * self.ground.inland
        return patterns, heat, clouds.cloud_logit(times, patterns, heat, self.ground) + _column(error.cloud)

    def _temperature(self, times: Doubles, patterns: Patterns, cloud: Floats) -> Floats:
        """Return air temperature at 2 m, degC: latitude, season, height, time of day, weather."""
        inland, north = self.ground.inland, self._lat - 60
        season = _column(np.cos(2 * np.pi * (day_of_year(times) - 205) / 365.25))  # 1 in late July
        winter = np.maximum(-season, np.float32(0))
        mean = 7.5 - (0.30 + 0.35 * inland) * north - 0.006 * self.ground.altitude
        solar_day = 2 * np.pi * ((_column(times % 86400) + self._solar_s) / 86400 - 15 / 24)  # warmest at 15 solar time
        noon = np.sin(np.radians(90 - self._lat) + _column(sun_at(times).declination))
        swing = (0.8 + 5.0 * inland * (1 - 0.7 * cloud)) * np.maximum(noon, np.float32(0.05))
        air_mass = 2.2 * np.tanh(patterns.quadrature / 2) * (1 + winter)
        clear_night = -6.0 * inland * winter * (1 - cloud)
        return np.asarray(
            mean + (5.5 + 7.0 * inland) * season + swing * np.cos(solar_day) + air_mass + clear_night,
            dtype=np.float32,
        )


def truth(lat: ArrayLike, lon: ArrayLike, unix_times: ArrayLike) -> dict[str, Floats]:
    """Return the true weather at places and moments.

    Parameters
    ----------
    lat, lon : float or arrays that broadcast together
        Degrees north and east, inside 45-82 N, 20 W - 70 E.
    unix_times : int or (n_times,) array
        Unix seconds.

    Returns
    -------
    dict of (n_times, *shape of the places) float32
        At the moment itself: `ghi` and `ghi_clear` (W/m2), `cloud` (0-1), `temp_air` (degC), `wind_speed`,
        `wind_east`, `wind_north` (m/s), `relative_humidity` (0-1), `mslp` (hPa).

    Raises
    ------
    ValueError
        A place lies outside what the maps cover.
    """
    weather, times, shaped = _broadcast(lat, lon, unix_times)
    values = {"ghi": weather.ghi(times), "ghi_clear": weather.clear_ghi(times), **weather.surface(times)}
    return {name: shaped(of) for name, of in values.items()}


def true_hour_mean_ghi(lat: ArrayLike, lon: ArrayLike, hour_starts: ArrayLike) -> Floats:
    """Return true hour means of global horizontal irradiance, W/m2, (n_hours, *shape of the places).

    Parameters are those of `truth`, with the starts of the hours (or any moments) for the moments.
    """
    weather, times, shaped = _broadcast(lat, lon, hour_starts)
    return shaped(weather.ghi_hour_mean(times))


def _broadcast(lat: ArrayLike, lon: ArrayLike, times: ArrayLike) -> tuple[Weather, Doubles, Callable[[Floats], Floats]]:
    """Return the weather over the places, the times, and what gives values the shape (n_times, *places)."""
    lats, lons = np.broadcast_arrays(np.asarray(lat, dtype=np.float64), np.asarray(lon, dtype=np.float64))
    moments = np.atleast_1d(np.asarray(times, dtype=np.float64))
    return Weather(lats.ravel(), lons.ravel()), moments, lambda values: values.reshape(-1, *lats.shape)
