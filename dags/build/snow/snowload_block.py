"""One block of season maxima: what an earlier version holds is taken over, the seasons since are asked for."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catalog.sources.data_origin import origin_of
from catalog.sources.errors import SourceError
from catalog.sources.nve_gts import MOST_VALUES, THERE, SnowData
from catalog.versions import Entry
from dags.build.cells import block_array
from dags.build.context import Report
from dags.build.snow.authority import LEAST_SHARE, Authority
from dags.build.snow.nearest_cells import point_of
from dags.build.snow.packing import cells_of, end_of, require_possible
from dags.build.snow.yearly import made_alike
from kernels.snowload.seasons import season_maxima
from tiles.arrays import PublishedShards
from tiles.blocks import published_records
from tiles.building import Corner
from tiles.grid import SENORGE1KM, Cell
from tiles.manifest import Manifest
from tiles.product import FILL
from tiles.products.snow_history import FIRST_YEAR
from tiles.products.snow_history import PRODUCT as HISTORY
from tiles.products.snowload import BLOCK, PRODUCT
from tiles.store import Store

# Raised by one when the method changes what a season holds.
RECORD = 1
SEARCHED_YEARS = 5
"""Cells of which the authority had nothing are looked for again when that is so long ago: each costs a question."""
QUESTIONS_AT_ONCE = 10
"""Answers of so many are held in memory together: some 10 MB."""
FEW_CELLS = 4
"""So few cells without the last season hold up no country."""

Packed = dict[str, NDArray[np.uint16]]


class _Cells(NamedTuple):
    """Where cells lie in a block, for indexing."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]


class BlockMaker:
    """Makes blocks.

    Parameters
    ----------
    store : Store
    last : date
        Of the days that count, a 31 August.
    authority : Authority
    report : callable
        Takes one line of progress.
    """

    def __init__(self, store: Store, last: date, authority: Authority, report: Report) -> None:
        self._last, self._authority, self._report = last, authority, report
        self._n_seasons = last.year - FIRST_YEAR
        found = made_alike(store, PRODUCT, RECORD, authority.mark, last)
        self._before = None if found is None else _Before(store, found)

    def block(self, corner: Corner, cells: list[Cell]) -> tuple[Packed, dict[str, Any]]:
        """Return what is stored of a block, and its notes.

        Raises
        ------
        SourceError
            The authority cannot be asked, or has too little of the seasons that are asked for.
        TileCorrupt
            What is published is damaged.
        """
        requests = self._authority.requests
        packed = empty(self._n_seasons, corner)
        absent, searched, origin = self._taken_over(packed, corner, cells)
        known = absent | _built(packed, corner)
        there = self._search([cell for cell in cells if cell not in known])
        held = _ends(packed, corner, sorted(_built(packed, corner) | set(there)))
        for n_seasons, those in _by_end(held):
            if n_seasons < self._n_seasons:
                origin = self._ask(packed, corner, those, n_seasons, origin)
        now = _ends(packed, corner, list(held))
        self._require_most(held, now)
        lacking = len(cells) - len(_built(packed, corner))
        late = sum(n_seasons < self._n_seasons for n_seasons in now.values())
        if lacking:
            self._report(f"{lacking} of {len(cells)} cells are left out: there is no snow data")
        if late:
            self._report(f"{late} of {len(cells)} cells lack the last season: it is asked for again with the next")
        notes = {"data_origin": origin, "searched": searched, "lacking": lacking, "late": late}
        return packed, notes | {"requests": self._authority.requests - requests}

    def _taken_over(self, packed: Packed, corner: Corner, cells: list[Cell]) -> tuple[set[Cell], int, str]:
        """Fill a block with what is published of it; return which cells have no data, since when, and whose it is."""
        if self._before is None:
            return set(), self._last.year, "none"
        held = self._before.block(corner)
        old = _built(held, corner) & set(cells)
        rows, columns = _inside(corner, old)
        n_seasons = len(held["swe_max"])
        packed["swe_max"][:n_seasons, rows, columns] = held["swe_max"][:, rows, columns]
        packed["altitude"][rows, columns] = held["altitude"][rows, columns]
        origin = str(self._before.manifest.provenance["data_origin"]) if old else "none"
        absent, searched = self._before.absent(corner, held)
        if self._last.year - searched >= SEARCHED_YEARS:
            return set(), self._last.year, origin
        return absent & set(cells), searched, origin

    def _search(self, cells: list[Cell]) -> list[Cell]:
        """Return those cells of which the authority has data on the last day.

        Raises
        ------
        SourceError
            It has data of fewer than half of them, and not even of the middle of Oslo.
        """
        if not cells:
            return []
        found = set(self._authority.with_data([point_of(cell) for cell in cells], self._last))
        if len(found) < LEAST_SHARE * len(cells) and not self._authority.with_data([THERE], self._last):
            raise SourceError(
                f"nve_gts: has no snow of {self._last} even in Oslo; nothing is published: start the build again when "
                "it has, it goes on from here"
            )
        return [cell for cell in cells if point_of(cell) in found]

    def _ask(self, packed: Packed, corner: Corner, cells: list[Cell], held: int, origin: str) -> str:
        """Ask for the seasons of cells after those that are held; return whose data the block's are then."""
        first = date(FIRST_YEAR + held, 9, 1)
        for part in _parts(cells, (self._last - first).days + 1):
            data = self._authority.series([point_of(cell) for cell in part], first, self._last, ("swe",))
            if data is not None:
                _put(packed, corner, part, data, held)
                origin = origin_of(origin, data.data_origin)
        return origin

    def _require_most(self, held: dict[Cell, int], now: dict[Cell, int]) -> None:
        """Refuse a block that would be published without the season it was made for.

        Raises
        ------
        SourceError
            Of the cells that had data to the end of the version before, or were found to have some now, too few have
            the last season.
        """
        was = 0 if self._before is None else self._before.n_seasons
        due = [cell for cell, n_seasons in held.items() if n_seasons in (0, was) and n_seasons < self._n_seasons]
        there = sum(now[cell] == self._n_seasons for cell in due)
        if len(due) > FEW_CELLS and there < LEAST_SHARE * len(due):
            raise SourceError(
                f"nve_gts: of {len(due)} cells beside {point_of(due[0])} that must have data to {self._last} {there} "
                "have it; nothing is published: start the build again when the authority has them, it goes on from here"
            )


class _Before(PublishedShards):
    """The version before, read block by block."""

    def __init__(self, store: Store, entry: Entry) -> None:
        super().__init__(store, Manifest.read(store, entry.manifest))
        self.n_seasons = date.fromisoformat(self.manifest.provenance["days"][1]).year - FIRST_YEAR
        self._records = published_records(store, self.manifest)

    def block(self, corner: Corner) -> Packed:
        """Return a block, which holds nothing where it was not built.

        Raises
        ------
        TileCorrupt
            It is damaged.
        """
        return {name: self.read(name, corner, values) for name, values in empty(self.n_seasons, corner).items()}

    def absent(self, corner: Corner, held: Packed) -> tuple[set[Cell], int]:
        """Return the cells of a block that were asked for in vain, and the year when first; none and 0 if never."""
        record = self._records.get(corner)
        if record is None:
            return set(), 0
        return set(cells_of(corner, record.cells, BLOCK)) - _built(held, corner), int(record.notes["searched"])


def empty(n_seasons: int, corner: Corner) -> Packed:
    """Return a block that holds nothing."""
    return {
        "swe_max": block_array((n_seasons,), corner, FILL, SENORGE1KM, BLOCK),
        "altitude": block_array((), corner, FILL, SENORGE1KM, BLOCK),
    }


def _put(packed: Packed, corner: Corner, cells: Sequence[Cell], data: SnowData, held: int) -> None:
    """Write the maxima of what the authority said of some cells, from a season on."""
    swe = data.values["swe"]
    require_possible(swe, HISTORY.variable("swe"), data.days, data.points)
    cell_of = {point_of(cell): cell for cell in cells}
    rows, columns = _inside(corner, [cell_of[point] for point in data.points])
    maxima = season_maxima(data.days, swe).maxima
    packed["swe_max"][held:, rows, columns] = PRODUCT.variable("swe_max").pack(maxima)
    packed["altitude"][rows, columns] = PRODUCT.variable("altitude").pack(data.altitude)


def _parts(cells: list[Cell], n_days: int) -> Iterator[list[Cell]]:
    """Give cells in parts, each of whole questions."""
    most = QUESTIONS_AT_ONCE * max(1, MOST_VALUES // n_days)
    for first in range(0, len(cells), most):
        yield cells[first : first + most]


def _built(packed: Packed, corner: Corner) -> set[Cell]:
    return {(corner[0] + int(r), corner[1] + int(c)) for r, c in np.argwhere(packed["altitude"] != FILL)}


def _ends(packed: Packed, corner: Corner, cells: list[Cell]) -> dict[Cell, int]:
    """Return after how many seasons what a block holds of some cells ends; 0 where it has none."""
    rows, columns = _inside(corner, cells)
    return dict(zip(cells, end_of(packed["swe_max"][:, rows, columns]).tolist(), strict=True))


def _by_end(held: dict[Cell, int]) -> Iterator[tuple[int, list[Cell]]]:
    for end in sorted(set(held.values())):
        yield end, [cell for cell, n_seasons in held.items() if n_seasons == end]


def _inside(corner: Corner, cells: Iterable[Cell]) -> _Cells:
    rows, columns = np.array(list(cells), np.int64).reshape(-1, 2).T
    return _Cells(rows - corner[0], columns - corner[1])
