"""What snow needs to know of a plane of modules."""

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
