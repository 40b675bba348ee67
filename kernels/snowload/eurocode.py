"""The rule of NS-EN 1991-1-3's national table: snow load of the ground by the height above the sea."""

import math

_STEP_CM = 10_000


def site_load(sk0: float, hg: float, dsk: float, skmax: float, altitude: float) -> float:
    """Give the characteristic snow load of the ground, kN/m2.

    Parameters
    ----------
    sk0, dsk, skmax : float
        A municipality's: up to the height `hg`, for each 100 m begun above it, and at most, kN/m2.
    hg, altitude : float
        Above the sea, m.

    Raises
    ------
    ValueError
        A height is no number.
    """
    begun = steps(hg, altitude)
    return min(sk0 + begun * dsk, skmax) if begun else sk0


def steps(hg: float, altitude: float) -> int:
    """Count the 100 m that are begun above a height, m; 0 up to it.

    Raises
    ------
    ValueError
        A height is no number.

    Notes
    -----
    Heights count in whole centimetres: those of single precision are off by up to 0.1 mm, and 100.00001 m are no second
    step.
    """
    above = altitude - hg
    if not math.isfinite(above):
        msg = f"a height is a number of metres: {altitude} above {hg} is none"
        raise ValueError(msg)
    return max(-(-round(100.0 * above) // _STEP_CM), 0)
