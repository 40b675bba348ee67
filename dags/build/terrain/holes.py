"""What of a terrain model are no heights: filled from around where it is small, the sea, or unknown."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiles.products.terrain import HIGHEST, LOWEST

Heights = NDArray[np.float32]
Mask = NDArray[np.bool_]

NARROW_M = 200.0
"""Holes up to so wide are filled from around."""
SHORE_M = 2.0
"""A hole of whose rim a quarter lies below this is the sea: the rest of a rim may well be a steep shore."""
_QUARTER = 0.25
# Nothing stands so far above, or lies so far below, all its neighbours at up to 50 m.
_SPIKE_M, _SPIKE_CELL = 300.0, 50.0

LAND, SEA, UNKNOWN = 0, 1, 2
Sides = tuple[bool, bool, bool, bool]
"""Whether first row, last row, first column and last column are the outermost of the model."""


@dataclass(frozen=True)
class Regions:
    """The holes of a part of a model, numbered from 1.

    Parameters
    ----------
    labels : int32 (rows, columns)
        0 where there are heights.
    narrow : bool (numbers,)
        To be filled: there are heights on all sides.
    rim : float64 (numbers,)
        A quarter of the heights around lie below this, m; NaN where there are none.
    """

    labels: NDArray[np.int32]
    narrow: Mask
    rim: NDArray[np.float64]

    @property
    def kinds(self) -> NDArray[np.uint8]:
        """Of each number, as far as its rim tells: LAND where it is to be filled, SEA or UNKNOWN."""
        kinds = np.where(self.rim < SHORE_M, SEA, UNKNOWN).astype(np.uint8)  # NaN compares false
        kinds[self.narrow] = LAND
        kinds[0] = LAND
        return kinds


@dataclass
class Chart:
    """What the holes of a whole model are, in cells of so many of its own that it can be held.

    Parameters
    ----------
    kinds : uint8 (rows, columns)
        LAND, SEA or UNKNOWN.
    step : int
        Cells of the model along a side of the chart's.
    counts : dict
        Of the model's cells: without data, absurd, spikes, and what became of them.
    lowest, highest : float or None
        Of what are heights, m; None where there are none.
    """

    kinds: NDArray[np.uint8]
    step: int
    counts: dict[str, int] = field(default_factory=dict)
    lowest: float | None = None
    highest: float | None = None

    def part(self, row: int, column: int, shape: tuple[int, ...]) -> NDArray[np.uint8]:
        """Return the kinds at the cells of a window of the model."""
        rows, columns = ((first + np.arange(n)) // self.step for first, n in zip((row, column), shape, strict=True))
        return self.kinds[np.ix_(rows, columns)]


class Clean(NamedTuple):
    """Heights, m, NaN where there are none, and where that is because it is sea."""

    z: Heights
    sea: Mask


def without_absurd(raw: Heights, cell: float) -> tuple[Heights, dict[str, int]]:
    """Return heights with NaN for what can be none, and how many cells of which kind that were.

    Parameters
    ----------
    raw : float32 (rows, columns)
        m, NaN where the source has no data.
    cell : float
        Side of a cell, m.
    """
    import cv2

    z = raw.copy()
    missing = np.isnan(z)
    absurd = (z < LOWEST) | (z > HIGHEST)
    z[absurd] = np.nan
    spikes = np.zeros(z.shape, bool)
    if cell <= _SPIKE_CELL:
        around = np.ones((3, 3), np.uint8)
        around[1, 1] = 0
        known = ~np.isnan(z)
        highest = cv2.dilate(np.where(known, z, np.float32(-1e6)), around)
        lowest = cv2.erode(np.where(known, z, np.float32(1e6)), around)
        # where no neighbour is known nothing can be said
        spikes = known & (highest > -1e5) & ((z > highest + _SPIKE_M) | (z < lowest - _SPIKE_M))
        z[spikes] = np.nan
    found = {"no_data": missing, "absurd": absurd, "spikes": spikes}
    return z, {name: int(np.count_nonzero(mask)) for name, mask in found.items()}


def regions(z: Heights, cell: float, sides: Sides) -> Regions:
    """Number the holes, and say how wide they are and how high their rims.

    Parameters
    ----------
    z : float32 (rows, columns)
        m, NaN in holes.
    cell : float
        m.
    sides : Sides
        Beyond the model's own edge there is nothing to fill from.
    """
    import cv2

    hole = np.isnan(z)
    count, labels = cv2.connectedComponents(hole.astype(np.uint8), connectivity=8)
    inner = np.zeros(count)
    away = cv2.distanceTransform(hole.astype(np.uint8), cv2.DIST_L2, 5)
    np.maximum.at(inner, labels[hole], away[hole])
    narrow = (2 * inner - 1) * cell <= NARROW_M
    for outermost, edge in zip(sides, (labels[0], labels[-1], labels[:, 0], labels[:, -1]), strict=True):
        if outermost:
            narrow[np.unique(edge)] = False
    return Regions(np.asarray(labels, np.int32), narrow, _rims(z, hole, labels, count))


def _rims(z: Heights, hole: Mask, labels: NDArray[Any], count: int) -> NDArray[np.float64]:
    import cv2

    # of float32: dilate knows no larger integers; a window never has 2^24 holes
    beside = cv2.dilate(labels.astype(np.float32), np.ones((3, 3), np.uint8))
    rim = (beside > 0) & ~hole
    of, heights = beside[rim].astype(np.int64), z[rim]
    order = np.lexsort((heights, of))
    many = np.bincount(of, minlength=count)
    at = np.cumsum(many) - many + (_QUARTER * many).astype(np.int64)
    found = np.full(count, np.nan)
    there = many > 0
    found[there] = heights[order][at[there]]
    return found


def cleaned(raw: Heights, cell: float, sides: Sides, charted: NDArray[np.uint8] | None = None) -> Clean:
    """Fill the small holes of a part of a model, and tell the sea from what is unknown.

    Parameters
    ----------
    raw : float32 (rows, columns)
        m, NaN where the source has no data.
    cell : float
        m.
    sides : Sides
    charted : uint8 (rows, columns), optional
        What the chart of the whole model says there; only the rims that are seen count when absent.
    """
    from rasterio.fill import fillnodata

    z, _ = without_absurd(raw, cell)
    if not np.isnan(z).any():
        return Clean(z, np.zeros(z.shape, bool))
    found = regions(z, cell, sides)
    kinds = found.kinds
    if charted is not None:
        votes = np.bincount(found.labels.ravel() * 3 + charted.ravel(), minlength=3 * len(kinds)).reshape(-1, 3)
        told = votes[:, 1:].any(axis=1) & ~found.narrow
        kinds[told] = votes[told, 1:].argmax(axis=1) + 1
    kinds[0] = LAND
    kind = kinds[found.labels]
    to_fill = np.isnan(z) & (kind == LAND)
    if to_fill.any():
        reach = NARROW_M / cell + 3
        filled = fillnodata(np.where(np.isnan(z), 0, z), mask=~np.isnan(z), max_search_distance=reach)
        z[to_fill] = filled[to_fill]
    return Clean(z, kind == SEA)
