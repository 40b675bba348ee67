"""The loops of `block.py`: columns of points against columns of heights."""

import numpy as np

from kernels.compiled import compiled
from kernels.horizon.earth import DROP
from kernels.horizon.levels import MISSING
from kernels.horizon.samples import far_distances, room, smooth_distances

STRIP = 16
"""Columns of points that have their directions together: those of true north in their middle, 0.013 degrees off at
1.6 km. What is the highest so far of so many columns of 64 stays in the first cache, while all samples of a direction
are looked at."""


@compiled(fused=True)
def look_at_surface(heights, start, azimuths, turns, stretches, near, far, eyes, tangent, distance):  # type: ignore[no-untyped-def]
    """Raise tangents to what is seen of a bilinear surface.

    Parameters
    ----------
    heights : Lattice
    start : (int, int)
        Row and column of the first point, in steps.
    azimuths : float64 (k,)
        From true north, rad.
    turns, stretches : float64 (strips,)
        Of each strip of columns: what is added to a direction from the map's north to have it from true north, rad;
        metres of the map to a metre.
    near, far : float
        What is looked at, m.
    eyes : float32 (columns, rows)
        Heights of the points' eyes, m.
    tangent, distance : float32 (k, columns, rows)
        Of the highest so far; are written to.
    """
    flat, per_step, along = heights.heights, heights.per_step, room()
    phase, origin = heights.rows * heights.columns, start[1] * heights.rows + start[0]
    n_columns, n_rows = eyes.shape
    for a in range(azimuths.size):
        for strip in range(turns.size):
            direction, cell = azimuths[a] - turns[strip], heights.cell / stretches[strip]
            east, north = np.sin(direction), np.cos(direction)
            count = smooth_distances(east, north, heights.u, heights.v, cell, near, far, np.inf, along)
            for k in range(count):
                d = along[k]
                p, q = heights.u + east * d / cell, heights.v + north * d / cell
                j, i = int(np.floor(p)), int(np.floor(q))
                p, q = p - j, q - i
                o00 = origin + place(i, j, per_step, phase, heights.rows)
                o01 = origin + place(i, j + 1, per_step, phase, heights.rows)
                o10 = origin + place(i + 1, j, per_step, phase, heights.rows)
                o11 = origin + place(i + 1, j + 1, per_step, phase, heights.rows)
                w00, w01 = np.float32((1.0 - p) * (1.0 - q) / d), np.float32(p * (1.0 - q) / d)
                w10, w11 = np.float32((1.0 - p) * q / d), np.float32(p * q / d)
                inverse, drop, away = np.float32(1.0 / d), np.float32(DROP * d), np.float32(d)
                for c in range(strip * STRIP, min(strip * STRIP + STRIP, n_columns)):
                    shift = c * heights.rows
                    z00, z01 = flat[o00 + shift : o00 + shift + n_rows], flat[o01 + shift : o01 + shift + n_rows]
                    z10, z11 = flat[o10 + shift : o10 + shift + n_rows], flat[o11 + shift : o11 + shift + n_rows]
                    eye, best, where = eyes[c], tangent[a, c], distance[a, c]
                    for r in range(n_rows):
                        surface = z00[r] * w00 + z01[r] * w01 + z10[r] * w10 + z11[r] * w11
                        found = surface - eye[r] * inverse - drop
                        higher = found > best[r]
                        best[r] = found if higher else best[r]
                        where[r] = away if higher else where[r]


@compiled(fused=True)
def look_at_tops(heights, start, azimuths, turns, stretches, near, far, eyes, tangent, distance):  # type: ignore[no-untyped-def]
    """Raise tangents to what is seen of cells, each as high as its highest; parameters as in `look_at_surface`."""
    flat, along = heights.heights, room()
    phase, origin = heights.rows * heights.columns, start[1] * heights.rows + start[0]
    n_columns, n_rows = eyes.shape
    for a in range(azimuths.size):
        for strip in range(turns.size):
            direction, cell = azimuths[a] - turns[strip], heights.cell / stretches[strip]
            east, north = np.sin(direction), np.cos(direction)
            for k in range(far_distances(cell, near, far, along)):
                d = along[k]
                j = int(np.floor(heights.u + east * d / cell + 0.5))
                i = int(np.floor(heights.v + north * d / cell + 0.5))
                first = origin + place(i, j, heights.per_step, phase, heights.rows)
                inverse, drop, away = np.float32(1.0 / d), np.float32(DROP * d), np.float32(d)
                for c in range(strip * STRIP, min(strip * STRIP + STRIP, n_columns)):
                    z = flat[first + c * heights.rows : first + c * heights.rows + n_rows]
                    eye, best, where = eyes[c], tangent[a, c], distance[a, c]
                    for r in range(n_rows):
                        found = (z[r] - eye[r]) * inverse - drop
                        higher = found > best[r]
                        best[r] = found if higher else best[r]
                        where[r] = away if higher else where[r]


@compiled()
def without_data(heights, start, azimuths, turns, stretches, reach, cut):  # type: ignore[no-untyped-def]
    """Count the directions at whose end, so many metres away, there is no data, into int32 (columns, rows)."""
    flat = heights.heights
    phase, origin = heights.rows * heights.columns, start[1] * heights.rows + start[0]
    for a in range(azimuths.size):
        for c in range(cut.shape[0]):
            strip = c // STRIP
            direction, away = azimuths[a] - turns[strip], reach * stretches[strip] / heights.cell
            j = int(np.floor(heights.u + np.sin(direction) * away + 0.5))
            i = int(np.floor(heights.v + np.cos(direction) * away + 0.5))
            first = origin + place(i, j, heights.per_step, phase, heights.rows) + c * heights.rows
            for r in range(cut.shape[1]):
                cut[c, r] += flat[first + r] == MISSING


@compiled()
def place(i, j, per_step, phase, rows):  # type: ignore[no-untyped-def]
    """Return where in a lattice the cell lies that is so many rows and columns from a point's own."""
    row, column = i // per_step, j // per_step
    return ((j - column * per_step) * per_step + i - row * per_step) * phase + column * rows + row
