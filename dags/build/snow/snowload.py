"""The most snow of every season since 1957, by blocks; of what was published a year ago one season is added."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.sources.kartverket import borders
from dags.build.blocks import Records
from dags.build.cells import Mask, inside
from dags.build.context import BuildContext, Report
from dags.build.snow.authority import Authority
from dags.build.snow.nearest_cells import land_of
from dags.build.snow.snowload_block import RECORD, BlockMaker
from dags.build.snow.yearly import YearlySnow
from kernels.snowload.seasons import LEAST_DAYS
from tiles.grid import SENORGE1KM
from tiles.products.snow_history import FIRST_YEAR
from tiles.products.snowload import BLOCK, PRODUCT

METHOD = (
    "The largest water equivalent of each season, 1 September to 31 August, on the snow authority's own cells of 1 km. "
    "A day runs from 06 to 06 UTC; water equivalent is that at its end. A season counts with at least "
    f"{LEAST_DAYS} known days; nothing is filled. Seasons that an earlier version held are taken over from it."
)


class SeasonMaxima(YearlySnow):
    """Builds the season maxima on the authority's own cells."""

    products = (PRODUCT,)
    side = BLOCK
    # 29 questions of nine cells each: about a minute
    cells_per_job = 256
    record = RECORD
    method = METHOD

    def axes(self, last: date) -> Mapping[str, NDArray[np.int64]]:
        """Return the years in which seasons begin."""
        return {"season": np.arange(FIRST_YEAR, last.year, dtype=np.int64)}

    def cells(self, context: BuildContext) -> Mask:
        """Return the cells with land; at sea the authority has none."""
        return (land_of(context.address(borders.NAME)) > 0) & inside(context.areas, SENORGE1KM)

    def maker(self, context: BuildContext, last: date, authority: Authority, report: Report) -> BlockMaker:
        """Return what makes blocks."""
        return BlockMaker(context.store, last, authority, report)

    def told(self, records: Records) -> Mapping[str, Any]:
        """Return how many cells there are, and how many lack data or the last season."""
        noted = ("lacking", "late", "requests")
        asked = [(len(record.cells), *(record.notes[name] for name in noted)) for record in records.values()]
        cells, lacking, late, requests = map(sum, zip(*asked, strict=True))
        told = {"cells": cells - lacking, "cells_without_data": lacking, "cells_without_last_season": late}
        return told | {"requests": requests}


build = SeasonMaxima()
