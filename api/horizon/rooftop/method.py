"""How a roof's horizon was made, in words."""

from api.horizon.rooftop.calculation import BEGIN_M, FAN
from api.horizon.rooftop.land import NEAR_M
from api.horizons import View

_NEAR = (
    f"rays over the surface model of 1 m within {NEAR_M:g} m, {FAN} for each half degree of which the highest counts, "
    f"nothing nearer than {BEGIN_M:g} m"
)
_FAR = (
    "beyond, what level 1 knows of the cell of 100 m as it looks from the observer's height, where that is higher; "
    "buildings and vegetation there do not count"
)


def method(far: View | None) -> str:
    """Return how an answer was made.

    Parameters
    ----------
    far : View or None
        Level 1; None where it was not wanted.
    """
    if far is None:
        return f"{_NEAR}; nothing beyond"
    of_tiles = str(far.provenance.get("method") or "")
    return f"{_NEAR}; {_FAR}{f'. Level 1: {of_tiles}' if of_tiles else ''}"
