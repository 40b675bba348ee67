"""The most modules that a polygon holds: on one regular lattice, or in rows that begin each where they like.

A module at (u, v) covers [u, u + width] x [v, v + height]. The corners (u, v) that are possible are themselves a
polygon: what is left of the region where the sweep of its boundary by a turned-round module is taken away. A lattice is
then a set of points, and the best one is that with most points in the corners' polygon. Its number changes only where
an edge of the polygon, folded into one cell of the lattice, meets another or ends: the heights at which that happens
are the candidates for v, and the beginnings of the intervals at such a height are those for u. So the search is exact.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import shapely
from numba import types
from numba.extending import register_jitable
from numpy.typing import NDArray

from kernels.compiled import ROW, TABLE, VECTOR, compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TOLERANCE = 1e-6
"""By how much a module may overlap what it touches, m: room for rounding where it fits exactly."""

ROWS_GAIN = 1.1
"""Rows that are no lattice are used only where they hold so many times as many modules."""

_STEP = 0.01
_MOST_MEETINGS = 20_000
"""Heights at which edges meet; where there are more, the search is in steps of 1 cm instead, and no longer exact."""


class Packing(NamedTuple):
    """Modules in a frame.

    Parameters
    ----------
    corner : float64 (n, 2)
        Lower left, m.
    row, column : int64 (n,)
        Neighbours in a row have consecutive columns.
    aligned : bool
        Whether the columns are those of one lattice.
    """

    corner: Floats
    row: Ints
    column: Ints
    aligned: bool = True

    @property
    def rectangularity(self) -> float:
        """Number of modules divided by rows times columns of the smallest rectangle around them; 1 of none."""
        if not self.row.size:
            return 1.0
        return float(self.row.size / (np.ptp(self.row) + 1) / (np.ptp(self.column) + 1))

    @property
    def rank(self) -> tuple[int, float]:
        """By which one is better than another: number, then regularity."""
        return self.row.size, round(self.rectangularity, 9)

    def keep(self, mask: NDArray[np.bool_], min_run: int) -> "Packing":
        """Return the chosen modules without rows that are shorter than `min_run` then."""
        row, column = self.row[mask], self.column[mask]
        order = np.lexsort((column, row))
        breaks = (np.diff(row[order]) != 0) | (np.diff(column[order]) != 1)
        run = np.concatenate([[0], np.cumsum(breaks)])[: row.size]
        long = np.sort(order[np.bincount(run, minlength=1)[run] >= min_run])
        return Packing(self.corner[mask][long], row[long], column[long], self.aligned)


EMPTY = Packing(np.empty((0, 2)), np.empty(0, np.int64), np.empty(0, np.int64))


def pack(
    region: Any, size: tuple[float, float], pitch: tuple[float, float], *, min_run: int = 1, align: bool = True
) -> Packing:
    """Return the modules of the best lattice; of the best rows if they need not align and hold 10 % more.

    Parameters
    ----------
    region : shapely geometry
        That may be used, m.
    size, pitch : (float, float)
        Of a module and from one to the next, along u and v, m.
    min_run : int
        Shortest row without a break.
    align : bool
    """
    edges = corner_edges(region, *size)
    if not len(edges):
        return EMPTY
    best = best_lattice(edges, pitch, min_run)
    if align:
        return best
    rows = best_rows(edges, pitch, min_run, best)
    return rows if rows.row.size >= ROWS_GAIN * best.row.size else best


def corner_edges(region: Any, width: float, height: float) -> Floats:
    """Return the edges (n, 4) (u, v, u, v) around the lower left corners that modules in a region may have."""
    parts = [part for part in shapely.get_parts(region) if part.area >= (width - 1e-3) * (height - 1e-3)]
    if not parts:
        return np.empty((0, 4))
    slack = TOLERANCE
    corners = shapely.difference(
        shapely.union_all(parts),
        shapely.union_all(swept(parts, (slack - width, slack - height, -slack, -slack))),
    )
    return _segments(corners)


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
        m.
    min_run : int
        Shortest row without a break.
    """
    low, high = edges[:, [1, 3]].min(), edges[:, [1, 3]].max()
    heights = np.concatenate([edges[:, 1] - TOLERANCE / 2, edges[:, 1] + TOLERANCE / 2])
    meetings = np.empty(_MOST_MEETINGS)
    met = _meetings(edges, *pitch, meetings)
    steps = meetings[:met] if met < _MOST_MEETINGS else np.arange(low, low + pitch[1], _STEP)
    offsets = np.unique(np.round(np.mod(np.concatenate([heights, steps]) - low, pitch[1]), 9))
    u, v = _best_offset(edges, low + offsets, high, *pitch, float(min_run))
    if math.isnan(u):
        return EMPTY
    return _filled(edges, np.arange(v, high, pitch[1]), (u, pitch[0]), min_run)


def best_rows(edges: Floats, pitch: tuple[float, float], min_run: int, lattice: Packing) -> Packing:
    """Return the rows with most modules, each with a beginning of its own, at heights to 1 cm or those of a lattice.

    Parameters
    ----------
    edges, pitch, min_run
        As of `best_lattice`.
    lattice : Packing
        Whose rows may be used too, so that the result is no worse.
    """
    low, high = edges[:, [1, 3]].min(), edges[:, [1, 3]].max()
    ends = np.concatenate([edges[:, 1] - TOLERANCE / 2, edges[:, 1] + TOLERANCE / 2])
    heights = np.unique(np.concatenate([np.arange(low, high, _STEP), ends, lattice.corner[:, 1]]))
    chosen = np.zeros(heights.size)
    _choose_rows(edges, heights, *pitch, float(min_run), chosen)
    return _filled(edges, heights[chosen > 0], (math.nan, pitch[0]), min_run)


def _filled(edges: Floats, heights: Floats, across: tuple[float, float], min_run: int) -> Packing:
    """Return modules at some heights; where their offset is NaN, from the beginning of each interval."""
    offset, pitch = across
    found, rows, columns = [], [], []
    crossings = np.empty(len(edges))
    for row, v in enumerate(heights):
        ends = crossings[: _crossings_at(edges, v, crossings)]
        after = 0
        for a, b in ends.reshape(-1, 2):
            start = a if math.isnan(offset) else offset
            first = math.ceil((a - start) / pitch - TOLERANCE)
            number = math.floor((b - start) / pitch + TOLERANCE) - first + 1
            if number < min_run or number < 1:
                continue
            at = np.arange(number)
            found.append(np.stack([start + (first + at) * pitch, np.full(number, v)], axis=1))
            columns.append(at + (after if math.isnan(offset) else first))
            rows.append(np.full(number, row))
            after += number + 1
    if not found:
        return EMPTY
    return Packing(np.concatenate(found), np.concatenate(rows), np.concatenate(columns), not math.isnan(offset))


@register_jitable
def _crossings(edges, v, found):  # type: ignore[no-untyped-def]
    """Write where a line at v crosses the edges, in order; return how often it does."""
    count = 0
    for k in range(edges.shape[0]):
        below, above = edges[k, 1], edges[k, 3]
        if (below <= v) != (above <= v):
            u = edges[k, 0] + (v - below) * ((edges[k, 2] - edges[k, 0]) / (above - below))
            i = count
            while i > 0 and found[i - 1] > u:
                found[i] = found[i - 1]
                i -= 1
            found[i] = u
            count += 1
    return count


@compiled(TABLE, types.float64, ROW)
def _crossings_at(edges, v, found):  # type: ignore[no-untyped-def]
    return _crossings(edges, v, found)


@compiled(TABLE, types.float64, types.float64, ROW)
def _meetings(edges, across, up, found):  # type: ignore[no-untyped-def]
    """Write the heights at which edges meet when folded into one cell; return how many, at most what there is room."""
    count, n = 0, edges.shape[0]
    low, high, slope = np.empty(n), np.empty(n), np.empty(n)
    for k in range(n):
        low[k], high[k] = min(edges[k, 1], edges[k, 3]), max(edges[k, 1], edges[k, 3])
        rise = edges[k, 3] - edges[k, 1]
        slope[k] = (edges[k, 2] - edges[k, 0]) / rise if abs(rise) > 1e-9 else np.nan
    for a in range(n):
        for b in range(a):
            closing = slope[a] - slope[b]
            if not abs(closing) > 1e-9:
                continue
            for shift in range(math.ceil((low[b] - high[a]) / up), math.floor((high[b] - low[a]) / up) + 1):
                first, last = max(low[a], low[b] - shift * up), min(high[a], high[b] - shift * up)
                apart = edges[a, 0] + (first - edges[a, 1]) * slope[a]
                apart -= edges[b, 0] + (first + shift * up - edges[b, 1]) * slope[b]
                end = apart + (last - first) * closing
                for cells in range(math.ceil(min(apart, end) / across), math.floor(max(apart, end) / across) + 1):
                    if count == found.size:
                        return count
                    found[count] = first + (cells * across - apart) / closing
                    count += 1
    return count


@register_jitable
def _row_count(a, b, pitch, min_run):  # type: ignore[no-untyped-def]
    """Return how many modules an interval of corners holds at best."""
    number = np.floor((b - a) / pitch) + 1.0
    return number if number >= min_run else 0.0


@register_jitable
def _rectangle(spans, count, offset, pitch, min_run):  # type: ignore[no-untyped-def]
    """Return rows times columns around the modules of a lattice."""
    left, right, bottom, top = np.inf, -np.inf, np.inf, -np.inf
    for k in range(count):
        first = np.ceil((spans[k, 1] - offset) / pitch - 1e-7)
        last = np.floor((spans[k, 2] - offset) / pitch + 1e-7)
        if last - first + 1.0 >= min_run and last >= first:
            left, right = min(left, first), max(right, last)
            bottom, top = min(bottom, spans[k, 0]), max(top, spans[k, 0])
    return (right - left + 1.0) * (top - bottom + 1.0)


@compiled(TABLE, VECTOR, types.float64, types.float64, types.float64, types.float64)
def _best_offset(edges, heights, high, across, up, min_run):  # type: ignore[no-untyped-def]
    """Return the offsets u and v of the best lattice; NaN where none holds a module."""
    n = edges.shape[0]
    most = (n // 2 + 1) * (int((high - heights[0]) / up) + 2)
    spans, crossings = np.empty((most, 3)), np.empty(n)
    at, change = np.empty(2 * most), np.empty(2 * most)
    best, rectangle, best_u, best_v = 0.0, np.inf, np.nan, np.nan
    for v0 in heights:
        count, events, base, hope, depth = 0, 0, 0.0, 0.0, 0.0
        for row in range(int((high - v0) / up) + 1):
            found = _crossings(edges, v0 + row * up, crossings)
            for k in range(0, found - 1, 2):
                a, b = crossings[k], crossings[k + 1]
                spans[count, 0], spans[count, 1], spans[count, 2] = row, a, b
                count += 1
                # Any offset gives a whole part of the interval; those in its remainder from the beginning one more.
                more = _row_count(a, b, across, min_run)
                whole = np.floor((b - a) / across)
                certain = whole if whole >= min_run else 0.0
                base += certain
                if more > certain:
                    hope += more - certain
                    start = a % across
                    end = start + (b - a) - whole * across
                    if end >= across:
                        depth += more - certain
                        end -= across
                    at[events], change[events] = start, more - certain
                    at[events + 1], change[events + 1] = end + 1e-9, certain - more
                    events += 2
        if base + hope < max(best, 1.0):
            continue
        depth += base
        order = np.argsort(at[:events])
        for i in range(max(events, 1)):
            offset = 0.0
            if events:
                depth += change[order[i]]
                offset = at[order[i]]
                if change[order[i]] < 0.0:
                    continue
            if depth >= max(best, 1.0):
                around = _rectangle(spans, count, offset, across, min_run)
                if depth > best or around < rectangle:
                    best, rectangle, best_u, best_v = depth, around, offset, v0
    return best_u, best_v


@compiled(TABLE, VECTOR, types.float64, types.float64, types.float64, ROW)
def _choose_rows(edges, heights, across, up, min_run, chosen):  # type: ignore[no-untyped-def]
    """Mark the heights of the rows that together hold most modules."""
    n = heights.size
    crossings, total, taken = np.empty(edges.shape[0]), np.zeros(n + 1), np.zeros(n)
    after = np.searchsorted(heights, heights + up - 1e-9)
    for i in range(n - 1, -1, -1):
        for k in range(0, _crossings(edges, heights[i], crossings) - 1, 2):
            taken[i] += _row_count(crossings[k], crossings[k + 1], across, min_run)
        total[i] = max(total[i + 1], taken[i] + total[after[i]])
    i = 0
    while i < n:
        if total[i] > total[i + 1]:
            chosen[i] = 1.0
            i = after[i]
        else:
            i += 1
