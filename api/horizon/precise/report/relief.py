"""The surface around a roof as a shaded relief, true north up."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from api.reports.pictures import shade_of
from kernels.horizon import earth

Floats = NDArray[np.float64]

REACH_M = 150.0
"""Radius of what is shown."""
PIXELS = 400
UNKNOWN = 255

# Of the shades, which are for the eye alone: the file is smaller than with 256.
_TONES = 64


class Relief(NamedTuple):
    """Heights around a point.

    Parameters
    ----------
    z : float32 (n, n)
        m above the sea, NaN where unknown; rows from the south, columns from the west of the map UTM 33. The point is
        in the middle.
    cell : float
        m.
    x, y : float
        The point in UTM 33, m.
    """

    z: NDArray[np.float32]
    cell: float
    x: float
    y: float


def shaded(relief: Relief) -> NDArray[np.uint8]:
    """Return the relief under a light from the north-west.

    Returns
    -------
    uint8 (PIXELS, PIXELS)
        Rows from the TRUE north, columns from the west, within `REACH_M` of the point; `UNKNOWN` where heights are
        not known, and beyond the circle.
    """
    step = 2 * REACH_M / PIXELS
    east: Floats = np.arange(0.5, PIXELS, dtype=np.float64) * step - REACH_M
    north: Floats = -east[:, None]
    z = _heights(relief, east[None, :], north)
    shade = shade_of(z, step)
    shade[east[None, :] ** 2 + north**2 > REACH_M**2] = np.nan
    tones = np.round(shade * _TONES) * ((UNKNOWN - 45) / _TONES) + 40
    found: NDArray[np.uint8] = np.nan_to_num(tones, nan=UNKNOWN).astype(np.uint8)
    return found


def _heights(relief: Relief, east: Floats, north: Floats) -> NDArray[np.float32]:
    """Return heights at true offsets from the point, m; NaN beyond the relief."""
    turn = np.radians(float(earth.convergence(relief.x, relief.y)))
    size = float(earth.scale(relief.x, relief.y)) / relief.cell
    side = len(relief.z)
    last = side - 1
    column = last / 2 + (east * np.cos(turn) - north * np.sin(turn)) * size
    row = last / 2 + (north * np.cos(turn) + east * np.sin(turn)) * size
    outside = (column < 0) | (row < 0) | (column > last) | (row > last)
    j, i = (np.clip(at.astype(np.int32), 0, last - 1) for at in (column, row))
    u, v = (column - j).astype(np.float32), (row - i).astype(np.float32)
    at, z = i * side + j, relief.z.ravel()
    below, above = (1 - u) * z[at] + u * z[at + 1], (1 - u) * z[at + side] + u * z[at + side + 1]
    return np.where(outside, np.float32(np.nan), below + v * (above - below))
