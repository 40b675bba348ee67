"""The four typical years of every cell, and their statistics, from the published archive: by blocks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from catalog.publish import Moment
from catalog.sources import frost
from catalog.sources.data_origin import origin_of
from catalog.versions import Entry
from dags.build.blocks import BlockBuild, Made, Plan, Stage, Work, fingerprint_of, published_cells
from dags.build.cells import Mask, by_blocks, inside, land
from dags.build.climate import station_bias
from dags.build.climate.archive_reading import Archive, Years, sources_of, years_of
from dags.build.climate.tmy_block import BlockMaker
from dags.build.context import BuildContext
from dags.build.provenance import code_version, provenance
from kernels.tmy.calendar import Calendar
from kernels.tmy.sunlight import sky_of
from tiles.building import Block
from tiles.manifest import Manifest
from tiles.products.climate_archive import BLOCK
from tiles.products.registry import product
from tiles.products.tmy import FIRST_YEAR, HOURS, LAST_YEAR, MADE_OF
from tiles.products.tmy_stats import PRODUCT as STATS

CALENDAR = Calendar(FIRST_YEAR, LAST_YEAR)
VERSION = station_bias.version_of(CALENDAR)
# Raised by one when the method changes what a typical year holds.
RECORD = 1
METHOD = (
    "Finkelstein-Schafer statistics of daily indices (UTC+1 days) with the NREL weights; of the five best candidates "
    "of a month the one whose GHI sum is nearest to the long-term mean; no persistence test. GHI of the months as it "
    "was; temperature, humidity, wind and pressure joined over 6 h each side. Beam and diffuse by Skartveit, Olseth & "
    "Tuft 1998 with the sun of 2001. Ensemble: 0.40 reanalysis and 0.60 solar model by daily clear-sky index, the "
    "reanalysis alone where the satellite does not see; monthly bias correction against pyranometers."
)


@dataclass(frozen=True)
class TmyInputs:
    """The archive's years, and how far they are off at stations."""

    years: Years
    bias: station_bias.Biases
    bias_entry: Entry

    @property
    def fingerprint(self) -> str:
        """The same of the same archive and bias."""
        return fingerprint_of(_method(self), self.years.fingerprint())


class TypicalYears(BlockBuild[TmyInputs]):
    """Builds the typical years; the statistics are published last."""

    products = (*(product(name) for name in MADE_OF), STATS)
    side = BLOCK
    # some seconds' work
    cells_per_job = 64

    def ensure(self, context: BuildContext) -> None:
        """Work out the bias at stations first.

        Raises
        ------
        ValueError
            The context names another partition, or a source.
        YearsMissing
            The archive lacks years; the text names them.
        """
        if context.partition not in (None, VERSION) or context.source is not None:
            raise ValueError(f"the typical years are those of the archive {VERSION}; they have no other partition")
        station_bias.ensure(years_of(context.store, CALENDAR), context)

    def inputs(self, context: BuildContext) -> TmyInputs:
        """Return the archive and the bias that are published."""
        return TmyInputs(years_of(context.store, CALENDAR), *station_bias.read(context.store, VERSION))

    def plan(self, context: BuildContext, inputs: TmyInputs) -> Plan:
        """Return the blocks of the areas, and of what is published already, as far as the archive holds them."""
        method = _method(inputs)
        wanted = tuple(
            Block.of(corner, cells, method, inputs.years.fingerprint([corner]))
            for corner, cells in by_blocks(_wanted(context, inputs.years)).items()
        )
        axes = {"product": np.arange(len(MADE_OF)), "month": np.arange(1, 13), "hour": np.arange(HOURS)}
        return Plan(VERSION, (Stage(self.products, wanted, axes),), _provenance(context, inputs))

    def make(self, work: Work[TmyInputs], blocks: Sequence[Block]) -> Iterator[Made]:
        """Make blocks cell by cell."""
        archive = Archive(work.context.store, work.inputs.years)
        maker = BlockMaker(archive, sky_of(CALENDAR), work.inputs.bias)
        for block in blocks:
            yield Made(block, maker.block(block.corner, block.cells), {})

    def moment(self, context: BuildContext, version: str) -> Moment:  # noqa: ARG002
        """Return the years; issued at the first one: a climate counts at any moment that a clock may show."""
        begins, ends = (datetime(year, 1, 1, tzinfo=UTC) for year in (FIRST_YEAR, LAST_YEAR + 1))
        return Moment(begins, begins, ends)


def _method(inputs: TmyInputs) -> str:
    schemas = [declared.schema for declared in TypicalYears.products]
    return fingerprint_of(RECORD, schemas, inputs.bias.fingerprint)


def _wanted(context: BuildContext, years: Years) -> Mask:
    asked = land(context.store, context.clock) & inside(context.areas)
    lacking = int(np.count_nonzero(asked & ~years.built))
    if lacking:
        context.report(
            f"{lacking} of {np.count_nonzero(asked)} cells are left out: not every year of the archive holds them"
        )
    wanted: Mask = years.built & (asked | published_cells(context, STATS, VERSION, BLOCK))
    if not wanted.any():
        raise ValueError(
            "the climate archive holds no cell of these areas: build it for them with 'solflis build climate_archive'"
        )
    return wanted


def _provenance(context: BuildContext, inputs: TmyInputs) -> dict[str, dict[str, Any]]:
    """Return what each product says of itself: the reanalysis' own years are no work of a satellite."""
    years, bias = inputs.years, inputs.bias_entry
    manifests = [*years.manifests, Manifest.read(context.store, bias.manifest)]
    about = {
        "source": bias.source,
        "data_origin": origin_of(*(manifest.provenance["data_origin"] for manifest in manifests)),
        "method": METHOD,
        "generator": f"Solflis TMY, record {RECORD} ({code_version()})",
        "archive": {
            "first_year": FIRST_YEAR,
            "last_year": LAST_YEAR,
            "attempts": {entry.version: entry.attempt for entry in years.entries},
        },
        "station_bias": f"{bias.version}/{bias.attempt}",
    }
    every = sources_of(manifests)
    reanalyses = {manifest.provenance["reanalysis"] for manifest in years.manifests}
    alone = [source for source in every if source["name"] in reanalyses]
    found = {name: alone if name.startswith("reanalysis") else every for name in MADE_OF}
    found |= {"solarmodel_tmy30": [s for s in every if s["name"] != frost.NAME], STATS.name: every}
    return {name: provenance(sources, **about) for name, sources in found.items()}


build = TypicalYears()
