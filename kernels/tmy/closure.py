"""A typical year's global irradiance split into beam and diffuse, so that it adds up again in every hour."""

import numpy as np
from numpy.typing import NDArray

from kernels.compiled import compiled
from kernels.decomposition import skartveit_into
from kernels.sizes import require_size
from kernels.tmy.sunlight import Sunlight


def split(ghi: NDArray[np.float64], sunlight: Sunlight) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Split hour means.

    Parameters
    ----------
    ghi : float64 (8760,)
        W/m2, >= 0.
    sunlight : Sunlight
        Of the same hours.

    Returns
    -------
    dni, dhi : float64 (8760,)
        W/m2, means over the whole hour, >= 0. ghi = dni sine + dhi, with `sunlight.sine`. Where the sun is down all
        the hour everything is diffuse.

    Notes
    -----
    Source: Skartveit, Olseth & Tuft 1998, see `kernels.decomposition.skartveit`. In an hour of sunrise or sunset the
    clearness index is that of the sunlit part, and the beam has the bound of clear air for so much of the hour.
    """
    require_size(sunlight.sine.size, ghi=ghi)
    dni, dhi = np.empty((2, ghi.size))
    light = sunlight.sine, sunlight.elevation, sunlight.masses
    _split(ghi, light, sunlight.e0, sunlight.pressure, dni, dhi)
    return dni, dhi


@compiled()
def _split(ghi, light, e0, pressure, dni, dhi):  # type: ignore[no-untyped-def]
    skartveit_into(ghi, light, e0, pressure, dni, dhi)
