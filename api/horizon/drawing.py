"""What the picture of a horizon shows, as data: `api/horizon/picture.py` draws it in a process of its own.

It loads the kernels of the sun: call it in a thread, after `Engines.ready()` (see `api/engines.py`).
"""

from typing import Any

from api.horizon.profile import HorizonProfile

PICTURE = "api.horizon.picture"


def pictured(profile: HorizonProfile) -> dict[str, Any]:
    """Return what `Pictures.draw(PICTURE, ...)` takes: the horizon, and the sun's paths over it.

    Both levels call it: with `near`, buildings and vegetation are drawn in a tone of their own over the far terrain.

    Parameters
    ----------
    profile : HorizonProfile
    """
    raise NotImplementedError
