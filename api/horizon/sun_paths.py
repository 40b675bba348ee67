"""Data of the picture of a horizon: the profile, and the sun's paths at the solstices and equinoxes.

It loads the kernels: see `api/core/engines.py`.
"""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import numpy as np

from api.horizon.profile import HorizonProfile
from kernels.horizon.sun_path import STEP_MIN, sun_path

# The days of a common year; in others they fall on the same or the next.
_DAYS = ((3, 20), (6, 21), (9, 22), (12, 21))
_YEAR = 2025
# Hours are those of Norway's standard time.
_ZONE_H = 1
# Below, nothing of a path is drawn.
_LOWEST = -1.0


def pictured(profile: HorizonProfile) -> dict[str, Any]:
    """Return what `api.horizon.picture.draw` takes.

    Beside the profile it is `sun`, of each of four days: `date` (month, day); `azimuth` and `elevation` of what is
    drawn of the path, by azimuth; `hours`: of each full hour, UTC+1, at which the sun is up, its number, azimuth and
    elevation; `highest`, degrees; `up_h` and `seen_h`: hours that the sun's centre stands above the horizontal plane,
    and above the horizon.
    """
    return {
        **asdict(profile),
        "elevation": np.round(profile.elevation, 2).tolist(),
        "distance": None,  # the picture does not show it
        "near": None if profile.near is None else np.round(profile.near, 2).tolist(),
        "sun": [_path(month, day, profile) for month, day in _DAYS],
    }


def _path(month: int, day: int, profile: HorizonProfile) -> dict[str, Any]:
    midnight = int(datetime(_YEAR, month, day, tzinfo=UTC).timestamp()) - _ZONE_H * 3600
    path = sun_path(midnight, profile.lat, profile.lon, profile.observer_z or 0.0, profile.elevation)
    azimuth, elevation = np.round(path.azimuth, 2), np.round(path.elevation, 2)
    # North of the tropics azimuth grows all day: by azimuth a path is in one piece also where the day began on it.
    order = np.argsort(path.azimuth)
    order = order[path.elevation[order] > _LOWEST]
    full = np.flatnonzero(path.up & (path.minutes % 60 == 0))
    return {
        "date": [month, day],
        "azimuth": azimuth[order].tolist(),
        "elevation": elevation[order].tolist(),
        "hours": [[int(path.minutes[i] // 60), float(azimuth[i]), float(elevation[i])] for i in full],
        "highest": float(elevation.max()),
        "up_h": round(float(path.up.sum()) * STEP_MIN / 60, 1),
        "seen_h": round(float(path.seen.sum()) * STEP_MIN / 60, 1),
    }
