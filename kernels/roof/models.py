"""Roofs of few numbers over a rectangle: flat, shed, gable, hip; fitted to cells and weighed against free planes."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.roof.field import Field

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]
Flags = NDArray[np.bool_]

# Of a cell that lies on no plane: anywhere within so many m.
_ANYWHERE_M = 2.0
_LEAST_CELLS = 3
_QUIETEST_M = 0.02
_TURNS = 25


class Side(NamedTuple):
    """A plane that falls along an axis: rise by `sign` times the slope number `slope`, from the number `start`."""

    axis: int
    sign: int
    slope: int


class Fit(NamedTuple):
    """Planes (n, 3), labels (rows, columns) with -1 for cells off them, and the cost: half of the criterion."""

    planes: Floats
    labels: Labels
    cost: float


def best_model(field: Field, own: Flags, directions: list[float]) -> Fit | None:
    """Return the model of least cost; None where there are too few cells.

    Parameters
    ----------
    field : Field
    own : bool (rows, columns)
        Cells of the rectangle.
    directions : list of float
        In which the ridge may run, or across it, radians from east.
    """
    if np.count_nonzero(own) < 4 * _LEAST_CELLS:
        return None
    x, y = (axis[own] for axis in field.positions())
    fits = []
    for direction in directions:
        along = np.array([np.cos(direction), np.sin(direction)])
        middle = np.array([(x.min() + x.max()) / 2, (y.min() + y.max()) / 2])
        u = (x - middle[0]) * along[0] + (y - middle[1]) * along[1]
        v = -(x - middle[0]) * along[1] + (y - middle[1]) * along[0]
        at = np.stack([u, v])
        for sides, numbers in _models():
            found = _fitted(at, field.z[own], sides, numbers)
            if found is not None:
                fits.append((found, along, middle))
    if not fits:
        return None
    (slopes, labels, cost), along, middle = min(fits, key=lambda one: one[0][2])
    a, b, c = slopes.T
    planes = np.column_stack([a * along[0] - b * along[1], a * along[1] + b * along[0], c])
    planes[:, 2] -= planes[:, :2] @ middle
    spread = np.full(own.shape, -1, np.int32)
    spread[own] = labels
    return Fit(planes, spread, cost)


def _models() -> Iterator[tuple[tuple[Side, ...], int]]:
    """Yield the sides of each model, and how many slopes they share."""
    yield (), 0
    for axis in (0, 1):
        yield (Side(axis, 1, 0),), 1
        pair = Side(axis, 1, 0), Side(axis, -1, 0)
        across = 1 - axis
        yield pair, 1
        yield (pair[0], Side(axis, -1, 1)), 2
        for end in (1, -1):
            yield (*pair, Side(across, end, 1)), 2
        yield (*pair, Side(across, 1, 0), Side(across, -1, 0)), 1
        yield (*pair, Side(across, 1, 1), Side(across, -1, 1)), 2


def _fitted(at: Floats, z: Floats, sides: tuple[Side, ...], slopes: int) -> tuple[Floats, Labels, float] | None:
    """Return planes in u and v, labels and cost of a model; None where a side has too few cells."""
    if not sides:
        level, off, cost = _level(z)
        return np.array([[0.0, 0.0, level]]), np.where(off, 0, -1).astype(np.int32), cost
    best = None
    for steep in (0.3, 0.7, 1.2):
        for lift in (0.0, 0.5) if len(sides) > 2 else (0.0,):
            found = _descent(at, z, sides, slopes, steep, lift)
            if found is not None and (best is None or found[2] < best[2]):
                best = found
    return best


def _level(z: Floats) -> tuple[float, Flags, float]:
    level = float(np.median(z))
    for _ in range(5):
        off = z - level
        spread = max(_QUIETEST_M, 1.4826 * float(np.median(np.abs(off))))
        level += float(np.mean(off[np.abs(off) < 3 * spread]))
    on, cost = _cost(z - level, 1)
    return level, on, cost


def _descent(
    at: Floats, z: Floats, sides: tuple[Side, ...], slopes: int, steep: float, lift: float
) -> tuple[Floats, Labels, float] | None:
    """Assign cells to the lowest side and fit, in turn, from sides of a given slope over the whole rectangle."""
    count = len(sides)
    half = np.percentile(np.abs(at), 97, axis=1)
    planes = np.zeros((count, 3))
    low = float(np.percentile(z, 10))
    for n, side in enumerate(sides):
        planes[n, side.axis] = side.sign * steep
        planes[n, 2] = low + steep * half[side.axis] + (lift * steep * half.min() if n > 1 else 0.0)
    before = None
    for _ in range(_TURNS):
        heights = planes[:, :2] @ at + planes[:, 2:]
        owner = heights.argmin(axis=0)
        off = z - heights.min(axis=0)
        if np.bincount(owner, minlength=count).min() < _LEAST_CELLS:
            return None
        if before is not None and (owner == before).all() and np.abs(step).max() < 1e-4:
            break
        before = owner
        spread = max(_QUIETEST_M, 1.4826 * float(np.median(np.abs(off - np.median(off)))))
        weight = np.clip(1 - ((off - np.median(off)) / (5 * spread)) ** 2, 0, 1)
        design = np.zeros((len(z), slopes + count))
        design[np.arange(len(z)), slopes + owner] = 1
        for n, side in enumerate(sides):
            mine = owner == n
            design[mine, side.slope] = side.sign * at[side.axis, mine]
        found = np.linalg.lstsq(design * weight[:, None], z * weight, rcond=None)[0]
        new = planes.copy()
        for n, side in enumerate(sides):
            new[n, side.axis], new[n, 2] = side.sign * found[side.slope], found[slopes + n]
        step = new - planes
        planes = new
    if (planes[:, :2].sum(axis=1) * [side.sign for side in sides] < 0.05).any() and count > 1:
        return None
    on, cost = _cost(off, slopes + count)
    return planes, np.where(on, owner, -1).astype(np.int32), cost


def _cost(off: Floats, numbers: int) -> tuple[Flags, float]:
    """Return which cells are on a model, and half of the Bayesian information criterion."""
    spread = max(_QUIETEST_M, 1.4826 * float(np.median(np.abs(off))))
    on = np.abs(off) < 3 * spread
    fit = np.count_nonzero(on) * (np.log(max(_QUIETEST_M, float(off[on].std()))) + 0.5 + 0.5 * np.log(2 * np.pi))
    return on, float(fit + np.count_nonzero(~on) * np.log(_ANYWHERE_M) + 0.5 * numbers * np.log(len(off)))
