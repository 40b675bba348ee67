"""Daily snow of every cell since 1957, block by block; of what was published a year ago the year since is added."""

from datetime import date
from functools import partial

from catalog.versions import Entry
from dags.builders import snow_yearly
from dags.builders.areas import Mask, inside, land
from dags.builders.block_build import Report
from dags.builders.processes import run
from dags.builders.snow_asking import Authority
from dags.builders.snow_cells import land_of
from dags.builders.snow_history_block import RECORD, BlockMaker
from dags.builders.snow_stored import days_between
from dags.builders.snow_yearly import FIRST_DAY, PROCESSES, Ask, Yearly
from tiles.building import Cells
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


def build(ask: Ask, report: Report) -> Entry:
    """Build and publish the history to the last 31 August; what a killed build has finished is not asked for again.

    Parameters
    ----------
    ask : Ask
    report : callable
        Takes one line of progress.

    Raises
    ------
    SourceError
        The authority cannot be asked, or has no data.
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
        axes=lambda last: {"time": days_between(FIRST_DAY, last)},
        cells=_cells,
        maker=_maker,
    )


def _cells(store: Store, ask: Ask) -> Mask:
    return land(store, Clock.parse(ask.clock)) & inside(ask.areas)


def _maker(store: Store, ask: Ask, last: date, authority: Authority, report: Report) -> BlockMaker:
    return BlockMaker(store, last, authority, partial(land_of, ask.kartverket_url), report)
