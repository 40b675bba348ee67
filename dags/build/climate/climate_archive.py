"""A year of the hourly archive: reanalysis and solar model on the cells of the 3 km grid, by blocks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from catalog.publish import Moment
from catalog.sources import frost
from catalog.versions import Entry, read_index
from dags.build.blocks import BlockBuild, Made, Plan, Records, Stage, Work, published_cells
from dags.build.borders import land as land_product
from dags.build.cells import Mask, at_places, by_blocks, inside, land, nearest_of, positions
from dags.build.climate.archive_block import learned, notes_of, packed_block
from dags.build.climate.archive_hours import REACH, hour_axis, read_hours
from dags.build.climate.partition import ArchiveFiles, stations_near, years_of
from dags.build.context import BuildContext
from dags.build.executor import ExecutorSettings, run
from dags.build.provenance import built_by
from tiles.building import Block
from tiles.grid import NORWAY3KM
from tiles.products.climate_archive import BLOCK, PRODUCT


class ClimateArchive(BlockBuild[ArchiveFiles]):
    """Builds the climate archive; of several years each is built by one worker."""

    products = (PRODUCT,)
    side = BLOCK
    # held in memory together, so that a file is opened once for all of them
    cells_per_job = 1024

    def __call__(self, context: BuildContext) -> Entry:
        """Build and publish a year or a range of years; years that are published when one fails stay so."""
        years = years_of(context.partition)
        if len(years) == 1:
            return super().__call__(replace(context, partition=years[0]))
        self.ensure(context)  # once, and not by several processes
        alone = replace(context, executor=ExecutorSettings(processes=1))
        # a run is of one version: years that are built beside each other are each a run of their own
        builds = [replace(alone, partition=year, run=f"{context.run}-{year}") for year in years]
        run(_build_year, builds, context.report, context.executor)
        entry = read_index(context.store, PRODUCT.name).get(years[-1])
        assert entry is not None  # noqa: S101 - it was just published
        return entry

    def ensure(self, context: BuildContext) -> None:
        """Build the land first."""
        land_product.ensure(context)

    def inputs(self, context: BuildContext) -> ArchiveFiles:
        """Return which files are read."""
        return ArchiveFiles.of(context)

    def plan(self, context: BuildContext, inputs: ArchiveFiles) -> Plan:
        """Return the blocks of the areas, of the stations near them, and of what is published already.

        Raises
        ------
        ValueError
            No cell of the areas holds land, or the reanalysis reaches none.
        NotYetAvailable, SourceError
            Stations or the first month cannot be had.
        """
        held = published_cells(context, PRODUCT, inputs.partition, BLOCK)
        wanted = _asked(context, inputs) | held
        if (wanted & ~held).any():
            wanted = _covered(context, inputs, wanted)
        names = [upstream.archive for upstream in inputs.upstreams]
        blocks = tuple(Block.of(corner, cells, inputs.fingerprint) for corner, cells in by_blocks(wanted).items())
        about = {
            "source": "+".join(names),
            "reanalysis": names[0],
            "solarmodel": names[1] if len(names) > 1 else None,
            "method": "nearest source cell",
            **built_by(),
        }
        axes = {"time": hour_axis(inputs.months, inputs.n_hours)}
        return Plan(inputs.partition, (Stage(self.products, blocks, axes),), {PRODUCT.name: about})

    def make(self, work: Work[ArchiveFiles], blocks: Sequence[Block]) -> Iterator[Made]:
        """Make blocks of which all hours are read together."""
        files = work.inputs
        lats, lons = (
            np.concatenate(each) for each in zip(*(positions(b.corner, b.cells) for b in blocks), strict=True)
        )
        read = [read_hours(upstream, files.months, files.n_hours, lats, lons) for upstream in files.upstreams]
        notes, first = notes_of(files.upstreams, read), 0
        for block in blocks:
            part = slice(first, first + len(block.cells))
            packed = packed_block(read, block.corner, block.cells, part)
            yield Made(block, {PRODUCT.name: packed}, notes)
            first = part.stop

    def learned(self, work: Work[ArchiveFiles], records: Mapping[str, Records]) -> Mapping[str, Any]:
        """Return the sources, from what the blocks remember of the files."""
        return learned(work.inputs.upstreams, [record.notes for record in records[PRODUCT.name].values()])

    def moment(self, context: BuildContext, version: str) -> Moment:  # noqa: ARG002
        """Return the hours of the version; it counts from the first of them on."""
        files = ArchiveFiles.of(context)
        begins = datetime(*files.months[0], 1, tzinfo=UTC)
        return Moment(begins, begins, begins + timedelta(hours=files.n_hours))


def _build_year(context: BuildContext) -> str:
    entry = build(context)
    return f"climate_archive {entry.version} ({entry.data_origin} data)"


def _asked(context: BuildContext, files: ArchiveFiles) -> Mask:
    mask = land(context.store, context.clock)
    wanted = mask & inside(context.areas)
    if files.whole_year:  # of months no typical year is made, so nobody will ask what the bias is at stations
        wanted |= at_places(stations_near(context.areas, context.address(frost.NAME)), mask)
    if not wanted.any():
        raise ValueError("no cell of the areas holds land of Norway: nothing is to be built")
    return wanted


def _covered(context: BuildContext, files: ArchiveFiles, wanted: Mask) -> Mask:
    """Return those cells that the reanalysis reaches, by its first month."""
    upstream = files.upstreams[0]
    with upstream.open(files.months[0]) as first:
        there, covered, (lats, lons) = first.variables, np.zeros_like(wanted), NORWAY3KM.positions
        covered[wanted] = nearest_of(first, lats[wanted], lons[wanted], REACH)[1]
    beyond = int(np.count_nonzero(wanted & ~covered))
    lacking = f"; it does not reach {beyond} cells" if beyond else ""
    context.report(f"{upstream.archive} has {', '.join(there)}{lacking}")
    if not covered.any():
        raise ValueError(f"{upstream.archive} reaches none of the cells: nothing is to be built")
    return covered


build = ClimateArchive()
