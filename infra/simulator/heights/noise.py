"""Lattice noise: smooth random fields that are functions of position alone, so that all windows agree.

An octave has a random number at each point of a square lattice as wide as its wavelength, and between them the cubic
B-spline, which has two continuous derivatives. A spline of a grid is one sparse matrix from the left and one from the
right.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import BSpline
from scipy.sparse import csr_array

Axis = NDArray[np.floating[Any]]
Field = NDArray[np.float32]
Whole = NDArray[np.int64]

# The spline averages: what uniform numbers of -1 to 1 lose by it.
_TO_UNIT_DEVIATION = 3.55


def mixed(*keys: Whole | int) -> NDArray[np.uint32]:
    """Return well mixed bits of whole numbers that broadcast (the finalizer of MurmurHash3 after each)."""
    state: NDArray[np.uint32] = np.zeros((), dtype=np.uint32)
    for key in keys:
        with np.errstate(over="ignore"):
            state = (state * np.uint32(0x9E3779B1)) ^ np.asarray(key, dtype=np.int64).astype(np.uint32)
            state = (state ^ (state >> np.uint32(16))) * np.uint32(0x85EBCA6B)
            state = (state ^ (state >> np.uint32(13))) * np.uint32(0xC2B2AE35)
            state = state ^ (state >> np.uint32(16))
    return state


def uniform(*keys: Whole | int) -> Field:
    """Return numbers of 0 to 1 that look random and depend on the keys alone."""
    return np.asarray((mixed(*keys) >> np.uint32(8)).astype(np.float32) * np.float32(2**-24))


def octave(x: Axis, y: Axis, wavelength: float, seed: int) -> Field:
    """Return one octave over a grid, of mean 0 and deviation 1; it stays within 3.6.

    Parameters
    ----------
    x, y : (columns,), (rows,)
        m.
    wavelength : float
        Of the lattice, m.
    seed : int
        Another field for each.

    Returns
    -------
    float32 (rows, columns)
    """
    rows, along_y = lattice(y, wavelength)
    columns, along_x = lattice(x, wavelength)
    nodes = (uniform(seed, rows[:, None], columns[None, :]) - np.float32(0.5)) * np.float32(2 * _TO_UNIT_DEVIATION)
    return spline(nodes, along_y, along_x)


def lattice(axis: Axis, step: float, origin: float = 0.0) -> tuple[Whole, csr_array]:
    """Return a lattice's nodes along an axis, and how they weigh at each place.

    Parameters
    ----------
    axis : (n,)
        m.
    step, origin : float
        Node k lies at origin + k step.

    Returns
    -------
    nodes : int64 (m,)
        Their numbers, one after the other.
    weights : sparse float32 (n, m)
        Of the four nodes around each place.
    """
    place = (np.asarray(axis, dtype=np.float64) - origin) / step
    nodes = np.arange(np.floor(place.min()) - 1, np.floor(place.max()) + 3).astype(np.int64)
    knots = np.arange(nodes[0] - 2.0, nodes[-1] + 3.0)
    return nodes, BSpline.design_matrix(place, knots, 3).astype(np.float32)


def spline(nodes: Field, rows: csr_array, columns: csr_array) -> Field:
    """Return the cubic B-spline of a lattice over a grid.

    Parameters
    ----------
    nodes : float32 (m_rows, m_columns)
    rows, columns : sparse float32 (n_rows, m_rows), (n_columns, m_columns)
        Weights, as `lattice` gives them.
    """
    return np.asarray(rows @ (columns @ nodes.T).T)
