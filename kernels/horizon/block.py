"""The horizons of whole tiles: all points at once, for one direction and distance after the other.

Points on a lattice see a sample of the land at one place between the cells (`lattice.py`), so a direction and a
distance is a shift of the whole terrain: a column of points is compared with one of heights in vector units, without
a search and without a branch. What that costs a point grows with the logarithm of the reach only, because samples
lie ever farther apart. How exact it is, `levels.displacement` says.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.horizon import earth
from kernels.horizon.close import CLOSE, OwnSurface, look_close
from kernels.horizon.lattice import Lattice, Points, divides, lattice
from kernels.horizon.levels import MISSING, UNSEEN, Level, ranges
from kernels.horizon.look import STRIP, look_at_surface, look_at_tops, without_data
from kernels.horizon.rays import AZIMUTHS, STEP_DEG
from kernels.horizon.samples import FIRST

EYE = 1.5
"""Height of the observer over the ground, m."""
REACH = 150_000.0
"""The farthest that is looked at, m: there Galdhøpiggen still stands 0.36 degrees over the horizon."""

BEYOND = 500.0
"""What is nearer than that, a roof's own heights tell better, m."""

_DIRECTIONS = np.radians(np.arange(AZIMUTHS) * STEP_DEG)
_WINDOWS = (1, 2, 3, 4, 6, 8, 12, 16)


class Block(NamedTuple):
    """What points see.

    Parameters
    ----------
    elevation : float32 (720, rows, columns)
        Of the horizon, degrees, by azimuth 0, 0.5 .. 359.5 clockwise from true north; that of the open sea where there
        is no data at all in a direction, NaN where the point has no ground.
    distance : float32 (720, rows, columns)
        To what makes the horizon, m; NaN where there is no data.
    beyond, beyond_distance : float32 (720, rows, columns)
        The same of what is at least `BEYOND` away: who stands a little higher looks over what hides it from here.
    ground : float32 (rows, columns)
        Height of the land at the point, m; NaN where there is no data.
    cut : int32 (rows, columns)
        Directions in which the data end before the reach does.
    """

    elevation: NDArray[np.float32]
    distance: NDArray[np.float32]
    beyond: NDArray[np.float32]
    beyond_distance: NDArray[np.float32]
    ground: NDArray[np.float32]
    cut: NDArray[np.int32]


class _Part(NamedTuple):
    """Heights that serve some distances, m."""

    heights: Lattice
    near: float
    far: float


class Piece:
    """Land that is made ready for the points on it; parts of it are then made one by one.

    Parameters
    ----------
    levels : sequence of Level
        Finest first, in UTM 33; a whole number of the finest cells makes a step.
    points : Points
    eye : float
        Height of the observer over the ground, m.
    reach : float
        The farthest that is looked at, m.
    close : sequence of OwnSurface, optional
        What counts within `CLOSE` of those points around which one of them is known, instead of the finest level.

    Raises
    ------
    ValueError
        The finest cells do not divide the step; there is no level, or they are not ordered.
    """

    def __init__(
        self,
        levels: Sequence[Level],
        points: Points,
        *,
        eye: float = EYE,
        reach: float = REACH,
        close: Sequence[OwnSurface] = (),
    ) -> None:
        ends = ranges(levels, points.rectangle, reach)
        if not divides(levels[0].cell, points.step):
            raise ValueError(f"cells of {levels[0].cell:g} m do not divide steps of {points.step:g} m")
        self._points, self._eye, self._reach = points, eye, reach
        self._base = _Part(lattice(levels[0], points, 1.005 * ends[0]), FIRST, ends[0])
        self._tops = [
            _Part(lattice(level, points, 1.005 * far, window), near, far)
            for level, (begin, end) in zip(levels[1:], pairwise(ends), strict=True)
            for window, near, far in _bands(level.cell, begin, end)
        ]
        self.ground = _ground(self._base.heights, points.shape)
        self._close: list[tuple[OwnSurface, NDArray[np.bool_]]] = []
        left = np.ones(points.shape, bool)
        for surface in close:
            own = surface.ground()
            here = left & ~np.isnan(own)
            self.ground[here], left = own[here], left & ~here
            self._close.append((surface, here))

    def block(self, corner: tuple[int, int] = (0, 0), shape: tuple[int, int] | None = None) -> Block:
        """Return what some of the points see.

        Parameters
        ----------
        corner : (int, int)
            Row and column of the first of them.
        shape : (int, int), optional
            How many rows and columns; all, when absent. Not many more than 64: what is the highest so far of some
            columns shall stay in the first cache.
        """
        rows, columns = shape or self._points.shape
        there = np.s_[corner[0] : corner[0] + rows, corner[1] : corner[1] + columns]
        ground = np.ascontiguousarray(self.ground[there])
        eyes = np.where(np.isnan(ground), 0, ground) + np.float32(self._eye)
        view = _View(corner, np.array(eyes.T, order="C"), *self._north(corner, (rows, columns)))
        cut = np.zeros((columns, rows), np.int32)
        far = (look_at_surface, self._base._replace(near=BEYOND)), *((look_at_tops, part) for part in self._tops)
        for look, part in far:
            view.look(look, part)
            if part.far >= self._reach:
                without_data(part.heights, view.start(part), _DIRECTIONS, *view.north, self._reach, cut)
        beyond = _seen(_by_rows(view.tangent), _by_rows(view.distance), ground, eyes)
        self._look_near(view, there)
        whole = _seen(_by_rows(view.tangent), _by_rows(view.distance), ground, eyes)
        return Block(*whole, *beyond, ground, _by_rows(cut))

    def _look_near(self, view: "_View", there: tuple[slice, slice]) -> None:
        """Look at what is nearer than `BEYOND`: of points on a source's own surface close by at that alone."""
        near = self._base._replace(far=min(BEYOND, self._base.far))
        on_any = np.zeros(view.eyes.shape, bool)
        for surface, here in self._close:
            own, close = here[there].T, min(CLOSE, near.far)
            at = np.ascontiguousarray(surface.at[there].swapaxes(0, 1))
            eyes = np.where(own, view.eyes, np.float32(np.nan))
            look_close(surface.z, at, _DIRECTIONS, *view.north, close, eyes, view.tangent, view.distance)
            on_any |= own
        if on_any.any():
            view.look(look_at_surface, near._replace(near=min(CLOSE, near.far)), on_any)
        if not on_any.all():
            view.look(look_at_surface, near, ~on_any)

    def _north(
        self, corner: tuple[int, int], shape: tuple[int, int]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return grid convergence, rad, and scale in the middle of each strip of some points."""
        x, y, step, _ = self._points
        first = np.arange(0, shape[1], STRIP)
        middle = corner[1] + (first + np.minimum(first + STRIP, shape[1]) - 1) / 2
        at = x + step * middle, np.full(first.size, y + step * (corner[0] + (shape[0] - 1) / 2))
        return np.radians(earth.convergence(*at)), earth.scale(*at)


class _View:
    """A block that is being made.

    Parameters
    ----------
    corner : (int, int)
    eyes : float32 (columns, rows)
        m.
    turns, stretches : float64 (strips,)
        As `Piece` has them.

    Attributes
    ----------
    tangent, distance : float32 (720, columns, rows)
        Of the highest so far.
    """

    def __init__(
        self,
        corner: tuple[int, int],
        eyes: NDArray[np.float32],
        turns: NDArray[np.float64],
        stretches: NDArray[np.float64],
    ) -> None:
        self._corner, self.eyes, self.north = corner, eyes, (turns, stretches)
        self.tangent = np.full((AZIMUTHS, *eyes.shape), -np.inf, np.float32)
        self.distance = np.full((AZIMUTHS, *eyes.shape), np.nan, np.float32)

    def start(self, part: _Part) -> tuple[int, int]:
        """Return row and column of the first point in the heights of a part, in steps."""
        return part.heights.pad + self._corner[0], part.heights.pad + self._corner[1]

    def look(self, look: Callable[..., None], part: _Part, which: NDArray[np.bool_] | None = None) -> None:
        """Raise the horizons to what is seen of a part; of some points (columns, rows) only, where they are named."""
        if part.near < part.far:
            # from so high that nothing is seen
            eyes = self.eyes if which is None or which.all() else np.where(which, self.eyes, -MISSING)
            at = self.start(part), _DIRECTIONS, *self.north, part.near, part.far
            look(part.heights, *at, eyes, self.tangent, self.distance)


def _by_rows(found: NDArray[Any]) -> NDArray[Any]:
    """Return a copy with the last two axes swapped."""
    return found.swapaxes(-1, -2).copy(order="C")


def _bands(cell: float, begin: float, end: float) -> Iterator[tuple[int, float, float]]:
    """Yield windows of cells and the distances for which they are about as wide as a step of 1 %."""
    for window, wider in zip(_WINDOWS, (*_WINDOWS[1:], None), strict=True):
        last = end if wider is None else min(end, 100 * cell * (window + wider) / 2)
        if last > begin:
            yield window, begin, last
            begin = last


def _ground(heights: Lattice, shape: tuple[int, int]) -> NDArray[np.float32]:
    """Return the surface at the points."""
    phases = heights.heights.reshape(heights.per_step, heights.per_step, heights.columns, heights.rows)
    corners = []
    for i in (0, 1):
        for j in (0, 1):
            r, c = heights.pad + i // heights.per_step, heights.pad + j // heights.per_step
            at = phases[j % heights.per_step, i % heights.per_step]
            corners.append(at[c : c + shape[1], r : r + shape[0]].T)
    u, v = heights.u, heights.v
    weights = ((1 - v) * (1 - u), (1 - v) * u, v * (1 - u), v * u)
    used = [(z, w) for z, w in zip(corners, weights, strict=True) if w > 0]
    surface: NDArray[np.float32] = sum(z * np.float64(w) for z, w in used).astype(np.float32)  # type: ignore[union-attr]
    surface[np.any([z == MISSING for z, _ in used], axis=0)] = np.nan
    return surface


def _seen(
    tangent: NDArray[np.float32], distance: NDArray[np.float32], ground: NDArray[np.float32], eyes: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return elevations and distances."""
    nothing = tangent < UNSEEN
    elevation = np.degrees(np.arctan(tangent))
    np.copyto(elevation, earth.sea_dip(eyes).astype(np.float32), where=nothing)
    distance[nothing] = np.nan
    elevation[:, np.isnan(ground)] = np.nan
    distance[:, np.isnan(ground)] = np.nan
    return elevation, distance
