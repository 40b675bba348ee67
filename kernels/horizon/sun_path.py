"""The path of the sun over a horizon in one day."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.position import apparent
from kernels.sun import sun_table

STEP_MIN = 4
_MINUTES = np.arange(0, 24 * 60, STEP_MIN)


class SunPath(NamedTuple):
    """Positions of the sun every `STEP_MIN` minutes.

    Parameters
    ----------
    minutes : int64 (360,)
        Since the day's beginning.
    azimuth, elevation : float64 (360,)
        Degrees, clockwise from true north and above the horizontal plane, with refraction.
    up, seen : bool (360,)
        Whether its centre stands above the horizontal plane, and above the horizon too.
    """

    minutes: NDArray[np.int64]
    azimuth: NDArray[np.float64]
    elevation: NDArray[np.float64]
    up: NDArray[np.bool_]
    seen: NDArray[np.bool_]


def sun_path(midnight: int, lat: float, lon: float, altitude: float, horizon: NDArray[np.float64]) -> SunPath:
    """Return the sun's path of a day.

    Parameters
    ----------
    midnight : int
        At which the day begins, unix seconds.
    lat, lon : float
        Degrees.
    altitude : float
        m above the sea.
    horizon : float64 (n,)
        Its elevation in n directions clockwise from true north, degrees.
    """
    elevation, azimuth = apparent(sun_table(midnight + 60 * _MINUTES), lat, lon, altitude)
    beyond = np.interp(azimuth, np.arange(horizon.size) * (360 / horizon.size), horizon, period=360.0)
    up = elevation > 0
    return SunPath(_MINUTES, azimuth, elevation, up, up & (elevation > beyond))
