"""Level 1's horizon as it looks from a roof.

It was made for an eye 1.5 m over the ground of its cell's centre. What stands at distance d is seen under another
angle from elsewhere:

    tan e' = tan e + (z_ref - z_eye) / d        z_ref: the height of level 1's eye

What stands behind it, and is hidden by it from level 1's eye, is not known: it may show over it by up to the angle by
which it sank, (z_eye - z_ref) / d, which for an eye 8 m higher is 0.9 degrees at 500 m and 0.1 at 5 km. But nothing is
seen lower than the open sea would be, for no land is. The cell's centre is up to 71 m from the point, so that what is d
away stands up to 71 m / d aside (2 degrees at 2 km).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from api.horizon.rooftop import surface
from api.horizon.rooftop.land import Blocks
from api.horizons import View
from kernels import utm
from kernels.horizon import earth
from tiles.products.horizon import OBSERVER_M

# Of two models of one ground, of 1 m and of 10 m or more, on a cliff. What differs by more is not the same ground.
APART_M = 10.0

_ABOVE_SEA_DEG = 0.05

Floats = NDArray[np.float64]


class Far(NamedTuple):
    """What level 1 knows beyond the near field, from an observer's height.

    Parameters
    ----------
    elevation, distance : float64 (720,)
        Degrees; m to what makes it, NaN where that is the sea or not known.
    sunk : float64 (720,)
        By how much lower land is than from level 1's eye, degrees; 0 at sea.
    above : float
        Of the observer's eye above level 1's, m.
    apart : float
        By how much the near field's terrain lies above level 1's, m; 0 where they are of one ground.
    """

    elevation: Floats
    distance: Floats
    sunk: Floats
    above: float
    apart: float


def seen_from(view: View, z: float, apart: float = 0.0) -> Far:
    """Return level 1 as it is seen from a height at its place.

    Parameters
    ----------
    view : View
    z : float
        Of the eye, m above sea, as the near field's heights have it.
    apart : float
        By how much these lie above level 1's, m: the eye stands as high over the ground of either.
    """
    z -= apart
    reference = (view.ground if view.ground is not None else z - OBSERVER_M) + OBSERVER_M
    known, away = view.elevation_beyond, view.distance_beyond
    sea = float(earth.sea_dip(z))
    moved = np.degrees(np.arctan(np.tan(np.radians(known)) + (reference - z) / away))
    # What stands higher than the sea is land of a version that does not tell distances: as it is.
    untold = np.where(known > earth.sea_dip(reference) + _ABOVE_SEA_DEG, known, sea)
    seen = np.maximum(np.where(np.isnan(away), untold, moved), sea)
    return Far(
        seen, np.where(moved >= sea, away, np.nan), np.where(np.isnan(away), 0.0, known - seen), z - reference, apart
    )


def apart_of(view: View, blocks: Blocks) -> float:
    """Return by how much the near field's terrain lies above level 1's at the centre of level 1's cell, m.

    0 where they are of one ground, as far as cells of different sizes can tell, or one of them is not known there.

    Parameters
    ----------
    view : View
    blocks : mapping of Square to Block
        They hold the square of the centre.
    """
    near = surface.mean_ground(blocks, *map(float, utm.forward(view.lat, view.lon)))
    if near is None or view.ground is None or abs(near - view.ground) <= APART_M:
        return 0.0
    return near - view.ground
