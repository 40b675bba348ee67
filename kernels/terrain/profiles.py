"""Heights along the wind through a site: a line for each sector, from far upwind to far downwind."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernels.horizon.levels import MISSING, Level
from kernels.terrain.polar import AZIMUTHS, SECTOR_DEG, SECTORS, Site

Floats = NDArray[np.float64]

STEP_M = 10.0
REACH_M = 7000.0
"""To either side: crests lie within 2 km, and the foot of a slope within 5 km of its crest."""
# A line is the mean of a strip as wide as its sector, and a step at least.
_ACROSS = np.linspace(-0.5, 0.5, 7)


class Lines(NamedTuple):
    """Heights along the wind.

    Parameters
    ----------
    z : float64 (sectors, steps)
        Mean of a strip across, m; NaN where no height is known. The wind blows from the first to the last.
    t : float64 (steps,)
        Distance downwind of the site, m; below 0 upwind.
    """

    z: Floats
    t: Floats


def lines(level: Level, site: Site) -> Lines:
    """Return the line of each sector."""
    distance = STEP_M * np.arange(round(REACH_M / STEP_M) + 1)
    width = np.maximum(STEP_M, 2 * distance * np.tan(np.radians(SECTOR_DEG / 2)))
    x, y = site.places(AZIMUTHS[:, None, None], distance[:, None], width[:, None] * _ACROSS)
    rays = height_at(level, x, y).mean(axis=-1)
    downwind = np.roll(rays, -SECTORS // 2, axis=0)
    return Lines(np.hstack([rays[:, :0:-1], downwind]), np.concatenate([-distance[:0:-1], distance]))


def height_at(level: Level, x: ArrayLike, y: ArrayLike) -> Floats:
    """Return bilinear heights, m; NaN where they are not known."""
    column, row = ((np.asarray(at) - first) / level.cell for at, first in ((x, level.x0), (y, level.y0)))
    rows, columns = level.z.shape
    inside = (row >= 0) & (row <= rows - 1) & (column >= 0) & (column <= columns - 1)
    i, j = (np.clip(at.astype(np.intp), 0, n - 2) for at, n in ((row, rows), (column, columns)))
    up, right = row - i, column - j
    flat, at = level.z.ravel(), i * columns + j
    corners = [flat[at], flat[at + 1], flat[at + columns], flat[at + columns + 1]]
    known = inside & np.all([corner != MISSING for corner in corners], axis=0)
    south = corners[0] * (1 - right) + corners[1] * right
    north = corners[2] * (1 - right) + corners[3] * right
    return np.where(known, south * (1 - up) + north * up, np.nan)
