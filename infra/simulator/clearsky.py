"""The sun and the cloudless sky over a list of places, by pvlib.

The sun is pvlib's SPA (right ascension, declination and sidereal time of each moment) with SPA's
refraction; the sky is pvlib's Ineichen with the climatological Linke turbidity at the height of the relief.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pvlib
from numpy.typing import NDArray
from pvlib import spa

from infra.simulator.relief import Ground

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

_DELTA_T = 67.0  # s, pvlib's own default for these decades
_SOLAR_CONSTANT = 1361.0
_NODES_S = 21600.0
# For many months of moments hours apart, as the snow authority's days have them; within 1e-8 rad.
_SPARSE_NODES_S = 86400.0
_MANY_MONTHS_S = 200 * 86400.0
_LOWEST = -1.0  # degrees; where the sun is lower everywhere, nothing is computed
_MID_MONTH = np.array([15.5, 45, 74.5, 105, 135.5, 166, 196.5, 227.5, 258, 288.5, 319, 349.5])


@dataclass(frozen=True)
class Sun:
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
    span = np.ptp(times) if times.size else 0.0
    if times.size > 4 * (span / _NODES_S + 4):
        return _between_nodes(times, _NODES_S)
    if span > _MANY_MONTHS_S and times.size > 3 * span / _SPARSE_NODES_S:
        return _between_nodes(times, _SPARSE_NODES_S)
    return _by_spa(times)


def _between_nodes(times: Doubles, apart: float) -> Sun:
    """Interpolate SPA between nodes, by cubics through four of them: 6 hours apart, within 1e-9 rad of it."""
    first = np.floor(times.min() / apart) - 1
    nodes = (first + np.arange(np.ceil(times.max() / apart) - first + 3)) * apart
    sun = _by_spa(nodes)
    place = times / apart - first
    base = np.floor(place).astype(np.int64) - 1  # the first of the four
    t = place - base
    weights = (
        -(t - 1) * (t - 2) * (t - 3) / 6,
        t * (t - 2) * (t - 3) / 2,
        -t * (t - 1) * (t - 3) / 2,
        t * (t - 1) * (t - 2) / 6,
    )

    def between(values: Doubles) -> Doubles:
        return np.asarray(sum(weight * values[base + k] for k, weight in enumerate(weights)))

    # the hour angle less a turn a day is the equation of time, which is smooth
    turns = 2 * np.pi * nodes / 86400
    equation = np.unwrap(sun.greenwich - turns % (2 * np.pi))
    return Sun(between(sun.declination), between(equation) + 2 * np.pi * times / 86400, between(sun.extra))


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
        # the zenith as a unit vector, so that a moment's cosines are three multiplications
        self._up = np.sin(phi).astype(np.float32)
        self._out = (np.cos(phi) * np.cos(lam)).astype(np.float32)
        self._east = (np.cos(phi) * np.sin(lam)).astype(np.float32)
        self._altitude = ground.altitude
        self._turbidity = ground.turbidity
        self._pressure = pvlib.atmosphere.alt2pres(ground.altitude).astype(np.float32)

    def sine_of_height(self, sun: Sun) -> Floats:
        """Return the sine of the sun's true elevation, (n_times, n)."""
        cos_d = np.cos(sun.declination)
        return np.asarray(
            _column(np.sin(sun.declination)) * self._up
            + _column(cos_d * np.cos(sun.greenwich)) * self._out
            - _column(cos_d * np.sin(sun.greenwich)) * self._east
        )

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
        apparent = true + spa.atmospheric_refraction_correction(
            self._pressure / np.float32(100), np.float32(5.0), true, np.float32(0.5667)
        ).astype(np.float32)
        zenith = np.float32(90) - apparent
        mass = pvlib.atmosphere.get_relative_airmass(zenith)
        absolute = pvlib.atmosphere.get_absolute_airmass(mass, self._pressure)
        with np.errstate(divide="ignore", invalid="ignore"):  # below the horizon, where pvlib answers 0
            sky = pvlib.clearsky.ineichen(
                zenith, absolute, self._linke(times), self._altitude, dni_extra=_column(sun.extra)
            )
        mu = np.maximum(np.cos(np.radians(zenith)), np.float32(0))
        return np.asarray(sky["ghi"], dtype=np.float32), np.asarray(mu, dtype=np.float32)

    def _linke(self, times: Doubles) -> Floats:
        """Interpolate the monthly turbidity between the middles of the months, (n_times, n)."""
        day = day_of_year(times)
        middles = np.concatenate([[_MID_MONTH[-1] - 365.25], _MID_MONTH, [_MID_MONTH[0] + 365.25]])
        before = np.clip(np.searchsorted(middles, day, side="right") - 1, 0, len(_MID_MONTH))
        share = (day - middles[before]) / (middles[before + 1] - middles[before])
        weights = np.zeros((len(times), 12))
        rows = np.arange(len(times))
        np.add.at(weights, (rows, (before - 1) % 12), 1 - share)
        np.add.at(weights, (rows, before % 12), share)
        return np.asarray(weights.astype(np.float32) @ self._turbidity)


def _column(values: Doubles) -> Floats:
    return np.asarray(values, dtype=np.float32)[:, None]
