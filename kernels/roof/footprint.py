"""The edge of a roof in plan: a building's outline moved to where the surface model drops to the ground."""

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy import ndimage
from shapely import Polygon

from kernels.roof.field import Field

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

REACH_M = 1.6
"""Roofs reach so far beyond walls, and outlines are so far off, at most."""

_INSIDE_M = 1.5
_SHORTEST_M = 1.5
_SIMPLER_M = 0.25
# Share of the strip beyond an edge that is under other buildings: the edge is a party wall.
_PARTY = 0.4


def region_of(outline: Polygon, others: list[Polygon]) -> Polygon:
    """Return where a building's roof may be: its outline with a margin, without other buildings."""
    reach = outline.buffer(REACH_M, join_style="mitre")
    near = shapely.union_all([other for other in others if other.intersects(reach)])
    return _largest(shapely.union(reach.difference(near), outline.difference(near)))


def roof_edge(outline: Polygon, field: Field, on: Flags, region: Polygon) -> Polygon:
    """Return the polygon of a roof.

    Parameters
    ----------
    outline : Polygon
        Of the walls, m.
    field : Field
    on : bool (rows, columns)
        Cells that lie on one of its planes.
    region : Polygon
        From `region_of`.
    """
    ring = shapely.orient_polygons(_largest(outline.simplify(_SIMPLER_M)))
    corners = np.array(ring.exterior.coords)[:-1]
    ends = np.roll(corners, -1, axis=0)
    along = ends - corners
    length = np.hypot(*along.T)
    outward = np.column_stack([along[:, 1], -along[:, 0]]) / length[:, None]
    x, y = field.positions()
    on = ndimage.binary_fill_holes(on)
    free = shapely.contains_xy(region.buffer(0.3), x, y) | shapely.contains_xy(outline, x, y)
    moved = np.array(
        [
            _offset(corners[k], along[k] / length[k], length[k], outward[k], (x, y), on, free, field.cell)
            for k in range(len(corners))
        ]
    )
    known = np.isfinite(moved)
    if not known.any():
        return outline
    moved = np.where(known, moved, np.average(moved[known], weights=length[known]))
    found = Polygon(_crossings(corners + outward * moved[:, None], along / length[:, None]))
    if not found.is_valid or not 0.5 < found.area / outline.area < 2:
        found = outline.buffer(float(np.average(moved, weights=length)), join_style="mitre")
    return _largest(found.intersection(region))


def _offset(
    start: Floats,
    along: Floats,
    length: float,
    outward: Floats,
    at: tuple[Floats, Floats],
    on: Flags,
    free: Flags,
    cell: float,
) -> float:
    """Return how far outward of an edge its planes end, m; NaN where none are known."""
    if length < _SHORTEST_M:
        return np.nan
    u = (at[0] - start[0]) * along[0] + (at[1] - start[1]) * along[1]
    v = (at[0] - start[0]) * outward[0] + (at[1] - start[1]) * outward[1]
    trim = min(0.5, length / 4)
    strip = (u > trim) & (u < length - trim) & (v > -_INSIDE_M) & (v <= REACH_M)
    if np.mean(~free[strip & (v > 0)] if (strip & (v > 0)).any() else 1.0) > _PARTY:
        return 0.0
    strip &= free
    if not on[strip].any():
        return np.nan
    order = np.argsort(v[strip])
    ahead, roof = v[strip][order], on[strip][order]
    # of all lines along the edge the one with fewest cells on its wrong side
    wrong = np.concatenate([[0], np.cumsum(~roof)]) + np.concatenate([np.cumsum(roof[::-1])[::-1], [0]])
    best = np.flatnonzero(wrong == wrong.min())
    between = np.concatenate([[ahead[0] - cell], ahead, [ahead[-1] + cell]])
    return float(np.mean((between[best] + between[best + 1]) / 2))


def _crossings(points: Floats, along: Floats) -> Floats:
    """Return where each line crosses the one before it; where they are nearly parallel, the middle of both."""
    before, to = np.roll(points, 1, axis=0), np.roll(along, 1, axis=0)
    cross = to[:, 0] * along[:, 1] - to[:, 1] * along[:, 0]
    gap = points - before
    with np.errstate(divide="ignore", invalid="ignore"):
        way = (gap[:, 0] * along[:, 1] - gap[:, 1] * along[:, 0]) / cross
    crossing = before + to * way[:, None]
    foot = before + to * (gap * to).sum(axis=1)[:, None]
    return np.where((np.abs(cross) > 0.2)[:, None], crossing, (points + foot) / 2)


def _largest(shape: shapely.Geometry) -> Polygon:
    parts = [part for part in shapely.get_parts(shape) if isinstance(part, Polygon)]
    return max(parts, key=lambda part: float(part.area), default=Polygon())
