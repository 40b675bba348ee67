"""The sun's paths over a horizon at the solstices and equinoxes. It loads the kernels: see `api/engines.py`."""

from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np

from api.horizon.profile import AZIMUTHS, Floats
from kernels.position import apparent
from kernels.sun import sun_table

# The days of a common year; in others they fall on the same or the next.
DAYS = ((3, 20), (6, 21), (9, 22), (12, 21))
_YEAR = 2025
_STEP_MIN = 4
_DAY_MIN = 24 * 60
ZONE_H = 1
"""Hours are those of Norway's standard time, UTC+1."""
# Below, nothing of a path is drawn.
_LOWEST = -1.0


class _Day(NamedTuple):
    elevation: Floats
    azimuth: Floats


def sun_paths(elevation: Floats, lat: float, lon: float, altitude: float) -> list[dict[str, Any]]:
    """Return the paths of the four days, as a picture takes them.

    Parameters
    ----------
    elevation : float64 (720,)
        Of the horizon, degrees, by azimuth 0, 0.5 .. 359.5.
    lat, lon : float
        Degrees.
    altitude : float
        m above the sea.

    Returns
    -------
    list of dict
        `date` (month, day); `azimuth` and `elevation` of what is drawn of the path, by azimuth; `hours`: of each full
        hour, UTC+1, at which the sun is up, its number, azimuth and elevation; `highest`, degrees; `up_h` and
        `seen_h`: hours that the sun's centre stands above the horizontal plane, and above the horizon.
    """
    return [_path(month, day, elevation, lat, lon, altitude) for month, day in DAYS]


def _path(month: int, day: int, horizon: Floats, lat: float, lon: float, altitude: float) -> dict[str, Any]:
    midnight = int(datetime(_YEAR, month, day, tzinfo=UTC).timestamp()) - ZONE_H * 3600
    minutes = np.arange(0, _DAY_MIN, _STEP_MIN)
    sun = _Day(*apparent(sun_table(midnight + 60 * minutes), lat, lon, altitude))
    up = sun.elevation > 0
    seen = up & (sun.elevation > np.interp(sun.azimuth, AZIMUTHS, horizon, period=360.0))
    # North of the tropics azimuth grows all day: by azimuth a path is in one piece also where the day began on it.
    order = np.argsort(sun.azimuth)
    order = order[sun.elevation[order] > _LOWEST]
    full = np.flatnonzero(up & (minutes % 60 == 0))
    return {
        "date": [month, day],
        "azimuth": np.round(sun.azimuth[order], 2).tolist(),
        "elevation": np.round(sun.elevation[order], 2).tolist(),
        "hours": [
            [int(minutes[i] // 60), round(float(sun.azimuth[i]), 2), round(float(sun.elevation[i]), 2)] for i in full
        ],
        "highest": round(float(sun.elevation.max()), 2),
        "up_h": round(float(up.sum()) * _STEP_MIN / 60, 1),
        "seen_h": round(float(seen.sum()) * _STEP_MIN / 60, 1),
    }
