"""What snow needs to know of a plane of modules."""

import math
from typing import NamedTuple

SLIDES = {"rack": 1.0, "roof": 0.55, "flat": 0.35}
"""By mounting, the part of a free rack's slide that snow makes. Proposed values, to be calibrated."""


class Panel(NamedTuple):
    """A plane of modules.

    Parameters
    ----------
    tilt : float
        Degrees from level, 0..90.
    mounting : {"roof", "rack", "flat"}
        On a pitched roof; free, with room below for what slides off; on racks that stand on a flat roof.
    height_mm : float
        Of the modules' lower edge above what they stand on; counts for `flat` alone.
    strings : int
        One above the other; count for the mode `strings` alone.
    loss_mode : {"linear", "strings"}
        Whether modules lose the part of them that is covered, or every string of which a part is.
    burial_mm : float or None
        Height of the upper edge above the ground; under deeper snow all is covered.
    """

    tilt: float
    mounting: str = "roof"
    height_mm: float = 300.0
    strings: int = 3
    loss_mode: str = "linear"
    burial_mm: float | None = None


def retention(tilt: float) -> float:
    """Return the share of new snow that stays on a plane, 0..1, by its tilt in degrees from level.

    Notes
    -----
    All of it up to 45 degrees, the steepest of the planes that snow on modules was measured on (0, 15, 30 and 45:
    Heidari et al., IEEE Journal of Photovoltaics 5 (2015) 1680-1685); from there on it falls as cos2(tilt), by which
    Townsend & Powers, 37th IEEE Photovoltaic Specialists Conference (2011) 3231-3236, let the monthly loss fall: half
    at 60 degrees, a tenth at 77, none on a wall. That cos2 holds for steep planes too is a proposal. Figure:
    docs/snow_tilt.md.
    """
    return min(1.0, 2.0 * math.cos(math.radians(tilt)) ** 2)
