"""The irradiance of a typical year, made brighter or darker as a whole, and divided as planes take it."""

from dataclasses import dataclass

import numpy as np
from numba import types
from numpy.typing import NDArray

from kernels.compiled import TABLE, VECTOR, compiled
from kernels.pv.site import Site
from kernels.tmy.scaling import scale_into
from kernels.transposition import perez_into


@dataclass(frozen=True, eq=False)
class Light:
    """What shines on a place in the n hours of its `Site`, W/m2.

    Attributes
    ----------
    parts : float64 (4, n)
        Beam and circumsolar together, on a plane facing the sun; the isotropic rest of the sky on a level plane; the
        band along the horizon, on an upright one; ghi. As `kernels.transposition.Sky`, without land.
    beam : float64 (n,)
        From the sun's disc alone, on a plane facing it.
    """

    parts: NDArray[np.float64]
    beam: NDArray[np.float64]

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        return self.parts.nbytes + self.beam.nbytes


def light_of(site: Site, factor: float = 1.0) -> Light:
    """Divide a place's irradiance.

    Parameters
    ----------
    site : Site
    factor : float
        What ghi, dni and dhi are multiplied by, as in `kernels.tmy.scaling.scaled`; > 0.

    Raises
    ------
    ValueError
        The factor is none.

    Notes
    -----
    Source: Perez et al. 1990, see `kernels.transposition.perez`. In an hour of sunrise or sunset the sky's brightness
    is that of the lit part.
    """
    if not 0 < factor < np.inf:
        msg = f"a factor must be positive and finite, not {factor}"
        raise ValueError(msg)
    n = site.e0.size
    parts, beam = np.empty((4, n)), np.empty(n)
    day = site.daylight
    light = day.sun[2], day.elevation, day.masses
    _divide(site.irradiance, float(factor), site.e0, day.lit, light, parts, beam)
    return Light(parts, beam)


@compiled(
    TABLE,
    types.float64,
    *(VECTOR, VECTOR, types.UniTuple(VECTOR, 3)),
    types.Array(types.float64, 2, "C"),
    types.Array(types.float64, 1, "C"),
)
def _divide(irradiance, factor, e0, lit, light, parts, beam):  # type: ignore[no-untyped-def]
    year = np.empty(irradiance.shape)
    scale_into(irradiance[0], irradiance[1], irradiance[2], factor, e0, year)
    ghi, dni, dhi = year[0], year[1], year[2]
    perez_into(dni, dhi, light, e0 * lit, parts[0], parts[1], parts[2])
    for i in range(e0.size):
        beam[i] = dni[i]
        parts[0, i] += dni[i]
        parts[3, i] = ghi[i]
