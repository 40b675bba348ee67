"""Where a ray is sampled: where the surface has its creases, and then ever farther apart."""

import math

import numpy as np
from numba.extending import register_jitable

FIRST = 1.5
"""The nearest sample, m: nearer than an observer's own height a slope tells more of the data than of the land."""

_CLOSE_GROWTH = 0.25
_CREASES = 24.37  # no whole number, at which rounding would decide
_CLOSE = 0.05
_FAR_GROWTH = 0.01
_MOST = 6000


@register_jitable
def smooth_distances(east, north, u, v, cell, near, far, most, found):  # type: ignore[no-untyped-def]
    """Write the distances of a ray's samples on a bilinear surface; return how many there are.

    A bilinear surface is smooth within a cell, and has its ridges on the lines between the centres: there the ray is
    sampled, and once between, to 24 cells. Before the first line it is sampled ever more densely towards the observer,
    and from there on at steps of half a cell, or 1 % of the distance.

    Parameters
    ----------
    east, north : float
        Of the unit vector along the ray, on the map.
    u, v : float
        Where it begins, in cells from a cell's centre.
    cell : float
        m along the ray.
    near, far : float
        Of its samples, m.
    most : float
        The farthest that two of them are apart, m.
    found : (n,)
        Is written to.
    """
    found[0] = near
    count, at = 1, near * (1.0 + _CLOSE_GROWTH)
    while at < min(cell, far) and count < found.size:
        found[count] = at
        count += 1
        at *= 1.0 + _CLOSE_GROWTH
    end = min(_CREASES * cell, far)
    across, along = abs(east) / cell, abs(north) / cell
    to_east = (1.0 - u if east > 0.0 else u) / across if across > 1e-9 else math.inf
    to_north = (1.0 - v if north > 0.0 else v) / along if along > 1e-9 else math.inf
    before = 0.0
    while True:
        at = min(to_east, to_north)
        if at >= end or count > found.size - 2:
            break
        if to_east <= at:
            to_east += 1.0 / across
        if to_north <= at:
            to_north += 1.0 / along
        middle = 0.5 * (at + before)
        if middle > max(near, 0.5 * cell) and at - before > _CLOSE * cell:
            found[count] = middle
            count += 1
        if at > near:
            found[count] = at
            count += 1
        before = at
    at = max(before, near) + 0.5 * cell
    while at < far and count < found.size:
        found[count] = at
        count += 1
        at += min(max(0.5 * cell, _FAR_GROWTH * at), most)
    return _with_end(far, near, count, found)


@register_jitable
def far_distances(cell, near, far, found):  # type: ignore[no-untyped-def]
    """Write the distances of a ray's samples over cells of which the highest counts; return how many there are."""
    count, at = 0, near
    while at < far and count < found.size:
        found[count] = at
        count += 1
        at += max(cell, 1e-2 * at)
    return _with_end(far, near, count, found)


@register_jitable
def _with_end(far, near, count, found):  # type: ignore[no-untyped-def]
    """Add the end of the reach: of a slope that rises there the height depends on where exactly it is looked at."""
    if far > near and count < found.size:
        found[count] = far
        count += 1
    return count


@register_jitable
def room():  # type: ignore[no-untyped-def]
    """Return what the distances of one ray are written to."""
    return np.empty(_MOST)
