"""What the picture of a horizon shows, as data: `api/horizon/picture.py` draws it in a process of its own.

Call it in a thread, after `Engines.ready()`: it loads the kernels of the sun (see `api/engines.py`).
"""

from dataclasses import asdict
from typing import Any

import numpy as np

from api.horizon.profile import Floats, HorizonProfile

PICTURE = "api.horizon.picture"


def pictured(profile: HorizonProfile) -> dict[str, Any]:
    """Return what `Pictures.draw(PICTURE, ...)` takes: the horizon, and the sun's paths over it.

    Both levels call it: with `near`, buildings and vegetation are drawn in a tone of their own over the far terrain.

    Parameters
    ----------
    profile : HorizonProfile
    """
    from api.horizon.sun_paths import sun_paths

    altitude = profile.observer_z if profile.observer_z is not None else 0.0
    return {
        **asdict(profile),
        "elevation": _listed(profile.elevation, 2),
        "distance": None,  # the picture does not show it
        "near": None if profile.near is None else _listed(profile.near, 2),
        "sun": sun_paths(profile.elevation, profile.lat, profile.lon, altitude),
    }


def _listed(values: Floats, digits: int) -> list[float]:
    listed: list[float] = np.round(values, digits).tolist()
    return listed
