"""Daily snow of every cell since 1957, by blocks; of what was published a year ago the year since is added."""

from collections.abc import Mapping
from datetime import date
from functools import partial

import numpy as np
from numpy.typing import NDArray

from catalog.sources.kartverket import borders
from dags.build.cells import Mask, inside, land
from dags.build.context import BuildContext, Report
from dags.build.snow.authority import Authority
from dags.build.snow.nearest_cells import land_of
from dags.build.snow.packing import days_between
from dags.build.snow.snow_history_block import RECORD, BlockMaker
from dags.build.snow.yearly import FIRST_DAY, YearlySnow
from tiles.products.climate_archive import BLOCK
from tiles.products.snow_history import PRODUCT

METHOD = (
    "The nearest 1 km cell that has data, its centre within 4 km. A day runs from 06 to 06 UTC; depth and water "
    "equivalent are those at its end. Values as the snow authority gives them; nothing is filled. Years that an "
    "earlier version held are taken over from it."
)


class SnowHistory(YearlySnow):
    """Builds the daily snow since 1957."""

    products = (PRODUCT,)
    side = BLOCK
    # one block: some 130 MB of answers, by requests that take minutes
    cells_per_job = 256
    record = RECORD
    method = METHOD

    def axes(self, last: date) -> Mapping[str, NDArray[np.int64]]:
        """Return the days."""
        return {"time": days_between(FIRST_DAY, last)}

    def cells(self, context: BuildContext) -> Mask:
        """Return the 3 km cells with land."""
        return land(context.store, context.clock) & inside(context.areas)

    def maker(self, context: BuildContext, last: date, authority: Authority, report: Report) -> BlockMaker:
        """Return what makes blocks."""
        shares = partial(land_of, context.address(borders.NAME))
        return BlockMaker(context.store, last, authority, shares, report)


build = SnowHistory()
