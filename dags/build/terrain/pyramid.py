"""Blocks of a level: what was there, newer heights laid over it, and coarser cells made of finer ones.

All packed, so that laws hold exactly: top and ground are packed alike on all levels, and the highest of some cells is
the highest of their packed values.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dags.build.terrain.file import HeightFile
from dags.build.terrain.kartverket import NationalModel
from dags.build.terrain.reading import Terrain
from dags.build.terrain.resample import Found, Part, above_surface, overlap
from tiles.building import Corner
from tiles.product import FILL
from tiles.products.terrain import BY_CELL, FOLD, GRIDS, SIDE

Packed = NDArray[np.uint16]
Block = dict[str, Packed]
"""Of a part of a level: `top`, `ground` and `year`, uint16 (rows, columns)."""
NAMES = ("top", "ground", "year")
Layer = HeightFile | NationalModel
"""Heights from one source, laid over what was there before."""

_FINEST = min(GRIDS)
_TOP, _GROUND, _YEAR = (BY_CELL[_FINEST].variable(name) for name in NAMES)


def make_block(
    cell: int, corner: Corner, layers: Sequence[Layer], base: Terrain | None, finer: Any
) -> tuple[Block, list[dict[str, Any]]]:
    """Return a block of a level, and what is to be remembered of how its layers were read.

    Parameters
    ----------
    cell : int
    corner : (int, int)
    layers : sequence of Layer
        The last of them on top.
    base : Terrain or None
        What is published.
    finer : Zarr group, optional
        Of the next finer level, whose blocks are finished.
    """
    grid = GRIDS[cell]
    part = Part(cell, *corner, min(SIDE, grid.n_y - corner[0]), min(SIDE, grid.n_x - corner[1]))
    block = _published(part, layers, base)
    new, notes = _new(part, layers)
    if new is not None:
        block = overlay(block, new)
    if finer is not None:
        _fold_into(block, part, finer)
    return block, notes


def _published(part: Part, layers: Sequence[Layer], base: Terrain | None) -> Block:
    """Return what is published, but where newer heights of larger cells lie."""
    if base is None or part.cell not in base.levels:
        return empty(part.shape)
    block = {name: base.levels[part.cell].window(name, *part[1:]) for name in NAMES}
    if part.cell == _FINEST and (block["top"] != FILL).any():
        larger = Part(part.cell * FOLD, *(n // FOLD for n in part[1:]))
        for layer in layers:
            if layer.bounds(_FINEST) is None and overlap(layer.bounds(larger.cell), larger.bounds):
                newer = ~np.isnan(layer.read(larger).found.ground[1:-1, 1:-1])
                for values in block.values():
                    values[newer.repeat(FOLD, axis=0).repeat(FOLD, axis=1)] = FILL
    return block


def _new(part: Part, layers: Sequence[Layer]) -> tuple[Block | None, list[dict[str, Any]]]:
    """Return what the layers have of a part."""
    merged: Found | None = None
    years: Packed = np.full(part.wider(1).shape, FILL, np.uint16)
    notes = []
    for layer in layers:
        if overlap(layer.bounds(part.cell), part.bounds):
            found, year, note = layer.read(part)
            merged = found.over(merged)
            years[~np.isnan(found.ground) | (found.sea & merged.sea)] = FILL if year is None else year
            notes.append(note)
    return (None if merged is None else packed(merged, years)), notes


def _fold_into(block: Block, part: Part, finer: Any) -> None:
    """Make those cells anew of which the finer level knows something, shard by shard of it."""
    side = SIDE // FOLD
    for row in range(0, part.rows, side):
        for column in range(0, part.columns, side):
            first, left = (part.row + row) * FOLD, (part.column + column) * FOLD
            shard = {name: np.asarray(finer[name][first : first + SIDE, left : left + SIDE]) for name in NAMES}
            if (shard["top"] != FILL).any():
                inside = slice(row, row + side), slice(column, column + side)
                made = fold({name: block[name][inside] for name in NAMES}, shard)
                for name in NAMES:
                    block[name][inside] = made[name]


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


def fold(base: Mapping[str, Packed], finer: Mapping[str, Packed]) -> Block:
    """Return cells that are made of finer ones where all of them are known; the highest counts wherever one is.

    Parameters
    ----------
    base : dict of uint16 (rows, columns)
        What is known of the cells otherwise.
    finer : dict of uint16 (5 rows, 5 columns)
    """
    rows, columns = base["top"].shape
    tops, grounds, years = (_floats(finer[name]).reshape(rows, FOLD, columns, FOLD) for name in NAMES)
    old_top, old_ground, old_year = (_floats(base[name]) for name in NAMES)
    whole = ~np.isnan(tops).any(axis=(1, 3))
    highest, year = (np.fmax.reduce(np.fmax.reduce(values, axis=3), axis=1) for values in (tops, years))
    known = (~np.isnan(grounds)).sum(axis=(1, 3))
    mean = np.where(known > 0, np.rint(np.nansum(grounds, axis=(1, 3)) / np.maximum(known, 1)), np.nan)
    made = {
        "top": np.where(whole, highest, np.fmax(highest, old_top)),
        # of a cell that is known in part, what a source said of the whole
        "ground": np.where(whole | np.isnan(old_ground), mean, old_ground),
        "year": np.where(whole, year, np.fmax(year, old_year)),
    }
    return {name: np.where(np.isnan(values), FILL, values).astype(np.uint16) for name, values in made.items()}


def _floats(values: Packed) -> NDArray[np.float32]:
    """Return packed values as exact floats, NaN where nothing is known."""
    return np.where(values == FILL, np.nan, values).astype(np.float32)
