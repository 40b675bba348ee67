"""The terrain: heights laid over what was built before, level by level and by blocks, published together."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import zarr

from catalog.publish import Moment
from catalog.versions import read_index
from dags.build.blocks import BlockBuild, Made, Plan, Records, Stage, Work, fingerprint_of
from dags.build.context import BuildContext
from dags.build.provenance import provenance
from dags.build.terrain import file as terrain_file
from dags.build.terrain import kartverket as terrain_kartverket
from dags.build.terrain.pyramid import Layer, make_block
from dags.build.terrain.reading import Terrain
from dags.build.terrain.resample import Bounds, corners, overlap
from tiles.blocks import published_records
from tiles.building import Block, Corner
from tiles.clock import format_partition, parse_partition
from tiles.manifest import Manifest
from tiles.product import Product
from tiles.products.terrain import BY_CELL, FOLD, GRIDS, PRODUCTS, SIDE, name_of
from tiles.store import Store

KARTVERKET, FILE = "kartverket", terrain_file.NAME
# Raised by one when the method changes what a block holds.
RECORD = 4
_WHOLE = (0,)  # blocks are made whole: no single cells are asked for
_FINEST, _COARSEST = min(GRIDS), max(GRIDS)
_CELL_OF = {product.name: cell for cell, product in BY_CELL.items()}
METHOD = (
    "Newer heights over older ones. Ground: mean of a source with smaller cells, else bilinear in its own grid at the "
    "cell's centre, each 10 m where its centres are none of ours of 50 m; top: the highest of the source in the cell "
    "and of the surface between the centres. Coarser cells from finer ones where these are known: the highest top, "
    "the mean ground. What a service resampled to our cells counts as it came: a peak narrower than them may be "
    "higher. Holes up to 200 m are filled from around; larger ones with a rim at sea level are sea (top 0, no "
    "ground), others stay missing. Heights in the national system."
)


@dataclass(frozen=True)
class TerrainInputs:
    """Layers that are new, and the terrain over which they are laid."""

    layers: tuple[Layer, ...]
    base: Terrain | None

    @property
    def fingerprint(self) -> str:
        """The same of the same layers over the same terrain."""
        return fingerprint_of([_mark(layer) for layer in self.layers], self.base and self.base.fingerprint)


class TerrainLevels(BlockBuild[TerrainInputs]):
    """Builds the three levels, each from the finer one; readers find the others by the coarsest."""

    products = PRODUCTS
    side = SIDE
    cells_per_job = 1

    def inputs(self, context: BuildContext) -> TerrainInputs:
        """Return the layers that the context names and that are not published yet.

        Raises
        ------
        ValueError
            The parts of the question do not go together, or a file is no terrain model.
        """
        base = newest(context.store)
        layers = _layers_of(context)
        return TerrainInputs(tuple(layer for layer in layers if base is None or not _holds(base, layer)), base)

    def plan(self, context: BuildContext, inputs: TerrainInputs) -> Plan:
        """Return the blocks that layers touch, and those that are published."""
        layers, base = inputs.layers, inputs.base
        # not before the newest, where the clock was set back: readers take the last one
        version = max(format_partition(context.clock.now()), base.version if base is not None else "")
        for layer in layers:
            layer.keep(context.store)
        # newer heights whose own cells are larger
        over = {
            c for layer in layers if not layer.bounds(_FINEST) for c in corners(_FINEST, layer.bounds(_FINEST * FOLD))
        }
        below = over & (base.levels[_FINEST].corners if base is not None and _FINEST in base.levels else set())
        if below:
            context.report(
                f"in {len(below)} blocks cells of {_FINEST} m give way to these heights, whose own cells are larger"
            )
        stages = []
        for cell, product in BY_CELL.items():
            touched = below.union(*(layer.blocks(cell) for layer in layers))
            side = SIDE * FOLD  # a shard of the next level, in cells of this one
            below = {(row // side * SIDE, column // side * SIDE) for row, column in touched}
            keys = _published_keys(context.store, base, cell) | dict.fromkeys(touched, inputs.fingerprint)
            if keys:
                stages.append(Stage((product,), tuple(Block(c, _WHOLE, key) for c, key in sorted(keys.items()))))
        about = {"method": METHOD, "build": inputs.fingerprint}
        return Plan(version, tuple(stages), {product.name: about for product in PRODUCTS})

    def make(self, work: Work[TerrainInputs], blocks: Sequence[Block]) -> Iterator[Made]:
        """Make blocks of one level."""
        (name,) = work.products
        cell, layers, base = _CELL_OF[name], work.inputs.layers, work.inputs.base
        finer = work.drafts.get(name_of(cell // FOLD))
        below = zarr.open_group(work.context.store.zarr(finer, read_only=True), mode="r") if finer else None
        for block in blocks:
            packed, notes = make_block(cell, block.corner, layers, base, below)
            yield Made(block, {name: packed}, {"layers": notes})

    def learned(self, work: Work[TerrainInputs], records: Mapping[str, Records]) -> Mapping[str, Any]:
        """Return the sources, and the manifests of the levels that are published together."""
        notes = [
            note for each in records.values() for record in each.values() for note in record.notes.get("layers", [])
        ]
        for layer in work.inputs.layers:
            for line in layer.remarks(notes):
                work.context.report(line)
        filled = [
            name
            for name, each in records.items()
            if any(written["shards"] for record in each.values() for written in record.written.values())
        ]
        levels = {_CELL_OF[name]: work.drafts[name].removesuffix(".zarr") + ".manifest.json" for name in filled}
        layers, base = work.inputs.layers, work.inputs.base
        marked = [{"fingerprint": _mark(layer), "model": layer.model, "bounds": _bounds(layer)} for layer in layers]
        sources = ([] if base is None else base.sources) + [layer.about(notes) for layer in layers]
        return provenance(sources, layers=([] if base is None else base.layers) + marked, levels=levels)

    def moment(self, context: BuildContext, version: str) -> Moment:  # noqa: ARG002
        """Return the hour at which it was begun."""
        begun = parse_partition(version)
        return Moment(begun, begun, begun)

    def base(self, context: BuildContext, product: Product, version: str) -> str | None:  # noqa: ARG002
        """Return the level's manifest in the newest terrain."""
        there = newest(context.store)
        return None if there is None else there.manifests.get(_CELL_OF[product.name])


def _layers_of(context: BuildContext) -> tuple[Layer, ...]:
    """Return the layers that are asked for: files where there are paths, else the national model.

    Raises
    ------
    FileNotFoundError
        A file does not exist.
    ValueError
        The parts of the question do not go together, or a file is no terrain model; for the whole country, the land
        is not published.
    """
    context.refuse_partition("its version is the hour at which its build began")
    sources = (FILE, KARTVERKET) if context.paths else (KARTVERKET, FILE)
    if context.require_source(*sources) == FILE:
        if not context.paths:
            raise ValueError("which file? Write --path X.tif; a folder or a pattern will do too")
        return terrain_file.files_of(context.paths, context.year)
    if context.paths or context.year is not None:
        raise ValueError(f"files and their year belong to --source {FILE}; {KARTVERKET} has its own")
    url = context.address(terrain_kartverket.NAME)
    if context.areas:
        return terrain_kartverket.around(context.areas, url)
    return (terrain_kartverket.everywhere(url, context.store, context.clock),)


def newest(store: Store) -> Terrain | None:
    """Return the terrain that is published; None where there is none yet."""
    return Terrain(store) if read_index(store, name_of(_COARSEST)).entries else None


def _published_keys(store: Store, base: Terrain | None, cell: int) -> dict[Corner, str]:
    """Return the keys of the published blocks of a level."""
    if base is None or cell not in base.manifests:
        return {}
    records = published_records(store, Manifest.read(store, base.manifests[cell]))
    return {corner: record.key for corner, record in records.items()}


def _mark(layer: Layer) -> str:
    return sha256(repr((RECORD, [p.schema for p in PRODUCTS], layer.fingerprint)).encode()).hexdigest()[:16]


def _bounds(layer: Layer) -> dict[str, Bounds]:
    return {str(cell): bounds for cell in GRIDS if (bounds := layer.bounds(cell)) is not None}


def _holds(base: Terrain, layer: Layer) -> bool:
    """Return whether a layer is part of what is published, and nothing newer lies over it."""
    marks = [held["fingerprint"] for held in base.layers]
    mark = _mark(layer)
    if mark not in marks:
        return False
    last = len(marks) - 1 - marks[::-1].index(mark)
    ours = _bounds(layer)
    newer = [held for held in base.layers[last + 1 :] if held["model"] != layer.model]
    return not any(overlap(one, other) for held in newer for other in held["bounds"].values() for one in ours.values())


build = TerrainLevels()
