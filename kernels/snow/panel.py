"""What snow needs to know of a plane of modules."""

from typing import NamedTuple

SLIDES = {"rack": 1.0, "roof": 0.55, "flat": 0.35}
"""By mounting, the part of a free rack's slide that snow makes. Proposed values, to be calibrated."""
LOSS_MODES = ("linear", "strings")


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


def require_panel(panel: Panel) -> None:
    """Refuse a plane that is none.

    Raises
    ------
    ValueError
        Naming what is wrong.
    """
    if not 0 <= panel.tilt <= 90:
        msg = f"modules stand at 0 to 90 degrees, not {panel.tilt}"
        raise ValueError(msg)
    if panel.mounting not in SLIDES:
        msg = f"modules are mounted {', '.join(SLIDES)}, not {panel.mounting}"
        raise ValueError(msg)
    if panel.loss_mode not in LOSS_MODES:
        msg = f"modes of loss are {' and '.join(LOSS_MODES)}, not {panel.loss_mode}"
        raise ValueError(msg)
    if panel.strings < 1:
        msg = f"there is at least one string, not {panel.strings}"
        raise ValueError(msg)
    if not panel.height_mm >= 0 or not (panel.burial_mm is None or panel.burial_mm >= 0):
        msg = f"heights are at least 0 mm, not {panel.height_mm} and {panel.burial_mm}"
        raise ValueError(msg)
