"""A typical year made brighter or darker as a whole, as the API does for each request."""

import numpy as np
from numba import types
from numba.extending import register_jitable
from numpy.typing import NDArray

from kernels.compiled import ROWS, VECTOR, compiled
from kernels.sizes import require_size
from kernels.tmy.calendar import YEAR_HOURS
from kernels.tmy.year_sun import year_sun

HIGHEST_BEAM = 0.9
"""Of the extraterrestrial irradiance: no air lets more of the beam through."""


def scaled(
    ghi: NDArray[np.float64], dni: NDArray[np.float64], dhi: NDArray[np.float64], factor: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Multiply a typical year's irradiance.

    Parameters
    ----------
    ghi, dni, dhi : float64 (8760,)
        W/m2, hours of the placeholder year; they add up.
    factor : float
        > 0.

    Returns
    -------
    ghi, dni, dhi : float64 (8760,)
        All times the factor, so that they add up as before. Beam above 0.9 of the extraterrestrial becomes diffuse.

    Raises
    ------
    ValueError
        Sizes do not agree, or the factor is none.
    """
    require_size(YEAR_HOURS, ghi=ghi, dni=dni, dhi=dhi)
    if not 0 < factor < np.inf:
        msg = f"a factor must be positive and finite, not {factor}"
        raise ValueError(msg)
    out = np.empty((3, YEAR_HOURS))
    _scale(*(np.ascontiguousarray(a, np.float64) for a in (ghi, dni, dhi)), float(factor), year_sun().e0, out)
    return out[0], out[1], out[2]


@register_jitable
def scale_into(ghi, dni, dhi, factor, e0, out):  # type: ignore[no-untyped-def]
    """Fill the rows of `out` (3, n) with ghi, dni and dhi as `scaled` says; any hours."""
    for i in range(ghi.size):
        beam, most = factor * dni[i], HIGHEST_BEAM * e0[i]
        out[0, i], out[1, i], out[2, i] = factor * ghi[i], beam, factor * dhi[i]
        if beam > most:
            # What is level of the beam is what is not diffuse: that needs no sun.
            level = max(ghi[i] - dhi[i], 0.0) / dni[i]
            out[1, i] = most
            out[2, i] += (beam - most) * level


@compiled(VECTOR, VECTOR, VECTOR, types.float64, VECTOR, ROWS)
def _scale(ghi, dni, dhi, factor, e0, out):  # type: ignore[no-untyped-def]
    scale_into(ghi, dni, dhi, factor, e0, out)
