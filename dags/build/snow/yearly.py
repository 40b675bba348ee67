"""Products that are made once a year of the snow authority's days since 1957, by blocks.

What an earlier version holds is taken over, and the years since are asked for.
"""

import logging
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from catalog.publish import Moment
from catalog.sources import nve_gts
from catalog.sources.data_origin import origin_of
from catalog.sources.errors import SourceError
from catalog.sources.nve_gts import MOST_VALUES, SnowData
from catalog.versions import read_index
from dags.build.blocks import BlockBuild, Made, Plan, Records, Stage, Work, fingerprint_of, published_cells
from dags.build.cells import Mask, by_blocks
from dags.build.context import BuildContext
from dags.build.provenance import code_version, provenance
from dags.build.snow.authority import LEAST_SHARE, Authority, mark_of, source_of
from dags.build.snow.nearest_cells import point_of
from dags.build.snow.packing import Packed, Published, built, cells_of, empty, ends, put, take_over
from dags.build.snow.season import snow_year_start
from tiles.building import Block, Corner
from tiles.grid import Cell
from tiles.product import Product
from tiles.products.snow_history import FIRST_YEAR

FIRST_DAY = date(FIRST_YEAR, 9, 1)
QUESTIONS_AT_ONCE = 10
"""Answers of so many are held in memory together: some 10 MB of each quantity."""
_BEGINS = time(6, tzinfo=UTC)


@dataclass(frozen=True)
class SnowInputs:
    """The days to a 31 August, of one authority; `record` is the method's number."""

    last: date
    authority: str
    record: int
    schema: int

    @property
    def fingerprint(self) -> str:
        """The same of the same days by the same method; data are asked anew for each."""
        return fingerprint_of(self.last, self.authority, self.record, self.schema)


class BlockMaker(ABC):
    """Makes blocks of a yearly product, whose steps are days or seasons.

    Parameters
    ----------
    work : Work
    product : Product
    n_steps : int
        Of the version.
    authority : Authority

    Attributes
    ----------
    quantities : tuple of str
        What the authority is asked for.
    late, few : int
        Data that end so many steps before the last one are whole; so few cells without them hold up no country.
    """

    quantities: ClassVar[tuple[str, ...]]
    late: ClassVar[int] = 0
    few: ClassVar[int] = 0

    def __init__(self, work: Work[SnowInputs], product: Product, n_steps: int, authority: Authority) -> None:
        self.work, self.product, self.n_steps, self.authority = work, product, n_steps, authority
        self.last = work.inputs.last
        self.before = self._made_alike()

    @abstractmethod
    def find(self, corner: Corner, cells: list[Cell], held: Mapping[Cell, Cell]) -> tuple[dict[Cell, Cell], Any]:
        """Return the snow cell of each cell that has data, and notes; `held` are those that are published."""

    @abstractmethod
    def begins(self, step: int) -> date:
        """Return the first day of the snow year that holds a step."""

    @abstractmethod
    def series(self, data: SnowData) -> tuple[int, Mapping[str, NDArray[np.float32]]]:
        """Return the step with which data begin, and (steps, points) of each variable."""

    def block(self, corner: Corner, cells: list[Cell]) -> tuple[Packed, dict[str, Any]]:
        """Return what is stored of a block, and its notes: `data_origin` says whose data these are, or `none`.

        Raises
        ------
        SourceError
            The authority cannot be asked, or has too little of what is asked for.
        TileCorrupt
            What is published is damaged.
        """
        requests, packed, origin = self.authority.requests, empty(self.product, self.n_steps, corner), "none"
        held = {} if self.before is None else self.before.block(corner)
        named = built(held, corner) if held else {}
        found, notes = self.find(corner, cells, named)
        old = [cell for cell, snow in found.items() if named.get(cell) == snow]
        if self.before is not None and old:
            take_over(packed, corner, old, held, self.before.n_steps)
            origin = str(self.before.said["data_origin"])
        until = ends(packed, corner, found)
        asked = self._asked(until)
        for first, part in self._parts(asked):
            points = sorted({point_of(found[cell]) for cell in part})
            data = self.authority.series(points, first, self.last, self.quantities)
            if data is not None:
                put(packed, self.product, corner, {cell: found[cell] for cell in part}, data, *self.series(data))
                origin = origin_of(origin, data.data_origin)
        now = ends(packed, corner, found)
        self._require_most([cell for those in asked.values() for cell in those], until, now)
        lacking = len(cells) - len(built(packed, corner))
        late = sum(step < self.n_steps - self.late for step in now.values())
        if lacking:
            self.work.remarks.append(f"{lacking} of {len(cells)} cells are left out: there is no snow data")
        if late:
            remark = f"{late} of {len(cells)} cells lack the last season: it is asked for again with the next"
            self.work.remarks.append(remark)
        notes |= {"lacking": lacking, "late": late, "requests": self.authority.requests - requests}
        return packed, {"data_origin": origin} | notes

    def _asked(self, until: Mapping[Cell, int]) -> dict[date, list[Cell]]:
        """Return from which day on cells are asked for: from the begin of the snow year in which what is held ends."""
        asked: dict[date, list[Cell]] = {}
        for cell, step in until.items():
            if (first := self.begins(step)) <= self.last:
                asked.setdefault(first, []).append(cell)
        return asked

    def _parts(self, asked: Mapping[date, list[Cell]]) -> Iterator[tuple[date, list[Cell]]]:
        """Give what is asked for in parts, each of some whole questions."""
        for first, cells in asked.items():
            most = QUESTIONS_AT_ONCE * max(1, MOST_VALUES // ((self.last - first).days + 1))
            for start in range(0, len(cells), most):
                yield first, cells[start : start + most]

    def _require_most(self, asked: list[Cell], until: Mapping[Cell, int], now: Mapping[Cell, int]) -> None:
        """Refuse a block that would be published without the years it was made for.

        Raises
        ------
        SourceError
            Of the cells that had data to the end of the version before, or of new ones, too few have enough.
        """
        was = 0 if self.before is None else self.before.n_steps
        due = [cell for cell in asked if until[cell] == 0 or until[cell] >= was - self.late]
        # of a new cell it is not known whether one of several quantities always ends early there
        new = 1 if len(self.quantities) > 1 else self.n_steps
        there = sum(now[cell] >= (self.n_steps - self.late if until[cell] else new) for cell in due)
        if len(due) > self.few and there < LEAST_SHARE * len(due):
            raise SourceError(
                f"nve_gts: of {len(due)} cells beside cell {due[0]} that must have data to {self.last} {there} have "
                "it; nothing is published: start the build again when the authority has them, it goes on from here"
            )

    def _made_alike(self) -> Published | None:
        """Return the newest version that ends not later and was made by this method of the same authority's data."""
        inputs, store = self.work.inputs, self.work.context.store
        for entry in reversed(read_index(store, self.product.name).entries):
            if entry.schema == self.product.schema:
                found = Published(store, self.product, entry)
                alike = (found.said["record"], found.said["authority"]) == (inputs.record, inputs.authority)
                if alike and date.fromisoformat(found.said["days"][1]) <= self.last:
                    return found
        return None


class YearlySnow(BlockBuild[SnowInputs]):
    """Builds one product of all days since 1957; what a killed build has finished is not asked for again.

    Attributes
    ----------
    record : int
        Raised by one when the method changes what a block holds.
    method : str
    maker : type of BlockMaker
    """

    paced = True
    record: int
    method: str
    maker: type[BlockMaker]

    @abstractmethod
    def axis(self, last: date) -> NDArray[np.int64]:
        """Return the steps."""

    @abstractmethod
    def cells(self, context: BuildContext) -> Mask:
        """Return the cells of the grid that are asked for."""

    def told(self, records: Records) -> Mapping[str, Any]:  # noqa: ARG002
        """Return what provenance says of the notes of all blocks."""
        return {}

    def inputs(self, context: BuildContext) -> SnowInputs:
        """Return which days are asked of whom.

        Raises
        ------
        ValueError
            The context names a partition, or another source.
        """
        context.refuse_partition("it goes to the last 31 August")
        context.require_source(nve_gts.NAME)
        (product,) = self.products
        mark = mark_of(context.address(nve_gts.NAME))
        return SnowInputs(last_day(context.clock.now()), mark, self.record, product.schema)

    def plan(self, context: BuildContext, inputs: SnowInputs) -> Plan:
        """Return the blocks of the areas, and of what is published.

        Raises
        ------
        ValueError
            No land lies in the areas.
        """
        (product,) = self.products
        version, wanted = f"{FIRST_YEAR}-{inputs.last.year}", self.cells(context)
        newest = [entry.version for entry in read_index(context.store, product.name).entries[-1:]]
        for one in {version, *newest}:  # what was built of other areas goes on too
            wanted |= published_cells(context, product, one, self.side)
        if not wanted.any():
            raise ValueError("no land lies in these areas: set SOLFLIS_AREAS to places in Norway")
        about = {
            "days": [FIRST_DAY.isoformat(), inputs.last.isoformat()],
            "method": self.method,
            "generator": f"Solflis {product.name}, record {self.record} ({code_version()})",
            "authority": inputs.authority,
            "record": self.record,
        }
        blocks = (Block.of(at, cells, inputs.fingerprint) for at, cells in by_blocks(wanted, self.side).items())
        stage = Stage(self.products, tuple(blocks), {product.dimensions[0].name: self.axis(inputs.last)})
        return Plan(version, (stage,), {product.name: about})

    def make(self, work: Work[SnowInputs], blocks: Sequence[Block]) -> Iterator[Made]:
        """Make blocks, one question to the authority at a time."""
        (product,) = self.products
        log = logging.getLogger(f"solflis.{product.name}")
        context = work.context
        with Authority(context.address(nve_gts.NAME), context.clock.now().date()) as authority:
            maker = self.maker(work, product, self.axis(work.inputs.last).size, authority)
            for number, block in enumerate(blocks, 1):
                packed, notes = maker.block(block.corner, cells_of(block.corner, block.cells, self.side))
                yield Made(block, {product.name: packed}, notes)
                log.info("block %d of %d, %d requests to nve_gts so far", number, len(blocks), authority.requests)
            work.remarks.insert(0, f"{authority.requests} requests to nve_gts")

    def learned(self, work: Work[SnowInputs], records: Mapping[str, Records]) -> Mapping[str, Any]:
        """Return whose data these are.

        Raises
        ------
        SourceError
            No block has any.
        """
        (name,) = work.products
        origins = {str(record.notes["data_origin"]) for record in records[name].values()} - {"none"}
        if not origins:
            raise SourceError("nve_gts: there is no snow data of any of these cells; nothing is published")
        return provenance([source_of("live" if origins == {"live"} else "simulated")]) | dict(self.told(records[name]))

    def moment(self, context: BuildContext, version: str) -> Moment:  # noqa: ARG002
        """Return the days; issued at the first one: a climate counts at any moment that a clock may show."""
        begins = datetime.combine(FIRST_DAY, _BEGINS)
        return Moment(begins, begins, datetime.combine(date(int(version.rsplit("-", 1)[-1]), 9, 1), _BEGINS))


def last_day(now: datetime) -> date:
    """Return the last 31 August that is observed at a moment: it ends at 06 UTC of 1 September."""
    newest = (now - timedelta(days=1, hours=_BEGINS.hour)).date()
    return snow_year_start(newest + timedelta(days=1)) - timedelta(days=1)
