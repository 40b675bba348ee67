"""Roofs of few numbers over rectangles: flat, shed, gable and, over one alone, hip; fitted to cells."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from kernels.roof.field import Field

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]
Flags = NDArray[np.bool_]

# Of a cell that lies on no plane: anywhere within so many m.
_ANYWHERE_M = 2.0
STEEPEST = np.tan(np.radians(70.0))
"""Slope from which a plane is a wall, as cells show one that are partly roof and partly ground."""

_LEAST_CELLS = 3
_QUIETEST_M = 0.02
_TURNS = 25
_STILL = 1e-4
_STEPS = np.radians([4.0, 2.0, 2.0, 1.0, 0.5, 0.5])


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


def best_models(field: Field, own: Flags, rectangles: Sequence[Polygon], direction: float) -> Fit | None:
    """Return the models of least cost of all rectangles together; None where one has too few cells.

    Parameters
    ----------
    field : Field
    own : bool (rows, columns)
        Cells of the roof: each is of the rectangle that is nearest.
    rectangles : sequence of Polygon
    direction : float
        In which the ridges may run, or across it, radians from east.
    """
    at = shapely.points(*(axis[own] for axis in field.positions()))
    nearest = np.full(own.shape, -1)
    nearest[own] = np.argmin([shapely.distance(one, at) for one in rectangles], axis=0)
    simple = len(rectangles) > 1
    fits = [_best_model(field, nearest == n, direction, simple=simple) for n in range(len(rectangles))]
    planes, labels, cost = np.empty((0, 3)), np.full(own.shape, -1, np.int32), 0.0
    for fit in fits:
        if fit is None:
            return None
        labels = np.where(fit.labels >= 0, fit.labels + len(planes), labels).astype(np.int32)
        planes, cost = np.concatenate([planes, fit.planes]), cost + fit.cost
    return Fit(planes, labels, cost)


def _best_model(field: Field, own: Flags, direction: float, *, simple: bool) -> Fit | None:
    """Return the model of least cost of a rectangle, `simple` without hips; None where it has too few cells."""
    if np.count_nonzero(own) < 4 * _LEAST_CELLS:
        return None
    at, z = np.stack([axis[own] for axis in field.positions()]), field.z[own]
    models = [model for model in _models() if len(model[0]) <= 2 or not simple]
    known = [(found, model) for model in models if (found := _turned(at, z, direction, model)) is not None]
    if not known:
        return None
    (best, start), model = min(known, key=lambda one: one[0][0].cost)
    for step in _STEPS:  # outlines are a few degrees off
        for turn in (direction - step, direction + step):
            found = _turned(at, z, turn, model, start)
            if found is not None and found[0].cost < best.cost:
                (best, start), direction = found, turn
    spread = np.full(own.shape, -1, np.int32)
    spread[own] = best.labels
    return best._replace(labels=spread)


def _turned(
    at: Floats, z: Floats, direction: float, model: tuple[tuple[Side, ...], int], start: Floats | None = None
) -> tuple[Fit, Floats] | None:
    """Return the fit of a model whose axes run in a direction, and its planes in u and v.

    Its labels are of the cells (n,). It begins at `start`, where planes in u and v of nearly this direction are known.
    """
    axes = np.array([[np.cos(direction), np.sin(direction)], [-np.sin(direction), np.cos(direction)]])
    middle = (at.min(axis=1) + at.max(axis=1)) / 2
    found = _fitted(axes @ (at - middle[:, None]), z, *model, start)
    if found is None:
        return None
    planes = np.column_stack([found[0][:, :2] @ axes, found[0][:, 2]])
    planes[:, 2] -= planes[:, :2] @ middle
    return Fit(planes, found[1], found[2]), found[0]


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


def _fitted(
    at: Floats, z: Floats, sides: tuple[Side, ...], slopes: int, start: Floats | None
) -> tuple[Floats, Labels, float] | None:
    """Return planes in u and v, labels and cost of a model; None where a side has too few cells."""
    if not sides:
        level, off, cost = _level(z)
        return np.array([[0.0, 0.0, level]]), np.where(off, 0, -1).astype(np.int32), cost
    starts = [start] if start is not None else _starts(at, z, sides)
    fits = [found for one in starts if (found := _descent(at, z, sides, slopes, one)) is not None]
    return min(fits, key=lambda one: one[2], default=None)


def _starts(at: Floats, z: Floats, sides: tuple[Side, ...]) -> Iterator[Floats]:
    """Yield sides of several slopes over the whole rectangle, those of the ends at two heights."""
    half = np.percentile(np.abs(at), 97, axis=1)
    low = float(np.percentile(z, 10))
    for steep, lift in product((0.3, 0.7, 1.2), (0.0, 0.5) if len(sides) > 2 else (0.0,)):
        planes = np.zeros((len(sides), 3))
        for n, side in enumerate(sides):
            planes[n, side.axis] = side.sign * steep
            planes[n, 2] = low + steep * half[side.axis] + (lift * steep * half.min() if n > 1 else 0.0)
        yield planes


def _level(z: Floats) -> tuple[float, Flags, float]:
    level = float(np.median(z))
    for _ in range(5):
        off = z - level
        spread = max(_QUIETEST_M, 1.4826 * float(np.median(np.abs(off))))
        level += float(np.mean(off[np.abs(off) < 3 * spread]))
    on, cost = _cost(z - level, 1)
    return level, on, cost


def _descent(
    at: Floats, z: Floats, sides: tuple[Side, ...], slopes: int, planes: Floats
) -> tuple[Floats, Labels, float] | None:
    """Assign cells to the lowest side and fit, in turn, beginning at planes in u and v."""
    count = len(sides)
    before, step = None, np.inf
    for _ in range(_TURNS):
        heights = planes[:, :2] @ at + planes[:, 2:]
        owner = heights.argmin(axis=0)
        off = z - heights.min(axis=0)
        if np.bincount(owner, minlength=count).min() < _LEAST_CELLS:
            return None
        if before is not None and (owner == before).all() and step < _STILL:
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
        step = float(np.abs(new - planes).max())
        planes = new
    slopes_up = planes[:, :2].sum(axis=1) * [side.sign for side in sides]
    if (slopes_up > STEEPEST).any() or (count > 1 and (slopes_up < 0.05).any()):
        return None
    # as of free planes, from the plane and not upright
    on, cost = _cost(off / np.sqrt(1 + (planes[:, :2] ** 2).sum(axis=1))[owner], slopes + count)
    return planes, np.where(on, owner, -1).astype(np.int32), cost


def _cost(off: Floats, numbers: int) -> tuple[Flags, float]:
    """Return which cells are on a model, and half of the Bayesian information criterion."""
    spread = max(_QUIETEST_M, 1.4826 * float(np.median(np.abs(off))))
    on = np.abs(off) < 3 * spread
    fit = np.count_nonzero(on) * (np.log(max(_QUIETEST_M, float(off[on].std()))) + 0.5 + 0.5 * np.log(2 * np.pi))
    return on, float(fit + np.count_nonzero(~on) * np.log(_ANYWHERE_M) + 0.5 * numbers * np.log(len(off)))
