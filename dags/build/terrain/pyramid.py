"""Blocks of a level: newer heights over older ones, and coarser cells from finer ones.

All packed, so that laws hold exactly: top and ground are packed alike on all levels, and the highest of some cells is
the highest of their packed values.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from dags.build.terrain.resample import Found, Mask, above_surface
from tiles.product import FILL
from tiles.products.terrain import BY_CELL, FOLD

Packed = NDArray[np.uint16]
Block = dict[str, Packed]
"""Of a part of a level: `top`, `ground` and `year`, uint16 (rows, columns)."""
NAMES = ("top", "ground", "year")

_TOP, _GROUND, _YEAR = (BY_CELL[10].variable(name) for name in NAMES)
_ALL = FOLD * FOLD


def empty(shape: tuple[int, int]) -> Block:
    """Return a block of which nothing is known."""
    return {name: np.full(shape, FILL, np.uint16) for name in NAMES}


def packed(found: Found, years: Packed) -> Block:
    """Pack what is known of a part but its outermost cells, which only say how the surface goes on.

    Parameters
    ----------
    found : Found
        (rows, columns)
    years : uint16 (rows, columns)
        FILL where unknown.

    Returns
    -------
    dict of uint16 (rows - 2, columns - 2)
    """
    whole = _GROUND.pack(found.ground)
    sea = found.sea[1:-1, 1:-1]
    # as it will be read back: the highest must not lie below it
    as_read = found._replace(ground=_GROUND.unpack(whole).astype(np.float32))
    highest = above_surface(as_read)
    ground = whole[1:-1, 1:-1]
    # upwards: the highest hides at least as much as it should
    steps = np.ceil((highest.astype(np.float64) - _TOP.offset) / _TOP.scale - 1e-3)
    top = np.where(np.isnan(steps), FILL, steps).astype(np.uint16)
    known = ground != FILL
    top = np.where(known, np.maximum(top, ground), np.where(sea, top, FILL)).astype(np.uint16)
    return {"top": top, "ground": ground.copy(), "year": np.where(top == FILL, np.uint16(FILL), years[1:-1, 1:-1])}


def overlay(old: Mapping[str, Packed], new: Mapping[str, Packed]) -> Block:
    """Return the newer heights, and the older ones where there are none; sea of the newer hides no older ground."""
    ours = (new["ground"] != FILL) | ((new["top"] != FILL) & (old["top"] == FILL))
    return {name: np.where(ours, new[name], old[name]) for name in NAMES}


def without(old: Mapping[str, Packed], gone: Mask) -> Block:
    """Return a block in which nothing is known of some cells."""
    return {name: np.where(gone, np.uint16(FILL), old[name]) for name in NAMES}


def fold(base: Mapping[str, Packed], finer: Mapping[str, Packed]) -> Block:
    """Return cells that are made of finer ones where all of them are known; the highest counts wherever one is.

    Parameters
    ----------
    base : dict of uint16 (rows, columns)
        What is known of the cells otherwise.
    finer : dict of uint16 (5 rows, 5 columns)
    """
    tops, grounds, years = (_highest_last(finer[name]) for name in NAMES)
    count = (tops >= 0).sum(axis=2)
    known = grounds >= 0
    many = known.sum(axis=2)
    mean = np.rint(np.where(known, grounds, 0).sum(axis=2) / np.maximum(many, 1)).astype(np.int64)
    mean[many == 0] = -1
    highest, year = tops.max(axis=2), years.max(axis=2)
    full, part = count == _ALL, (count > 0) & (count < _ALL)
    old_top, old_ground, old_year = (np.where(base[name] == FILL, -1, base[name].astype(np.int64)) for name in NAMES)
    top = np.where(full, highest, np.where(part, np.maximum(highest, old_top), old_top))
    # of a cell that is known in part, what a source said of the whole
    ground = np.where(full | (part & (old_ground < 0)), mean, old_ground)
    when = np.where(full, year, np.maximum(year, old_year))
    return {name: _with_fill(values) for name, values in zip(NAMES, (top, ground, when), strict=True)}


def _highest_last(values: Packed) -> NDArray[np.int64]:
    """Return the finer cells of each coarse one on a last axis, -1 where nothing is known."""
    rows, columns = (n // FOLD for n in values.shape)
    cells = values.reshape(rows, FOLD, columns, FOLD).transpose(0, 2, 1, 3).reshape(rows, columns, _ALL)
    return np.where(cells == FILL, -1, cells.astype(np.int64))


def _with_fill(values: NDArray[np.int64]) -> Packed:
    return np.where(values < 0, FILL, values).astype(np.uint16)
