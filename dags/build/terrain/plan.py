"""What layers change in a terrain: whether it has them, which blocks they touch, and what is said of them."""

from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from dags.build.blocks import fingerprint_of
from dags.build.provenance import provenance
from dags.build.terrain.layer import Bounds, Layer, corners, overlap
from dags.build.terrain.reading import Terrain
from tiles.building import Corner
from tiles.products.terrain import BY_CELL, FOLD, GRIDS, SIDE

# Raised by one when the method changes what a block holds.
RECORD = 4
_FINEST = min(GRIDS)


def _mark(layer: Layer) -> str:
    return sha256(repr((RECORD, [p.schema for p in BY_CELL.values()], layer.fingerprint)).encode()).hexdigest()[:16]


def holds(base: Terrain, layer: Layer) -> bool:
    """Say whether a layer is part of what is published, and nothing newer lies over it."""
    marks = [held["fingerprint"] for held in base.layers]
    mark = _mark(layer)
    if mark not in marks:
        return False
    last = len(marks) - 1 - marks[::-1].index(mark)
    ours = _bounds(layer)
    newer = [held for held in base.layers[last + 1 :] if held["model"] != layer.model]
    return not any(overlap(one, other) for held in newer for other in held["bounds"].values() for one in ours.values())


def _bounds(layer: Layer) -> dict[str, Bounds]:
    return {str(cell): bounds for cell in GRIDS if (bounds := layer.bounds(cell)) is not None}


def fingerprint(layers: Iterable[Layer], base: Terrain | None) -> str:
    """Return the fingerprint of what a version is made of, and how."""
    return fingerprint_of([_mark(layer) for layer in layers], base and base.fingerprint)


def hidden(layers: Iterable[Layer], base: Terrain | None) -> set[Corner]:
    """Return the finest blocks of before in which cells go, because newer heights have larger cells."""
    hiding = [layer for layer in layers if layer.hides_finer and layer.bounds(_FINEST) is None]
    over = {corner for layer in hiding for corner in corners(_FINEST, layer.bounds(_FINEST * FOLD))}
    return over & (set() if base is None else base.corners(_FINEST))


def touched_by(layers: Iterable[Layer], base: Terrain | None) -> dict[int, set[Corner]]:
    """Return the blocks of each level that have to be made."""
    found: dict[int, set[Corner]] = {}
    below = hidden(layers, base)
    for cell in GRIDS:
        found[cell] = below.union(*(layer.blocks(cell) for layer in layers))
        side = SIDE * FOLD  # a shard of the next level, in cells of this one
        below = {(row // side * SIDE, column // side * SIDE) for row, column in found[cell]}
    return found


def learned(layers: Iterable[Layer], base: Terrain | None, notes: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what is only known when everything has been read."""
    marked = [{"fingerprint": _mark(layer), "model": layer.model, "bounds": _bounds(layer)} for layer in layers]
    sources = ([] if base is None else base.sources) + [layer.about(notes) for layer in layers]
    return provenance(sources, layers=([] if base is None else base.layers) + marked)
