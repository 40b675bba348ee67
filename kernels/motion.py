"""Carrying a field along a motion field: semi-Lagrangian, backwards, aware of what is missing.

A place's value at a later time is that of the place where its air comes from. So every target runs backwards along the
motion, step by step, and the field is looked up where it arrives. Positions are cells of the field's grid, as real
numbers: (row, column), whole at the centres.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kernels.sizes import require_size

Floats = NDArray[np.float32]


def march(
    row: Floats, column: Floats, row_speed: Floats, column_speed: Floats, seconds: Floats, n_steps: int = 1
) -> None:
    """Move positions backwards along a motion that does not change with time, in place.

    Parameters
    ----------
    row, column : float32 (n,)
        Positions; outside the grid the motion is that of its edge.
    row_speed, column_speed : float32 (n_rows, n_columns)
        Cells of the grid per second, towards greater row and column; nowhere missing.
    seconds : float32 (n,)
        How far back each goes; negative is forward.
    n_steps : int
        In so many equal steps, each by the motion in its middle.

    Notes
    -----
    Second order in the step (midpoint rule), as Germann & Zawadzki, Monthly Weather Review 130 (2002) 2859-2873,
    carry radar echoes. Releases the GIL.
    """
    if n_steps < 1:
        msg = f"n_steps must be at least 1, not {n_steps}"
        raise ValueError(msg)
    require_size(row.size, row=row, column=column, seconds=seconds)
    _require_field(row_speed=row_speed, column_speed=column_speed)
    if row_speed.shape != column_speed.shape:
        msg = f"row_speed has shape {row_speed.shape}, column_speed {column_speed.shape}"
        raise ValueError(msg)
    _march(row, column, row_speed, column_speed, seconds, n_steps)


def sample(field: Floats, row: Floats, column: Floats, out: Floats) -> None:
    """Fill the values of a field at positions.

    Parameters
    ----------
    field : float32 (n_rows, n_columns)
        NaN is missing.
    row, column : float32 (n,)
    out : float32 (n,)
        Bilinear over those of the four neighbours that are there; NaN where these weigh less than half, and more than
        half a cell outside the outermost centres.

    Notes
    -----
    Releases the GIL.
    """
    require_size(row.size, row=row, column=column, out=out)
    _require_field(field=field)
    _sample(field, row, column, out)


def _require_field(**fields: Floats) -> None:
    for name, field in fields.items():
        if field.ndim != 2 or min(field.shape) < 2:
            msg = f"{name} has shape {field.shape}, not at least (2, 2)"
            raise ValueError(msg)


@njit(nogil=True, cache=True, inline="always")
def _corner(position, size):  # type: ignore[no-untyped-def]
    """Give the lower of the two cells around a position, held inside the grid, and the weight of the upper."""
    held = min(max(position, np.float32(0)), np.float32(size - 1))
    low = min(int(held), size - 2)
    return low, held - np.float32(low)


@njit(nogil=True, cache=True, inline="always")
def _bilinear(field, i, p, j, q):  # type: ignore[no-untyped-def]
    low = field[i, j] + q * (field[i, j + 1] - field[i, j])
    high = field[i + 1, j] + q * (field[i + 1, j + 1] - field[i + 1, j])
    return low + p * (high - low)


@njit(nogil=True, cache=True)
def _march(row, column, row_speed, column_speed, seconds, n_steps):  # type: ignore[no-untyped-def]
    rows, columns = row_speed.shape
    half = np.float32(0.5)
    for k in range(row.size):
        step = seconds[k] / np.float32(n_steps)
        r, c = row[k], column[k]
        for _ in range(n_steps):
            i, p = _corner(r, rows)
            j, q = _corner(c, columns)
            middle_r = r - half * step * _bilinear(row_speed, i, p, j, q)
            middle_c = c - half * step * _bilinear(column_speed, i, p, j, q)
            i, p = _corner(middle_r, rows)
            j, q = _corner(middle_c, columns)
            r -= step * _bilinear(row_speed, i, p, j, q)
            c -= step * _bilinear(column_speed, i, p, j, q)
        row[k], column[k] = r, c


@njit(nogil=True, cache=True)
def _sample(field, row, column, out):  # type: ignore[no-untyped-def]
    rows, columns = field.shape
    half, one = np.float32(0.5), np.float32(1)
    for k in range(row.size):
        r, c = row[k], column[k]
        # NaN positions fail the comparison too
        if not (r >= -half and r <= rows - half and c >= -half and c <= columns - half):
            out[k] = np.nan
            continue
        i, p = _corner(r, rows)
        j, q = _corner(c, columns)
        total, weight = np.float32(0), np.float32(0)
        for a in range(2):
            for b in range(2):
                w = (p if a else one - p) * (q if b else one - q)
                value = field[i + a, j + b]
                if w > 0 and not math.isnan(value):
                    total += w * value
                    weight += w
        out[k] = total / weight if weight >= half else np.float32(np.nan)
