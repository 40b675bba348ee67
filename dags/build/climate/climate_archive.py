"""One year of the hourly archive: reanalysis and solar model, brought to the cells of the 3 km grid, block by block."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import numpy as np

from catalog.publish import Moment, prepare, release
from catalog.sources import frost, kartverket
from catalog.sources.climate_archive import ArchiveMonth, open_month
from catalog.versions import Entry, read_index
from dags.build.blocks import (
    Report,
    already_published,
    attempts,
    groups,
    left,
    portions,
    shares,
    unfinished,
)
from dags.build.borders.land import ensure as ensure_land
from dags.build.cells import Mask, at_places, by_blocks, inside, land, positions
from dags.build.climate.archive_block import WEATHER, learned, notes_of, packed_block
from dags.build.climate.archive_hours import DEADLINE_S, hour_axis, nearest, read_hours
from dags.build.climate.partition import Ask, stations_near
from dags.build.executor import run
from dags.build.provenance import code_version, user_agent
from tiles.blocks import Blocks, published_records, stitched
from tiles.building import Cells, Overtaken
from tiles.clock import Clock, iso
from tiles.grid import NORWAY3KM
from tiles.manifest import Manifest
from tiles.products.climate_archive import BLOCK, PRODUCT
from tiles.store import Store, open_store


def build(ask: Ask, report: Report, processes: int | None = None) -> Entry:
    """Build and publish a year of the archive; what a killed build has finished is not made again.

    Parameters
    ----------
    ask : Ask
    report : callable
        Takes one line of progress.
    processes : int, optional
        As many as there are cores, when absent.

    Raises
    ------
    NotYetAvailable, SourceError
        A month is not there, or a file is damaged; the text names it. Nothing is published.
    HourMissing
        The files lack hours.
    Overtaken
        Somebody else has begun the same year since.
    DraftInvalid
        A validator refused the draft.
    """
    groups_left = begin(ask, report)
    run(partial(build_group, ask), [part for g in groups_left for part in shares(g, processes)], report, processes)
    return finish(ask, report)


def build_years(asks: Sequence[Ask], report: Report) -> Entry:
    """Build several years, each in a process of its own, as many at a time as there are cores.

    Parameters
    ----------
    asks : sequence of Ask
        At least one.
    report : callable
        Takes one line of progress.

    Returns
    -------
    Entry
        Of the last one.

    Raises
    ------
    As `build`; years that are published by then stay so.
    """
    if len(asks) == 1:
        return build(asks[0], report)
    _ensure_land(asks[0], open_store(asks[0].store), report)  # once, and not by several processes
    run(_build_quietly, asks, report)
    entry = read_index(open_store(asks[-1].store), PRODUCT.name).get(asks[-1].partition)
    if entry is None:
        raise RuntimeError(f"climate_archive {asks[-1].partition} is gone again")
    return entry


def _build_quietly(ask: Ask) -> str:
    entry = build(ask, quiet, processes=1)
    return f"climate_archive {entry.version} ({entry.data_origin} data)"


def begin(ask: Ask, report: Report) -> list[Cells]:
    """Begin the year, or go on with it; return the groups of blocks that are left: none where all is published.

    Raises
    ------
    ValueError
        No cell of the areas holds land, or the reanalysis reaches none.
    NotYetAvailable, SourceError
        Borders, stations or the first month cannot be had.
    """
    store = open_store(ask.store)
    if _complete(ask, report) is not None:
        report(f"climate_archive {ask.partition} holds every cell already")
        return []
    _ensure_land(ask, store, report)
    wanted = _wanted(ask, store)
    upstream = ask.upstreams[0]
    with open_month(
        upstream.archive, upstream.url, *ask.months[0], user_agent=user_agent(), deadline_s=DEADLINE_S
    ) as first:
        there, covered = first.variables, _covered(first, wanted)
    beyond = int(np.count_nonzero(wanted & ~covered))
    report(f"{upstream.archive} has {', '.join(there)}" + (f"; it does not reach {beyond} cells" if beyond else ""))
    if not covered.any():
        raise ValueError(f"{upstream.archive} reaches none of the cells: nothing is to be built")
    blocks = Blocks.begin(
        store,
        PRODUCT,
        ask.partition,
        run=ask.run,
        plan=ask.plan,
        wanted=by_blocks(covered),
        published=attempts(store, PRODUCT.name),
        axes={"time": hour_axis(ask.months, ask.n_hours)},
        variables=[v.name for v in PRODUCT.variables if v.name not in WEATHER or v.name in there],
        provenance=_provenance(ask),
    )
    return groups(left([blocks], report))


def _ensure_land(ask: Ask, store: Store, report: Report) -> None:
    borders = ask.urls.get(kartverket.NAME) or kartverket.DEFAULT_URL
    ensure_land(url=borders, store=store, clock=Clock.parse(ask.clock), report=report)


def _wanted(ask: Ask, store: Store) -> Mask:
    """Return the cells of the areas, of the stations near them, and of what is published already."""
    mask = land(store, Clock.parse(ask.clock))
    wanted = mask & inside(ask.areas)
    if ask.whole_year:  # of months no typical year is made, so nobody will ask what the bias is at stations
        wanted |= at_places(stations_near(ask.areas, ask.urls.get(frost.NAME) or frost.DEFAULT_URL), mask)
    wanted |= already_published(store, PRODUCT.name, ask.partition, NORWAY3KM.shape)
    if not wanted.any():
        raise ValueError("no cell of the areas holds land of Norway: nothing is to be built")
    return wanted


def _covered(opened: ArchiveMonth, wanted: Mask) -> Mask:
    covered = np.zeros_like(wanted)
    lats, lons = NORWAY3KM.positions
    covered[wanted] = nearest(opened, lats[wanted], lons[wanted])[1]
    return covered


def _complete(ask: Ask, report: Report) -> Entry | None:
    """Return the published year where it is made of these sources and holds all that is wanted."""
    store = open_store(ask.store)
    entry = read_index(store, PRODUCT.name).get(ask.partition)
    if entry is None:
        return None
    _ensure_land(ask, store, report)
    records = published_records(store, Manifest.read(store, entry.manifest))
    same = bool(records) and all(record.plan == ask.plan for record in records.values())
    held = stitched(records, NORWAY3KM.shape, BLOCK)
    return entry if same and not (_wanted(ask, store) & ~held).any() else None


def build_group(ask: Ask, group: Cells) -> str:
    """Make those blocks of a group that are not finished; return what was done."""
    blocks, n = Blocks.join(open_store(ask.store), PRODUCT, ask.partition, ask.run), 0
    group = unfinished([blocks], group)
    for portion in portions(group):
        of = [np.concatenate(each) for each in zip(*(positions(*block) for block in portion.items()), strict=True)]
        read = [
            read_hours(up, ask.months, of[0], of[1], may_end_early=not ask.whole_year, report=quiet)
            for up in ask.upstreams
        ]
        first = 0
        for corner, cells in portion.items():
            part = slice(first, first + len(cells))
            blocks.write(corner, packed_block(ask.n_hours, read, corner, cells, part), notes_of(ask.upstreams, read))
            first = part.stop
        n += first
    return f"{ask.partition}: {len(group)} blocks, {n} cells"


def finish(ask: Ask, report: Report) -> Entry:
    """Publish the year; one that held everything when it should begin stays as it is.

    Raises
    ------
    Unfinished
        Blocks are missing.
    DraftInvalid
        A validator refused it.
    """
    store, clock = open_store(ask.store), Clock.parse(ask.clock)
    try:
        blocks = Blocks.join(store, PRODUCT, ask.partition, ask.run, to_publish=True)
    except Overtaken:
        if (entry := _complete(ask, report)) is None:
            raise
        return entry
    draft = blocks.finish(learned(ask.upstreams, [record.notes for record in blocks.records().values()]))
    year, month = ask.months[0]
    begins = datetime(year, month, 1, tzinfo=UTC)
    ends = begins + timedelta(hours=len(draft.axis("time")))
    ready = prepare(draft, Moment(begins, begins, ends), now=clock.now(), expected=None, report=report)
    blocks.require_last()
    entry = release(ready, report)
    blocks.end()
    return entry


def _provenance(ask: Ask) -> dict[str, Any]:
    names = [upstream.archive for upstream in ask.upstreams]
    return {
        "source": "+".join(names),
        "reanalysis": names[0],
        "solarmodel": names[1] if len(names) > 1 else None,
        "method": "nearest source cell",
        "code_version": code_version(),
        "built_at": iso(datetime.now(UTC)),
    }


def quiet(_: str) -> None:
    """Say nothing: a group says what it did when it is done."""
