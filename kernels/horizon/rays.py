"""The horizon of one point: rays in 720 directions over heights of falling detail.

What rays are for is one point, such as a roof: each looks at the bilinear surface where that has its creases, then
every half cell, at last every cell, and beyond at the highest of coarser cells. Whole tiles are made in `block.py`, by
other means.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from kernels.compiled import VECTOR, compiled
from kernels.horizon import earth
from kernels.horizon.earth import DROP
from kernels.horizon.levels import UNSEEN, Level, ranges
from kernels.horizon.samples import room, smooth_distances

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
    levels: Sequence[Level],
    x: float,
    y: float,
    eye: float,
    *,
    reach: float | None = None,
    begin: float = 1.5,
    fan: int = 1,
    convergence: float | None = None,
    scale: float | None = None,
) -> Profile:
    """Return the horizon of a point.

    Parameters
    ----------
    levels : sequence of Level
        Finest first; each is used until the next one's cells are a hundredth of the distance, or its data end.
    x, y : float
        The point, m, in the coordinates of the levels.
    eye : float
        Height of the eye above the sea, m.
    reach : float, optional
        The farthest that is looked at, m; as far as the coarsest level goes, when absent.
    begin : float
        The nearest that is looked at, m.
    fan : int
        Rays for each azimuth, spread evenly over its half degree; the highest counts.
    convergence : float, optional
        What is added to a direction from the map's north to have it from true north, degrees; as in UTM 33 when absent.
    scale : float, optional
        Metres of the map to a metre on the ground; as in UTM 33 when absent.

    Raises
    ------
    ValueError
        The levels are none, or not ordered.
    """
    at = (x, y, x, y)
    turn = float(earth.convergence(x, y)) if convergence is None else convergence
    stretch = float(earth.scale(x, y)) if scale is None else scale
    farthest = reach if reach is not None else _diagonal(levels, x, y) / stretch
    spread = (np.arange(AZIMUTHS * fan) + 0.5 - fan / 2) * (STEP_DEG / fan)
    directions = np.radians(spread - turn)
    tangent, distance = np.full(len(directions), -np.inf), np.full(len(directions), np.nan)
    near = begin
    for number, (level, end) in enumerate(zip(levels, ranges(levels, at, farthest), strict=True)):
        column, row = (x - level.x0) / level.cell, (y - level.y0) / level.cell
        march = _over_surface if number == 0 else _over_tops
        march(level.z, column, row, eye, level.cell / stretch, near, end, directions, tangent, distance)
        near = max(near, end)
    best = tangent.reshape(AZIMUTHS, fan).argmax(axis=1) + np.arange(AZIMUTHS) * fan
    seen = tangent[best] > UNSEEN
    return Profile(
        np.where(seen, np.degrees(np.arctan(tangent[best])), earth.sea_dip(eye)), np.where(seen, distance[best], np.nan)
    )


def _diagonal(levels: Sequence[Level], x: float, y: float) -> float:
    """Return the distance of the coarsest level's farthest corner, m of the map."""
    last = levels[-1]
    rows, columns = last.z.shape
    across = max(x - last.x0, last.x0 + last.cell * (columns - 1) - x)
    up = max(y - last.y0, last.y0 + last.cell * (rows - 1) - y)
    return float(np.hypot(across, up))


_LOOP = compiled(
    _HEIGHTS, types.float64, types.float64, types.float64, types.float64, types.float64, types.float64, VECTOR,
    types.float64[::1], types.float64[::1],
)  # fmt: skip


@_LOOP
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


@_LOOP
def _over_tops(z, column, row, eye, cell, near, far, directions, tangent, distance):  # type: ignore[no-untyped-def]
    rows, columns = z.shape
    for a in range(directions.size):
        east, north = np.sin(directions[a]) / cell, np.cos(directions[a]) / cell
        best, where, d = tangent[a], distance[a], near
        while d < far:
            p, q = column + east * d, row + north * d
            if not (-0.5 <= p < columns - 0.5 and -0.5 <= q < rows - 0.5):
                break
            found = (z[int(q + 0.5), int(p + 0.5)] - eye) / d - DROP * d
            if found > best:
                best, where = found, d
            d += 0.7 * cell
        tangent[a], distance[a] = best, where
