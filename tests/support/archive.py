"""A made-up climate archive of a few cells, through the real writer; and pyranometers that saw the same."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from catalog.sources.frost import Observations, Station, StationList
from catalog.versions import read_index
from kernels.tmy.cell import Series
from tests.kernels.tmy.archives import CALENDAR
from tests.support import tmy
from tests.support.tiles import blocks_of, publish_at
from tests.support.tmy import OSLO_CELL
from tiles.blocks import Blocks
from tiles.building import Block
from tiles.grid import NORWAY3KM, Cell
from tiles.product import FILL
from tiles.products.climate_archive import PRODUCT
from tiles.products.land import PRODUCT as LAND
from tiles.store import Store

EVER = datetime(1950, 1, 1, tzinfo=UTC)
BESIDE_OSLO: Cell = (OSLO_CELL[0], OSLO_CELL[1] + 1)
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
    if not read_index(store, LAND.name).entries:
        tmy.publish_land(store, EVER)


def publish_archive(store: Store, cells: Mapping[Cell, Series], years: Sequence[int] | None = None) -> None:
    """Publish years of the archive that hold these cells."""
    for year in years or range(CALENDAR.first_year, CALENDAR.last_year + 1):
        hours = slice(int(CALENDAR.month_starts[CALENDAR.year_index(year), 0]), CALENDAR.until(year))
        values = {
            cell: {name: getattr(here, name)[hours] for name in vars(here)} | {"altitude": HEIGHT_M}
            for cell, here in sorted(cells.items())
        }
        packed = blocks_of(PRODUCT, values)
        wanted = [
            Block.of(corner, tuple(np.flatnonzero(block["altitude"] != FILL).tolist()), "made up")
            for corner, block in packed.items()
        ]
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
            blocks.write(block, packed[block.corner], {})
        publish_at(blocks.finish(blocks.records(), {}), datetime(year, 1, 1, tzinfo=UTC))
        blocks.end()


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
