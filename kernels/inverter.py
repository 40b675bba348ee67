"""Direct to alternating current: the part-load efficiency of PVWatts, and the limit. Arrays, or in numba loops."""

import numpy as np
from numba.extending import register_jitable

NOMINAL = 0.96
"""Efficiency at full load."""

_REFERENCE = 0.9637


@register_jitable
def alternating(dc, ac_max, nominal):  # type: ignore[no-untyped-def]
    """Give the power that leaves an inverter.

    Parameters
    ----------
    dc : scalar or array
        Power that enters, W.
    ac_max : scalar or array
        What leaves at most, W, > 0.
    nominal : float
        Efficiency at full load, such as `NOMINAL`.

    Returns
    -------
    W, 0..ac_max: less than half a per cent of load starts nothing.

    Notes
    -----
    Source: Dobos, PVWatts Version 5 Manual, NREL/TP-6A20-62641, 2014. Hour means hide shorter peaks, so that what the
    limit takes away is understated.
    """
    full = ac_max / nominal
    leaves = nominal / _REFERENCE * (dc * (0.9858 - 0.0162 * dc / full) - 0.0059 * full)
    return limited(np.maximum(leaves, 0.0), ac_max)


@register_jitable
def limited(power, ac_max):  # type: ignore[no-untyped-def]
    """Give the power that a limit lets through; W."""
    return np.minimum(power, ac_max)
