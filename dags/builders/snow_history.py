"""Daily snow of every cell since 1957, block by block; of what was published a year ago the year since is added."""

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from hashlib import sha256
from secrets import token_hex
from typing import Any

from catalog.publish import Moment, prepare, release
from catalog.sources.errors import SourceError
from catalog.versions import Entry, read_index
from dags.areas import Area
from dags.builders.areas import Mask, by_blocks, inside, land
from dags.builders.block_build import Report, already_published, attempts, groups, left, unfinished
from dags.builders.processes import run
from dags.builders.provenance import code_version
from dags.builders.snow_asking import Authority, mark_of, source_of
from dags.builders.snow_cells import land_of
from dags.builders.snow_history_block import FIRST_DAY, RECORD, BlockMaker
from dags.builders.snow_season import snow_year_start
from dags.builders.snow_stored import cells_of, days_between
from tiles.blocks import Blocks, published_records
from tiles.building import Cells, Overtaken
from tiles.clock import Clock, iso
from tiles.grid import NORWAY3KM
from tiles.manifest import Manifest
from tiles.products.snow_history import FIRST_YEAR, PRODUCT
from tiles.store import Store, open_store

# One block: some 130 MB of answers, by requests that take minutes.
CELLS_OF_A_TASK = 256
PROCESSES = 1
"""More would ask a public authority several things at once."""
METHOD = (
    "The nearest 1 km cell that has data, its centre within 4 km. A day runs from 06 to 06 UTC; depth and water "
    "equivalent are those at its end. Values as the snow authority gives them; nothing is filled. Years that an "
    "earlier version held are taken over from it."
)
_BEGINS = time(6, tzinfo=UTC)


@dataclass(frozen=True)
class Ask:
    """What is to be built.

    Parameters
    ----------
    store, clock : str
        Address and text.
    url, kartverket_url : str
        Of the snow authority, and of the borders.
    areas : tuple of Area
        None of them is the whole country; cells without snow data are left out.
    run : str
        Names the build; of two at once the later one goes on.
    """

    store: str
    url: str = field(repr=False)
    kartverket_url: str = field(repr=False)
    clock: str = ""
    areas: tuple[Area, ...] = ()
    run: str = field(default_factory=lambda: token_hex(8))


def last_day(now: datetime) -> date:
    """Return the last 31 August that is observed at a moment: it ends at 06 UTC of 1 September."""
    newest = (now - timedelta(days=1, hours=_BEGINS.hour)).date()
    return snow_year_start(newest + timedelta(days=1)) - timedelta(days=1)


def version_of(last: date) -> str:
    """Return the version that ends with a 31 August, `1957-2026`."""
    return f"{FIRST_YEAR}-{last.year}"


def build(ask: Ask, report: Report) -> Entry:
    """Build and publish the history to the last 31 August; what a killed build has finished is not asked for again.

    Parameters
    ----------
    ask : Ask
    report : callable
        Takes one line of progress.

    Raises
    ------
    SourceError
        The authority cannot be asked, or has no data.
    TileCorrupt
        A published block is damaged.
    DraftInvalid
        A validator refused the draft.
    """
    run(partial(build_group, ask), begin(ask, report), report, PROCESSES)
    return finish(ask, report)


def begin(ask: Ask, report: Report) -> list[Cells]:
    """Begin the version, or go on with it; return the groups of blocks that are left.

    Raises
    ------
    ValueError
        No land lies in the areas.
    """
    store, last = open_store(ask.store), last_day(Clock.parse(ask.clock).now())
    version = version_of(last)
    wanted = by_blocks(_wanted(store, ask, version))
    if _complete(store, ask, last, wanted) is not None:
        report(f"the snow of {version} holds every cell already")
        return []
    blocks = Blocks.begin(
        store,
        PRODUCT,
        version,
        run=ask.run,
        plan=_plan(ask, last),
        wanted=wanted,
        published=attempts(store, PRODUCT.name),
        axes={"time": days_between(FIRST_DAY, last)},
        variables=[v.name for v in PRODUCT.variables],
        provenance={
            "days": [FIRST_DAY.isoformat(), last.isoformat()],
            "method": METHOD,
            "generator": f"Solflis snow_history, record {RECORD} ({code_version()})",
            "authority": mark_of(ask.url),
            "record": RECORD,
            "missing_variables": [],
            "code_version": code_version(),
            "built_at": iso(datetime.now(UTC)),
        },
    )
    return groups(left([blocks], report), CELLS_OF_A_TASK)


def build_group(ask: Ask, group: Cells) -> str:
    """Make those blocks of a group that are not finished; return what was done."""
    store, clock = open_store(ask.store), Clock.parse(ask.clock)
    last = last_day(clock.now())
    blocks = Blocks.join(store, PRODUCT, version_of(last), ask.run)
    said: list[str] = []
    todo = unfinished([blocks], group)
    with Authority(ask.url, clock.now().date()) as authority:
        maker = BlockMaker(store, last, authority, partial(land_of, ask.kartverket_url), said.append)
        for corner, inside_block in todo.items():
            packed, notes = maker.block(corner, cells_of(corner, inside_block))
            blocks.write(corner, packed, notes)
        requests = authority.requests
    told = "".join(f"; {line}" for line in said)
    return f"{len(todo)} blocks, {sum(map(len, todo.values()))} cells, {requests} requests to nve_gts{told}"


def finish(ask: Ask, report: Report) -> Entry:
    """Publish the history.

    Raises
    ------
    Unfinished
        Blocks are missing.
    SourceError
        The authority has data of no cell.
    DraftInvalid
        A validator refused it.
    """
    store, clock = open_store(ask.store), Clock.parse(ask.clock)
    last = last_day(clock.now())
    version = version_of(last)
    try:
        blocks = Blocks.join(store, PRODUCT, version, ask.run, to_publish=True)
    except Overtaken:
        if (entry := _complete(store, ask, last, by_blocks(_wanted(store, ask, version)))) is None:
            raise
        return entry
    origins = {str(record.notes["data_origin"]) for record in blocks.records().values()} - {"none"}
    if not origins:
        raise SourceError("nve_gts: there is no snow data of any of these cells; nothing is published")
    draft = blocks.finish(_origin("live" if origins == {"live"} else "simulated"))
    begins = datetime.combine(FIRST_DAY, _BEGINS)
    # issued at the first day: a climate counts at any moment that a clock may show
    moment = Moment(begins, begins, datetime.combine(last + timedelta(days=1), _BEGINS))
    ready = prepare(draft, moment, now=clock.now(), expected=None, report=report)
    blocks.require_last()
    entry = release(ready, report)
    blocks.end()
    return entry


def _wanted(store: Store, ask: Ask, version: str) -> Mask:
    wanted: Mask = land(store, Clock.parse(ask.clock)) & inside(ask.areas)
    newest = [entry.version for entry in read_index(store, PRODUCT.name).entries[-1:]]
    for one in {version, *newest}:  # what was built of other areas goes on too
        wanted |= already_published(store, PRODUCT.name, one, NORWAY3KM.shape)
    if not wanted.any():
        raise ValueError("no land lies in these areas: set SOLFLIS_AREAS to places in Norway")
    return wanted


def _complete(store: Store, ask: Ask, last: date, wanted: Cells) -> Entry | None:
    """Return what is published where it is of this plan and holds all cells."""
    entry = read_index(store, PRODUCT.name).get(version_of(last))
    if entry is None:
        return None
    records = published_records(store, Manifest.read(store, entry.manifest))
    plan = _plan(ask, last)
    return entry if {c: r.cells for c, r in records.items() if r.plan == plan} == dict(wanted) else None


def _plan(ask: Ask, last: date) -> str:
    """Return the fingerprint of what the history is made of, and how; not the code's version: data are asked anew."""
    return sha256(repr((RECORD, PRODUCT.schema, last, mark_of(ask.url))).encode()).hexdigest()[:16]


def _origin(data_origin: str) -> dict[str, Any]:
    source = source_of(data_origin)
    return {
        "source": source["name"],
        "data_origin": data_origin,
        "sources": [source],
        "licence": source["licence"],
        "attribution": source["attribution"],
    }
