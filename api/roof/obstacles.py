"""Obstacles that a picture shows: the surface on which each stands, and whether the heights contradict it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import shapely

from kernels.roof.field import Field
from kernels.roof.roof import Obstacle, Roof

_TALL = ("heissjakt", "takoppbygg", "kjoleaggregat")
_CHIMNEY, _CHIMNEY_CELL_M = "pipe", 0.5  # coarser cells do not show one
_LEAST_CELLS = 4
_AROUND_M = 1.0
_KNOWN, _ON = 0.3, 0.5  # shares of an obstacle: under one that the heights show; on surfaces


def placed(
    obstacles: Sequence[Obstacle], roof: Roof, field: Field, lowest: float
) -> tuple[list[Obstacle], list[Obstacle]]:
    """Return obstacles that the heights do not show already, with their surfaces; and those that heights contradict.

    Parameters
    ----------
    obstacles : sequence of Obstacle
    roof : Roof
    field : Field
    lowest : float
        Height above the roof from which something is an obstacle, m.
    """
    found, refused = list[Obstacle](), list[Obstacle]()
    for one in obstacles:
        polygon = shapely.make_valid(one.polygon)
        areas = [polygon.intersection(surface.polygon).area for surface in roof.surfaces]
        known = any(polygon.intersection(other.polygon).area > _KNOWN * polygon.area for other in roof.obstacles)
        if polygon.geom_type != "Polygon" or known or sum(areas) <= _ON * polygon.area:
            continue
        there = replace(one, polygon=polygon, surface=roof.surfaces[int(np.argmax(areas))].number)
        (refused if _is_contradicted(there, roof, field, lowest) else found).append(there)
    return found, refused


def _is_contradicted(one: Obstacle, roof: Roof, field: Field, lowest: float) -> bool:
    """Return whether something tall is claimed where the heights show nothing above any plane around."""
    if one.kind not in _TALL and not (one.kind == _CHIMNEY and field.cell <= _CHIMNEY_CELL_M):
        return False
    x, y = field.positions()
    there = shapely.contains_xy(one.polygon, x, y) & np.isfinite(field.z)
    if np.count_nonzero(there) < _LEAST_CELLS:
        return False
    # of planes around, too: the flat top of a lift shaft may be a surface of its own
    planes = [each.plane for each in roof.surfaces if each.polygon.distance(one.polygon) <= _AROUND_M]
    above = [field.z[there] - plane.a * x[there] - plane.b * y[there] - plane.c for plane in planes]
    return all(float(np.percentile(each, 90)) < lowest for each in above)
