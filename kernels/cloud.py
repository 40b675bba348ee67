"""Global irradiance under cloud, from the cloud fraction alone (the V1.5 model)."""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kernels.sizes import require_size

_TABLE_SIZE = 1024
_FRACTIONS = np.minimum(np.arange(_TABLE_SIZE + 2), _TABLE_SIZE) / _TABLE_SIZE
_TRANSMITTANCE = (1 - 0.75 * _FRACTIONS**3.4).astype(np.float32)


def ghi_under_cloud(gcs: NDArray[np.float32], cloud: NDArray[np.float32], out: NDArray[np.float32]) -> None:
    """Fill ghi = gcs (1 - 0.75 n^3.4), with n the cloud fraction.

    Parameters
    ----------
    gcs : float32 (cells,)
        Clear-sky GHI, W/m2.
    cloud : float32 (cells,)
        Cloud fraction; taken as 0 below 0 and as 1 above 1.
    out : float32 (cells,)
        GHI, W/m2; NaN where either input is NaN.

    Notes
    -----
    Source: Kasten & Czeplak, Solar Energy 24 (1980) 177-189. The power comes from a table of 1025 values,
    within 1e-6 of the formula. Releases the GIL.
    """
    require_size(gcs.size, gcs=gcs, cloud=cloud, out=out)
    _ghi_under_cloud(gcs, cloud, _TRANSMITTANCE, out)


@njit(nogil=True, cache=True)
def _ghi_under_cloud(gcs, cloud, transmittance, out):  # type: ignore[no-untyped-def]
    size = np.float32(_TABLE_SIZE)
    for cell in range(gcs.size):
        n = cloud[cell]
        if math.isnan(n):
            out[cell] = np.float32(np.nan)
            continue
        position = min(max(n, np.float32(0)), np.float32(1)) * size
        whole = np.int32(position)
        i = np.uint32(whole)
        weight = position - np.float32(whole)
        out[cell] = gcs[cell] * (transmittance[i] + weight * (transmittance[i + 1] - transmittance[i]))
