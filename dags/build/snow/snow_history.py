"""Daily snow of every cell since 1957, block by block; of what was published a year ago the year since is added."""

from datetime import date
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dags.build.blocks import Report
from dags.build.cells import Mask, inside, land
from dags.build.snow.authority import Authority
from dags.build.snow.nearest_cells import land_of
from dags.build.snow.packing import days_between
from dags.build.snow.snow_history_block import RECORD, BlockMaker
from dags.build.snow.yearly import FIRST_DAY, Ask, Yearly
from tiles.clock import Clock
from tiles.products.climate_archive import BLOCK
from tiles.products.snow_history import PRODUCT
from tiles.store import Store

# One block: some 130 MB of answers, by requests that take minutes.
CELLS_OF_A_TASK = 256
METHOD = (
    "The nearest 1 km cell that has data, its centre within 4 km. A day runs from 06 to 06 UTC; depth and water "
    "equivalent are those at its end. Values as the snow authority gives them; nothing is filled. Years that an "
    "earlier version held are taken over from it."
)


def _axes(last: date) -> dict[str, NDArray[np.int64]]:
    return {"time": days_between(FIRST_DAY, last)}


def _cells(store: Store, ask: Ask) -> Mask:
    return land(store, Clock.parse(ask.clock)) & inside(ask.areas)


def _maker(store: Store, ask: Ask, last: date, authority: Authority, report: Report) -> BlockMaker:
    return BlockMaker(store, last, authority, partial(land_of, ask.kartverket_url), report)


LINE = Yearly(
    product=PRODUCT,
    record=RECORD,
    method=METHOD,
    side=BLOCK,
    cells_of_a_task=CELLS_OF_A_TASK,
    axes=_axes,
    cells=_cells,
    maker=_maker,
)
