"""How far the simulated climate archives are from the simulated truth.

Two parts: weather that is a little displaced in place and time, with some cloud too much or too little from hour to
hour; and a bias of the radiation that varies slowly with place and month, which stations can find (`regional_bias`).
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from infra.simulator.forecast_error import ForecastError

Doubles = NDArray[np.float64]

_HOUR = 3600.0
# Amplitudes of the parts of a `ForecastError`, of the wind as a share.
_SIZES = {"nora3": (9.0, 9.0, 600.0, 0.35, 0.5, 0.05), "sarah3": (2.5, 2.5, 200.0, 0.12, 0.0, 0.0)}
_PERIODS_H = (7.3, 19.1, 53.7, 131.0)
BIAS_LIMIT = 0.09
"""No regional bias is larger, as a share."""


def _wander(times: Doubles, which: int) -> Doubles:
    """Return a number that wanders within -1..1 over hours and days, and means nothing in the long run."""
    waves = [
        np.sin(2 * np.pi * (times / _HOUR / period + 0.618 * (which + 1) * (n + 1)))
        for n, period in enumerate(_PERIODS_H)
    ]
    return np.asarray(np.sum(waves, axis=0) / len(waves))


def archive_error(kind: str, times: Doubles) -> ForecastError:
    """Return the error of an archive's weather at moments (n_times,) in unix seconds, without the regional bias."""
    return _archive_error(kind, times.tobytes())


@lru_cache(maxsize=16)  # the pieces of a month ask for the same moments
def _archive_error(kind: str, times_bytes: bytes) -> ForecastError:
    times = np.frombuffer(times_bytes, dtype=np.float64)
    error = ForecastError(*(size * _wander(times, which) for which, size in enumerate(_SIZES[kind])))
    return error._replace(wind=1 + error.wind)


def regional_bias(kind: str, lat: Doubles, lon: Doubles, month: int) -> Doubles:
    """Return the factor that an archive's radiation carries, dimensionless.

    The reanalysis has too much sun at the western coast and too little inland, and most of both in summer. The solar
    model takes snow for cloud: too little sun in late winter, more so to the north.

    Parameters
    ----------
    kind : {"nora3", "sarah3"}
    lat, lon : float64, same shape
        Degrees.
    month : int
        1-12, of the hour.
    """
    if kind == "nora3":
        summer = 0.5 + 0.5 * np.cos(2 * np.pi * (month - 7) / 12)
        return np.asarray(
            1
            + (0.035 + 0.025 * summer) * np.cos(2 * np.pi * (lon - 5) / 26)
            + 0.02 * np.sin(2 * np.pi * (lat - 58) / 16)
        )
    snow = np.maximum(np.cos(2 * np.pi * (month - 3) / 12), 0.0)
    northern = np.clip((lat - 57) / 8, 0, 1)
    return np.asarray(1 + 0.015 * np.sin(2 * np.pi * (lon - 4) / 22) - snow * (0.015 + 0.04 * northern))
