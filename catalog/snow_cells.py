"""Read-through of the snow authority's cells that no published version holds, kept as their product packs them."""

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from catalog.cell_bytes import pack, unpack
from catalog.readthrough import Life, ReadThrough
from catalog.snow_products import CellProduct, SnowCell
from catalog.sources.data_origin import origin_of
from catalog.sources.errors import SourceError
from catalog.sources.http import Deadline, make_client, without_credentials
from catalog.sources.nve_gts import NAME, Authority, NoCell, Point, SnowData, batches
from catalog.sources.registry import SOURCES
from tiles.clock import Clock, iso, parse_iso
from tiles.errors import TileCorrupt
from tiles.product import Product

# That there is no cell may be a fault of that day.
_NONE_FOR = timedelta(days=1)
# The day that began at 06 UTC yesterday is observed, and the authority has looked at it.
_OUT_AFTER = timedelta(hours=7)
# Known long enough to be observed, for the question which cells there are.
_SEARCHED_BEFORE = timedelta(days=10)
# Whoever has an older answer does not wait long for a new one.
_PATIENCE_S = 8.0
# Of the deadline this is left for what comes after, or the caller gives up while it is being told.
_TO_ANSWER_S = 0.5


@dataclass(frozen=True, eq=False)
class Fetched:
    """Cells that were kept or fetched.

    Parameters
    ----------
    found : dict of Point to SnowCell or None
        By the points asked for; None: the authority has no cell with data there.
    failed : SourceError or None
        Why the others are not in `found`, or are older ones.
    """

    found: dict[Point, SnowCell | None]
    failed: SourceError | None


class _Entry(NamedTuple):
    cell: SnowCell | None
    last: str
    retry: datetime | None

    def is_current(self, last: date, now: datetime) -> bool:
        return self.cell is None or (self.last == str(last) and (self.retry is None or now < self.retry))


class SnowCells:
    """Cells of the snow authority, read through a folder that the processes of a machine share.

    Safe to use from several threads; it waits for the disk, and `fetch` for the authority.

    Parameters
    ----------
    url : str
        Of the snow authority.
    user_agent : str
        Names this installation and whom to ask.
    folder : Path
        Made when first needed.
    clock : Clock
    products : sequence of CellProduct
    """

    def __init__(self, url: str, user_agent: str, folder: Path, clock: Clock, products: Sequence[CellProduct]) -> None:
        self._url, self._clock, self._folder = url, clock, folder
        self._user_agent = user_agent
        self._products: list[CellProduct] = []
        self._files: dict[str, ReadThrough[_Entry]] = {}
        for of in products:
            self.add(of)

    def add(self, of: CellProduct) -> None:
        """Fetch and keep the cells of another product too; call it before the first question."""
        name, life = of.product.name, Life(of.kept_for, of.kept_for, of.kept_for)
        self._products.append(of)
        self._files[name] = ReadThrough(self._folder / name, NAME, self._clock, of.max_bytes, life)

    def day(self) -> date:
        """Return the date of the newest forecast: the day before it is observed. It begins at 07 UTC."""
        return (self._clock.now() - _OUT_AFTER).date()

    def trim(self) -> None:
        """Remove what is too old or too much; it may wait for the disk."""
        for files in self._files.values():
            files.trim()

    def kept(self, of: CellProduct, points: Iterable[Point], *, older: bool = False) -> dict[Point, SnowCell | None]:
        """Return what is kept of some cells, as `Fetched.found` has it, without asking the authority.

        Parameters
        ----------
        of : CellProduct
        points : iterable of (easting, northing)
            Centres of cells, m, UTM 33. Those that would have to be fetched are left out.
        older : bool
            Whether answers that should be fetched anew will do.
        """
        last, now = of.period(self.day())[1], self._clock.now()
        held: dict[Point, SnowCell | None] = {}
        for point in points:
            entry = self._entry(of, point)
            if entry and (older or entry.is_current(last, now)):
                held[point] = entry.cell
        return held

    def fetch(self, of: CellProduct, points: Iterable[Point], deadline: Deadline) -> Fetched:
        """Return some cells: what is kept, and by a question for several cells what is not.

        The first question that fails ends it; what was answered before is kept and returned, and of other cells what
        is kept from before. Each cell is asked for once, however many processes want it.

        Parameters
        ----------
        of : CellProduct
        points : iterable of (easting, northing)
            Centres of cells, m, UTM 33.
        deadline : Deadline
            For all of it.
        """
        asked = tuple(dict.fromkeys(points))
        found, failed = self.kept(of, asked), None
        missing = [point for point in asked if point not in found]
        older = self.kept(of, missing, older=True)
        left = deadline.remaining()
        patience = min(_PATIENCE_S, left / 2) if len(older) == len(missing) else left - _TO_ANSWER_S
        within = Deadline(max(0.0, patience))
        first, last = of.period(self.day())
        try:
            for batch in batches(missing, (last - first).days + 1):
                found |= self._fetch(of, batch, within)
        except SourceError as error:
            failed = error
        found = older | found
        return Fetched({point: found[point] for point in asked if point in found}, failed)

    def _fetch(self, of: CellProduct, points: Sequence[Point], deadline: Deadline) -> dict[Point, SnowCell | None]:
        """Ask for cells, unless somebody else has done so meanwhile."""
        files = self._files[of.product.name]
        with files.locked([self._key(point) for point in points], deadline):
            found = self.kept(of, points)
            missing = [point for point in points if point not in found]
            if not missing:
                return found
            older = self.kept(of, missing, older=True)
            with make_client(self._user_agent) as client:
                entries = self._ask(of, missing, Authority(self._url, client, deadline))
            for point, entry in entries.items():
                found[point] = cell = _read(of.product, entry).cell
                if cell is None and point in older:  # there was one, and may be again
                    found[point] = older[point]
                else:
                    files.put(self._key(point), entry, of.kept_for if cell else _NONE_FOR)
            with suppress(OSError):
                files.trim()
        return found

    def _ask(self, of: CellProduct, points: Sequence[Point], authority: Authority) -> dict[Point, bytes]:
        """Return the entries of cells; that there is none is believed of an authority that has one in Oslo."""
        today = self.day()
        first, last = of.period(today)
        searched = today - _SEARCHED_BEFORE
        cells: dict[Point, Point | None] = {point: point for point in points}
        if of.nearest:
            cells = {point: self._found_before(point) or authority.nearest(point, searched) for point in points}
        there = [cell for cell in dict.fromkeys(cells.values()) if cell]
        data = None
        with suppress(NoCell):
            if there:
                data = authority.at_points(there, first, last, today=today, quantities=of.quantities)
        if data is None:
            authority.require_data(searched)
        entries = {} if data is None else self._entries(of, data, today)
        none = _written(None, last, None, b"")
        return {point: entries.get(cell, none) if cell else none for point, cell in cells.items()}

    def _entries(self, of: CellProduct, data: SnowData, today: date) -> dict[Point, bytes]:
        first, values = of.values(data)
        last, again = of.period(today)[1], self._clock.now() + of.retry
        entries = {}
        for column, point in enumerate(data.points):
            own = {name: array[..., column] for name, array in values.items()}
            head = {
                "point": point,
                "axis": (first, max(array.size for array in own.values())),
                "observed_until": data.observed_until,
                "data_origin": data.data_origin,
            }
            body = pack(of.product, own)
            complete = of.complete(_cell(of.product, head, body), today)
            entries[point] = _written(head, last, None if complete else again, body)
        return entries

    def _found_before(self, point: Point) -> Point | None:
        """Return the 1 km cell of a 3 km cell that is kept, by whichever product."""
        kept = (self._entry(one, point) for one in self._products if one.nearest)
        return next((entry.cell.point for entry in kept if entry and entry.cell), None)

    def _entry(self, of: CellProduct, point: Point) -> _Entry | None:
        return self._files[of.product.name].fresh(self._key(point), partial(_read, of.product))

    def _key(self, point: Point) -> str:
        return f"{without_credentials(self._url)} {point[0]} {point[1]}"


def _written(head: Mapping[str, Any] | None, last: date, retry: datetime | None, body: bytes) -> bytes:
    told = {"cell": head, "last": str(last), "retry": retry and iso(retry)}
    return json.dumps(told).encode() + b"\n" + body


def _read(product: Product, stored: bytes | memoryview) -> _Entry:
    head, _, body = bytes(stored).partition(b"\n")
    try:
        told = json.loads(head)
        cell = None if told["cell"] is None else _cell(product, told["cell"], body)
        return _Entry(cell, told["last"], told["retry"] and parse_iso(told["retry"]))
    except (TileCorrupt, ValueError, KeyError, TypeError) as error:
        raise SourceError(f"kept snow of a cell is damaged: {error!r:.100}") from error


def _cell(product: Product, head: Mapping[str, Any], body: bytes) -> SnowCell:
    (x, y), (first, size) = head["point"], head["axis"]
    until, origin = head["observed_until"], origin_of(head["data_origin"])
    checksum = zlib.crc32(body)  # crc32c of bytes that end with their own is one number for all
    return SnowCell(
        point=(x, y),
        first=first,
        values=unpack(product, size, body),
        observed_until=until,
        data_origin=origin,
        version=f"{NAME}/{product.name}/{x},{y}/{first}+{size}/{until}/{origin}/{checksum:08x}",
        sources=(SOURCES[NAME].named(origin),),
    )
