"""What is made of the snow authority's days since 1957 once a year, by blocks."""

import logging
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from catalog.publish import Moment
from catalog.sources import nve_gts
from catalog.sources.errors import SourceError
from catalog.versions import Entry, read_index
from dags.build.blocks import BlockBuild, Made, Plan, Records, Stage, Work, fingerprint_of, published_cells
from dags.build.cells import Mask, by_blocks
from dags.build.context import BuildContext, Report
from dags.build.provenance import code_version, provenance
from dags.build.snow.authority import Authority, mark_of, source_of
from dags.build.snow.packing import cells_of
from dags.build.snow.season import snow_year_start
from tiles.building import Block, Corner
from tiles.grid import Cell
from tiles.manifest import Manifest
from tiles.product import Product
from tiles.products.snow_history import FIRST_YEAR
from tiles.store import Store

FIRST_DAY = date(FIRST_YEAR, 9, 1)
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


class Maker(Protocol):
    """Makes blocks."""

    def block(self, corner: Corner, cells: list[Cell]) -> tuple[dict[str, NDArray[np.uint16]], dict[str, Any]]:
        """Return what is stored of a block, and its notes: `data_origin` says whose data these are, or `none`."""
        ...


class YearlySnow(BlockBuild[SnowInputs]):
    """Builds one product of all days since 1957; what a killed build has finished is not asked for again.

    Attributes
    ----------
    record : int
        Raised by one when the method changes what a block holds.
    method : str
    """

    paced = True
    record: int
    method: str

    @abstractmethod
    def axes(self, last: date) -> Mapping[str, NDArray[np.int64]]:
        """Return the values of the product's own dimensions."""

    @abstractmethod
    def cells(self, context: BuildContext) -> Mask:
        """Return the cells of the grid that are asked for."""

    @abstractmethod
    def maker(self, context: BuildContext, last: date, authority: Authority, report: Report) -> Maker:
        """Return what makes blocks."""

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
        version, wanted = version_of(inputs.last), self.cells(context)
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
        stage = Stage(self.products, tuple(blocks), self.axes(inputs.last))
        return Plan(version, (stage,), {product.name: about})

    def make(self, work: Work[SnowInputs], blocks: Sequence[Block]) -> Iterator[Made]:
        """Make blocks, one question to the authority at a time."""
        (name,) = work.products
        log = logging.getLogger(f"solflis.{name}")
        context = work.context
        today = context.clock.now().date()
        with Authority(context.address(nve_gts.NAME), today) as authority:
            maker = self.maker(context, work.inputs.last, authority, work.remarks.append)
            for number, block in enumerate(blocks, 1):
                packed, notes = maker.block(block.corner, cells_of(block.corner, block.cells, self.side))
                yield Made(block, {name: packed}, notes)
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
