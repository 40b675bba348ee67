"""The four typical years of every cell, and their statistics, from the published archive: block by block."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache, partial
from hashlib import sha256
from secrets import token_hex
from typing import Any

import numpy as np

from catalog.publish import Moment, prepare, release
from catalog.sources import frost
from catalog.versions import Entry, read_index
from dags.areas import Area
from dags.build.blocks import Report, already_published, attempts, groups, left, unfinished
from dags.build.cells import Mask, by_blocks, inside, land
from dags.build.climate import station_bias
from dags.build.climate.archive_reading import Archive, Years, origin_of, sources_of, years_of
from dags.build.climate.tmy_block import BlockMaker
from dags.build.executor import run
from dags.build.provenance import code_version
from kernels.tmy.calendar import Calendar
from kernels.tmy.sunlight import Sky, sky_of
from tiles.blocks import Blocks, published_records
from tiles.building import Cells, Overtaken
from tiles.clock import Clock, iso
from tiles.grid import NORWAY3KM
from tiles.manifest import Manifest
from tiles.product import Product
from tiles.products.registry import product
from tiles.products.station_bias import PRODUCT as STATION_BIAS
from tiles.products.tmy import FIRST_YEAR, HOURS, LAST_YEAR, MADE_OF
from tiles.products.tmy_stats import PRODUCT as STATS
from tiles.store import Store, open_store

CALENDAR = Calendar(FIRST_YEAR, LAST_YEAR)
VERSION = station_bias.version_of(CALENDAR)
# Raised by one when the method changes what a typical year holds.
RECORD = 1
# Some seconds' work.
CELLS_OF_A_TASK = 64
METHOD = (
    "Finkelstein-Schafer statistics of daily indices (UTC+1 days) with the NREL weights; of the five best candidates "
    "of a month the one whose GHI sum is nearest to the long-term mean; no persistence test. GHI of the months as it "
    "was; temperature, humidity, wind and pressure joined over 6 h each side. Beam and diffuse by Skartveit, Olseth & "
    "Tuft 1998 with the sun of 2001. Ensemble: 0.40 reanalysis and 0.60 solar model by daily clear-sky index, the "
    "reanalysis alone where the satellite does not see; monthly bias correction against pyranometers."
)


@dataclass(frozen=True)
class Ask:
    """What is to be built.

    Parameters
    ----------
    store, clock : str
        Address and text.
    stations_url : str
        Of Frost.
    areas : tuple of Area
        None of them is the whole country; cells that the archive lacks are left out.
    run : str
        Names the build; of two at once the later one goes on.
    """

    store: str
    stations_url: str = field(repr=False)
    clock: str = ""
    areas: tuple[Area, ...] = ()
    run: str = field(default_factory=lambda: token_hex(8))


def build(ask: Ask, report: Report, processes: int | None = None) -> Entry:
    """Build and publish the four products and their statistics; what a killed build has finished is not made again.

    Parameters
    ----------
    ask : Ask
    report : callable
        Takes one line of progress.
    processes : int, optional
        As many as there are cores, when absent.

    Returns
    -------
    Entry
        Of the statistics, which are published last.

    Raises
    ------
    YearsMissing
        The archive lacks years; the text names them.
    SourceError
        The stations cannot be asked.
    TileCorrupt
        The archive is damaged.
    DraftInvalid
        A validator refused a draft.
    """
    run(partial(build_group, ask), begin(ask, report), report, processes)
    return finish(ask, report)


def begin(ask: Ask, report: Report) -> list[Cells]:
    """Begin the products, or go on with them; return the groups of blocks that are left.

    Raises
    ------
    ValueError
        The archive holds no cell of the areas.
    """
    store, clock = open_store(ask.store), Clock.parse(ask.clock)
    years = years_of(store, CALENDAR)
    wanted = by_blocks(_wanted(store, clock, years, ask.areas, report))
    bias = station_bias.ensure(years, ask.stations_url, store=store, clock=clock, report=report)
    plan = _plan(years, station_bias.read(store, bias))
    if _complete(store, plan, wanted) is not None:
        report(f"the typical years {VERSION} hold every cell already")
        return []
    about = _provenance(store, years, bias) | {"build": plan}
    sources = _sources_by_product(store, years, bias)
    builds = [
        Blocks.begin(
            store,
            declared,
            VERSION,
            run=ask.run,
            plan=plan,
            wanted=wanted,
            published=attempts(store, declared.name),
            axes=_axes(declared),
            variables=[v.name for v in declared.variables],
            provenance=about | _terms(sources[declared.name]),
        )
        for declared in products()
    ]
    return groups(left(builds, report), CELLS_OF_A_TASK)


def build_group(ask: Ask, group: Cells) -> str:
    """Make those blocks of a group that are not finished; return what was done."""
    store = open_store(ask.store)
    builds = {declared.name: Blocks.join(store, declared, VERSION, ask.run) for declared in products()}
    archive, sky, bias = _tools(ask.store, builds[STATS.name].building.plan)
    maker = BlockMaker(archive, sky, bias)
    group = unfinished(list(builds.values()), group)
    for corner, cells in group.items():
        for name, packed in maker.block(corner, cells).items():
            builds[name].write(corner, packed, {})
    return f"{len(group)} blocks, {sum(map(len, group.values()))} cells"


def finish(ask: Ask, report: Report) -> Entry:
    """Publish the four products and their statistics at once: nobody reads hours of one build with sums of another.

    Raises
    ------
    Unfinished
        Blocks are missing.
    DraftInvalid
        A validator refused one.
    """
    store, clock = open_store(ask.store), Clock.parse(ask.clock)
    begins, ends = datetime(FIRST_YEAR, 1, 1, tzinfo=UTC), datetime(LAST_YEAR + 1, 1, 1, tzinfo=UTC)
    # issued at the first year: a climate counts at any moment that a clock may show
    moment = Moment(begins, begins, ends)
    try:
        builds = [Blocks.join(store, declared, VERSION, ask.run, to_publish=True) for declared in products()]
    except Overtaken:
        if (entry := _unchanged(ask, store, clock)) is None:
            raise
        return entry
    ready = []
    for blocks in builds:
        draft = blocks.finish({})
        if draft.names():
            ready.append(prepare(draft, moment, now=clock.now(), expected=None, report=report))
        else:
            report(f"{blocks.product.name} exists in none of these cells: it is not published")
    for blocks in builds:
        blocks.require_last()
    entries = [release(prepared, report) for prepared in ready]
    for blocks in builds:
        blocks.end()
    return entries[-1]


def _complete(store: Store, plan: str, wanted: Cells) -> Entry | None:
    """Return the published statistics where these and all hours that exist are of this plan and hold all cells."""
    for declared in products():
        entry = read_index(store, declared.name).get(VERSION)
        if entry is None:
            if declared.name == "solarmodel_tmy30":  # it exists nowhere in the north
                continue
            return None
        records = published_records(store, Manifest.read(store, entry.manifest))
        if {c: r.cells for c, r in records.items() if r.plan == plan} != dict(wanted):
            return None
    return entry


def _unchanged(ask: Ask, store: Store, clock: Clock) -> Entry | None:
    """Return the published statistics where there was nothing to begin."""
    years = years_of(store, CALENDAR)
    held = read_index(store, STATION_BIAS.name).get(VERSION)
    if held is None:
        return None
    wanted = by_blocks(_wanted(store, clock, years, ask.areas, lambda _: None))
    return _complete(store, _plan(years, station_bias.read(store, held)), wanted)


def _plan(years: Years, bias: station_bias.Biases) -> str:
    """Return the fingerprint of what typical years are made of, and how."""
    schemas = [declared.schema for declared in products()]
    said = code_version(), RECORD, schemas, bias.fingerprint, years.contents
    return sha256(repr(said).encode()).hexdigest()[:16]


def products() -> tuple[Product, ...]:
    """Return what is built together: the four typical years, and last their statistics."""
    return (*(product(name) for name in MADE_OF), STATS)


def _axes(declared: Product) -> dict[str, Any]:
    if declared is STATS:
        return {"product": np.arange(len(MADE_OF)), "month": np.arange(1, 13)}
    return {"hour": np.arange(HOURS)}


def _wanted(store: Store, clock: Clock, years: Years, areas: Sequence[Area], report: Report) -> Mask:
    mask = land(store, clock)
    asked = mask & inside(areas)
    lacking = int(np.count_nonzero(asked & ~years.built))
    if lacking:
        report(f"{lacking} of {np.count_nonzero(asked)} cells are left out: not every year of the archive holds them")
    wanted: Mask = years.built & (asked | already_published(store, STATS.name, VERSION, NORWAY3KM.shape))
    if not wanted.any():
        raise ValueError(
            "the climate archive holds no cell of these areas: build it for them with 'solflis build climate_archive'"
        )
    return wanted


@lru_cache(maxsize=1)
def _tools(store_url: str, plan: str) -> tuple[Archive, Sky, station_bias.Biases]:
    """Return what all groups of a process share.

    Raises
    ------
    ValueError
        What is published now is not what the build began with.
    """
    store = open_store(store_url)
    entry = read_index(store, STATION_BIAS.name).get(VERSION)
    years = years_of(store, CALENDAR)
    bias = None if entry is None else station_bias.read(store, entry)
    if bias is None or _plan(years, bias) != plan:
        raise ValueError("the archive or the bias at stations has changed since this build began: begin it again")
    return Archive(store, years), sky_of(CALENDAR), bias


def _sources_by_product(store: Store, years: Years, bias: Entry) -> dict[str, list[dict[str, Any]]]:
    """Return which upstreams each product is made of: the reanalysis' own years are no work of a satellite."""
    manifests = [Manifest.read(store, entry.manifest) for entry in (*years.entries, bias)]
    every = sources_of(manifests)
    reanalyses = {manifest.provenance["reanalysis"] for manifest in manifests[:-1]}
    alone = [source for source in every if source["name"] in reanalyses]
    model = [source for source in every if source["name"] != frost.NAME]
    found = {name: alone if name.startswith("reanalysis") else every for name in MADE_OF}
    return found | {"solarmodel_tmy30": model, STATS.name: every}


def _terms(sources: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "sources": sources,
        "licence": "; ".join(dict.fromkeys(source["licence"] for source in sources)),
        "attribution": "; ".join(dict.fromkeys(source["attribution"] for source in sources)),
    }


def _provenance(store: Store, years: Years, bias: Entry) -> dict[str, Any]:
    manifests = [Manifest.read(store, entry.manifest) for entry in (*years.entries, bias)]
    return {
        "source": bias.source,
        "data_origin": origin_of([m.provenance for m in manifests]),
        "method": METHOD,
        "generator": f"Solflis TMY, record {RECORD} ({code_version()})",
        "archive": {
            "first_year": FIRST_YEAR,
            "last_year": LAST_YEAR,
            "attempts": {entry.version: entry.attempt for entry in years.entries},
        },
        "station_bias": f"{bias.version}/{bias.attempt}",
        "missing_variables": [],
        "code_version": code_version(),
        "built_at": iso(datetime.now(UTC)),
    }
