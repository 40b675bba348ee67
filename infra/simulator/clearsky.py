"""The sun and the cloudless sky over a list of places, by pvlib.

The sun is pvlib's SPA (right ascension, declination and sidereal time of each moment) with SPA's
refraction; the sky is pvlib's Ineichen with the climatological Linke turbidity at the height of the relief.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pvlib
from numpy.typing import NDArray
from pvlib import spa
from scipy.interpolate import CubicSpline

from infra.simulator.relief import Ground

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

_DELTA_T = 67.0  # s, pvlib's own default for these decades
_SOLAR_CONSTANT = 1361.0
_NODES_S = 64800.0
_LOWEST = -1.0  # degrees; where the sun is lower everywhere, nothing is computed
_MID_MONTH = np.array([15.5, 45, 74.5, 105, 135.5, 166, 196.5, 227.5, 258, 288.5, 319, 349.5])


class Sun(NamedTuple):
    """Where the sun is at some moments; arrays (n_times,)."""

    declination: Doubles  # rad
    greenwich: Doubles  # hour angle at longitude 0, rad
    extra: Doubles  # normal irradiance outside the atmosphere, W/m2


def sun_at(times: Doubles) -> Sun:
    """Return the sun's position at moments (n_times,) in unix seconds, by pvlib's SPA."""
    return _sun_at(times.tobytes())


@lru_cache(maxsize=512)  # every block of places asks for the same moments, and SPA takes milliseconds
def _sun_at(times_bytes: bytes) -> Sun:
    times = np.frombuffer(times_bytes, dtype=np.float64)
    if times.size < 1.5 * (np.ptp(times) / _NODES_S + 10):
        return _by_spa(times)
    # between nodes, of which four before and after keep the spline's ends away
    nodes = np.arange(times.min() // _NODES_S - 4, times.max() // _NODES_S + 6) * _NODES_S
    sun = _by_spa(nodes)
    # the hour angle less a turn a day is the equation of time, which is smooth
    equation = np.unwrap(sun.greenwich - 2 * np.pi * nodes / 86400)
    declination, equation, extra = CubicSpline(nodes, [sun.declination, equation, sun.extra], axis=1)(times)
    return Sun(declination, equation + 2 * np.pi * times / 86400, extra)


def _by_spa(times: Doubles) -> Sun:
    sidereal, ascension, declination = spa.solar_position_numpy(times, 0, 0, 0, 0, 0, _DELTA_T, 0, 1, sst=True)
    (distance,) = spa.solar_position_numpy(times, 0, 0, 0, 0, 0, _DELTA_T, 0, 1, esd=True)
    return Sun(np.radians(declination), np.radians(sidereal - ascension), _SOLAR_CONSTANT / distance**2)


def day_of_year(times: Doubles) -> Doubles:
    """Return days since the start of the year (UTC), with the part of the day; 0 at the first midnight."""
    moments = times.astype("datetime64[s]")
    return np.asarray((moments - moments.astype("datetime64[Y]")).astype(np.float64) / 86400)


class ClearSky:
    """The sun's height and the cloudless sky over a fixed list of places.

    Parameters
    ----------
    lat, lon : (n,) float64
        Degrees north and east.
    ground : Ground
        What lies under them.
    """

    def __init__(self, lat: Doubles, lon: Doubles, ground: Ground):
        phi, lam = np.radians(lat), np.radians(lon)
        # the zenith as a unit vector, so that the sine of the sun's height is one matrix product
        self._zenith = np.array([np.sin(phi), np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam)], dtype=np.float32)
        self._ground = ground
        self._pressure = pvlib.atmosphere.alt2pres(ground.altitude).astype(np.float32)

    def sine_of_height(self, sun: Sun) -> Floats:
        """Return the sine of the sun's true elevation, (n_times, n)."""
        cos_d = np.cos(sun.declination)
        towards = [np.sin(sun.declination), cos_d * np.cos(sun.greenwich), -cos_d * np.sin(sun.greenwich)]
        return np.asarray(np.array(towards, dtype=np.float32).T @ self._zenith)

    def ghi(self, sun: Sun, times: Doubles) -> tuple[Floats, Floats]:
        """Return the cloudless global irradiance and the cosine of the apparent zenith angle.

        Parameters
        ----------
        sun : Sun
            `sun_at(times)`.
        times : (n_times,) float64
            Unix seconds.

        Returns
        -------
        ghi : (n_times, n) float32
            W/m2; 0 where the sun is below the apparent horizon.
        mu : (n_times, n) float32
            Cosine of the apparent zenith angle, at least 0.
        """
        height = self.sine_of_height(sun)
        if float(height.max(initial=-1.0)) < np.sin(np.radians(_LOWEST)):
            return np.zeros_like(height), np.zeros_like(height)
        elevation = np.degrees(np.arcsin(np.clip(height, -1, 1)))
        true = np.maximum(elevation, np.float32(_LOWEST))  # the refraction formula has a pole at -5 degrees
        zenith = np.float32(90) - true
        zenith -= spa.atmospheric_refraction_correction(self._pressure / 100, 5.0, true, 0.5667).astype(np.float32)
        mass = pvlib.atmosphere.get_relative_airmass(zenith)
        absolute = pvlib.atmosphere.get_absolute_airmass(mass, self._pressure)
        # Linke's turbidity between the middles of the months
        shares = [np.interp(day_of_year(times), _MID_MONTH, month, period=365.25) for month in np.eye(12)]
        turbidity = np.array(shares, dtype=np.float32).T @ self._ground.turbidity
        extra = sun.extra.astype(np.float32)[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):  # below the horizon, where pvlib answers 0
            sky = pvlib.clearsky.ineichen(zenith, absolute, turbidity, self._ground.altitude, dni_extra=extra)
        mu = np.maximum(np.cos(np.radians(zenith)), np.float32(0))
        return np.asarray(sky["ghi"], dtype=np.float32), np.asarray(mu, dtype=np.float32)
