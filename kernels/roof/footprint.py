"""The edge of a roof in plan: a building's outline moved to where the surface model drops to the ground."""

from collections.abc import Sequence

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
_STEP_M = 0.01
_OFFSETS = np.arange(-_INSIDE_M, REACH_M, _STEP_M)
_COARSE, _SHIFTS = np.arange(-0.5, 1.2, 0.05), np.arange(-0.8, 0.81, 0.05)
# Of the cells along an edge, how many more may be on the wrong side of an offset that all edges share.
_ALLOWED = 0.05


def region_of(outline: Polygon, others: list[Polygon]) -> Polygon:
    """Return where a building's roof may be: its outline with a margin, without other buildings."""
    reach = outline.buffer(REACH_M, join_style="mitre")
    near = shapely.union_all([other for other in others if other.intersects(reach)])
    return largest(shapely.union(reach.difference(near), outline.difference(near)))


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
    ring = shapely.orient_polygons(largest(outline.simplify(_SIMPLER_M)))
    corners = np.array(ring.exterior.coords)[:-1]
    ends = np.roll(corners, -1, axis=0)
    along = ends - corners
    length = np.hypot(*along.T)
    outward = np.column_stack([along[:, 1], -along[:, 0]]) / length[:, None]
    x, y = field.positions()
    on = ndimage.binary_fill_holes(on)
    free = shapely.contains_xy(region.buffer(0.3), x, y) | shapely.contains_xy(outline, x, y)
    wrong = [
        _wrong(corners[k], along[k] / length[k], length[k], outward[k], (x, y), on, free) for k in range(len(corners))
    ]
    moved = _offsets(wrong, outward, length / field.cell)
    known = np.isfinite(moved)
    if not known.any():
        return outline
    moved = np.where(known, moved, np.average(moved[known], weights=length[known]))
    found = Polygon(_crossings(corners + outward * moved[:, None], along / length[:, None]))
    if not found.is_valid or not 0.5 < found.area / outline.area < 2:
        found = outline.buffer(float(np.average(moved, weights=length)), join_style="mitre")
    # moved inward, a narrow outline is gone
    return largest(found.intersection(region)) or outline


def _wrong(
    start: Floats, along: Floats, length: float, outward: Floats, at: tuple[Floats, Floats], on: Flags, free: Flags
) -> NDArray[np.int64] | float:
    """Return how many cells along an edge are on the wrong side of it if it is moved outward by each of `_OFFSETS`.

    0 for a party wall, NaN where no cells are known.
    """
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
    roof = on[strip][order]
    wrong = np.concatenate([[0], np.cumsum(~roof)]) + np.concatenate([np.cumsum(roof[::-1])[::-1], [0]])
    return np.asarray(wrong[np.searchsorted(v[strip][order], _OFFSETS)])


def _offsets(wrong: Sequence[NDArray[np.int64] | float], outward: Floats, cells: Floats) -> Floats:
    """Return how far outward of each edge the roof ends, m; NaN where it is not known.

    One overhang and one shift of the outline hold for all edges whose cells allow it: the cells of one edge tell it
    only to a cell's width, those of all edges better.
    """
    counted = [n for n, one in enumerate(wrong) if isinstance(one, np.ndarray)]
    found = np.array([np.nan if isinstance(one, np.ndarray) else one for one in wrong])
    if not counted:
        return found
    counts = np.array([wrong[n] for n in counted])
    normals, rows = outward[counted], np.arange(len(counted))[:, None]

    def places(numbers: Floats) -> NDArray[np.intp]:
        """Return where in `_OFFSETS` overhang and shift (k, 3) put each edge, (edges, k)."""
        offsets = numbers[:, 0] + normals @ numbers[:, 1:].T
        steps = np.rint((offsets - _OFFSETS[0]) / _STEP_M).astype(np.intp)
        return np.asarray(np.clip(steps, 0, len(_OFFSETS) - 1))

    still = np.column_stack([_OFFSETS, np.zeros((len(_OFFSETS), 2))])
    shared, cost = _best(still, counts[rows, places(still)].sum(axis=0))
    if cost > 0:
        tried = np.stack(np.meshgrid(_COARSE, _SHIFTS, _SHIFTS, indexing="ij"), -1).reshape(-1, 3)
        other, less = _best(tried, counts[rows, places(tried)].sum(axis=0))
        shared = other if less < cost else shared
    at = places(shared[None])[:, 0]
    for n, one, place, allowed in zip(counted, counts, at, _ALLOWED * cells[counted], strict=True):
        found[n] = _OFFSETS[place] if one[place] <= one.min() + allowed else np.mean(_OFFSETS[one == one.min()])
    return found


def _best(tried: Floats, cost: NDArray[np.int64]) -> tuple[Floats, int]:
    """Return the middle of the tries of least cost, and that cost."""
    least = int(cost.min())
    return tried[cost == least].mean(axis=0), least


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


def largest(shape: shapely.Geometry) -> Polygon:
    """Return the largest polygon of a shape; empty where it has none."""
    parts = [part for part in shapely.get_parts(shape) if isinstance(part, Polygon)]
    return max(parts, key=lambda part: float(part.area), default=Polygon())
