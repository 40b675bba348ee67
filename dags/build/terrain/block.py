"""One block of a level: what was there, what is laid over it, and what the finer level makes of it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import zarr

from dags.build.terrain.layer import Layer, overlap
from dags.build.terrain.pyramid import NAMES, Block, Packed, empty, fold, overlay, packed, without
from dags.build.terrain.reading import tiles_of
from dags.build.terrain.resample import Found, Mask, Part
from tiles.building import Corner
from tiles.product import FILL
from tiles.products.terrain import FOLD, GRIDS, SIDE
from tiles.store import Store

_FINEST = min(GRIDS)


class Maker:
    """Makes blocks of any level; those of the finer level have to be there.

    Parameters
    ----------
    store : Store
    layers : sequence of Layer
    drafts : mapping of int to str
        Key of the Zarr group that is being made, by level.
    base : mapping of int to str
        Manifests of what was built before, by level.
    """

    def __init__(
        self, store: Store, layers: Sequence[Layer], drafts: Mapping[int, str], base: Mapping[int, str]
    ) -> None:
        self._layers = layers
        for layer in layers:
            layer.keep(store)
        self._groups: dict[int, Any] = {
            cell: zarr.open_group(store.zarr(key, read_only=True), mode="r") for cell, key in drafts.items()
        }
        self._base = {cell: tiles_of(store, cell, key) for cell, key in base.items()}

    def block(self, cell: int, corner: Corner) -> tuple[Block, list[dict[str, Any]]]:
        """Return a block, and what is to be remembered of how the layers were had."""
        grid = GRIDS[cell]
        part = Part(cell, *corner, min(SIDE, grid.n_y - corner[0]), min(SIDE, grid.n_x - corner[1]))
        block = self._before(part)
        new, notes = self._new(part)
        if new is not None:
            block = overlay(block, new)
        if cell // FOLD in self._groups:
            self._fold(part, block)
        return block, notes

    def _before(self, part: Part) -> Block:
        """Return what was built before, but where newer heights of larger cells lie."""
        if part.cell not in self._base:
            return empty((part.rows, part.columns))
        tiles = self._base[part.cell]
        block = {name: tiles.window(name, *part[1:]) for name in NAMES}
        if part.cell == _FINEST and (block["top"] != FILL).any():
            block = without(block, self._hidden(part))
        return block

    def _hidden(self, part: Part) -> Mask:
        gone = np.zeros((part.rows // FOLD, part.columns // FOLD), bool)
        larger = Part(part.cell * FOLD, part.row // FOLD, part.column // FOLD, *gone.shape)
        for layer in self._layers:
            if layer.hides_finer and overlap(layer.bounds(larger.cell), larger.bounds):
                found = layer.told(larger).found
                if found is not None:
                    gone |= ~np.isnan(found.ground[1:-1, 1:-1])
        return np.repeat(np.repeat(gone, FOLD, axis=0), FOLD, axis=1)

    def _new(self, part: Part) -> tuple[Block | None, list[dict[str, Any]]]:
        """Return what the layers have of a part, the last of them on top."""
        merged: Found | None = None
        years: Packed = np.full(part.wider(1).shape, FILL, np.uint16)
        notes = []
        for layer in self._layers:
            if not overlap(layer.bounds(part.cell), part.bounds):
                continue
            told = layer.told(part)
            if told.found is None:
                continue
            merged = told.found.over(merged)
            ours = ~np.isnan(told.found.ground) | (told.found.sea & merged.sea)
            years[ours] = FILL if told.year is None else told.year
            notes.append(told.notes)
        return (None if merged is None else packed(merged, years)), notes

    def _fold(self, part: Part, block: Block) -> None:
        """Make those cells anew of which the finer level knows something."""
        group, side = self._groups[part.cell // FOLD], SIDE // FOLD
        for row in range(0, part.rows, side):
            for column in range(0, part.columns, side):
                here = slice(row, min(row + side, part.rows)), slice(column, min(column + side, part.columns))
                first, left = (part.row + here[0].start) * FOLD, (part.column + here[1].start) * FOLD
                last, right = (part.row + here[0].stop) * FOLD, (part.column + here[1].stop) * FOLD
                finer = {name: np.asarray(group[name][first:last, left:right], np.uint16) for name in NAMES}
                if (finer["top"] != FILL).any():
                    made = fold({name: block[name][here] for name in NAMES}, finer)
                    for name in NAMES:
                        block[name][here] = made[name]
