"""The edge of a roof in plan: a building's outline moved to where the surface model drops to the ground."""

from collections.abc import Sequence
from itertools import product

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy import ndimage
from shapely import Polygon

from kernels.roof.field import Field
from kernels.roof.straight import main_direction

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
# Overhang along and across the building, shift east and north, m.
_ONE = np.column_stack([_OFFSETS, _OFFSETS, np.zeros((len(_OFFSETS), 2))])
_TWO = np.array([(*one, 0.0, 0.0) for one in product(_COARSE, _COARSE)])
_SHIFTED = np.array([(one, one, east, north) for one, east, north in product(_COARSE, _SHIFTS, _SHIFTS)])


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
    main = main_direction(ring)
    across = np.abs(outward @ [np.cos(main), np.sin(main)]) > np.sqrt(0.5)
    moved = _offsets(wrong, np.column_stack([across, ~across, outward]))
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


def _offsets(wrong: Sequence[NDArray[np.int64] | float], numbers: Floats) -> Floats:
    """Return how far outward of each edge the roof ends, m.

    An edge's cells tell it to a cell's width; few numbers that place all edges tell it better: one overhang, or where
    that does not fit one along the building and one across, or one and a shift of the outline. If none fits the cells
    of all edges, each goes by its own cells, and one without cells by the numbers.

    Parameters
    ----------
    wrong : sequence
        Of `_wrong`.
    numbers : float64 (n, 4)
        By what overhang along and across and shift east and north move each edge.
    """
    counted = [n for n, one in enumerate(wrong) if isinstance(one, np.ndarray)]
    if not counted:
        return np.zeros(len(wrong))
    counts, rows = np.array([wrong[n] for n in counted]), np.arange(len(counted))[:, None]
    shared, cost = np.zeros(4), np.inf
    for tried in (_ONE, _TWO, _SHIFTED):
        total = counts[rows, _places(numbers[counted] @ tried.T)].sum(axis=0)
        if total.min() < cost:
            shared, cost = tried[total == total.min()].mean(axis=0), total.min()
        if not cost:
            break
    places = _places(numbers @ shared)
    fits = counts[rows[:, 0], places[counted]].sum() <= counts.min(axis=1).sum()
    found: Floats = _OFFSETS[places]
    for n, one in enumerate(wrong):
        if not isinstance(one, np.ndarray):
            found[n] *= one != 0
        elif not fits:
            found[n] = np.mean(_OFFSETS[one == one.min()])
    return found


def _places(offsets: Floats) -> NDArray[np.intp]:
    """Return where offsets stand in `_OFFSETS`."""
    return np.asarray(np.clip(np.rint((offsets - _OFFSETS[0]) / _STEP_M), 0, len(_OFFSETS) - 1), np.intp)


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
