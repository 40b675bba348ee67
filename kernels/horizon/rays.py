"""The horizon of one point: rays in 720 directions over heights.

What rays are for is one point, such as a roof: each looks at the bilinear surface where that has its creases, then
every half cell, at last every cell. Whole tiles are made in `block.py`, by other means.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from kernels.compiled import ROW, VECTOR, compiled
from kernels.horizon import earth
from kernels.horizon.earth import DROP
from kernels.horizon.levels import UNSEEN, Level
from kernels.horizon.samples import FIRST, room, smooth_distances

AZIMUTHS = 720
STEP_DEG = 360 / AZIMUTHS

_HEIGHTS = types.Array(types.float32, 2, "C", readonly=True)


class Profile(NamedTuple):
    """What a point sees.

    Parameters
    ----------
    elevation : float64 (720,)
        Of the horizon above the horizontal plane, degrees, by azimuth 0, 0.5 .. 359.5 clockwise from true north. Where
        there is no data at all it is that of the open sea.
    distance : float64 (720,)
        To what makes the horizon, m; NaN where there is no data.
    """

    elevation: NDArray[np.float64]
    distance: NDArray[np.float64]


def profile(
    level: Level, x: float, y: float, eye: float, *, reach: float, begin: float = FIRST, fan: int = 1
) -> Profile:
    """Return the horizon of a point.

    Parameters
    ----------
    level : Level
        In UTM 33.
    x, y : float
        The point, m, in the coordinates of the level.
    eye : float
        Height of the eye above the sea, m.
    reach : float
        The farthest that is looked at, m.
    begin : float
        The nearest that is looked at, m.
    fan : int
        Rays for each azimuth, spread evenly over its half degree; the highest counts.
    """
    spread = (np.arange(AZIMUTHS * fan) + 0.5 - fan / 2) * (STEP_DEG / fan)
    directions = np.radians(spread - float(earth.convergence(x, y)))
    tangent, distance = np.full(len(directions), -np.inf), np.full(len(directions), np.nan)
    column, row, cell = (x - level.x0) / level.cell, (y - level.y0) / level.cell, level.cell / float(earth.scale(x, y))
    _over_surface(level.z, column, row, eye, cell, begin, reach, directions, tangent, distance)
    best = tangent.reshape(AZIMUTHS, fan).argmax(axis=1) + np.arange(AZIMUTHS) * fan
    seen = tangent[best] > UNSEEN
    return Profile(
        np.where(seen, np.degrees(np.arctan(tangent[best])), earth.sea_dip(eye)), np.where(seen, distance[best], np.nan)
    )


@compiled(
    _HEIGHTS, types.float64, types.float64, types.float64, types.float64, types.float64, types.float64, VECTOR,
    ROW, ROW,
)  # fmt: skip
def _over_surface(z, column, row, eye, cell, near, far, directions, tangent, distance):  # type: ignore[no-untyped-def]
    rows, columns = z.shape
    u, v, along = column - np.floor(column), row - np.floor(row), room()
    for a in range(directions.size):
        east, north = np.sin(directions[a]), np.cos(directions[a])
        best, where = tangent[a], distance[a]
        for k in range(smooth_distances(east, north, u, v, cell, near, far, cell, along)):
            d = along[k]
            p, q = column + east * d / cell, row + north * d / cell
            if not (0.0 <= p <= columns - 1 and 0.0 <= q <= rows - 1):
                continue
            j, i = min(int(p), columns - 2), min(int(q), rows - 2)
            p, q = p - j, q - i
            # no differences of heights: one that is missing would leave nothing of the other's digits
            lower = z[i, j] * (1.0 - p) + z[i, j + 1] * p
            upper = z[i + 1, j] * (1.0 - p) + z[i + 1, j + 1] * p
            found = (lower * (1.0 - q) + upper * q - eye) / d - DROP * d
            if found > best:
                best, where = found, d
        tangent[a], distance[a] = best, where
