"""The loops behind `bands`: lines across edges, offsets of lattices, heights of rows."""

import math

import numpy as np
from numba import types
from numba.extending import register_jitable

from kernels.compiled import ROW, ROWS, TABLE, VECTOR, compiled

COUNTS = types.Array(types.int64, 1, "C")


@register_jitable
def _cross(edges, v, up, number, ends):  # type: ignore[no-untyped-def]
    """Write where lines at v, v + up and so on cross the edges, as `crossings` says."""
    number[:] = 0
    for k in range(edges.shape[0]):
        begin, end = int(np.ceil((edges[k, 1] - v) / up)), int(np.ceil((edges[k, 3] - v) / up))
        for row in range(max(min(begin, end), 0), min(max(begin, end), number.size)):
            along = (v + row * up - edges[k, 1]) / (edges[k, 3] - edges[k, 1])
            u = edges[k, 0] + along * (edges[k, 2] - edges[k, 0])
            i = number[row]
            while i > 0 and ends[row, i - 1] > u:
                ends[row, i] = ends[row, i - 1]
                i -= 1
            ends[row, i] = u
            number[row] += 1


@compiled(TABLE, types.float64, types.float64, COUNTS, ROWS)
def crossings(edges, v, up, number, ends):  # type: ignore[no-untyped-def]
    """Write where lines at v, v + up and so on cross the edges: u in order (lines, edges), and how many (lines,)."""
    _cross(edges, v, up, number, ends)


@compiled(TABLE, types.float64, types.float64, ROW)
def meetings(edges, across, up, heights):  # type: ignore[no-untyped-def]
    """Write the heights at which edges meet when folded into one cell of a lattice; return how many, at most the room.

    Parameters
    ----------
    edges : (n, 4)
        Of the polygon of corners: u, v of the beginning, u, v of the end.
    across, up : float
        Size of a cell, m.
    heights : (m,)
        To fill.
    """
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
                    if count == heights.size:
                        return count
                    heights[count] = first + (cells * across - apart) / closing
                    count += 1
    return count


@register_jitable
def _row_count(a, b, offset, pitch, min_run):  # type: ignore[no-untyped-def]
    """Return how many modules an interval of corners holds at an offset; at best where that is NaN."""
    number = np.floor((b - a) / pitch) + 1.0
    if not np.isnan(offset):
        number = np.floor((b - offset) / pitch + 1e-7) - np.ceil((a - offset) / pitch - 1e-7) + 1.0
    return number if number >= min_run else 0.0


@register_jitable
def _value(spans, count, offset, pitch, min_run):  # type: ignore[no-untyped-def]
    """Return the modules of a lattice in runs that are long enough, and rows times columns around them."""
    left, right, bottom, top, total = np.inf, -np.inf, np.inf, -np.inf, 0.0
    first, last, row = 0.0, -2.0, -1.0
    for k in range(count + 1):
        begin, end = np.inf, -np.inf
        if k < count:
            begin = np.ceil((spans[k, 1] - offset) / pitch - 1e-7)
            end = np.floor((spans[k, 2] - offset) / pitch + 1e-7)
            if end < begin:
                continue
            # What stands between two intervals may be so thin that it is in the gap of two modules.
            if spans[k, 0] == row and begin == last + 1.0:
                last = end
                continue
        if last >= first and last - first + 1.0 >= min_run:
            total += last - first + 1.0
            left, right, bottom, top = min(left, first), max(right, last), min(bottom, row), max(top, row)
        if k < count:
            first, last, row = begin, end, spans[k, 0]
    return total, (right - left + 1.0) * (top - bottom + 1.0)


@compiled(TABLE, VECTOR, types.float64, types.float64, types.float64, types.float64)
def best_offset(edges, heights, high, across, up, min_run):  # type: ignore[no-untyped-def]
    """Return the offsets u and v of the best lattice, and of those the most rectangular one; NaN if it holds nothing.

    Parameters
    ----------
    edges, across, up
        As of `meetings`.
    heights : (k,)
        Of the first row, to try; from the lowest corner on, m.
    high : float
        Highest corner, m.
    min_run : float
        Shortest row without a break.
    """
    n, rows = edges.shape[0], int((high - heights[0]) / up) + 1
    most = (n // 2 + 1) * rows
    spans, ends, number = np.empty((most, 3)), np.empty((rows, n)), np.empty(rows, np.int64)
    at, change = np.empty(2 * most), np.empty(2 * most)
    best, rectangle, best_u, best_v = 0.0, np.inf, np.nan, np.nan
    for v0 in heights:
        count, events, hope, depth = 0, 0, 0.0, 0.0
        _cross(edges, v0, up, number, ends)
        for row in range(rows):
            for k in range(0, number[row] - 1, 2):
                a, b = ends[row, k], ends[row, k + 1]
                spans[count, 0], spans[count, 1], spans[count, 2] = row, a, b
                count += 1
                # Any offset gives a whole part of the interval; those in its remainder from the beginning one more.
                whole = np.floor((b - a) / across)
                start = a % across
                end = start + (b - a) - whole * across
                depth += whole
                hope += whole + 1.0
                if end >= across:
                    depth += 1.0
                    end -= across
                at[events], change[events] = start, 1.0
                at[events + 1], change[events + 1] = end + 1e-9, -1.0
                events += 2
        if hope < max(best, 1.0):
            continue
        order = np.argsort(at[:events])
        for i in order:
            depth += change[i]
            if change[i] > 0.0 and depth >= max(best, 1.0):
                total, around = _value(spans, count, at[i], across, min_run)
                if total > best or (total == best and around < rectangle):
                    best, rectangle, best_u, best_v = total, around, at[i], v0
    return best_u, best_v


@compiled(TABLE, VECTOR, VECTOR, types.float64, types.float64, types.float64, ROW)
def choose_rows(edges, heights, offsets, across, up, min_run, marks):  # type: ignore[no-untyped-def]
    """Find the rows that together hold most modules; return the offset that their columns share.

    Parameters
    ----------
    edges, across, up, min_run
        As of `best_offset`.
    heights : (k,)
        That a row may have, ascending, m.
    offsets : (m,)
        Of all columns, to try, m; NaN lets each interval begin where it holds most.
    marks : (k,)
        Zeros; set to 1 for the rows of the best offset.
    """
    n, number, ends = heights.size, np.empty(1, np.int64), np.empty((1, edges.shape[0]))
    begin = np.zeros(n + 1, np.int64)
    for i in range(n):
        _cross(edges, heights[i], 1e9, number, ends)
        begin[i + 1] = begin[i] + number[0] // 2
    spans = np.empty((begin[n], 2))
    for i in range(n):
        _cross(edges, heights[i], 1e9, number, ends)
        for k in range(begin[i + 1] - begin[i]):
            spans[begin[i] + k, 0], spans[begin[i] + k, 1] = ends[0, 2 * k], ends[0, 2 * k + 1]
    after = np.searchsorted(heights, heights + up - 1e-9)
    total, best, best_offset = np.zeros(n + 1), 0.0, np.nan
    for offset in offsets:
        for i in range(n - 1, -1, -1):
            here = 0.0
            for k in range(begin[i], begin[i + 1]):
                here += _row_count(spans[k, 0], spans[k, 1], offset, across, min_run)
            total[i] = max(total[i + 1], here + total[after[i]])
        if total[0] > best:
            best, best_offset, i = total[0], offset, 0
            marks[:] = 0.0
            while i < n:
                if total[i] > total[i + 1]:
                    marks[i] = 1.0
                    i = after[i]
                else:
                    i += 1
    return best_offset
