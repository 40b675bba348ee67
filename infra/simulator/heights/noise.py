"""Lattice noise: smooth random fields that are functions of position alone, so that all windows agree.

An octave has a random number at each point of a square lattice as wide as its wavelength, and between them the cubic
B-spline, which has two continuous derivatives. A spline of a grid is one matrix from the left and one from the right.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Axis = NDArray[np.floating[Any]]
Field = NDArray[np.float32]
Whole = NDArray[np.int64]


class Taps(NamedTuple):
    """The four nodes around each of n places: the first (n,), an index into the nodes, and how they weigh (4, n)."""

    first: Whole
    weights: Field


# The spline averages: what uniform numbers of -1 to 1 lose by it.
_TO_UNIT_DEVIATION = 3.55
_DENSE_NODES = 600  # with more, four taps are faster than a matrix


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


def lattice(axis: Axis, step: float, origin: float = 0.0) -> tuple[Whole, Taps]:
    """Return a lattice's nodes along an axis, and for each place where its four begin and how they weigh.

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
    taps : Taps
    """
    place = (np.asarray(axis, dtype=np.float64) - origin) / step
    below = np.floor(place).astype(np.int64)
    t = place - below
    weights = np.array([(1 - t) ** 3, 3 * t**3 - 6 * t**2 + 4, -3 * t**3 + 3 * t**2 + 3 * t + 1, t**3]) / 6
    nodes = np.arange(below.min() - 1, below.max() + 3)
    return nodes, Taps(below - 1 - nodes[0], weights.astype(np.float32))


def spline(nodes: Field, row: Taps, column: Taps) -> Field:
    """Return the cubic B-spline of a lattice over a grid.

    Parameters
    ----------
    nodes : float32 (m_rows, m_columns)
    row, column : Taps
        As `lattice` gives them.
    """
    across = _along(nodes, *row)
    first, weights = column
    if nodes.shape[1] <= _DENSE_NODES:
        return np.asarray(across @ _matrix(nodes.shape[1], first, weights).T)
    total = across[:, first] * weights[0]
    for k in range(1, 4):
        total += across[:, first + k] * weights[k]
    return np.asarray(total)


def _along(nodes: Field, first: Whole, weights: Field) -> Field:
    """Return the spline along axis 0: (n, columns)."""
    if len(nodes) <= _DENSE_NODES:
        return np.asarray(_matrix(len(nodes), first, weights) @ nodes)
    total = nodes[first] * weights[0][:, None]
    for k in range(1, 4):
        total += nodes[first + k] * weights[k][:, None]
    return np.asarray(total)


def _matrix(count: int, first: Whole, weights: Field) -> Field:
    matrix = np.zeros((len(first), count), dtype=np.float32)
    places = np.arange(len(first))
    for k in range(4):
        matrix[places, first + k] = weights[k]
    return matrix
