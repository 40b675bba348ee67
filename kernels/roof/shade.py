"""Loss of beam irradiance on a roof to what stands around it, from a grid of heights, and to rows of racks."""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numba import types
from numpy.typing import ArrayLike, NDArray

from kernels.atmosphere import SEA_LEVEL, air_mass, pressure_at
from kernels.compiled import ROW, ROWS, TABLE, VECTOR, compiled
from kernels.horizon.levels import Level
from kernels.position import apparent
from kernels.sun import sun_table

Floats = NDArray[np.float64]

AZIMUTHS = 72
RAISED = 0.15
"""Of a module's middle above the plane of the roof, m."""
NEAR = 1.5
"""Nearer heights are the roof under the module itself, and the noise of its plane, m."""
REACH = 80.0

_YEAR = 1_735_689_600
"""2025-01-01T00 UTC: of which year the days are makes less than 0.1 % of a loss."""
_HEIGHTS = types.Array(types.float32, 2, "C", readonly=True)


def shade_of(
    level: Level, lat: float, lon: float, *, altitude: float = 0.0, far: ArrayLike | None = None, reach: float = REACH
) -> Callable[[Floats, float, float, Sequence[Floats]], Floats]:
    """Return a function that gives the share of a year's clear-sky beam that modules lose to what stands near by.

    Parameters
    ----------
    level : Level
        Heights with buildings and trees, in the roof's frame: m to true east and north. Beyond it nothing shades.
    lat, lon : float
        Degrees.
    altitude : float
        m above the sea: for the air's pressure.
    far : (n,) or None
        Horizon of the terrain in n directions clockwise from true north, degrees: the sun behind it counts nowhere.
    reach : float
        The farthest height that is looked at, m.

    Returns
    -------
    callable
        Of points float64 (n, 3) on the roof (m east, north, above the sea), tilt and azimuth in degrees, and m horizons
        (72,) of what the heights do not show, degrees: float64 (1 + m, n), by the heights alone and with each horizon,
        0 to 1; 0 for a plane that gets no beam.

    Notes
    -----
    The horizon of each point, 0.15 m over the roof, is that of the bilinear surface in 72 directions from 1.5 m on. The
    sun is hidden where its centre is below it. Each position, every 20 minutes of every 5th day, counts with the beam
    on the plane: E0 0.7^(AM^0.678) (Meinel & Meinel 1976) times the cosine of the angle of incidence. Cloud is left
    out: it is much the same before and behind what shades.
    """
    days = np.arange(2, 365, 5)[:, None] * 86_400 + np.arange(0, 86_400, 1200)
    sun = sun_table(_YEAR + days.ravel())
    elevation, azimuth = apparent(sun, lat, lon, altitude)
    terrain = np.atleast_1d(np.asarray(0.0 if far is None else far, np.float64))
    hidden_below = np.interp(azimuth, np.arange(terrain.size) * (360 / terrain.size), terrain, period=360)
    up = elevation > np.maximum(hidden_below, 0)
    elevation, azimuth = elevation[up], np.radians(azimuth[up])
    level_part = np.cos(np.radians(elevation))
    towards = np.column_stack(
        [np.sin(azimuth) * level_part, np.cos(azimuth) * level_part, np.sin(np.radians(elevation))]
    )
    beam = sun.e0[up] * 0.7 ** ((air_mass(elevation) * pressure_at(altitude) / SEA_LEVEL) ** 0.678)
    direction = np.degrees(azimuth) * (AZIMUTHS / 360)

    def shade(points: Floats, tilt: float, azimuth: float, more: Sequence[Floats]) -> Floats:
        facing, steep = math.radians(azimuth), math.sin(math.radians(tilt))
        normal = np.array([math.sin(facing) * steep, math.cos(facing) * steep, math.cos(math.radians(tilt))])
        weight = beam * np.maximum(towards @ normal, 0.0)
        horizons, losses = np.full((len(points), AZIMUTHS), -90.0), np.zeros((1 + len(more), len(points)))
        columns, rows = (points[:, 0] - level.x0) / level.cell, (points[:, 1] - level.y0) / level.cell
        places = np.column_stack([columns, rows, points[:, 2] + RAISED])
        _horizons(level.z, places, float(level.cell), float(reach), horizons)
        _losses(horizons, direction, elevation, weight, losses[0])
        for horizon, lost in zip(more, losses[1:], strict=True):
            _losses(np.maximum(horizons, horizon), direction, elevation, weight, lost)
        return losses

    return shade


def row_horizon(tilt: float, azimuth: float, width: float, spacing: float) -> Floats:
    """Return the horizon (72,) that a long row of racks makes for the middle of a module of the next row, degrees.

    Parameters
    ----------
    tilt, azimuth : float
        Of the module, degrees.
    width : float
        Of the module up its slope, m.
    spacing : float
        From row to row in plan, m.
    """
    rise = width * math.sin(math.radians(tilt)) / 2
    away = spacing - width * math.cos(math.radians(tilt)) / 2
    towards = np.cos(np.radians(np.arange(AZIMUTHS) * (360 / AZIMUTHS) - azimuth))
    return np.where(towards > 1e-9, np.degrees(np.arctan(rise * towards / away)), -90.0)


@compiled(_HEIGHTS, TABLE, types.float64, types.float64, ROWS)
def _horizons(z, places, cell, reach, horizons):  # type: ignore[no-untyped-def]
    """Raise the horizons (n, k), degrees, of places (n, 3): column, row, height of the eye."""
    rows, columns = z.shape
    for a in range(horizons.shape[1]):
        direction = 2.0 * np.pi * a / horizons.shape[1]
        east, north = np.sin(direction) / cell, np.cos(direction) / cell
        for n in range(places.shape[0]):
            best, d = -1e9, NEAR
            while d <= reach:
                p, q = places[n, 0] + east * d, places[n, 1] + north * d
                if not (0.0 <= p <= columns - 1 and 0.0 <= q <= rows - 1):
                    break
                j, i = min(int(p), columns - 2), min(int(q), rows - 2)
                p, q = p - j, q - i
                lower = z[i, j] * (1.0 - p) + z[i, j + 1] * p
                upper = z[i + 1, j] * (1.0 - p) + z[i + 1, j + 1] * p
                best = max(best, (lower * (1.0 - q) + upper * q - places[n, 2]) / d)
                d += max(0.5 * cell, 0.02 * d)
            horizons[n, a] = max(horizons[n, a], np.degrees(np.arctan(best)))


@compiled(TABLE, VECTOR, VECTOR, VECTOR, ROW)
def _losses(horizons, direction, elevation, weight, losses):  # type: ignore[no-untyped-def]
    """Fill the part of the weight (m,) of the sun's positions, by direction in steps of a horizon, that is hidden."""
    total, size = weight.sum(), horizons.shape[1]
    if total <= 0.0:
        return
    for n in range(losses.size):
        shaded, highest = 0.0, horizons[n].max()
        for m in range(weight.size):
            if elevation[m] >= highest or weight[m] <= 0.0:
                continue
            k = int(direction[m])
            part, here, beyond = direction[m] - k, horizons[n, k % size], horizons[n, (k + 1) % size]
            if elevation[m] < here + part * (beyond - here):
                shaded += weight[m]
        losses[n] = shaded / total
