"""The horizon of every place whose ground is known, from the published terrain: by blocks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dags.build.blocks import Made, Plan, Records, Stage, Work, fingerprint_of
from dags.build.context import BuildContext
from dags.build.horizon.block import base_of, blocks_of_piece, together, window_of
from dags.build.horizon.pieces import WHOLE, blocks_of, by_pieces, piece_of, rectangle, whole_piece
from dags.build.land import LandBuild
from dags.build.provenance import code_version, provenance
from dags.build.terrain.reading import Terrain
from dags.build.terrain.resample import corners
from kernels.horizon.block import REACH
from kernels.horizon.levels import MISSING
from tiles.building import Block, Corner
from tiles.products.horizon import AZIMUTHS, BLOCK, OBSERVER_M, PRODUCT, STEP_DEG

# Raised by one when the method changes what a profile holds.
RECORD = 2
METHOD = (
    "Highest angle to the terrain in 720 directions from true north, with the earth's curvature and refraction (k = "
    "0.13), seen from {observer} m over the bilinear surface (of a coarse source to 250 m on its own grid), to "
    "{reach:g} km; beyond 100 of its cells a coarser level of tops is looked at (of what they are the highest: "
    "`sources`). The far end of the data ends a ray."
)


@dataclass(frozen=True)
class HorizonInputs:
    """The terrain, and how far it is looked at, m."""

    terrain: Terrain
    reach: float

    @property
    def fingerprint(self) -> str:
        """The same of the same terrain by the same method."""
        return fingerprint_of(self.method, self.terrain.fingerprint)

    @property
    def method(self) -> str:
        """Fingerprint of how profiles are made."""
        return fingerprint_of(RECORD, PRODUCT.schema, OBSERVER_M, self.reach)


class Horizons(LandBuild[HorizonInputs]):
    """Builds the horizons of what terrain is published.

    Parameters
    ----------
    reach : float
        The farthest that is looked at, m.
    """

    products = (PRODUCT,)
    side = BLOCK
    # a block counts as one cell; a piece is a job: see `unit`
    cells_per_job = 1

    def __init__(self, reach: float = REACH) -> None:
        self._reach = reach

    def inputs(self, context: BuildContext) -> HorizonInputs:
        """Return the terrain that is published.

        Raises
        ------
        ValueError
            None is; or the context names a partition or a source.
        """
        if context.partition is not None or context.source is not None:
            raise ValueError("horizons are made of the terrain that is published, without a partition or a source")
        return HorizonInputs(Terrain(context.store), self._reach)

    def plan(self, context: BuildContext, inputs: HorizonInputs) -> Plan:
        """Return the blocks of the areas in which there is ground, and those that are published already.

        A block's key tells the heights that its piece looks at, so that heights beyond its reach do not make it anew.

        Raises
        ------
        ValueError
            The terrain knows no ground in these areas.
        """
        terrain, newest = inputs.terrain, self.newest(context)
        keys: dict[Corner, str] = {}
        blocks = _wanted(context, terrain, set(self.published_keys(context, newest)))
        for corner in blocks:
            if (piece := piece_of(corner)) not in keys:
                window = window_of(terrain, whole_piece(corner), inputs.reach)
                keys[piece] = fingerprint_of(inputs.method, terrain.cells, terrain.fingerprint_in(window))
        wanted = tuple(Block(corner, WHOLE, keys[piece_of(corner)]) for corner in blocks)
        about = _provenance(terrain, inputs)
        stage = Stage(self.products, wanted, {"azimuth": np.arange(AZIMUTHS) * STEP_DEG})
        return Plan(self.version(context, newest, about["build"]), (stage,), {PRODUCT.name: about})

    def make(self, work: Work[HorizonInputs], blocks: Sequence[Block]) -> Iterator[Made]:
        """Make blocks of one piece, for which heights are read once."""
        wanted = {block.corner: block for block in blocks}
        rows, columns = zip(*wanted, strict=True)
        place = rectangle((min(rows), min(columns)), (max(rows), max(columns)))
        for made in blocks_of_piece(work.inputs.terrain, place, list(wanted), work.inputs.reach):
            yield Made(wanted[made.corner], {PRODUCT.name: made.packed}, made.notes)

    def learned(self, work: Work[HorizonInputs], records: Mapping[str, Records]) -> Mapping[str, Any]:  # noqa: ARG002
        """Return how many rays see no land, or end at the far end of the data."""
        return {"rays": together([record.notes for record in records[PRODUCT.name].values()])}

    def unit(self, corner: Corner) -> Corner:
        """Return the piece, whose heights are read once."""
        return piece_of(corner)


def _wanted(context: BuildContext, terrain: Terrain, held: set[Corner]) -> list[Corner]:
    asked = blocks_of(context.areas)
    known = _with_ground(terrain, asked | held)
    if not known & asked:
        raise ValueError(
            "the terrain that is published knows no ground in these areas: build it for them with "
            "'solflis build terrain'"
        )
    if context.areas and (lacking := len(asked - known)):
        context.report(f"{lacking} of the areas' {len(asked)} blocks are left out: no ground is known there")
    return by_pieces(known)


def _with_ground(terrain: Terrain, asked: set[Corner]) -> set[Corner]:
    """Return the blocks in which there is ground, and not the sea alone."""
    cell = base_of(terrain.cells)
    found: set[Corner] = set()
    for corner in by_pieces(asked):
        bounds = rectangle(corner, corner).bounds
        if corners(cell, bounds) & terrain.levels[cell].corners:
            z = terrain.surface(cell, *bounds).z
            if np.any((z != MISSING) & (z != 0)):
                found.add(corner)
    return found


def _provenance(terrain: Terrain, inputs: HorizonInputs) -> dict[str, Any]:
    return provenance(
        terrain.sources,
        terrain=terrain.made_of,
        data_origin=terrain.origin,
        method=METHOD.format(observer=OBSERVER_M, reach=inputs.reach / 1000),
        observer_height_m=OBSERVER_M,
        reach_m=inputs.reach,
        terrain_version=terrain.version,
        terrain_levels_m=list(terrain.cells),
        build=inputs.fingerprint,
        generator=f"Solflis horizon, record {RECORD} ({code_version()})",
    )


build = Horizons()
