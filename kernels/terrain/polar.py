"""A site as the middle of a circle: rays by azimuth from true north, sectors of the standard."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernels.horizon import earth

Floats = NDArray[np.float64]

SECTORS = 72
SECTOR_DEG = 360 / SECTORS
WINDOW_DEG = 15.0
"""A sector is judged by what lies so far to either side of its middle: windows of 30 degrees, as the standard has."""
REACH_M = 10_000.0

AZIMUTHS: Floats = SECTOR_DEG * np.arange(SECTORS, dtype=np.float64)
"""Of the sectors' middles, degrees from true north; the wind comes from there."""


class Site:
    """A site on the map UTM 33.

    Parameters
    ----------
    x, y : float
        Easting and northing, m.
    """

    def __init__(self, x: float, y: float) -> None:
        self.x, self.y = x, y
        self._turn, self._scale = np.radians(earth.convergence(x, y)), earth.scale(x, y)

    def places(self, azimuth: ArrayLike, distance: ArrayLike, aside: ArrayLike = 0.0) -> tuple[Floats, Floats]:
        """Return easting and northing of places around, m.

        Parameters
        ----------
        azimuth : (...)
            From true north, degrees.
        distance, aside : (...)
            Along the azimuth and to its right, m on the ground.
        """
        on_map = np.radians(azimuth) - self._turn
        along, right = np.asarray(distance) * self._scale, np.asarray(aside) * self._scale
        sine, cosine = np.sin(on_map), np.cos(on_map)
        return self.x + along * sine + right * cosine, self.y + along * cosine - right * sine
