"""The outlook in the making: what an earlier morning knew is kept, and what is new is asked for."""

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from functools import partial
from typing import Any

import numpy as np

from catalog.sources.errors import SourceError
from catalog.sources.kartverket import borders
from catalog.sources.nve_gts import SnowData, day_of
from catalog.versions import read_index
from dags.build.cells import Mask, by_blocks, portions
from dags.build.context import BuildContext
from dags.build.provenance import code_version, provenance
from dags.build.snow.authority import LEAST_SHARE, Authority, source_of
from dags.build.snow.nearest_cells import find, land_of, point_of
from dags.build.snow.packing import Packed, Published, built, cells_of, date_of, empty, put, take_over
from dags.build.snow.season import Season
from tiles.building import Cells, Corner
from tiles.errors import TileError
from tiles.grid import NORWAY3KM, Cell
from tiles.product import FILL
from tiles.products.snow_history import PRODUCT as HISTORY
from tiles.products.snow_outlook import PRODUCT
from tiles.writer import Draft

AGAIN_DAYS = 10
"""So many observed days are asked for once more: the authority corrects what it published."""
CELLS_AT_ONCE = 9700
"""With the last block's, fewer than five full requests of the source hold."""
SEARCH_DAYS = 7
"""After so many days it is asked again whether there is data of the cells that had none: that may have been a fault."""
METHOD = (
    "The nearest 1 km cell that has data, its centre within 4 km. A day runs from 06 to 06 UTC; depth and water "
    "equivalent are those at its end. Values as the snow authority gives them; nothing is filled."
)


class Making:
    """The outlook in the making.

    Parameters
    ----------
    context : BuildContext
    season : Season
    authority : Authority
    keep : set of cell
        Of which the series are kept for the factors.
    """

    def __init__(self, context: BuildContext, season: Season, authority: Authority, keep: set[Cell]) -> None:
        self._store, self._report = context.store, context.report
        self._season, self._authority, self._keep = season, authority, keep
        self._land = partial(land_of, context.address(borders.NAME))
        self._before = _before(context, season, authority.mark)
        self._cells: dict[Cell, Cell] = {}
        self._without: list[list[int]] = []
        self._searched = season.today
        self._observed = day_of(season.observed)
        self._origins: set[str] = set()
        self._asked = self._answered = 0
        self.series: dict[Cell, Packed] = {}
        """Of the cells to be kept, by variable."""
        self.draft: Draft

    def make(self, wanted: Mask) -> None:
        """Write a draft of these cells."""
        corners = by_blocks(wanted)
        known = self._known(corners)
        cells: list[Cell] = [(int(row), int(column)) for row, column in np.argwhere(wanted)]
        day = self._season.observed - timedelta(days=1)  # the newest may not be out yet
        self._cells = find(cells, known, self._authority, day, self._land, self._report)
        self._without = [list(cell) for cell in cells if cell not in self._cells]
        if not self._cells:
            raise SourceError(f"nve_gts: there is no snow data of any of {len(cells)} cells; nothing is published")
        self.draft = Draft(self._store, PRODUCT, self._season.today.isoformat(), {"time": self._season.days}, {})
        built = by_blocks(mask_of(self._cells))
        for number, group in enumerate(parts := portions(built, CELLS_AT_ONCE), 1):
            self._group(group)
            self._report(f"snow of {number}/{len(parts)} parts of the country")
        if self._answered < LEAST_SHARE * self._asked:
            raise SourceError(
                f"nve_gts: of {self._asked} cells that had data {self._answered} have some now; nothing is published"
            )

    def _known(self, corners: Cells) -> Mapping[Cell, Cell | None]:
        """Return which snow cells were found by earlier builds."""
        known: dict[Cell, Cell | None] = {}
        try:
            for entry in read_index(self._store, HISTORY.name).entries:
                history = Published(self._store, HISTORY, entry)
                if history.said["authority"] == self._authority.mark:
                    known |= history.snow_cells(corners)
            if self._before is not None:
                known |= dict.fromkeys(self._known_to_lack(self._before.said))
                known |= self._before.snow_cells(corners)
        except TileError as error:
            self._report(f"the snow cells are looked for again: {error}")
            return {}
        return known

    def _known_to_lack(self, said: Mapping[str, Any]) -> list[Cell]:
        """Return the cells of which the version before knows that there is no data, unless it is too long ago."""
        searched = date.fromisoformat(said.get("cells_searched", said["snow_year_start"]))
        if self._season.today - searched >= timedelta(days=SEARCH_DAYS):
            return []
        self._searched = searched
        return [(int(row), int(column)) for row, column in said["cells_without_data"]]

    def _group(self, group: Cells) -> None:
        """Ask for the cells of some blocks, and write these."""
        blocks = {corner: self._begun(corner, inside) for corner, inside in group.items()}
        old = {cell for _, cells in blocks.values() for cell in cells}
        cells = [c for corner, inside in group.items() for c in cells_of(corner, inside)]
        until = self._season.first if self._before is None else date.fromisoformat(self._before.said["observed_until"])
        again = max(self._season.first, until - timedelta(days=AGAIN_DAYS - 1))
        corrected = self._series([c for c in cells if c in old], again)
        if corrected is not None:
            self._answered += len(corrected.points)
        self._asked += len({self._cells[c] for c in old})
        fresh = self._series([c for c in cells if c not in old], self._season.first)
        for corner, inside in group.items():
            here = {cell: self._cells[cell] for cell in cells_of(corner, inside)}
            for data in (fresh, corrected):
                if data is not None:
                    first = int(data.days[0] - self._season.days[0])
                    put(blocks[corner][0], PRODUCT, corner, here, data, first, data.values)
            self._write(corner, blocks[corner][0])

    def _begun(self, corner: Corner, inside: tuple[int, ...]) -> tuple[Packed, list[Cell]]:
        """Return a block with what the version before observed of it, and of which of its cells."""
        packed = empty(PRODUCT, self._season.days.size, corner)
        if self._before is None:
            return packed, []
        try:
            held = self._before.block(corner)
        except TileError as error:
            self._report(f"a block is asked for anew: {error}")
            return packed, []
        named = built(held, corner)
        old = [cell for cell in cells_of(corner, inside) if named.get(cell) == self._cells[cell]]
        # never its forecast: that is asked for again, or missing
        until = day_of(date.fromisoformat(self._before.said["observed_until"]))
        take_over(packed, corner, old, held, until - int(self._season.days[0]) + 1)
        if old:
            self._origins.add(str(self._before.said["data_origin"]))
        return packed, old

    def _series(self, cells: list[Cell], first: date) -> SnowData | None:
        points = list(dict.fromkeys(point_of(self._cells[cell]) for cell in cells))
        data = self._authority.series(points, first, self._season.last) if points else None
        if data is not None:
            self._observed = min(self._observed, data.observed_until)
            self._origins.add(data.data_origin)
        return data

    def _write(self, corner: Corner, packed: Packed) -> None:
        """Write a block, without the cells of which no day has any value."""
        bare = np.all([(values == FILL).all(axis=0) for values in packed.values() if values.ndim > 2], axis=0)
        for name, values in packed.items():
            values[..., bare] = FILL
            self.draft.write_block(name, corner, values)
        for cell in self._keep.intersection(built(packed, corner)):
            at = ..., cell[0] - corner[0], cell[1] - corner[1]
            self.series[cell] = {name: values[at].copy() for name, values in packed.items()}

    def provenance(self, requests: int) -> dict[str, Any]:
        """Return what is said of both products."""
        origin = "live" if self._origins == {"live"} else "simulated"
        return provenance(
            [source_of(origin)],
            method=METHOD,
            generator=f"Solflis snow_daily ({code_version()})",
            days=[self._season.first.isoformat(), self._season.last.isoformat()],
            observed_until=date_of(self._observed).isoformat(),
            snow_year_start=self._season.first.isoformat(),
            requests=requests,
            authority=self._authority.mark,
            cells_without_data=self._without,
            cells_searched=self._searched.isoformat(),
            missing_variables=[],
        )


def _before(context: BuildContext, season: Season, mark: str) -> Published | None:
    """Return the newest version with observed days of this season, of the same authority, not of a later morning."""
    for entry in reversed(read_index(context.store, PRODUCT.name).entries):
        if entry.schema != PRODUCT.schema or entry.issued_at > season.issued_at:
            continue
        try:
            found = Published(context.store, PRODUCT, entry)
        except TileError as error:
            context.report(f"{PRODUCT.name} {entry.version} is of no help: {error}")
            continue
        if found.said["observed_until"] >= season.first.isoformat() and found.said["authority"] == mark:
            return found
    return None


def mask_of(cells: Iterable[Cell]) -> Mask:
    """Return the mask of some cells."""
    mask = np.zeros(NORWAY3KM.shape, bool)
    for cell in cells:
        mask[cell] = True
    return mask
