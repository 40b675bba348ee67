"""Made-up flat halls with boxes on the roof, as a height model shows them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from shapely import Polygon, affinity, box

from kernels.horizon.levels import Level
from kernels.roof.field import Field
from kernels.roof.shade import REACH

Floats = NDArray[np.float64]

_ROOF_M, _BOX_M = 8.0, (2.0, 2.4, 1.2)  # height; length, width and height
_AROUND_M, _TURN, _NOISE_M = 8.0, 23.0, 0.04  # degrees counter-clockwise; standard deviation


class Hall(NamedTuple):
    """A hall in a frame of m to true east and north of its middle; `level`: its heights for shade, cells of 1 m."""

    outline: Polygon
    field: Field
    level: Level


def made_hall(size: tuple[float, float], cell: float, boxes: int) -> Hall:
    """Return a hall.

    Parameters
    ----------
    size : (float, float)
        m.
    cell : float
        m.
    boxes : int
        Of 2 x 2.4 m, 1.2 m high, wherever they fall.
    """
    draw = np.random.default_rng(1)
    outline = affinity.rotate(box(-size[0] / 2, -size[1] / 2, size[0] / 2, size[1] / 2), _TURN, origin=(0, 0))
    places = draw.uniform(-0.5, 0.5, (boxes, 2)) * (np.array(size) - 6)
    z, axes = _raster(size, cell, _AROUND_M, places)
    field = Field(z + draw.normal(0, _NOISE_M, z.shape), np.zeros_like(z), axes)
    wide, axes = _raster(size, 1.0, REACH, places)
    wide += draw.normal(0, _NOISE_M, wide.shape)
    return Hall(outline, field, Level(wide.astype(np.float32), float(axes[0]), float(axes[1]), 1.0))


def _raster(size: tuple[float, float], cell: float, around: float, places: Floats) -> tuple[Floats, Floats]:
    """Return heights (n, n) and their axes, as `Field` has them."""
    reach = float(np.hypot(*size)) / 2 + around
    count = int(2 * reach / cell)
    axes = np.array([-reach, -reach, cell, 0, 0, cell])
    empty = np.zeros((count, count))
    x, y = Field(empty, empty, axes).positions()
    c, s = np.cos(np.radians(_TURN)), np.sin(np.radians(_TURN))
    u, v = x * c + y * s, y * c - x * s
    z = np.where((np.abs(u) < size[0] / 2) & (np.abs(v) < size[1] / 2), _ROOF_M, 0.0)
    for at, across in places:
        z[(np.abs(u - at) < _BOX_M[0] / 2) & (np.abs(v - across) < _BOX_M[1] / 2)] += _BOX_M[2]
    return z, axes
