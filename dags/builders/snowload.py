"""The most snow of every season since 1957, block by block; of what was published a year ago one season is added."""

from collections.abc import Iterable
from datetime import date
from functools import partial
from typing import Any

import numpy as np

from catalog.versions import Entry
from dags.builders import snow_yearly
from dags.builders.areas import Mask, inside
from dags.builders.block_build import Report
from dags.builders.processes import run
from dags.builders.snow_asking import Authority
from dags.builders.snow_cells import land_of
from dags.builders.snow_yearly import PROCESSES, Ask, Yearly
from dags.builders.snowload_block import RECORD, BlockMaker
from kernels.snowload.seasons import LEAST_DAYS
from tiles.blocks import Record
from tiles.building import Cells
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


def build(ask: Ask, report: Report) -> Entry:
    """Build and publish the maxima to the last 31 August; what a killed build has finished is not asked for again.

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
    run(partial(build_group, ask), begin(ask, report), report, PROCESSES)
    return finish(ask, report)


def begin(ask: Ask, report: Report) -> list[Cells]:
    """See `snow_yearly.begin`."""
    return snow_yearly.begin(_line(), ask, report)


def build_group(ask: Ask, group: Cells) -> str:
    """See `snow_yearly.build_group`."""
    return snow_yearly.build_group(_line(), ask, group)


def finish(ask: Ask, report: Report) -> Entry:
    """See `snow_yearly.finish`."""
    return snow_yearly.finish(_line(), ask, report)


def _line() -> Yearly:
    return Yearly(
        product=PRODUCT,
        record=RECORD,
        method=METHOD,
        side=BLOCK,
        cells_of_a_task=CELLS_OF_A_TASK,
        axes=lambda last: {"season": np.arange(FIRST_YEAR, last.year, dtype=np.int64)},
        cells=_cells,
        maker=_maker,
        told=_told,
    )


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
