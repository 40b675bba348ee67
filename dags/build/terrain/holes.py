"""What of a terrain model are no heights: filled from around where it is small, the sea, or unknown."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray
from rasterio.fill import fillnodata
from scipy import ndimage

from dags.build.terrain.resample import Found, Heights, Mask, Part
from tiles.products.terrain import HIGHEST, LOWEST

NARROW_M = 200.0
"""Holes up to so wide are filled from around."""
SHORE_M = 2.0
"""A hole of whose rim a quarter lies below this is the sea: the rest of a rim may well be a steep shore."""
_QUARTER = 0.25
# Nothing stands so far above, or lies so far below, all its neighbours at up to 50 m.
_SPIKE_M, _SPIKE_CELL = 300.0, 50.0
_AROUND = np.ones((3, 3), np.uint8)
_RING = np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]], np.uint8)

OUTSIDE, HEIGHT, NO_DATA, ABSURD, SPIKE = range(5)
"""What a model has in a cell: nothing, for it ends before, or one of these."""
LAND, SEA, UNKNOWN = range(3)
"""What a wide hole is, and what else there is."""
COUNTS = ("no_data", "absurd", "spikes", "filled", "sea", "left_missing")
"""What is counted: what cells lack a height for, and what became of them."""


class Raw(NamedTuple):
    """The cells of a part as a model has them.

    Parameters
    ----------
    ground, top : float32 (rows, columns)
        m; NaN where `kind` is not `HEIGHT`.
    kind : uint8 (rows, columns)
        `OUTSIDE`, `HEIGHT`, `NO_DATA`, `ABSURD` or `SPIKE`.
    """

    ground: Heights
    top: Heights
    kind: NDArray[np.uint8]


def kinds_of(low: Heights, high: Heights, cell: float) -> NDArray[np.uint8]:
    """Return what cells hold, uint8 (rows, columns).

    Parameters
    ----------
    low, high : float32 (rows, columns)
        The lowest and the highest that a source has in each, m, NaN where it has no data.
    cell : float
        Side of a cell, m.
    """
    kind = np.full(high.shape, HEIGHT, np.uint8)
    kind[(low < LOWEST) | (high > HIGHEST)] = ABSURD
    kind[np.isnan(low) | np.isnan(high)] = NO_DATA
    if cell <= _SPIKE_CELL:
        known = kind == HEIGHT
        highest = cv2.dilate(np.where(known, high, np.float32(-1e6)), _RING)
        lowest = cv2.erode(np.where(known, low, np.float32(1e6)), _RING)
        # where no neighbour is known nothing can be said
        kind[known & (highest > -1e5) & ((high > highest + _SPIKE_M) | (low < lowest - _SPIKE_M))] = SPIKE
    return kind


def raw_of(ground: Heights, low: Heights, high: Heights, cell: float) -> Raw:
    """Return cells as a source has them; `ground`, `low` and `high` are their mean, lowest and highest."""
    kind = kinds_of(low, high, cell)
    there = kind == HEIGHT
    return Raw(np.where(there, ground, np.float32(np.nan)), np.where(there, high, np.float32(np.nan)), kind)


def holes_of(
    z: Heights, outside: Mask, cell: float, far: Callable[[], NDArray[np.uint8]] | None = None
) -> tuple[Mask, Mask]:
    """Return which cells without a height are to be filled, and which are sea; the others are unknown.

    Parameters
    ----------
    z : float32 (rows, columns)
        m, NaN in holes.
    outside : bool (rows, columns)
        What is beyond the model, from where nothing can be filled.
    cell : float
        m.
    far : callable, optional
        Returns uint8 (rows, columns): what wide holes are by their rims all around, which may lie far off; `SEA`,
        `UNKNOWN` or `LAND`. Only the rims that are seen count when absent.
    """
    hole = np.isnan(z) & ~outside
    count, labels = cv2.connectedComponents(hole.astype(np.uint8), connectivity=8)
    every = np.arange(1, count)
    if not every.size:
        return hole, hole
    inner = ndimage.maximum(cv2.distanceTransform(hole.astype(np.uint8), cv2.DIST_L2, 5), labels, every)
    at_the_edge = np.unique(labels[cv2.dilate(outside.astype(np.uint8), _AROUND) > 0])
    wide = every[((2 * np.asarray(inner, np.float64) - 1) * cell > NARROW_M) | np.isin(every, at_the_edge)]
    if not wide.size:
        return hole, np.zeros_like(hole)
    # of float32: dilate knows no larger integers; a part never has 2^24 holes
    beside = np.where(np.isnan(z), 0, cv2.dilate(labels.astype(np.float32), _AROUND))
    rim = ndimage.labeled_comprehension(z, beside, wide, lambda of: np.quantile(of, _QUARTER), float, np.nan)
    sea = rim < SHORE_M  # NaN compares false
    if far is not None:
        kinds = far()
        votes, against = (ndimage.sum_labels(kinds == kind, labels, wide) for kind in (SEA, UNKNOWN))
        sea = np.where(votes == against, sea, votes > against)
    return hole & ~np.isin(labels, wide), np.isin(labels, wide[sea])


def mended(raw: Raw, cell: float, far: Callable[[], NDArray[np.uint8]] | None = None) -> Found:
    """Return cells whose small holes are filled, and the sea told from what is unknown; see `holes_of`."""
    fill, sea = holes_of(raw.ground, raw.kind == OUTSIDE, cell, far)
    ground, top = raw.ground, raw.top
    if fill.any():
        known = ~np.isnan(ground)
        filled = fillnodata(np.where(known, ground, 0), mask=known, max_search_distance=NARROW_M / cell + 3)
        ground, top = (np.where(fill, filled, z) for z in (ground, top))
    return Found(ground, top, sea)


def counted(kind: NDArray[np.uint8], found: Found) -> dict[str, int]:
    """Return how many cells came without a height, and what became of them, by `COUNTS`."""
    hole, missing = kind >= NO_DATA, np.isnan(found.ground)
    left = hole & missing & ~found.sea
    masks = *(kind == why for why in (NO_DATA, ABSURD, SPIKE)), hole & ~missing, found.sea, left
    return {name: int(np.count_nonzero(mask)) for name, mask in zip(COUNTS, masks, strict=True)}


def finished(
    raw: Raw, wide: Part, part: Part, far: Callable[[], NDArray[np.uint8]] | None = None
) -> tuple[Found, dict[str, int]]:
    """Return a part and one cell around it without small holes, and what was counted in the part.

    Parameters
    ----------
    raw : Raw
        Of the wider part, so that holes are filled alike on both sides of an edge.
    wide, part : Part
    far : callable, optional
        See `holes_of`.
    """
    found = mended(raw, wide.cell, far)
    inside, around = wide.slices_of(part), wide.slices_of(part.wider(1))
    return found.at(around), counted(raw.kind[inside], found.at(inside))


def total(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Return counts of several parts of a model, added up."""
    names = dict.fromkeys(name for count in counts for name in count) or COUNTS
    return {name: sum(count.get(name, 0) for count in counts) for name in names}
