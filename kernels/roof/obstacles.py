"""What stands on a roof, or is cut out of it: cells off their plane."""

from collections.abc import Sequence

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy import ndimage
from shapely import Polygon

from kernels.roof.field import Field
from kernels.roof.footprint import largest
from kernels.roof.roof import Obstacle, Surface

Flags = NDArray[np.bool_]

_OFF_M = 0.2
_LEAST_M2 = 0.45
# One cell alone counts where it is so much higher, and not beside an edge.
_LEAST_CELLS, _ALONE_M = 2, 0.6
_CHIMNEY_M2, _CHIMNEY_M = 3.0, 0.5
_LARGE_M2 = 4.0
_FILLED = 0.6


def obstacles_of(field: Field, surfaces: Sequence[Surface], noise: float = 0.0) -> list[Obstacle]:
    """Return the obstacles on surfaces, as far as cells show them.

    Parameters
    ----------
    field : Field
    surfaces : sequence of Surface
    noise : float
        Standard deviation of heights, m.
    """
    x, y = field.positions()
    found = []
    for surface in surfaces:
        plane = surface.plane
        # at an edge cells are half of what is beyond it
        inside = shapely.contains_xy(surface.polygon.buffer(-0.4 * field.cell), x, y)
        well_inside = shapely.contains_xy(surface.polygon.buffer(-1.1 * field.cell), x, y)
        off = field.z - plane.a * x - plane.b * y - plane.c
        for sign in (1, -1):
            pieces, _ = ndimage.label(inside & (sign * off > max(_OFF_M, 3 * noise) * plane.stretch))
            counts = np.bincount(pieces.ravel())
            large = (counts >= _LEAST_CELLS) & (counts * field.area >= _LEAST_M2)
            if sign > 0:
                high = pieces[well_inside & (off > max(_ALONE_M, 8 * noise) * plane.stretch)]
                large[high] |= field.area >= _LEAST_M2
            for n in 1 + np.flatnonzero(large[1:]):
                cells = pieces == n
                height = float(np.percentile(off[cells], 90)) if sign > 0 else 0.0
                found.append(_obstacle(field, surface, cells, height))
    return found


def _obstacle(field: Field, surface: Surface, cells: Flags, height: float) -> Obstacle:
    # a surface's edge may cut a sliver off
    polygon = largest(shape_of(field, cells).intersection(surface.polygon))
    area = float(polygon.area)
    if height <= 0:
        kind = "terrasse"
    elif area <= _CHIMNEY_M2 and height > _CHIMNEY_M:
        kind = "ventilasjon" if surface.is_flat else "pipe"
    else:
        kind = "takoppbygg" if area >= _LARGE_M2 else "annet"
    return Obstacle(polygon, kind, round(height, 2), "hoydemodell", surface.number)


def shape_of(field: Field, cells: Flags) -> Polygon:
    """Return the rectangle around cells where they fill one, else their outline."""
    x, y = field.positions()
    _, _, xj, yj, xi, yi = field.axes
    corners = np.stack(
        [
            np.column_stack([x[cells] + p * xj + q * xi, y[cells] + p * yj + q * yi])
            for p, q in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))
        ],
        axis=1,
    )
    union = shapely.union_all(shapely.polygons(corners))
    box = union.minimum_rotated_rectangle
    shape = box if union.area > _FILLED * box.area else union.simplify(0.3 * field.cell)
    return shape if isinstance(shape, Polygon) else union.convex_hull
