"""What is close to points, over a surface whose grid is turned against theirs: rays of each, over its own cells.

Heights that were looked up on a lattice round off the creases between a turned source's cells by up to a metre, which
is degrees for who stands beside one. So near, each point gets rays of its own.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.compiled import compiled
from kernels.horizon.earth import DROP
from kernels.horizon.levels import MISSING
from kernels.horizon.look import STRIP
from kernels.horizon.samples import FIRST

CLOSE = 250.0
"""How far, m: a metre is a quarter of a degree there."""


# A ray that comes on by less than that, in cells a metre, goes along a side of them.
_ALONG = 1e-9


class OwnSurface(NamedTuple):
    """A source's heights on its own grid, and where points stand on it.

    Parameters
    ----------
    z : float32 (n, m)
        At the centres of the source's cells, m, between which it is bilinear; `MISSING` where nothing is known.
    at : float64 (rows, columns, 6)
        Of each point the column and row in `z`, from the first centre; what a metre of the map to the east adds to
        both; and what one to the north does.
    """

    z: NDArray[np.float32]
    at: NDArray[np.float64]

    def ground(self) -> NDArray[np.float32]:
        """Return the surface at the points, float32 (rows, columns), m; NaN where not all of it is known to `CLOSE`."""
        found = np.full(self.at.shape[:2], np.nan, np.float32)
        _surface_at(self.z, self.at, found)
        return found


@compiled()
def _surface_at(z, at, found):  # type: ignore[no-untyped-def]
    for r in range(found.shape[0]):
        for c in range(found.shape[1]):
            column, row, to_east, up_east, to_north, up_north = at[r, c]
            # a metre of the map is not quite one on the ground
            wide, high = 1.01 * CLOSE * np.hypot(to_east, to_north), 1.01 * CLOSE * np.hypot(up_east, up_north)
            left, right = int(np.floor(column - wide)), int(np.floor(column + wide)) + 1
            low, top = int(np.floor(row - high)), int(np.floor(row + high)) + 1
            if left < 0 or low < 0 or right >= z.shape[1] or top >= z.shape[0]:
                continue
            whole = True
            for i in range(low, top + 1):
                for j in range(left, right + 1):
                    whole = whole and z[i, j] != MISSING
            if whole:
                found[r, c] = _between(z, column, row)


@compiled()
def look_close(z, at, azimuths, turns, stretches, far, eyes, tangent, distance):  # type: ignore[no-untyped-def]
    """Raise the tangents of points to what is seen of the surface around them.

    Parameters
    ----------
    z, at : arrays
        Of an `OwnSurface`; `at` as (columns, rows, 6).
    azimuths, turns, stretches, tangent, distance
        As in `look.look_at_surface`.
    far : float
        What is looked at, m; at most `CLOSE`.
    eyes : float32 (columns, rows)
        Heights of the points' eyes, m; NaN of points that do not stand on this surface.
    """
    for c in range(eyes.shape[0]):
        turn, stretch = turns[c // STRIP], stretches[c // STRIP]
        for r in range(eyes.shape[1]):
            if np.isnan(eyes[c, r]):
                continue
            column, row, to_east, up_east, to_north, up_north = at[c, r]
            for a in range(azimuths.size):
                east, north = stretch * np.sin(azimuths[a] - turn), stretch * np.cos(azimuths[a] - turn)
                across, up = east * to_east + north * to_north, east * up_east + north * up_north
                best, where = _highest(z, column, row, across, up, FIRST, far, np.float64(eyes[c, r]))
                if best > tangent[a, c, r]:
                    tangent[a, c, r], distance[a, c, r] = best, where


@compiled()
def _highest(z, column, row, across, up, near, far, eye):  # type: ignore[no-untyped-def]
    """Return the highest tangent along a ray and where that is: exact, for within a cell it has a closed form.

    Of a cell's surface the height is a quadratic in the distance d along a ray, and the tangent a / d + b + c d, whose
    only maximum is where d is the root of a / c, and both are negative.

    Parameters
    ----------
    z : float32 (n, m)
    column, row : float
        Where the ray begins.
    across, up : float
        What a metre along it adds to both.
    near, far, eye : float
        m.
    """
    best, where, d = -np.inf, np.nan, near
    j, i = int(np.floor(column + across * d)), int(np.floor(row + up * d))
    east, north = 1 if across > 0.0 else 0, 1 if up > 0.0 else 0
    while d < far:
        to_side = (j + east - column) / across if abs(across) > _ALONG else np.inf
        to_end = (i + north - row) / up if abs(up) > _ALONG else np.inf
        end = max(d, min(to_side, to_end, far))
        p, q = column - j, row - i
        z00, by_p, by_q = np.float64(z[i, j]), np.float64(z[i, j + 1]) - z[i, j], np.float64(z[i + 1, j]) - z[i, j]
        by_both = np.float64(z[i + 1, j + 1]) - z[i + 1, j] - by_p
        a = z00 + by_p * p + by_q * q + by_both * p * q - eye
        b = by_p * across + by_q * up + by_both * (p * up + q * across)
        c = by_both * across * up - DROP
        middle = np.sqrt(a / c) if a < 0.0 and c < 0.0 else end
        for at in (d, min(max(middle, d), end), end):
            found = a / at + b + c * at
            if found > best:
                best, where = found, at
        if to_side <= to_end:
            j += 2 * east - 1
        else:
            i += 2 * north - 1
        d = end
    return best, where


@compiled()
def _between(z, column, row):  # type: ignore[no-untyped-def]
    j, i = int(np.floor(column)), int(np.floor(row))
    p, q = column - j, row - i
    return (z[i, j] * (1.0 - p) + z[i, j + 1] * p) * (1.0 - q) + (z[i + 1, j] * (1.0 - p) + z[i + 1, j + 1] * p) * q
