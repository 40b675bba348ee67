"""Daily snow of every cell since 1957, by blocks; of what was published a year ago the year since is added."""

from collections.abc import Mapping
from datetime import date, timedelta
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.sources import nve_gts
from catalog.sources.kartverket import borders
from catalog.sources.nve_gts import SnowData, day_of
from catalog.versions import read_index
from dags.build.cells import Mask, inside, land
from dags.build.context import BuildContext, silent
from dags.build.snow.nearest_cells import find, land_of
from dags.build.snow.packing import Published, days_between
from dags.build.snow.season import snow_year_start
from dags.build.snow.yearly import FIRST_DAY, BlockMaker, YearlySnow
from tiles.building import Corner
from tiles.grid import Cell
from tiles.products.climate_archive import BLOCK
from tiles.products.snow_history import PRODUCT
from tiles.products.snow_outlook import PRODUCT as OUTLOOK

METHOD = (
    "The nearest 1 km cell that has data, its centre within 4 km. A day runs from 06 to 06 UTC; depth and water "
    "equivalent are those at its end. Values as the snow authority gives them; nothing is filled. Years that an "
    "earlier version held are taken over from it."
)


class Days(BlockMaker):
    """Makes blocks of days."""

    quantities = nve_gts.QUANTITIES
    # data that end earlier are of a fault, not of a gap
    late = 31

    @cached_property
    def named(self) -> list[Published]:
        """The published versions that say which snow cell stands for a cell; the last one counts."""
        store, products = self.work.context.store, (OUTLOOK, PRODUCT)
        newest = [(product, entry) for product in products for entry in read_index(store, product.name).entries[-1:]]
        versions = [Published(store, product, entry) for product, entry in newest]
        return [version for version in versions if version.said["authority"] == self.authority.mark]

    def find(
        self,
        corner: Corner,
        cells: list[Cell],
        held: Mapping[Cell, Cell],  # noqa: ARG002
    ) -> tuple[dict[Cell, Cell], Any]:
        """Return the snow cells that are named, else the nearest."""
        known = {cell: snow for version in self.named for cell, snow in version.snow_cells([corner]).items()}
        shares = partial(land_of, self.work.context.address(borders.NAME))
        return find(cells, known, self.authority, self.last, shares, silent), {}

    def begins(self, step: int) -> date:
        """Return the begin of a day's snow year."""
        return snow_year_start(FIRST_DAY + timedelta(days=step))

    def series(self, data: SnowData) -> tuple[int, Mapping[str, NDArray[np.float32]]]:
        """Return the days as they are."""
        return int(data.days[0]) - day_of(FIRST_DAY), data.values


class SnowHistory(YearlySnow):
    """Builds the daily snow since 1957."""

    products = (PRODUCT,)
    side = BLOCK
    # one block: some 130 MB of answers, by requests that take minutes
    cells_per_job = 256
    record = 1
    method = METHOD
    maker = Days

    def axis(self, last: date) -> NDArray[np.int64]:
        """Return the days."""
        return days_between(FIRST_DAY, last)

    def cells(self, context: BuildContext) -> Mask:
        """Return the 3 km cells with land."""
        return land(context.store, context.clock) & inside(context.areas)


build = SnowHistory()
