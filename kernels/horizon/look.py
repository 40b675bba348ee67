"""The loops of `block.py`: rows of points against rows of heights."""

import numpy as np

from kernels.compiled import compiled
from kernels.horizon.earth import DROP
from kernels.horizon.levels import MISSING
from kernels.horizon.samples import far_distances, smooth_distances

# Rows whose running tangents stay in the first cache while all samples of a direction are looked at.
_STRIP = 16


@compiled(fused=True)
def look_at_surface(heights, start, directions, stretch, reach, eyes, tangent, distance, along):  # type: ignore[no-untyped-def]
    """Raise tangents to what is seen of a bilinear surface.

    Parameters
    ----------
    heights : Lattice
    start : (int, int)
        Row and column of the first point, in steps.
    directions : float64 (k,)
        From the map's north, rad.
    stretch : float
        Metres of the map to a metre.
    reach : (float, float)
        Nearest and farthest that is looked at, m.
    eyes : float32 (rows, columns)
        Heights of the points' eyes, m.
    tangent, distance : float32 (k, rows, columns)
        Of the highest so far; are written to.
    along : float64 (n,)
        Room for a ray's distances.
    """
    flat, per_step, columns = heights.heights, heights.per_step, heights.columns
    phase, origin = heights.rows * columns, start[0] * columns + start[1]
    cell = heights.cell / stretch
    n_rows, n_columns = eyes.shape
    for a in range(directions.size):
        east, north = np.sin(directions[a]), np.cos(directions[a])
        count = smooth_distances(east, north, heights.u, heights.v, cell, reach[0], reach[1], along)
        for top in range(0, n_rows, _STRIP):
            for k in range(count):
                d = along[k]
                p, q = heights.u + east * d / cell, heights.v + north * d / cell
                j, i = int(np.floor(p)), int(np.floor(q))
                p, q = p - j, q - i
                o00 = origin + place(i, j, per_step, phase, columns)
                o01 = origin + place(i, j + 1, per_step, phase, columns)
                o10 = origin + place(i + 1, j, per_step, phase, columns)
                o11 = origin + place(i + 1, j + 1, per_step, phase, columns)
                w00, w01 = np.float32((1.0 - p) * (1.0 - q) / d), np.float32(p * (1.0 - q) / d)
                w10, w11 = np.float32((1.0 - p) * q / d), np.float32(p * q / d)
                inverse, drop, away = np.float32(1.0 / d), np.float32(DROP * d), np.float32(d)
                for r in range(top, min(top + _STRIP, n_rows)):
                    shift = r * columns
                    z00, z01 = flat[o00 + shift : o00 + shift + n_columns], flat[o01 + shift : o01 + shift + n_columns]
                    z10, z11 = flat[o10 + shift : o10 + shift + n_columns], flat[o11 + shift : o11 + shift + n_columns]
                    eye, best, where = eyes[r], tangent[a, r], distance[a, r]
                    for c in range(n_columns):
                        surface = z00[c] * w00 + z01[c] * w01 + z10[c] * w10 + z11[c] * w11
                        found = surface - eye[c] * inverse - drop
                        higher = found > best[c]
                        best[c] = found if higher else best[c]
                        where[c] = away if higher else where[c]


@compiled(fused=True)
def look_at_tops(heights, start, directions, stretch, reach, eyes, tangent, distance, along):  # type: ignore[no-untyped-def]
    """Raise tangents to what is seen of cells, each as high as its highest; parameters as in `look_at_surface`."""
    flat, per_step, columns = heights.heights, heights.per_step, heights.columns
    phase, origin = heights.rows * columns, start[0] * columns + start[1]
    cell = heights.cell / stretch
    n_rows, n_columns = eyes.shape
    for a in range(directions.size):
        east, north = np.sin(directions[a]), np.cos(directions[a])
        count = far_distances(cell, reach[0], reach[1], along)
        for top in range(0, n_rows, _STRIP):
            for k in range(count):
                d = along[k]
                j = int(np.floor(heights.u + east * d / cell + 0.5))
                i = int(np.floor(heights.v + north * d / cell + 0.5))
                first = origin + place(i, j, per_step, phase, columns)
                inverse, drop, away = np.float32(1.0 / d), np.float32(DROP * d), np.float32(d)
                for r in range(top, min(top + _STRIP, n_rows)):
                    z = flat[first + r * columns : first + r * columns + n_columns]
                    eye, best, where = eyes[r], tangent[a, r], distance[a, r]
                    for c in range(n_columns):
                        found = (z[c] - eye[c]) * inverse - drop
                        higher = found > best[c]
                        best[c] = found if higher else best[c]
                        where[c] = away if higher else where[c]


@compiled()
def without_data(heights, start, directions, reach, cut):  # type: ignore[no-untyped-def]
    """Count the directions at whose end (m of the map) there is no data, into int32 (rows, columns)."""
    flat, columns = heights.heights, heights.columns
    phase, origin = heights.rows * columns, start[0] * columns + start[1]
    for a in range(directions.size):
        j = int(np.floor(heights.u + np.sin(directions[a]) * reach / heights.cell + 0.5))
        i = int(np.floor(heights.v + np.cos(directions[a]) * reach / heights.cell + 0.5))
        first = origin + place(i, j, heights.per_step, phase, columns)
        for r in range(cut.shape[0]):
            for c in range(cut.shape[1]):
                cut[r, c] += flat[first + r * columns + c] == MISSING


@compiled()
def place(i, j, per_step, phase, columns):  # type: ignore[no-untyped-def]
    """Return where in a lattice the cell lies that is so many rows and columns from a point's own."""
    row, column = i // per_step, j // per_step
    return ((i - row * per_step) * per_step + j - column * per_step) * phase + row * columns + column
