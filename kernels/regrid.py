"""From an even grid in some projection to the regular latitude-longitude grid.

A target in which source centres fall takes their average; any other takes the bilinear value of the four
centres around it, by way of the clear-sky index for irradiance; one farther than 1.5 source spacings from
every centre is missing. A result never lies outside the source cells it came from. `kernels.regrid_plan` works
out once which cells these are.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kernels.correction import LOWEST_CLEAR_SKY
from kernels.regrid_plan import RegridPlan, compact, plan

__all__ = ["RegridPlan", "compact", "plan", "regrid", "regrid_ghi"]


def regrid(plan: RegridPlan, field: NDArray[np.float32], out: NDArray[np.float32]) -> None:
    """Bring one field to the target grid.

    Parameters
    ----------
    plan : RegridPlan
    field : float32 (ny, nx) or (n_source,)
        NaN is missing: an average leaves it out while one valid source remains; an interpolated target with a
        missing source of nonzero weight is missing.
    out : float32 (n_lat, n_lon) or (n_target,)
        NaN where missing.

    Notes
    -----
    Releases the GIL.
    """
    _check(plan, field, out)
    flat, flat_out = field.reshape(-1), out.reshape(-1)
    _average(plan.first, plan.source, flat, flat_out)
    _interpolate(plan.bilinear, plan.corner, plan.weight, flat, None, None, flat_out)


def regrid_ghi(
    plan: RegridPlan,
    ghi: NDArray[np.float32],
    gcs: NDArray[np.float32],
    gcs_target: NDArray[np.float32],
    out: NDArray[np.float32],
) -> None:
    """Bring GHI to the target grid: averaged as it is, interpolated in clear-sky index.

    Where every source of an interpolated target has gcs >= 5 W/m2 the result is the bilinear ghi/gcs times
    the target's own clear sky, else the bilinear ghi; it is held within the least and greatest ghi of those
    sources.

    Parameters
    ----------
    plan : RegridPlan
    ghi, gcs : float32 (ny, nx) or (n_source,)
        GHI and clear-sky GHI on the source grid, W/m2; NaN ghi as in `regrid`.
    gcs_target : float32 (n_lat, n_lon) or (n_target,)
        Clear-sky GHI of the targets, W/m2; read only at `plan.bilinear`.
    out : float32 (n_lat, n_lon) or (n_target,)
        W/m2; NaN where missing.

    Notes
    -----
    Releases the GIL.
    """
    _check(plan, ghi, out)
    _check(plan, gcs, gcs_target)
    flat, flat_out = ghi.reshape(-1), out.reshape(-1)
    _average(plan.first, plan.source, flat, flat_out)
    _interpolate(plan.bilinear, plan.corner, plan.weight, flat, gcs.reshape(-1), gcs_target.reshape(-1), flat_out)


def _check(plan: RegridPlan, field: NDArray[np.float32], out: NDArray[np.float32]) -> None:
    # A numba loop does not check its bounds, and reshape would copy an `out` that is not contiguous.
    if field.size != plan.n_source or out.size != plan.n_target:
        msg = f"the plan is for {plan.n_source} -> {plan.n_target} cells, not {field.size} -> {out.size}"
        raise ValueError(msg)
    if not (field.flags.c_contiguous and out.flags.c_contiguous):
        msg = "fields must be C-contiguous"
        raise ValueError(msg)


@njit(nogil=True, cache=True)
def _average(first, source, field, out):  # type: ignore[no-untyped-def]
    # Sums in float64: the mean of float32 values is then rounded once, and stays within them.
    for t in range(out.size):
        total, count = 0.0, 0
        for k in range(first[t], first[t + 1]):
            value = field[source[k]]
            if not np.isnan(value):
                total += value
                count += 1
        out[t] = total / count if count > 0 else np.nan


@njit(nogil=True, cache=True)
def _interpolate(bilinear, corner, weight, field, gcs, gcs_target, out):  # type: ignore[no-untyped-def]
    for b in range(bilinear.size):
        plain, index, sunlit = 0.0, 0.0, True
        least, greatest = np.inf, -np.inf
        for k in range(4):
            if weight[b, k] > 0:
                value = field[corner[b, k]]
                plain += weight[b, k] * value
                least, greatest = min(least, value), max(greatest, value)
                if gcs is not None:  # compiled for each of both
                    clear = gcs[corner[b, k]]
                    if clear >= LOWEST_CLEAR_SKY:
                        index += weight[b, k] * (value / clear)
                    else:
                        sunlit = False
        total = plain
        if gcs is not None and sunlit:
            total = index * gcs_target[bilinear[b]]
        # Rounding of the weights must not lead outside the sources; NaN passes both tests.
        if total < least:
            total = least
        elif total > greatest:
            total = greatest
        out[bilinear[b]] = total
