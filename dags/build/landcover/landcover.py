"""Land cover around the areas that are asked for, with the buildings of built-up ground: by blocks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from catalog.built_up import built_up
from catalog.land_cover import land_cover
from catalog.sources import bygninger, corine
from catalog.sources.data_origin import origin_of
from catalog.sources.http import without_credentials
from catalog.sources.kartverket import heights
from catalog.sources.nibio import ar50
from catalog.sources.registry import SOURCES
from dags.build.blocks import Made, Plan, Records, Stage, Work, fingerprint_of
from dags.build.cells import land
from dags.build.context import BuildContext
from dags.build.land import LandBuild
from dags.build.provenance import code_version, provenance, user_agent
from dags.build.terrain.resample import corners, square
from tiles.building import Block, Corner
from tiles.grid import NORWAY3KM
from tiles.product import FILL
from tiles.products.landcover import CHUNK, PRODUCT, SIDE, bounds_of

# Raised by one when the method changes what a block holds.
RECORD = 1
METHOD = (
    "AR50 at the cells' centres, CORINE (100 m) where AR50 knows nothing. In squares of 2 km that hold built-up ground "
    "buildings, from footprints where the operator has them, else what stands 2.5 m or more over the ground on 6 x 6 "
    "m of the surface model, which takes crowns that touch for buildings; and their mean height."
)
CELL = 10
REACH_M = 10_100.0
"""So far around an area sites look at land cover, m."""
_BUILT_UP = 11
_WHOLE = (0,)  # blocks are made whole
_DEADLINE_S = 300.0
_NAMES = (ar50.NAME, corine.NAME, heights.NAME, bygninger.NAME)


@dataclass(frozen=True)
class Sources:
    """Where land cover is read, by source; buildings have footprints where theirs is a path."""

    urls: Mapping[str, str] = field(repr=False)

    @property
    def fingerprint(self) -> str:
        """The same of the same sources by the same method."""
        names = {name: without_credentials(url) for name, url in self.urls.items()}
        return fingerprint_of(RECORD, PRODUCT.schema, sorted(names.items()))


class LandCovers(LandBuild[Sources]):
    """Builds land cover where areas and what lies 10 km around them touch a block."""

    products = (PRODUCT,)
    side = SIDE
    cells_per_job = 1

    def inputs(self, context: BuildContext) -> Sources:
        """Return the sources.

        Raises
        ------
        ValueError
            The context names a partition or a source.
        """
        if context.partition is not None or context.source is not None:
            raise ValueError("land cover has its own sources, and its version is the hour at which its build began")
        return Sources({name: SOURCES[name].address(context.addresses) for name in _NAMES})

    def plan(self, context: BuildContext, inputs: Sources) -> Plan:
        """Return the blocks of the areas, and those that are published already.

        Raises
        ------
        ValueError
            For the whole country, the land is not published.
        """
        newest = self.newest(context)
        keys = self.published_keys(context, newest) | dict.fromkeys(_blocks_of(context), inputs.fingerprint)
        wanted = tuple(Block(corner, _WHOLE, key) for corner, key in sorted(keys.items()))
        build = fingerprint_of([(block.corner, block.key) for block in wanted])
        version, about = self.version(context, newest, build), {"method": METHOD, "build": build}
        return Plan(version, (Stage(self.products, wanted),), {PRODUCT.name: about})

    def make(self, work: Work[Sources], blocks: Sequence[Block]) -> Iterator[Made]:
        """Make blocks, each from a few answers of its sources."""
        for block in blocks:
            yield _made(work.inputs.urls, block)

    def learned(self, work: Work[Sources], records: Mapping[str, Records]) -> Mapping[str, Any]:  # noqa: ARG002
        """Return the sources that were read, with their terms."""
        notes = [record.notes for record in records[PRODUCT.name].values()]
        names = sorted({name for note in notes for name in note["sources"]})
        origin = origin_of(*(note["data_origin"] for note in notes))
        own = {name: origin_of(*(note["sources"][name] for note in notes if name in note["sources"])) for name in names}
        sources = [{**SOURCES[name].named(own[name]), "data_origin": own[name]} for name in names]
        generator = f"Solflis landcover, record {RECORD} ({code_version()})"
        return provenance(sources, data_origin=origin, generator=generator)


def _blocks_of(context: BuildContext) -> set[Corner]:
    """Return the blocks that areas and their surroundings touch; of the whole country those near land."""
    if context.areas:
        return {corner for area in context.areas for corner in corners(CELL, square(area, REACH_M))}
    rows, columns = NORWAY3KM.axes
    half, found = NORWAY3KM.size / 2 + REACH_M, set[Corner]()
    for row, column in np.argwhere(land(context.store, context.clock)):
        x, y = columns[column], rows[row]
        found |= corners(CELL, (x - half, y - half, x + half, y + half))
    return found


def _made(urls: Mapping[str, str], block: Block) -> Made:
    """Return a block from its sources, which its record remembers.

    Raises
    ------
    SourceError
        One cannot be read.
    """
    address, agent = urls.__getitem__, user_agent()
    cover = land_cover(address, bounds_of(*block.corner, SIDE), CELL, user_agent=agent, seconds=_DEADLINE_S)
    packed = {"cover": PRODUCT.variable("cover").pack(cover.codes.astype(np.float64))}
    packed |= {name: np.full((SIDE, SIDE), FILL, np.uint16) for name in ("built", "height")}
    # where nothing is known, those that say so
    read = {name: cover.data_origin for name, share in cover.sources.items() if share > 0 or not cover.codes.any()}
    inputs = [*cover.inputs]
    for row, column in product(range(0, SIDE, CHUNK), repeat=2):
        part = slice(row, row + CHUNK), slice(column, column + CHUNK)
        if not (cover.codes[part] == _BUILT_UP).any():
            continue
        box = bounds_of(block.corner[0] + row, block.corner[1] + column, CHUNK)
        found = built_up(address, box, CELL, user_agent=agent, seconds=_DEADLINE_S)
        packed["built"][part] = PRODUCT.variable("built").pack(100 * found.share.astype(np.float64))
        packed["height"][part] = PRODUCT.variable("height").pack(found.height.astype(np.float64))
        read |= {found.source: found.data_origin, heights.NAME: found.data_origin}
        inputs += found.inputs
    notes = {"sources": read, "data_origin": origin_of(*read.values()), "inputs": [dict(one) for one in inputs]}
    return Made(block, {PRODUCT.name: packed}, notes)


build = LandCovers()
