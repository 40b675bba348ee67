"""The most snow of every season since 1957, block by block; of what was published a year ago one season is added."""

from collections.abc import Iterable
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dags.build.blocks import Report
from dags.build.cells import Mask, inside
from dags.build.snow.authority import Authority
from dags.build.snow.nearest_cells import land_of
from dags.build.snow.snowload_block import RECORD, BlockMaker
from dags.build.snow.yearly import Ask, Yearly
from kernels.snowload.seasons import LEAST_DAYS
from tiles.blocks import Record
from tiles.grid import SENORGE1KM
from tiles.products.snow_history import FIRST_YEAR
from tiles.products.snowload import BLOCK, PRODUCT
from tiles.store import Store

# 29 questions of nine cells each: about a minute. Of the whole country a task has 5400 cells, see README.md.
CELLS_OF_A_TASK = 256
METHOD = (
    "The largest water equivalent of each season, 1 September to 31 August, on the snow authority's own cells of 1 km. "
    "A day runs from 06 to 06 UTC; water equivalent is that at its end. A season counts with at least "
    f"{LEAST_DAYS} known days; nothing is filled. Seasons that an earlier version held are taken over from it."
)


def _axes(last: date) -> dict[str, NDArray[np.int64]]:
    return {"season": np.arange(FIRST_YEAR, last.year, dtype=np.int64)}


def _cells(_: Store, ask: Ask) -> Mask:
    """Return the cells with land; at sea the authority has none."""
    return (land_of(ask.kartverket_url) > 0) & inside(ask.areas, SENORGE1KM)


def _maker(store: Store, _: Ask, last: date, authority: Authority, report: Report) -> BlockMaker:
    return BlockMaker(store, last, authority, report)


def _told(records: Iterable[Record]) -> dict[str, Any]:
    noted = ("lacking", "late", "requests")
    asked = [(len(record.cells), *(record.notes[name] for name in noted)) for record in records]
    cells, lacking, late, requests = map(sum, zip(*asked, strict=True))
    told = {"cells": cells - lacking, "cells_without_data": lacking, "cells_without_last_season": late}
    return told | {"requests": requests}


LINE = Yearly(
    product=PRODUCT,
    record=RECORD,
    method=METHOD,
    side=BLOCK,
    cells_of_a_task=CELLS_OF_A_TASK,
    axes=_axes,
    cells=_cells,
    maker=_maker,
    told=_told,
)
