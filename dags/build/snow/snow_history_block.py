"""One block of daily snow since 1957: what an earlier version holds is taken over, the years since are asked for."""

from collections.abc import Callable, Mapping
from datetime import date

from catalog.sources.data_origin import origin_of
from catalog.sources.errors import SourceError
from catalog.versions import read_index
from dags.build.context import Report
from dags.build.snow.authority import LEAST_SHARE, Authority
from dags.build.snow.nearest_cells import Shares, find, point_of
from dags.build.snow.packing import Packed, Published, date_of, days_between, drop_empty, empty, ends, put, take_over
from dags.build.snow.season import snow_year_start
from dags.build.snow.yearly import FIRST_DAY, made_alike
from tiles.building import Corner
from tiles.grid import Cell
from tiles.products.snow_history import PRODUCT
from tiles.products.snow_outlook import PRODUCT as OUTLOOK
from tiles.store import Store

# Raised by one when the method changes what a day holds.
RECORD = 1
LATE_DAYS = 31
"""Data that end earlier than so many days before the last one are of a fault, not of a gap."""


class BlockMaker:
    """Makes blocks: what an earlier version holds is taken over, and the years since are asked for.

    Parameters
    ----------
    store : Store
    last : date
        Of the days that are made.
    authority : Authority
    land : callable
        See `snow_cells.find`.
    report : callable
    """

    def __init__(
        self, store: Store, last: date, authority: Authority, land: Callable[[], Shares], report: Report
    ) -> None:
        self._last, self._authority, self._land, self._report = last, authority, land, report
        self._days = days_between(FIRST_DAY, last)
        self._before = _before(store, authority.mark, last)
        self._known = _known(store, authority.mark)

    def block(self, corner: Corner, cells: list[Cell]) -> tuple[Packed, dict[str, str]]:
        """Return what is stored of a block, and whose data these are.

        Raises
        ------
        SourceError
            The authority cannot be asked, or has too little of the years that are asked for.
        TileCorrupt
            What is published is damaged.
        """
        known = {cell: snow for held in self._known for cell, snow in held.snow_cells([corner]).items()}
        found = find(cells, known, self._authority, self._last, self._land, self._report)
        packed, origin = empty(self._days.size, corner), "none"
        old: set[Cell] = set()
        if self._before is not None:
            named = self._before.snow_cells([corner])
            old = {cell for cell, snow in found.items() if named.get(cell) == snow}
            take_over(packed, corner, old, self._days, self._before.block(corner), self._before.days)
            if old:
                origin = str(self._before.manifest.provenance["data_origin"])
        held = ends(packed, corner, list(found))
        for first, those in self._to_ask(held).items():
            data = self._authority.series(sorted({point_of(found[cell]) for cell in those}), first, self._last)
            if data is not None:
                put(packed, PRODUCT, corner, {cell: found[cell] for cell in those}, self._days, data)
                origin = origin_of(origin, data.data_origin)
        self._require_most(held, ends(packed, corner, list(found)))
        drop_empty(packed)
        return packed, {"data_origin": origin}

    def _to_ask(self, held: Mapping[Cell, int]) -> dict[date, list[Cell]]:
        """Return from which day on cells are asked for: from the begin of the snow year in which what is held ends."""
        asked: dict[date, list[Cell]] = {}
        for cell, n_days in held.items():
            first = snow_year_start(date_of(self._days[0] + n_days))
            if first <= self._last:
                asked.setdefault(first, []).append(cell)
        return asked

    def _require_most(self, held: Mapping[Cell, int], now: Mapping[Cell, int]) -> None:
        """Refuse a block that would be published without the years it was made for.

        Raises
        ------
        SourceError
            Of the cells that had data to the end of the version before too few have any to the last day, or of new
            ones too few have any at all.
        """
        was = 0 if self._before is None else int(self._before.days[-1] - self._days[0]) + 1
        asked = [cell for those in self._to_ask(held).values() for cell in those]
        due = [cell for cell in asked if held[cell] == 0 or held[cell] >= was - LATE_DAYS]
        # of a new cell it is not known whether some quantity always ends early there
        there = sum(now[cell] >= (self._days.size - LATE_DAYS if held[cell] else 1) for cell in due)
        if there < LEAST_SHARE * len(due):
            raise SourceError(
                f"nve_gts: of {len(due)} cells beside {due[0]} that must have data to {self._last} {there} have it; "
                "nothing is published: start the build again when the authority has them, it goes on from here"
            )


def _before(store: Store, mark: str, last: date) -> Published | None:
    """Return the newest earlier version that was made alike, of the same authority's data."""
    entry = made_alike(store, PRODUCT, RECORD, mark, last)
    return None if entry is None else Published(store, entry)


def _known(store: Store, mark: str) -> list[Published]:
    """Return the published versions that say which snow cell stands for a cell; the last one counts."""
    found = []
    for product in (OUTLOOK, PRODUCT):
        for entry in read_index(store, product.name).entries[-1:]:
            held = Published(store, entry)
            if held.manifest.provenance["authority"] == mark:
                found.append(held)
    return found
