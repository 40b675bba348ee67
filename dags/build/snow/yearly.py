"""What is made of the snow authority's days since 1957 once a year, block by block: begun, made, published."""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from hashlib import sha256
from secrets import token_hex
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from catalog.publish import Moment, prepare, release
from catalog.sources.errors import SourceError
from catalog.versions import Entry, read_index
from dags.areas import Area
from dags.build.blocks import Report, already_published, attempts, groups, left, unfinished
from dags.build.cells import Mask, by_blocks
from dags.build.executor import run
from dags.build.provenance import code_version
from dags.build.snow.authority import Authority, mark_of, source_of
from dags.build.snow.packing import cells_of
from dags.build.snow.season import snow_year_start
from tiles.blocks import Blocks, Record, published_records
from tiles.building import Cells, Corner, Overtaken
from tiles.clock import Clock, iso
from tiles.grid import Cell
from tiles.manifest import Manifest
from tiles.product import Product
from tiles.products.snow_history import FIRST_YEAR
from tiles.store import Store, open_store

FIRST_DAY = date(FIRST_YEAR, 9, 1)
PROCESSES = 1
"""More would ask a public authority several things at once."""
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


class Maker(Protocol):
    """Makes blocks."""

    def block(self, corner: Corner, cells: list[Cell]) -> tuple[dict[str, NDArray[np.uint16]], dict[str, Any]]:
        """Return what is stored of a block, and its notes: `data_origin` says whose data these are, or `none`."""
        ...


def _nothing(_: Iterable[Record]) -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Yearly:
    """How one such product is built: what tells it from another.

    Parameters
    ----------
    product : Product
    record : int
        Raised by one when the method changes what a block holds.
    method : str
    side : int
        Cells of a block along a side.
    cells_of_a_task : int
    axes : callable
        From the last day to the values of the product's dimensions.
    cells : callable
        The cells of the grid that are asked for, of those that there are.
    maker : callable
        From the store, the last day, the authority and what takes one line of progress.
    told : callable
        From the notes of all blocks to what provenance says of them.
    """

    product: Product
    record: int
    method: str
    side: int
    cells_of_a_task: int
    axes: Callable[[date], Mapping[str, NDArray[np.int64]]]
    cells: Callable[[Store, Ask], Mask]
    maker: Callable[[Store, Ask, date, Authority, Report], Maker]
    told: Callable[[Iterable[Record]], dict[str, Any]] = _nothing

    def build(self, ask: Ask, report: Report) -> Entry:
        """Build and publish what goes to the last 31 August; what a killed build has finished is not asked for again.

        Parameters
        ----------
        ask : Ask
        report : callable
            Takes one line of progress.

        Raises
        ------
        SourceError
            The authority or the borders cannot be asked, or it has no data.
        TileCorrupt
            A published block is damaged.
        DraftInvalid
            A validator refused the draft.
        """
        run(partial(self.build_group, ask), self.begin(ask, report), report, PROCESSES)
        return self.finish(ask, report)

    def begin(self, ask: Ask, report: Report) -> list[Cells]:
        """Begin the version, or go on with it; return the groups of blocks that are left.

        Raises
        ------
        ValueError
            No land lies in the areas.
        """
        store, last = open_store(ask.store), last_day(Clock.parse(ask.clock).now())
        version = version_of(last)
        wanted = self._wanted(store, ask, version)
        if self._complete(store, ask, last, wanted) is not None:
            report(f"the snow of {version} holds every cell already")
            return []
        blocks = Blocks.begin(
            store,
            self.product,
            version,
            run=ask.run,
            plan=self._plan(ask, last),
            wanted=wanted,
            published=attempts(store, self.product.name),
            axes=self.axes(last),
            variables=[v.name for v in self.product.variables],
            provenance={
                "days": [FIRST_DAY.isoformat(), last.isoformat()],
                "method": self.method,
                "generator": f"Solflis {self.product.name}, record {self.record} ({code_version()})",
                "authority": mark_of(ask.url),
                "record": self.record,
                "missing_variables": [],
                "code_version": code_version(),
                "built_at": iso(datetime.now(UTC)),
            },
        )
        return groups(left([blocks], report), self.cells_of_a_task)

    def build_group(self, ask: Ask, group: Cells) -> str:
        """Make those blocks of a group that are not finished; return what was done."""
        log = logging.getLogger(f"solflis.{self.product.name}")
        store, clock = open_store(ask.store), Clock.parse(ask.clock)
        last = last_day(clock.now())
        blocks = Blocks.join(store, self.product, version_of(last), ask.run)
        said: list[str] = []
        todo = unfinished([blocks], group)
        with Authority(ask.url, clock.now().date()) as authority:
            maker = self.maker(store, ask, last, authority, said.append)
            for number, (corner, inside_block) in enumerate(todo.items(), 1):
                packed, notes = maker.block(corner, cells_of(corner, inside_block, self.side))
                blocks.write(corner, packed, notes)
                log.info("block %d of %d, %d requests to nve_gts so far", number, len(todo), authority.requests)
            requests = authority.requests
        told = "".join(f"; {text}" for text in said)
        return f"{len(todo)} blocks, {sum(map(len, todo.values()))} cells, {requests} requests to nve_gts{told}"

    def finish(self, ask: Ask, report: Report) -> Entry:
        """Publish the version.

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
            blocks = Blocks.join(store, self.product, version, ask.run, to_publish=True)
        except Overtaken:
            if (entry := self._complete(store, ask, last, self._wanted(store, ask, version))) is None:
                raise
            return entry
        records = blocks.records().values()
        origins = {str(record.notes["data_origin"]) for record in records} - {"none"}
        if not origins:
            raise SourceError("nve_gts: there is no snow data of any of these cells; nothing is published")
        draft = blocks.finish(_origin("live" if origins == {"live"} else "simulated") | self.told(records))
        begins = datetime.combine(FIRST_DAY, _BEGINS)
        # issued at the first day: a climate counts at any moment that a clock may show
        moment = Moment(begins, begins, datetime.combine(last + timedelta(days=1), _BEGINS))
        ready = prepare(draft, moment, now=clock.now(), expected=None, report=report)
        blocks.require_last()
        entry = release(ready, report)
        blocks.end()
        return entry

    def _wanted(self, store: Store, ask: Ask, version: str) -> Cells:
        wanted = self.cells(store, ask)
        newest = [entry.version for entry in read_index(store, self.product.name).entries[-1:]]
        for one in {version, *newest}:  # what was built of other areas goes on too
            wanted |= already_published(store, self.product.name, one, wanted.shape, self.side)
        if not wanted.any():
            raise ValueError("no land lies in these areas: set SOLFLIS_AREAS to places in Norway")
        return by_blocks(wanted, self.side)

    def _complete(self, store: Store, ask: Ask, last: date, wanted: Cells) -> Entry | None:
        """Return what is published where it is of this plan and holds all cells."""
        entry = read_index(store, self.product.name).get(version_of(last))
        if entry is None:
            return None
        records = published_records(store, Manifest.read(store, entry.manifest))
        plan = self._plan(ask, last)
        return entry if {c: r.cells for c, r in records.items() if r.plan == plan} == dict(wanted) else None

    def _plan(self, ask: Ask, last: date) -> str:
        """Return the fingerprint of what it is made of, and how; not the code's version: data are asked anew."""
        return sha256(repr((self.record, self.product.schema, last, mark_of(ask.url))).encode()).hexdigest()[:16]


def last_day(now: datetime) -> date:
    """Return the last 31 August that is observed at a moment: it ends at 06 UTC of 1 September."""
    newest = (now - timedelta(days=1, hours=_BEGINS.hour)).date()
    return snow_year_start(newest + timedelta(days=1)) - timedelta(days=1)


def version_of(last: date) -> str:
    """Return the version that ends with a 31 August, `1957-2026`."""
    return f"{FIRST_YEAR}-{last.year}"


def made_alike(store: Store, product: Product, record: int, mark: str, last: date) -> Entry | None:
    """Return the newest version that ends not after a day and was made by this record of the same authority's data."""
    for entry in reversed(read_index(store, product.name).entries):
        if entry.schema != product.schema:
            continue
        said = Manifest.read(store, entry.manifest).provenance
        alike = (said["record"], said["authority"]) == (record, mark)
        if alike and date.fromisoformat(said["days"][1]) <= last:
            return entry
    return None


def _origin(data_origin: str) -> dict[str, Any]:
    source = source_of(data_origin)
    return {
        "source": source["name"],
        "data_origin": data_origin,
        "sources": [source],
        "licence": source["licence"],
        "attribution": source["attribution"],
    }
