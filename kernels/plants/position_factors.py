"""Factors of a plant's production by the sun's position and by month.

A factor is that of the first step plus what a table holds: by azimuth and elevation, linear between its nodes, for the
light that comes from the sun itself; and by month for all of it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.hourly import at_moments

Floats = NDArray[np.float64]

AZIMUTHS, AZIMUTH_STEP = 36, 10.0
"""Nodes from 0 degrees (north) clockwise."""
ELEVATIONS, ELEVATION_STEP = 12, 5.0
"""Nodes from 0 degrees up; higher sun counts as at the last one."""
MONTHS = 12
NODES = AZIMUTHS * ELEVATIONS
LOWEST, HIGHEST = 0.0, 3.0
"""Bounds of a factor."""
_DIFFUSE_INDEX = 0.3  # of production under a sky without beam


class Table(NamedTuple):
    """Differences to the factor of the first step: `sun` (ELEVATIONS, AZIMUTHS), `month` (12,)."""

    sun: Floats
    month: Floats

    def factors(
        self, base: float, beam: Floats, elevation: Floats, azimuth: Floats, hour_starts: NDArray[np.int64]
    ) -> Floats:
        """Return the factor of hours, (n,); arguments as in `Rows`."""
        nodes, shares = corners(elevation, azimuth)
        shift = beam * (self.sun.ravel()[nodes] * shares).sum(axis=0) + at_moments(self.month, hour_starts)
        factor: Floats = np.clip(base + shift, LOWEST, HIGHEST)
        return factor


def beam_weight(watts: Floats, clear: Floats) -> Floats:
    """Return how far a factor of the sun's position counts: 1 under a clear sky, 0 without any beam.

    Parameters
    ----------
    watts, clear : float64 (n,)
        Modelled production, and that under a clear sky.

    Notes
    -----
    The beam that is left, over the production that is left, where production without beam is 0.3 of the clear one.
    """
    with np.errstate(all="ignore"):
        index = np.where(clear > 0, watts / clear, 1.0)
        weight = (index - _DIFFUSE_INDEX) / ((1 - _DIFFUSE_INDEX) * index)
    return np.clip(np.nan_to_num(weight), 0.0, 1.0)


def corners(elevation: Floats, azimuth: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Return the four nodes around positions of the sun and their shares, (4, n) each."""
    up = np.clip(elevation / ELEVATION_STEP, 0, ELEVATIONS - 1)
    around = np.mod(azimuth, 360) / AZIMUTH_STEP
    low, left = np.minimum(up.astype(np.int64), ELEVATIONS - 2), around.astype(np.int64) % AZIMUTHS
    v, u = up - low, around - np.floor(around)
    right = (left + 1) % AZIMUTHS
    nodes = np.stack(
        [low * AZIMUTHS + left, low * AZIMUTHS + right, (low + 1) * AZIMUTHS + left, (low + 1) * AZIMUTHS + right]
    )
    return nodes, np.stack([(1 - v) * (1 - u), (1 - v) * u, v * (1 - u), v * u])
