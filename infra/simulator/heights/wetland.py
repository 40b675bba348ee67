"""Lakes and mires of the simulated land: nothing stands in them, and the ground knows nothing of them."""

import numpy as np
from numpy.typing import NDArray

from infra.simulator.heights.land import near_towns
from infra.simulator.heights.noise import Axis, octave

_LAKES_M, _MIRES_M, _WET = 1_800.0, 600.0, 1.5  # wavelengths, and deviation above which there is one
_FROM_TOWN = 1.3  # of a town's reach: lakes and mires keep so far away


def wet(x: Axis, y: Axis) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return where there are lakes, and mires, on land or not."""
    away = near_towns(x, y) > _FROM_TOWN
    lake, mire = (away & (octave(x, y, *of) > _WET) for of in ((_LAKES_M, 99), (_MIRES_M, 98)))
    return lake, mire & ~lake
