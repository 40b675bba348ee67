"""Candidate planes in a raster of heights: from each flat spot, the connected cells that lie on one plane."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kernels.roof.field import Field

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

# Rounds of growing: a large plane fills more slowly.
_ROUNDS, _ROUNDS_LARGE = 8, 40
_STEEPEST = np.tan(np.radians(78.0))
# Cells of the spots from which planes are grown, (rows, columns): small ones find small planes of coarse cells.
_SPOTS = ((3, 3), (3, 2), (2, 3), (2, 2))
_FINE_M = 0.4
# A spot is no new start on a plane that was grown already and lies so close to it, of the tolerance and degrees.
_SAME_OFFSET, _SAME_COSINE = 0.4, np.cos(np.radians(4.0))
_KNOWN, _SEEDS = 4, 3000
# Nor within a plane of so many cells, to which so many of the 3 x 3 cells around it belong.
_LARGE, _WITHIN = 400, 7


class Candidate(NamedTuple):
    """A grown plane.

    Parameters
    ----------
    plane : float64 (3,)
        a, b, c of z = a x + b y + c.
    cells : int64 (n,)
        Flat indices of the connected cells on it.
    off : float64 (n,)
        Their distances from it, m, along its normal.
    """

    plane: Floats
    cells: NDArray[np.int64]
    off: Floats


def candidates(field: Field, free: Flags, tolerance: float, least: int) -> list[Candidate]:
    """Return planes grown from all flat spots, each once.

    Parameters
    ----------
    field : Field
    free : bool (rows, columns)
        Cells that may be on a plane.
    tolerance : float
        m, along the normal.
    least : int
        Cells of the smallest plane.
    """
    spots = _SPOTS if field.cell > _FINE_M else _SPOTS[:1]
    found: list[Candidate] = []
    members, stamp = np.empty(free.size, np.int64), np.zeros(free.shape, np.int64)
    # of each cell, planes that it is on already: the last few
    known = np.full((_KNOWN, *free.shape, 3), np.nan)
    flat, on_large = known.reshape(_KNOWN, -1, 3), np.zeros(free.shape, bool)
    normals, tick = own_normals(field, tolerance), 0
    for spot in spots:
        planes, rms, where = _flat_spots(field, free, spot, tolerance)
        order = np.argsort(rms, kind="stable")
        # of a large roof some of each quality, for small planes have flat spots too
        for n in order if len(order) <= _SEEDS else order[np.linspace(0, len(order) - 1, _SEEDS).astype(int)]:
            i, j = where[n]
            x, y = field.axes[:2] + j * field.axes[2:4] + i * field.axes[4:]
            inside = on_large[max(0, i - 1) : i + 2, max(0, j - 1) : j + 2]
            if np.count_nonzero(inside) >= _WITHIN or _is_known(known, i, j, planes[n], x, y, tolerance):
                continue
            plane = planes[n].copy()
            count = _grow(field.z, normals, free, field.axes, i, j, plane, tolerance, members, stamp, tick)
            tick += _ROUNDS_LARGE + 1
            if count < least:
                continue
            cells = members[:count].copy()
            found.append(Candidate(plane, cells, field.off(plane, cells)))
            flat[:, cells] = np.roll(flat[:, cells], 1, axis=0)
            flat[0, cells] = plane
            if count >= _LARGE:
                on_large.ravel()[cells] = True
    return found


@njit(cache=True, nogil=True)
def _is_known(known, row, column, plane, x, y, tolerance):  # type: ignore[no-untyped-def]
    """Return whether a spot's plane is nearly one that a cell of the spot is on already."""
    steep = 1 + plane[0] ** 2 + plane[1] ** 2
    for i in range(max(0, row - 1), min(known.shape[1], row + 2)):
        for j in range(max(0, column - 1), min(known.shape[2], column + 2)):
            for k in range(len(known)):
                a, b, c = known[k, i, j]
                inner = 1 + a * plane[0] + b * plane[1]
                off = abs((plane[0] - a) * x + (plane[1] - b) * y + plane[2] - c)
                if inner > _SAME_COSINE * np.sqrt(
                    steep * (1 + a * a + b * b)
                ) and off < _SAME_OFFSET * tolerance * np.sqrt(steep):
                    return True
    return False


def _flat_spots(
    field: Field, free: Flags, spot: tuple[int, int], tolerance: float
) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Return planes of spots of so many rows and columns, their residuals, m, and a cell of each, (n, 2)."""
    planes, rms = window_planes(field, spot)
    rows, columns = spot
    inside = np.lib.stride_tricks.sliding_window_view(free, spot).all(axis=(2, 3))
    with np.errstate(invalid="ignore"):
        good = inside & (rms < 0.7 * tolerance) & (np.hypot(planes[..., 0], planes[..., 1]) < _STEEPEST)
    return planes[good], rms[good], np.argwhere(good) + np.array([(rows - 1) // 2, (columns - 1) // 2])


def window_planes(field: Field, spot: tuple[int, int]) -> tuple[Floats, Floats]:
    """Return the planes through all windows of so many rows and columns, and their residuals, m along the normal."""
    rows, columns = spot
    near = np.lib.stride_tricks.sliding_window_view(field.z, spot).reshape(-1, rows * columns)
    shape = field.z.shape[0] - rows + 1, field.z.shape[1] - columns + 1
    up, along = (
        axis.ravel()
        for axis in np.mgrid[:rows, :columns] - np.array([(rows - 1) / 2, (columns - 1) / 2])[:, None, None]
    )
    mean = near.mean(axis=1)
    by_column, by_row = near @ along / (along @ along), near @ up / (up @ up)
    left = near - mean[:, None] - by_column[:, None] * along - by_row[:, None] * up
    a, b = field.slopes(by_column, by_row)
    rms = np.sqrt((left**2).sum(axis=1) / max(1, rows * columns - 3)) / np.sqrt(1 + a**2 + b**2)
    i, j = (axis.ravel() for axis in np.mgrid[: shape[0], : shape[1]])
    x0, y0, xj, yj, xi, yi = field.axes
    i, j = i + (rows - 1) / 2, j + (columns - 1) / 2
    x, y = x0 + j * xj + i * xi, y0 + j * yj + i * yi
    return np.stack([a, b, mean - a * x - b * y], -1).reshape(*shape, 3), rms.reshape(shape)


def own_normals(field: Field, tolerance: float) -> Floats:
    """Return the slopes of the flattest of the nine 3 x 3 windows that hold each cell, (rows, columns, 2); else NaN.

    At an edge that is a window on the cell's own side. NaN where none is flat.
    """
    planes, rms = window_planes(field, (3, 3))
    rows, columns = field.z.shape
    padded = np.pad(np.where(np.isnan(rms), np.inf, rms), 2, constant_values=np.inf)
    near = np.stack([padded[i : i + rows, j : j + columns] for i in range(3) for j in range(3)])
    best = near.argmin(axis=0)
    i = np.clip(np.arange(rows)[:, None] + best // 3 - 2, 0, rows - 3)
    j = np.clip(np.arange(columns)[None, :] + best % 3 - 2, 0, columns - 3)
    return np.where((near.min(axis=0) < 0.5 * tolerance)[..., None], planes[i, j, :2], np.nan)


_COSINE = np.cos(np.radians(20.0))


@njit(cache=True, nogil=True)
def _agrees(plane, slopes):  # type: ignore[no-untyped-def]
    """Return whether a cell's own normal is the plane's, or is not known."""
    inner = 1 + plane[0] * slopes[0] + plane[1] * slopes[1]
    both = (1 + plane[0] ** 2 + plane[1] ** 2) * (1 + slopes[0] ** 2 + slopes[1] ** 2)
    return not inner < _COSINE * np.sqrt(both)


@njit(cache=True, nogil=True)
def _grow(z, normals, free, axes, row, column, plane, tolerance, members, stamp, tick):  # type: ignore[no-untyped-def]
    """Grow from a cell, refit, and again until the plane stays; return how many cells."""
    rows, columns = z.shape
    before = -1.0
    count = 0
    for turn in range(_ROUNDS_LARGE):
        near = tolerance * np.sqrt(1 + plane[0] ** 2 + plane[1] ** 2)
        mark = tick + turn + 1
        members[0] = row * columns + column
        stamp[row, column] = mark
        count, done, score = 1, 0, 0.0
        sums = np.zeros((3, 4))
        x0, y0 = axes[0] + column * axes[2] + row * axes[4], axes[1] + column * axes[3] + row * axes[5]
        while done < count:
            i, j = members[done] // columns, members[done] % columns
            done += 1
            x, y = axes[0] + j * axes[2] + i * axes[4], axes[1] + j * axes[3] + i * axes[5]
            off = (z[i, j] - plane[0] * x - plane[1] * y - plane[2]) / near
            weight = (1 - off * off) ** 2 if off * off < 1 else 0.0
            score += max(0.0, 1 - off * off)
            point = (x - x0, y - y0, 1.0, z[i, j])
            for p in range(3):
                for q in range(4):
                    sums[p, q] += weight * point[p] * point[q]
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    k, m = i + di, j + dj
                    if 0 <= k < rows and 0 <= m < columns and free[k, m] and stamp[k, m] != mark:
                        u, v = axes[0] + m * axes[2] + k * axes[4], axes[1] + m * axes[3] + k * axes[5]
                        left = z[k, m] - plane[0] * u - plane[1] * v - plane[2]
                        if abs(left) < near and _agrees(plane, normals[k, m]):
                            stamp[k, m] = mark
                            members[count] = k * columns + m
                            count += 1
        gain = abs(score - before)
        if count < 4 or gain < 1e-3:
            break
        if turn >= _ROUNDS - 1 and (count < _LARGE or gain < 1e-3 * score):
            break
        before = score
        if abs(np.linalg.det(sums[:, :3].copy())) < 1e-6:
            break
        a, b, c = np.linalg.solve(sums[:, :3].copy(), sums[:, 3].copy())
        if a * a + b * b > _STEEPEST * _STEEPEST:
            break
        plane[0], plane[1], plane[2] = a, b, c - a * x0 - b * y0
    return count
