"""What covers the simulated land: a function of position alone, in keeping with its houses, woods and sea.

Lakes and mires are the surface's: the ground knows nothing of them.
"""

import numpy as np
from numpy.typing import NDArray

from infra.simulator.heights import ground
from infra.simulator.heights.land import near_towns
from infra.simulator.heights.noise import Axis, octave
from infra.simulator.heights.surface import room_for_trees, woods
from infra.simulator.heights.wetland import wet

UNKNOWN, BUILT_UP, FARMLAND, FOREST, OPEN, MIRE, ICE, LAKE, SEA = 0, 11, 20, 30, 50, 60, 70, 81, 82
_FARMS_M, _FARM = 2500.0, 0.4  # wavelength, and deviation above which there is one
_LOWLAND_M, _ICE_M = 250.0, 1700.0


def codes(x: Axis, y: Axis) -> NDArray[np.uint8]:
    """Return land cover over a grid.

    Parameters
    ----------
    x, y : float64 (columns,), (rows,)
        m in UTM 33, ascending.

    Returns
    -------
    uint8 (rows, columns)
        Codes of AR5; 0 where there is no data.
    """
    z = ground.heights(x, y, 10.0)
    town = near_towns(x, y)
    found = np.full(z.shape, OPEN, np.uint8)
    found[z > _ICE_M] = ICE
    found[(octave(x, y, _FARMS_M, 97) > _FARM) & (z < _LOWLAND_M)] = FARMLAND
    found[woods(x, y) & (room_for_trees(y, z) > 0.5)] = FOREST
    lake, mire = wet(x, y)
    found[mire & (z < _ICE_M)] = MIRE
    found[lake] = LAKE
    found[town < 1] = BUILT_UP
    found[z == 0] = SEA
    found[np.isnan(z)] = UNKNOWN
    return found


def on_lattice(
    west: float, south: float, east: float, north: float, cell: float
) -> tuple[NDArray[np.uint8], Axis, Axis]:
    """Return land cover in the cells of a lattice that is the same for every window, and their centres, m."""
    columns, rows = (
        np.arange(np.floor(low / cell), np.ceil(high / cell)) for low, high in ((west, east), (south, north))
    )
    x, y = cell * (columns + 0.5), cell * (rows + 0.5)
    return codes(x, y), x, y
