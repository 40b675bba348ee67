"""A made-up climate archive of a few cells, through the real writer; and pyranometers that saw the same."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from catalog.publish import Moment, publish
from catalog.sources.frost import Observations, Station, StationList
from catalog.versions import read_index
from dags.build.cells import block_array
from kernels.tmy.cell import Series
from tests.kernels.tmy.archives import CALENDAR
from tests.support.tmy import OSLO_CELL, TROMSO_CELL, mask
from tiles.blocks import Blocks
from tiles.building import Block
from tiles.grid import NORWAY3KM, Cell
from tiles.product import FILL
from tiles.products.climate_archive import BLOCK, PRODUCT
from tiles.products.land import PRODUCT as LAND
from tiles.store import Store
from tiles.writer import Draft

EVER = datetime(1950, 1, 1, tzinfo=UTC)
BESIDE_OSLO: Cell = (OSLO_CELL[0], OSLO_CELL[1] + 1)
CELLS: tuple[Cell, ...] = (OSLO_CELL, BESIDE_OSLO, TROMSO_CELL)
HEIGHT_M = 90.0
PROVENANCE = {
    "source": "made_up+seen",
    "reanalysis": "made_up",
    "data_origin": "simulated",
    "sources": [{"name": n, "licence": "none", "attribution": n, "inputs": []} for n in ("made_up", "seen")],
    "licence": "none",
    "missing_variables": [],
}


def publish_land(store: Store) -> None:
    """Publish the land that `tests.support.tmy` makes up, once."""
    if read_index(store, LAND.name).entries:
        return
    share = mask()
    draft = Draft(store, LAND, "made-up", {}, {"source": "made_up", "data_origin": "simulated"})
    draft.write("share", share.astype(np.float64))
    draft.write("land", share.astype(np.float64))
    publish(draft, Moment(EVER, EVER, EVER), now=EVER, expected=None, report=lambda _: None)


def publish_archive(store: Store, cells: Mapping[Cell, Series], years: Sequence[int] | None = None) -> None:
    """Publish years of the archive that hold these cells."""
    for year in years or range(CALENDAR.first_year, CALENDAR.last_year + 1):
        first = CALENDAR.month_starts[CALENDAR.year_index(year), 0]
        hours = slice(int(first), CALENDAR.until(year))
        by_block: dict[Cell, list[Cell]] = {}
        for cell in sorted(cells):
            by_block.setdefault((cell[0] // BLOCK * BLOCK, cell[1] // BLOCK * BLOCK), []).append(cell)
        wanted = [Block.of(corner, _numbers(corner, inside), "made up") for corner, inside in by_block.items()]
        blocks = Blocks.begin(
            store,
            PRODUCT,
            str(year),
            run="made up",
            inputs="made up",
            wanted=wanted,
            published=(),
            base=None,
            axes={"time": CALENDAR.unix[hours]},
            provenance=PROVENANCE,
        )
        for block in wanted:
            blocks.write(block, _packed(block.corner, by_block[block.corner], cells, hours), {})
        draft = blocks.finish(blocks.records(), {})
        begins = datetime(year, 1, 1, tzinfo=UTC)
        publish(draft, Moment(begins, begins, begins), now=begins, expected=None, report=lambda _: None)
        blocks.end()


def _numbers(corner: Cell, inside: Sequence[Cell]) -> tuple[int, ...]:
    return tuple((row - corner[0]) * BLOCK + column - corner[1] for row, column in inside)


def _packed(
    corner: Cell, inside: Sequence[Cell], cells: Mapping[Cell, Series], hours: slice
) -> dict[str, NDArray[np.uint16]]:
    packed = {}
    for variable in PRODUCT.variables:
        n = () if variable.over == () else (hours.stop - hours.start,)
        packed[variable.name] = block_array(n, corner, FILL)
        for cell in inside:
            values = np.array(HEIGHT_M) if not n else getattr(cells[cell], variable.name)[hours]
            at = (..., cell[0] - corner[0], cell[1] - corner[1])
            packed[variable.name][at] = variable.pack(values.astype(np.float64))
    return packed


class Pyranometers:
    """Stations in the middle of cells, in the place of Frost's module.

    Parameters
    ----------
    observed : sequence of (cell, float32 (n_hours,))
        What each saw over all years.
    """

    NAME = "frost"

    def __init__(self, observed: Sequence[tuple[Cell, NDArray[np.float32]]]) -> None:
        self._observed = [ghi for _, ghi in observed]
        self.listed = tuple(
            Station(900_001 + i, f"MADE UP {i}", *NORWAY3KM.centre(cell), HEIGHT_M)
            for i, (cell, _) in enumerate(observed)
        )
        self.asked = 0

    def stations(self, url: str, *, user_agent: str, deadline_s: float) -> StationList:
        """As `frost.stations`."""
        return StationList(self.listed, "simulated")

    def observations(
        self, url: str, numbers: Sequence[int], start: datetime, end: datetime, *, user_agent: str, deadline_s: float
    ) -> Observations:
        """As `frost.observations`."""
        self.asked += 1
        first = (int(start.timestamp()) - CALENDAR.first_hour) // 3600
        hours = slice(first, (int(end.timestamp()) - CALENDAR.first_hour) // 3600)
        ghi = np.stack([self._observed[number - 900_001][hours] for number in numbers], axis=1)
        return Observations(CALENDAR.unix[hours], np.array(numbers), ghi, {}, "simulated")
