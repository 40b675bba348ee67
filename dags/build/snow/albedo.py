"""The albedo of the ground by month, from the published days of snow: by blocks."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import numpy as np

from catalog.publish import Moment
from catalog.versions import read_index
from dags.build.blocks import BlockBuild, Made, Plan, Stage, Work, fingerprint_of
from dags.build.cells import block_array
from dags.build.context import BuildContext
from dags.build.provenance import code_version, provenance
from dags.build.snow.packing import Published
from kernels.snow.albedo import BARE, DEPTH_MM, UNDER_SNOW, monthly_albedo
from tiles.building import Block
from tiles.product import FILL
from tiles.products.albedo import PRODUCT
from tiles.products.climate_archive import BLOCK
from tiles.products.snow_history import PRODUCT as HISTORY

# Raised by one when the method changes what a month holds.
RECORD = 1
FIRST_DAY = np.datetime64("1991-01-01")
METHOD = (
    f"{BARE} + {UNDER_SNOW - BARE:g} x share of days since {FIRST_DAY} with more than {DEPTH_MM:g} mm of snow on the "
    "ground (albedos: Oke 1987, table 1.1). Not calibrated to measured albedo."
)


class History(Published):
    """The published days of snow."""

    @property
    def fingerprint(self) -> str:
        """The same of the same days."""
        return fingerprint_of(RECORD, PRODUCT.schema, self.entry.manifest)


class Albedo(BlockBuild[History]):
    """Builds the albedo of every cell that has a history of snow."""

    products = (PRODUCT,)
    side = BLOCK
    cells_per_job = 1024

    def inputs(self, context: BuildContext) -> History:
        """Return the newest history of snow.

        Raises
        ------
        ValueError
            None is published; or the context names a partition or a source.
        """
        context.refuse_partition("it is made of the history of snow that is published")
        entry = read_index(context.store, HISTORY.name).newest(context.clock.now())
        if entry is None:
            raise ValueError("no history of snow is published: build it with 'solflis build snow_history'")
        return History(context.store, HISTORY, entry)

    def plan(self, context: BuildContext, inputs: History) -> Plan:  # noqa: ARG002
        """Return the blocks of the history; the key of each tells its days of snow."""
        wanted = tuple(
            Block.of(corner, record.cells, RECORD, PRODUCT.schema, record.written["snow_depth"]["shards"])
            for corner, record in inputs.records.items()
            if "snow_depth" in record.written
        )
        said = inputs.said
        about = provenance(
            said["sources"],
            source=said["source"],
            data_origin=said["data_origin"],
            method=METHOD,
            snow_history=inputs.entry.path,
            generator=f"Solflis albedo, record {RECORD} ({code_version()})",
        )
        axes = {"month": np.arange(1, 13)}
        return Plan(inputs.entry.version, (Stage(self.products, wanted, axes),), {PRODUCT.name: about})

    def make(self, work: Work[History], blocks: Sequence[Block]) -> Iterator[Made]:
        """Make blocks: those cells of which every month has a day."""
        days = work.inputs.days.astype("datetime64[D]")
        since = days >= FIRST_DAY
        months = days[since].astype("datetime64[M]").astype(np.int64) % 12
        depth, albedo = HISTORY.variable("snow_depth"), PRODUCT.variable("albedo")
        for block in blocks:
            held = depth.unpack(work.inputs.block(block.corner)["snow_depth"][since])
            packed = block_array((12,), block.corner, FILL)
            packed[:] = albedo.pack(monthly_albedo(months, held.reshape(len(months), -1)).reshape(packed.shape))
            packed[:, (packed == FILL).any(axis=0)] = FILL
            yield Made(block, {PRODUCT.name: {"albedo": packed}}, {})

    def moment(self, context: BuildContext, version: str) -> Moment:  # noqa: ARG002
        """Return the years; issued at the first one: a climate counts at any moment that a clock may show."""
        first, last = (datetime(int(year), 9, 1, 6, tzinfo=UTC) for year in version.split("-"))
        return Moment(first, first, last)


build = Albedo()
