"""One year of the hourly archive: reanalysis and solar model, brought to the cells of the 3 km grid, block by block."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.publish import Moment, publish
from catalog.sources.climate_archive import ARCHIVES, open_month
from catalog.sources.http import without_credentials
from catalog.versions import Entry, read_index
from dags.builders.archive_ask import Ask
from dags.builders.archive_hours import DEADLINE_S, Hours, hour_axis, read_hours
from dags.builders.areas import Cells, Mask, at_places, block_array, inside, land, positions
from dags.builders.block_build import Report, already_published, groups, portions, run, shares, todo
from dags.builders.provenance import code_version, user_agent
from tiles.blocks import Blocks, published_records, stitched
from tiles.clock import Clock, iso
from tiles.grid import NORWAY3KM
from tiles.product import FILL
from tiles.products.climate_archive import BLOCK, PRODUCT
from tiles.store import Store, open_store

WEATHER = ("temp_air", "rel_hum", "wind_speed", "mslp")


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
    DraftInvalid
        A validator refused the draft.
    """
    complete = _complete(ask)
    if complete is not None:
        report(f"climate_archive {ask.partition} holds every cell already")
        return complete
    left = begin(ask, report)
    run(partial(build_group, ask), [share for group in left for share in shares(group, processes)], report, processes)
    return finish(ask, report)


def _wanted(ask: Ask, store: Store) -> Mask:
    mask = land(store, Clock.parse(ask.clock))
    wanted = mask & inside(ask.areas)
    wanted |= at_places(ask.places, mask) | already_published(store, PRODUCT.name, ask.partition, NORWAY3KM.shape)
    if not wanted.any():
        raise ValueError("no cell of the areas holds land of Norway: nothing is to be built")
    return wanted


def _complete(ask: Ask) -> Entry | None:
    """Return the published year where it is made of these sources and holds all that is wanted."""
    store = open_store(ask.store)
    entry = read_index(store, PRODUCT.name).get(ask.partition)
    if entry is None:
        return None
    records = published_records(store, entry.path)
    same = bool(records) and all(record.plan == ask.plan for record in records.values())
    held = stitched(records, NORWAY3KM.shape, BLOCK)
    return entry if same and not (_wanted(ask, store) & ~held).any() else None


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
    run(_build_quietly, asks, report)
    entry = read_index(open_store(asks[-1].store), PRODUCT.name).get(asks[-1].partition)
    if entry is None:
        raise RuntimeError(f"climate_archive {asks[-1].partition} is gone again")
    return entry


def _build_quietly(ask: Ask) -> str:
    entry = build(ask, _quiet, processes=1)
    return f"climate_archive {entry.version} ({entry.data_origin} data)"


def begin(ask: Ask, report: Report) -> list[Cells]:
    """Begin the year, or go on with it; return the groups of blocks that are left."""
    store = open_store(ask.store)
    wanted = _wanted(ask, store)
    upstream = ask.upstreams[0]
    with open_month(
        upstream.archive, upstream.url, *ask.months[0], user_agent=user_agent(), deadline_s=DEADLINE_S
    ) as first:
        there = first.variables
    report(f"{upstream.archive} has {', '.join(there)}")
    blocks = Blocks.begin(
        store,
        PRODUCT,
        ask.partition,
        axes={"time": hour_axis(ask.months, ask.n_hours)},
        variables=[v.name for v in PRODUCT.variables if v.name not in WEATHER or v.name in there],
        provenance=_provenance(ask),
        plan=ask.plan,
    )
    return groups(todo([blocks], wanted, report).cells)


def build_group(ask: Ask, group: Cells) -> str:
    """Make the blocks of a group; return what was done."""
    n = 0
    blocks = Blocks.join(open_store(ask.store), PRODUCT, ask.partition)
    for portion in portions(group):
        of = [np.concatenate(each) for each in zip(*(positions(*block) for block in portion.items()), strict=True)]
        read = [
            read_hours(up, ask.months, of[0], of[1], may_end_early=len(ask.months) < 12, report=_quiet)
            for up in ask.upstreams
        ]
        first = 0
        for corner, cells in portion.items():
            part = slice(first, first + len(cells))
            blocks.write(corner, cells, _packed(ask, read, corner, cells, part), _notes(read))
            first = part.stop
        n += first
    return f"{ask.partition}: {len(group)} blocks, {n} cells"


def finish(ask: Ask, report: Report) -> Entry:
    """Publish the year.

    Raises
    ------
    DraftInvalid
        A validator refused it.
    """
    store, clock = open_store(ask.store), Clock.parse(ask.clock)
    blocks = Blocks.join(store, PRODUCT, ask.partition)
    notes = [record.notes for record in blocks.records().values()]
    draft = blocks.finish(_learned(ask, notes))
    year, month = ask.months[0]
    hours = len(draft.axis("time"))
    begins = datetime(year, month, 1, tzinfo=UTC)
    ends = datetime.fromtimestamp(begins.timestamp() + 3600 * hours, UTC)
    entry = publish(draft, Moment(begins, begins, ends), now=clock.now(), expected=None, report=report)
    blocks.end()
    return entry


def _packed(
    ask: Ask, read: Sequence[Hours], corner: tuple[int, int], cells: Sequence[int], part: slice
) -> dict[str, NDArray[np.uint16]]:
    rows, columns = np.divmod(np.asarray(cells), BLOCK)
    reanalysis, *solar = read
    series = {"ghi_reanalysis": reanalysis.fields.get("ghi")}
    series |= {name: reanalysis.fields.get(name) for name in WEATHER}
    if solar:
        series["ghi_solarmodel"] = solar[0].fields.get("ghi")
    if reanalysis.altitude is not None:
        series["altitude"] = reanalysis.altitude
    packed = {}
    for name, values in series.items():
        if values is not None:
            length = (ask.n_hours,) if values.ndim > 1 else ()
            packed[name] = block_array(length, corner, FILL)
            here = values[: ask.n_hours, part] if values.ndim > 1 else values[part]
            packed[name][..., rows, columns] = PRODUCT.variable(name).pack(here)
    return packed


def _notes(read: Sequence[Hours]) -> dict[str, Any]:
    return {
        "inputs": {receipt["url"]: receipt for hours in read for receipt in hours.inputs},
        "data_origin": "simulated" if any(hours.data_origin == "simulated" for hours in read) else "live",
        "missing_variables": sorted({name for hours in read[:1] for name in hours.missing_variables}),
    }


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


def _learned(ask: Ask, notes: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return what only the reading told: files, and whether they are simulated."""
    origin = "simulated" if any(note["data_origin"] == "simulated" for note in notes) else "live"
    inputs: dict[str, dict[str, Any]] = {}
    for note in notes:
        inputs |= note["inputs"]
    sources: list[dict[str, Any]] = []
    for upstream in ask.upstreams:
        archive, below = ARCHIVES[upstream.archive], without_credentials(upstream.url)
        terms = (
            {"licence": "none: simulated data", "attribution": f"SIMULATED by Solflis in the format of {archive.name}"}
            if origin == "simulated"
            else {"licence": archive.licence, "attribution": archive.attribution}
        )
        files = [receipt for url, receipt in sorted(inputs.items()) if url.startswith(below)]
        sources.append({"name": archive.name, **terms, "inputs": files})
    return {
        "sources": sources,
        "licence": sources[0]["licence"],
        "attribution": "; ".join(str(source["attribution"]) for source in sources),
        "data_origin": origin,
        "missing_variables": sorted({name for note in notes for name in note["missing_variables"]}),
    }


def _quiet(_: str) -> None:
    """Say nothing: a group says what it did when it is done."""
