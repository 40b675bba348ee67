"""A known field of clouds that travels as it is, for the simulated satellite and for a simulated forecast of it."""

import numpy as np
from numpy.typing import NDArray

from infra.simulator import clouds
from infra.simulator.clearsky import ClearSky, sun_at
from infra.simulator.forecast_error import forecast_error
from infra.simulator.meteosat import Sky
from infra.simulator.relief import ground
from infra.simulator.weather import SUBSTEPS

KM_PER_DEGREE = 111.195
_MIDDLE = (64.0, 15.0)
_COS = float(np.cos(np.radians(_MIDDLE[0])))


def translating(seed: int, east_ms: float, north_ms: float) -> Sky:
    """Return clouds of 20-300 km that all travel alike, on a map whose east is as wide as at 64 N everywhere."""
    draw = np.random.default_rng(seed)
    n = 40
    length = 20 * 15 ** draw.random(n)  # km
    heading, phase = 2 * np.pi * draw.random((2, n))
    size = (length / 60) ** 0.4
    size = (size / np.sqrt((size**2).sum() / 2)).astype(np.float32)
    k_east, k_north = 2 * np.pi / length * np.cos(heading), 2 * np.pi / length * np.sin(heading)

    def logit(lat: NDArray[np.float64], lon: NDArray[np.float64], time: float) -> NDArray[np.float32]:
        day = time % 86400
        east = KM_PER_DEGREE * _COS * (lon - _MIDDLE[1]) - east_ms * day / 1000
        north = KM_PER_DEGREE * (lat - _MIDDLE[0]) - north_ms * day / 1000
        angle = np.outer(k_east, east) + np.outer(k_north, north) + phase[:, None]
        return np.asarray(0.2 + 1.8 * (size @ np.cos(angle).astype(np.float32)), np.float32)

    return logit


def cells_per_second(east_ms: float, north_ms: float, step_deg: float) -> tuple[float, float]:
    """Return how fast that is in rows and columns of an image."""
    column = east_ms / (1000 * KM_PER_DEGREE * _COS * step_deg)
    return north_ms / (1000 * KM_PER_DEGREE * step_deg), column


class Truth:
    """What reaches the ground at places, truly, and as a simulated MET Nordic cycle has it.

    Parameters
    ----------
    lat, lon : (n,) float64
    sky : Sky
    """

    def __init__(self, lat: NDArray[np.float64], lon: NDArray[np.float64], sky: Sky) -> None:
        self._lat, self._lon, self._sky = lat, lon, sky
        self._clear = ClearSky(lat, lon, ground(lat, lon))

    def hour_mean(self, start: int, cycle: int | None = None) -> NDArray[np.float32]:
        """Return GHI of an hour, W/m2, (n,): the truth, or the forecast of a cycle."""
        moments = start + 3600 * (np.arange(SUBSTEPS) + 0.5) / SUBSTEPS
        clear, mu = self._clear.ghi(sun_at(moments), moments)
        error = None if cycle is None else forecast_error("met_nordic", cycle, moments)
        parts = []
        for k, moment in enumerate(moments.tolist()):
            if error is None:
                logit = self._sky(self._lat, self._lon, moment)
            else:
                lat = self._lat - error.north_km[k] / KM_PER_DEGREE
                lon = self._lon - error.east_km[k] / (KM_PER_DEGREE * _COS)
                logit = self._sky(lat, lon, moment - error.late_s[k]) + np.float32(error.cloud[k])
            parts.append(clear[k] * clouds.transmission(logit, mu[k]))
        return np.asarray(np.mean(parts, axis=0), np.float32)
