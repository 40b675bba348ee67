"""A picture seen straight at a roof's plane: cells along its contour lines and up its slope."""

import math
from typing import NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy import ndimage
from shapely import Polygon

from kernels.roof.roof import Surface
from kernels.roof.straight import long_side

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_EDGE_M = 0.15  # surfaces' edges are not known better
_FINEST_M, _MOST_CELLS = 0.05, 400_000


class Rectified(NamedTuple):
    """Colours of a surface.

    Parameters
    ----------
    rgb : float64 (rows, columns, 3)
    inside : bool (rows, columns)
        Cells on the surface and in the picture, not at their edges.
    cell : float
        Side, m on the slope.
    origin, along, up : float64 (2,)
        Corner of the first cell in plan; steps of 1 m to the next columns and rows on the slope, in plan, m.
    """

    rgb: Floats
    inside: Flags
    cell: float
    origin: Floats
    along: Floats
    up: Floats

    def polygon(self, rows: tuple[int, int], columns: tuple[int, int]) -> Polygon:
        """Return the rectangle of rows and columns (from, to), in plan, m."""
        corners = [(columns[0], rows[0]), (columns[1], rows[0]), (columns[1], rows[1]), (columns[0], rows[1])]
        return Polygon(self.cell * np.array(corners) @ np.array([self.along, self.up]) + self.origin)


def pixel_of(axes: Floats) -> float:
    """Return the side of a pixel, m."""
    return float(np.sqrt(abs(axes[2] * axes[5] - axes[3] * axes[4])))


def rectified(rgb: NDArray[np.uint8], axes: Floats, surface: Surface) -> Rectified | None:
    """Return a surface's part of a picture; None where there is none, or the surface is too small or steep."""
    ring = np.array(surface.polygon.exterior.coords)
    turn, stretch = _turn(surface), min(surface.plane.stretch, 4.0)
    along = np.array([math.cos(turn), math.sin(turn)])
    up = np.array([-along[1], along[0]]) / stretch
    places = np.column_stack([ring @ along, ring @ up * stretch**2])
    low, high = places.min(axis=0), places.max(axis=0)
    cell = max(_FINEST_M, pixel_of(axes) / 2, math.sqrt(float(np.prod(high - low)) / _MOST_CELLS))
    columns, rows = (int(count) for count in np.ceil((high - low) / cell))
    if min(rows, columns) < 4:
        return None
    origin = low[0] * along + low[1] * up
    i, j = np.mgrid[:rows, :columns] + 0.5
    x, y = (origin[n] + cell * (j * along[n] + i * up[n]) for n in (0, 1))
    across = axes[2] * axes[5] - axes[3] * axes[4]
    dx, dy = x - axes[0], y - axes[1]
    at = np.array([(axes[2] * dy - axes[3] * dx) / across, (axes[5] * dx - axes[4] * dy) / across])
    inside = shapely.contains_xy(surface.polygon.buffer(-_EDGE_M), x, y)
    inside &= (at[0] >= 0) & (at[0] <= rgb.shape[0] - 1) & (at[1] >= 0) & (at[1] <= rgb.shape[1] - 1)
    if not inside.any():
        return None
    bands = [ndimage.map_coordinates(rgb[..., n], at, np.float64, order=1, mode="nearest") for n in range(3)]
    return Rectified(np.stack(bands, axis=-1), inside, cell, origin, along, up)


def _turn(surface: Surface) -> float:
    """Return the direction of a surface's contour lines, of a flat one's long side, radians from east."""
    if not surface.is_flat:
        # up the slope is a quarter turn from it
        return math.radians(-surface.plane.azimuth - 180)
    east, north = long_side(surface.polygon)
    return math.atan2(north, east)
