"""The truth: plain rays at full resolution in double precision, and the exact angle of a peak on a sphere.

Slow and with nothing clever in it. Nothing here comes from `kernels` but the container of heights.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numba
import numpy as np
import pyproj
from numpy.typing import ArrayLike, NDArray

from kernels.horizon.levels import Level

Floats = NDArray[np.float64]

EARTH_RADIUS = 6_371_000.0
REFRACTION = 0.13
AZIMUTHS = np.arange(720) / 2
BEGIN = 1.5
LOWEST = -5000.0
"""Below this, and NaN, is no data."""

UTM33 = pyproj.Proj("EPSG:25833")
GEOD = pyproj.Geod(ellps="GRS80")


class Truth(NamedTuple):
    """What rays see.

    Parameters
    ----------
    elevation : float64 (rays,)
        Degrees; NaN where a ray has no sample.
    distance : float64 (rays,)
        Of the highest, m; NaN where a ray has no sample.
    looked : float64 (rays,)
        How far the data went, m: the reach, or less.
    """

    elevation: Floats
    distance: Floats
    looked: Floats


def convergence(x: float, y: float) -> float:
    """Bearing of the grid's north, degrees clockwise from true north, by PROJ."""
    lon, lat = UTM33(x, y, inverse=True)
    return float(UTM33.get_factors(lon, lat).meridian_convergence)


def horizon(
    level: Level,
    x: float,
    y: float,
    eye: float,
    reach: float,
    step: float = 1.0,
    turned: float | None = None,
) -> Truth:
    """March along each true azimuth from 1.5 m on, a sample each `step` m, between the centres of cells bilinear.

    Parameters
    ----------
    level : Level
        The heights at full resolution; float64 or float32.
    x, y : float
        Observer in the coordinates of the raster (UTM 33), m.
    eye : float
        Metres above the sea.
    reach : float
        Metres.
    step : float
        Between samples, m.
    turned : float, optional
        The grid's convergence, degrees; PROJ's of UTM 33 by default.
    """
    gamma = convergence(x, y) if turned is None else turned
    grid = np.radians(AZIMUTHS - gamma)
    truth = Truth(*(np.full(grid.shape, np.nan) for _ in range(3)))
    _march(
        np.asarray(level.z, dtype=np.float64), (x - level.x0) / level.cell, (y - level.y0) / level.cell, level.cell,
        eye, grid, BEGIN, step, reach, *truth,
    )  # fmt: skip
    return truth


def horizons(
    level: Level,
    points: ArrayLike,
    reach: float,
    eye: float = 1.5,
    turned: Callable[[float, float], float] = convergence,
) -> list[Truth | None]:
    """Give the horizon of many points (n, 2), of an eye so many metres over the ground; None where that is missing."""
    whole = level._replace(z=np.asarray(level.z, dtype=np.float64))

    def one(point: Sequence[float]) -> Truth | None:
        below = ground(whole, *point)
        x, y = point
        return None if np.isnan(below) else horizon(whole, x, y, below + eye, reach, turned=turned(x, y))

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(one, np.asarray(points, dtype=np.float64)))


def ground(level: Level, x: float, y: float) -> float:
    """The bilinear height at a position, m; NaN outside the centres, and where one of the four is missing."""
    z = np.asarray(level.z, dtype=np.float64)
    height = _height(z, (x - level.x0) / level.cell, (y - level.y0) / level.cell)
    return height if height > LOWEST else float("nan")


def exact_elevation(distance: ArrayLike, top: ArrayLike, eye: ArrayLike) -> Floats:
    """Elevation of a peak over a sphere, degrees, with refraction as an angle of its own (science.md, section 4)."""
    d, top = np.asarray(distance, dtype=np.float64), np.asarray(top, dtype=np.float64)
    a = d / EARTH_RADIUS
    up = (EARTH_RADIUS + top) * np.cos(a) - (EARTH_RADIUS + np.asarray(eye, dtype=np.float64))
    seen: Floats = np.degrees(np.arctan2(up, (EARTH_RADIUS + top) * np.sin(a)) + REFRACTION * d / (2 * EARTH_RADIUS))
    return seen


def placed(lat: float, lon: float, azimuth: float, distance: float) -> tuple[float, float]:
    """Position in UTM 33 of what stands at a geodesic's azimuth and length from a place, m."""
    far_lon, far_lat, _ = GEOD.fwd(lon, lat, azimuth, distance)
    x, y = UTM33(far_lon, far_lat)
    return float(x), float(y)


@numba.njit(nogil=True, cache=True)
def _height(z, u, v):  # type: ignore[no-untyped-def]
    """Bilinear at column u and row v; far below `LOWEST` where there is no data."""
    rows, columns = z.shape
    if not (0 <= u <= columns - 1 and 0 <= v <= rows - 1):
        return -1e9
    i, j = min(int(u), columns - 2), min(int(v), rows - 2)
    a, b, c, d = z[j, i], z[j, i + 1], z[j + 1, i], z[j + 1, i + 1]
    if not (a > LOWEST and b > LOWEST and c > LOWEST and d > LOWEST):
        return -1e9
    p, q = u - i, v - j
    return (a * (1 - p) + b * p) * (1 - q) + (c * (1 - p) + d * p) * q


@numba.njit(nogil=True, cache=True)
def _march(z, u, v, cell, eye, grid, begin, step, reach, elevation, distance, looked):  # type: ignore[no-untyped-def]
    sag = (1 - REFRACTION) / (2 * EARTH_RADIUS)
    for n in range(grid.size):
        east, north = np.sin(grid[n]) / cell, np.cos(grid[n]) / cell
        best, where, far = -np.inf, np.nan, 0.0
        for m in range(int((reach - begin) / step + 1e-9) + 1):
            d = begin + m * step
            height = _height(z, u + d * east, v + d * north)
            if height < LOWEST:
                break
            far = d
            tangent = (height - eye - sag * d * d) / d
            if tangent > best:
                best, where = tangent, d
        elevation[n] = np.degrees(np.arctan(best)) if far > 0 else np.nan
        distance[n] = where
        looked[n] = reach if far + step > reach else far
