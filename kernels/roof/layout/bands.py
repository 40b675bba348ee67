"""The most modules that a polygon holds: on one regular lattice, in columns, or in rows that begin anywhere.

A module at (u, v) covers [u, u + width] x [v, v + height]. The corners (u, v) that are possible are themselves a
polygon: what is left of the region where the sweep of its boundary by a turned-round module is taken away. A lattice is
then a set of points, and the best one is that with most points in the corners' polygon. Its number changes only where
an edge of the polygon, folded into one cell of the lattice, meets another or ends: the heights at which that happens
are the candidates for v, and the beginnings of the intervals at such a height are those for u. So the search is exact.
"""

import math
from typing import Any, Literal, NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray

from kernels.roof.layout.search import best_offset, choose_rows, crossings, meetings

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TOLERANCE = 1e-6
"""By how much a module may overlap what it touches, m: room for rounding where it fits exactly."""

ROWS_GAIN = 1.1
"""Rows that are no lattice are used only where they hold so many times as many modules."""

_STEP = 0.01
_MOST_HEIGHTS = 10_000
_MOST_OFFSETS = 1000
_MOST_MEETINGS = 50_000
"""Heights at which edges meet; where there are more, the search is in steps of 1 cm instead, and no longer exact."""


class Packing(NamedTuple):
    """Modules in a frame.

    Parameters
    ----------
    corner : float64 (n, 2)
        Lower left, m.
    row, column : int64 (n,)
        Neighbours in a row have consecutive columns.
    order : {"lattice", "columns", "rows"}
        Columns and rows of one lattice; columns alone; or rows that begin anywhere.
    """

    corner: Floats
    row: Ints
    column: Ints
    order: Literal["lattice", "columns", "rows"] = "lattice"

    @property
    def rectangularity(self) -> float:
        """Number of modules divided by rows times columns of the smallest rectangle around them; 1 of none."""
        if not self.row.size:
            return 1.0
        return float(self.row.size / (np.ptp(self.row) + 1) / (np.ptp(self.column) + 1))

    def keep(self, mask: NDArray[np.bool_], min_run: int) -> "Packing":
        """Return the chosen modules without rows that are shorter than `min_run` then."""
        row, column = self.row[mask], self.column[mask]
        order = np.lexsort((column, row))
        breaks = (np.diff(row[order]) != 0) | (np.diff(column[order]) != 1)
        run = np.concatenate([[0], np.cumsum(breaks)])[: row.size]
        long = np.sort(order[np.bincount(run, minlength=1)[run] >= min_run])
        return Packing(self.corner[mask][long], row[long], column[long], self.order)


EMPTY = Packing(np.empty((0, 2)), np.empty(0, np.int64), np.empty(0, np.int64))


def corner_edges(region: Any, width: float, height: float) -> Floats:
    """Return the edges (n, 4) (u, v, u, v) around the lower left corners that modules in a region may have."""
    parts = [part for part in shapely.get_parts(region) if part.area >= (width - 1e-3) * (height - 1e-3)]
    if not parts:
        return np.empty((0, 4))
    # A module smaller by the tolerance on each side; beyond its corner too, lest slivers be left along the boundary.
    box = 2 * TOLERANCE - width, 2 * TOLERANCE - height, TOLERANCE / 10, TOLERANCE / 10
    corners = shapely.difference(shapely.union_all(parts), shapely.union_all(swept(parts, box)))
    return _segments(corners) - TOLERANCE


def swept(shapes: Any, box: tuple[float, float, float, float]) -> Any:
    """Return a polygon for each edge of shapes: what a box (west, south, east, north of a point) covers along it."""
    segments = _segments(shapes)
    corners = np.array(box)[[[0, 1], [2, 1], [2, 3], [0, 3]]]
    points = segments.reshape(-1, 2, 1, 2) + corners
    return shapely.convex_hull(shapely.multipoints(points.reshape(len(segments), 8, 2)))


def _segments(shapes: Any) -> Floats:
    """Return the edges (n, 4) of all rings of polygons."""
    rings = shapely.get_rings(shapely.get_parts(shapes))
    points, ring = shapely.get_coordinates(rings, return_index=True)
    inside = ring[1:] == ring[:-1]
    segments: Floats = np.hstack([points[:-1], points[1:]])[inside]
    return segments


def best_lattice(edges: Floats, pitch: tuple[float, float], min_run: int = 1) -> Packing:
    """Return the lattice with most modules, and of those the most rectangular one.

    Parameters
    ----------
    edges : float64 (n, 4)
        From `corner_edges`.
    pitch : (float, float)
        From one module to the next, along u and v, m.
    min_run : int
        Shortest row without a break.
    """
    if not len(edges):
        return EMPTY
    low, high = edges[:, [1, 3]].min(), edges[:, [1, 3]].max()
    heights = np.concatenate([edges[:, 1] - TOLERANCE / 2, edges[:, 1] + TOLERANCE / 2])
    room = np.empty(_MOST_MEETINGS)
    count = meetings(edges, *pitch, room)
    steps = room[:count] if count < _MOST_MEETINGS else np.arange(low, low + pitch[1], _STEP)
    offsets = np.unique(np.round(np.mod(np.concatenate([heights, steps]) - low, pitch[1]), 9))
    u, v = best_offset(edges, low + offsets, high, *pitch, float(min_run))
    if math.isnan(u):
        return EMPTY
    rows = _lines(edges, v, pitch[1], int((high - v) / pitch[1]) + 1)
    return _modules(rows, (u, pitch[0]), min_run)


def best_rows(edges: Floats, pitch: tuple[float, float], min_run: int = 1, *, align: bool = False) -> Packing:
    """Return the rows with most modules, at heights to 1 cm (coarser over 100 m) or those of the best lattice.

    Parameters
    ----------
    edges, pitch, min_run
        As of `best_lattice`.
    align : bool
        Whether all rows have the columns of one lattice; else each begins where it holds most.
    """
    if not len(edges):
        return EMPTY
    lattice = best_lattice(edges, pitch, min_run)
    low, high = edges[:, [1, 3]].min(), edges[:, [1, 3]].max()
    ends = np.concatenate([edges[:, 1] - TOLERANCE / 2, edges[:, 1] + TOLERANCE / 2])
    step = max(_STEP, (high - low) / _MOST_HEIGHTS)
    heights = np.unique(np.concatenate([np.arange(low, high, step), ends, lattice.corner[:, 1]]))
    offsets = np.array([math.nan])
    if align:
        begins = [a for v in heights for a, _ in _lines(edges, v, 1e9, 1)[0][1]]
        offsets = np.unique(np.round(np.mod([*lattice.corner[:, 0], *begins], pitch[0]), 6))
        offsets = np.ascontiguousarray(offsets[:: math.ceil(offsets.size / _MOST_OFFSETS)])
    marks = np.zeros(heights.size)
    offset = choose_rows(edges, heights, offsets, *pitch, float(min_run), marks)
    lines = [line for v in heights[marks > 0] for line in _lines(edges, v, 1e9, 1)]
    rows = _modules(lines, (offset, pitch[0]), min_run)._replace(order="columns" if align else "rows")
    return rows if rows.row.size > lattice.row.size else lattice


def _lines(edges: Floats, v: float, up: float, rows: int) -> list[tuple[float, Floats]]:
    """Return the heights of rows, each with the intervals (k, 2) of corners that are possible there."""
    number, ends = np.empty(rows, np.int64), np.empty((rows, len(edges)))
    crossings(edges, v, up, number, ends)
    return [(v + row * up, ends[row, :n].reshape(-1, 2)) for row, n in enumerate(number)]


def _modules(lines: list[tuple[float, Floats]], across: tuple[float, float], min_run: int) -> Packing:
    """Return modules in rows, given offset and pitch; where the offset is NaN, from the beginning of each interval."""
    offset, pitch = across
    corners, rows, columns = [], [], []
    for row, (v, intervals) in enumerate(lines):
        after = 0
        for a, b in intervals:
            start = a if math.isnan(offset) else offset
            first = math.ceil((a - start) / pitch - TOLERANCE)
            number = math.floor((b - start) / pitch + TOLERANCE) - first + 1
            if number < 1:
                continue
            at = np.arange(number)
            corners.append(np.stack([start + (first + at) * pitch, np.full(number, v)], axis=1))
            columns.append(at + (after if math.isnan(offset) else first))
            rows.append(np.full(number, row))
            after += number + 1
    if not corners:
        return EMPTY
    every = Packing(np.concatenate(corners), np.concatenate(rows), np.concatenate(columns))
    return every.keep(np.ones(every.row.size, bool), min_run)
