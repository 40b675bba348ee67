"""Learning factors by sun position and month: penalised least squares, robust.

Each node is drawn towards 0, which is the first step's factor, and neighbours towards each other; hours count the more
the smaller their scatter is, which is measured, and Huber's weights keep single bad hours small.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kernels.hourly import at_moments
from kernels.plants.output import sun_angles
from kernels.plants.position_factors import AZIMUTHS, ELEVATIONS, MONTHS, NODES, Table, corners

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]

_TAU_NODE, _TAU_STEP = 0.3, 0.12  # standard deviations expected of a node and of the difference between two
_TAU_MONTH, _TAU_TURN = 0.02, 0.02
_ALIKE_HOURS = (3.0, 12.0)  # errors of so many hours are as one: of clear sky, of modelled weather
_FIRST_SCATTER = (0.05, 0.25)  # before it is measured; a wrong azimuth must not pass for scatter
_HUBER, _ROUNDS = 1.5, 5
_A_YEAR = 1_767_225_600 + 1200 * np.arange(3 * 8760)
_YEARS_DIFFER = 0.5  # degrees


class Rows(NamedTuple):
    """Hours to learn from; arrays (n,).

    Attributes
    ----------
    measured, model : float64
        W; finite, and `model` above 0.
    beam : float64
        From `beam_weight`.
    elevation, azimuth : float64
        Of the sun, degrees.
    hour_starts : int64
    exact : bool
        Which of two kinds of model: clear sky on a clear day, or modelled weather.
    limited : bool
        At the inverter's limit: the plant could have given more, so a factor above measured / model is no error.
    """

    measured: Floats
    model: Floats
    beam: Floats
    elevation: Floats
    azimuth: Floats
    hour_starts: NDArray[np.int64]
    exact: NDArray[np.bool_]
    limited: NDArray[np.bool_]

    def where(self, chosen: NDArray[np.bool_]) -> "Rows":
        """Return some of them; `chosen` is bool (n,)."""
        return Rows(*(values[chosen] for values in self))  # type: ignore[arg-type]


class Lattice(NamedTuple):
    """The nodes that the sun reaches at a place.

    Attributes
    ----------
    nodes : int64 (k,)
    number : int64 (NODES,)
        Place of each node among them, beyond all where it is none.
    pulls : float64 (k + MONTHS, k + MONTHS)
        Penalties as a matrix: of nodes and months, and of differences between neighbours.
    """

    nodes: Whole
    number: Whole
    pulls: Floats


def lattice(lat: float, lon: float) -> Lattice:
    """Return the nodes around all positions of the sun at a place (degrees)."""
    elevation, azimuth = sun_angles(lat, lon, _A_YEAR)
    up = elevation > -1
    elevation, azimuth = elevation[up], azimuth[up]
    shifts = [(v, u) for v in (-_YEARS_DIFFER, _YEARS_DIFFER) for u in (-_YEARS_DIFFER, _YEARS_DIFFER)]
    nodes = np.unique([corners(elevation + v, azimuth + u)[0] for v, u in shifts])
    number = np.full(NODES, NODES + MONTHS)
    number[nodes] = np.arange(nodes.size)
    pulls = np.diag(np.repeat([_TAU_NODE**-2, _TAU_MONTH**-2], [nodes.size, MONTHS]))
    grid = number.reshape(ELEVATIONS, AZIMUTHS)
    months = nodes.size + np.arange(MONTHS)
    for one, other, tau in (
        (grid[:-1], grid[1:], _TAU_STEP),
        (grid, np.roll(grid, -1, axis=1), _TAU_STEP),
        (months, np.roll(months, -1), _TAU_TURN),
    ):
        there = (one < len(pulls)) & (other < len(pulls))
        a, b = one[there], other[there]
        for i, j, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
            np.add.at(pulls, (i, j), sign / tau**2)
    return Lattice(nodes, number, pulls)


def fit_tables(rows: Rows, base: float, place: Lattice, fold: Whole, folds: int) -> tuple[Table, list[Table]]:
    """Learn a table from hours, on top of the factor `base`; and without each fold of them.

    Parameters
    ----------
    rows : Rows
    base : float
    place : Lattice
    fold : int64 (n,)
        Of each hour, 0..folds - 1.
    folds : int

    Returns
    -------
    Table, list of Table
        From all hours; without the hours of each fold, which has its weights of the other hours from the fit to all.
    """
    size, k = len(place.pulls), place.nodes.size
    nodes, shares = corners(rows.elevation, rows.azimuth)
    months, month_shares = _month_corners(rows.hour_starts)
    columns = np.concatenate([place.number[nodes], k + months])
    values = np.concatenate([shares * rows.beam, month_shares])
    pairs = columns[:, None] * size + columns[None]
    products = values[:, None] * values[None]
    target = rows.measured / rows.model - base
    energy = rows.model / rows.model.mean()

    def solve(weight: Floats, aim: Floats, chosen: Flags | slice) -> Floats:
        normal = np.bincount(pairs[..., chosen].ravel(), (products * weight)[..., chosen].ravel(), size * size)
        moments = np.bincount(columns[:, chosen].ravel(), (values * (weight * aim))[:, chosen].ravel(), size).astype(
            float
        )
        matrix = normal.reshape(size, size) + place.pulls
        _cholesky_solve(matrix, moments)
        return moments

    solution, weight, aim = np.zeros(size), energy, target
    for turn in range(_ROUNDS):
        fitted = (solution[columns] * values).sum(axis=0)
        aim = np.where(rows.limited, np.maximum(target, fitted), target)
        weight = energy * _trust(aim - fitted, energy, rows.exact, turn == 0)
        solution = solve(weight, aim, slice(None))
    without = [solve(weight, aim, fold != each) for each in range(folds)]
    return _table(solution, place), [_table(each, place) for each in without]


def _table(solution: Floats, place: Lattice) -> Table:
    sun = np.zeros(NODES)
    sun[place.nodes] = solution[: place.nodes.size]
    return Table(sun.reshape(ELEVATIONS, AZIMUTHS), solution[place.nodes.size :])


def _trust(residual: Floats, energy: Floats, exact: Flags, first: bool) -> Floats:
    """Return the weight of hours: the inverse variance of their kind, times Huber's weight."""
    out = np.ones(residual.size)
    for kind, hours, scatter in zip((exact, ~exact), _ALIKE_HOURS, _FIRST_SCATTER, strict=True):
        if first:
            out[kind] = 1 / (hours * scatter**2)
        elif kind.any():
            size = np.abs(residual[kind])
            scale = max(1.48 * _weighted_median(size, energy[kind]), 0.02)
            out[kind] = np.minimum(1.0, _HUBER * scale / np.maximum(size, 1e-9)) / (hours * scale**2)
    return out


def _weighted_median(values: Floats, weights: Floats) -> float:
    order = np.argsort(values)
    passed = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(passed, passed[-1] / 2)])


def _month_corners(hour_starts: Whole) -> tuple[Whole, Floats]:
    """Return the two months around moments and their shares, (2, n) each, as `at_moments` has them."""
    shares = np.stack([at_moments(row, hour_starts) for row in np.eye(MONTHS)])
    order = np.argsort(-shares, axis=0, kind="stable")[:2]
    return order, np.take_along_axis(shares, order, axis=0)


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _cholesky_solve(matrix, right):  # type: ignore[no-untyped-def]
    """Solve for a symmetric positive definite matrix (n, n), in place of both arguments.

    1 ms for 270 unknowns. `numpy.linalg.solve` was measured at 140 ms where its threads wait for busy cores.
    """
    n = right.size
    for i in range(n):
        for j in range(i + 1):
            total = matrix[i, j]
            for m in range(j):
                total -= matrix[i, m] * matrix[j, m]
            matrix[i, j] = np.sqrt(total) if i == j else total / matrix[j, j]
    for i in range(n):
        for m in range(i):
            right[i] -= matrix[i, m] * right[m]
        right[i] /= matrix[i, i]
    for i in range(n - 1, -1, -1):
        right[i] /= matrix[i, i]
        for m in range(i):
            right[m] -= matrix[i, m] * right[i]
