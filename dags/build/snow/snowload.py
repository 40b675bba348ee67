"""The most snow of every season since 1957, by blocks; of what was published a year ago one season is added."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.sources.errors import SourceError
from catalog.sources.kartverket import borders
from catalog.sources.nve_gts import THERE, SnowData
from dags.build.blocks import Records
from dags.build.cells import Mask, inside
from dags.build.context import BuildContext
from dags.build.snow.authority import LEAST_SHARE
from dags.build.snow.nearest_cells import land_of, point_of
from dags.build.snow.packing import cells_of
from dags.build.snow.yearly import BlockMaker, YearlySnow
from kernels.snowload.seasons import LEAST_DAYS, season_maxima
from tiles.building import Corner
from tiles.grid import SENORGE1KM, Cell
from tiles.products.snow_history import FIRST_YEAR
from tiles.products.snowload import BLOCK, PRODUCT

SEARCHED_YEARS = 5
"""Cells of which the authority had nothing are looked for again when that is so long ago: each costs a question."""
METHOD = (
    "The largest water equivalent of each season, 1 September to 31 August, on the snow authority's own cells of 1 km. "
    "A day runs from 06 to 06 UTC; water equivalent is that at its end. A season counts with at least "
    f"{LEAST_DAYS} known days; nothing is filled. Seasons that an earlier version held are taken over from it."
)


class Seasons(BlockMaker):
    """Makes blocks of seasons."""

    quantities = ("swe",)
    few = 4

    def find(self, corner: Corner, cells: list[Cell], held: Mapping[Cell, Cell]) -> tuple[dict[Cell, Cell], Any]:
        """Return the cells that are published or have data on the last day; and when the others were searched.

        Raises
        ------
        SourceError
            The authority has data of fewer than half of those that are searched, and not even of the middle of Oslo.
        """
        without, searched = self._without(corner, held)
        wanted = [cell for cell in cells if cell not in held and cell not in without]
        points = [point_of(cell) for cell in wanted]
        there = set(self.authority.with_data(points, self.last)) if points else set()
        if len(there) < LEAST_SHARE * len(wanted) and not self.authority.with_data([THERE], self.last):
            raise SourceError(
                f"nve_gts: has no snow of {self.last} even in Oslo; nothing is published: start the build again when "
                "it has, it goes on from here"
            )
        found = [cell for cell in cells if cell in held or point_of(cell) in there]
        return dict(zip(found, found, strict=True)), {"searched": searched}

    def _without(self, corner: Corner, held: Mapping[Cell, Cell]) -> tuple[set[Cell], int]:
        """Return the cells of a block that were searched in vain, and the year when; none if that is too long ago."""
        record = None if self.before is None else self.before.records.get(corner)
        if record is None or self.last.year - (searched := int(record.notes["searched"])) >= SEARCHED_YEARS:
            return set(), self.last.year
        return set(cells_of(corner, record.cells, BLOCK)) - set(held), searched

    def begins(self, step: int) -> date:
        """Return the begin of a season."""
        return date(FIRST_YEAR + step, 9, 1)

    def series(self, data: SnowData) -> tuple[int, Mapping[str, NDArray[np.float32]]]:
        """Return the maxima of the seasons."""
        seasons = season_maxima(data.days, data.values["swe"])
        return seasons.first - FIRST_YEAR, {"swe_max": seasons.maxima}


class SeasonMaxima(YearlySnow):
    """Builds the season maxima on the authority's own cells."""

    products = (PRODUCT,)
    side = BLOCK
    # 29 questions of nine cells each: about a minute
    cells_per_job = 256
    record = 1
    method = METHOD
    maker = Seasons

    def axis(self, last: date) -> NDArray[np.int64]:
        """Return the years in which seasons begin."""
        return np.arange(FIRST_YEAR, last.year, dtype=np.int64)

    def cells(self, context: BuildContext) -> Mask:
        """Return the cells with land; at sea the authority has none."""
        return (land_of(context.address(borders.NAME)) > 0) & inside(context.areas, SENORGE1KM)

    def told(self, records: Records) -> Mapping[str, Any]:
        """Return how many cells there are, and how many lack data or the last season."""
        noted = ("lacking", "late", "requests")
        asked = [(len(record.cells), *(record.notes[name] for name in noted)) for record in records.values()]
        cells, lacking, late, requests = map(sum, zip(*asked, strict=True))
        told = {"cells": cells - lacking, "cells_without_data": lacking, "cells_without_last_season": late}
        return told | {"requests": requests}


build = SeasonMaxima()
