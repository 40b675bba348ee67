"""Snow of cells: what is published, else what is kept of the snow authority, else its answer for the cell."""

import logging
from collections.abc import Sequence
from datetime import UTC, datetime, time
from functools import partial

from api.core.cache import Cache
from api.core.errors import problem
from api.core.executors import ReaderPool
from api.core.upstream import Upstream, retry_after
from api.data.published import Published
from api.data.snow.series import OPENED_BY, CellVersion, Series, date_of, open_snow, series_of
from api.data.versions import current_of
from catalog.snow_cells import Fetched, SnowCells
from catalog.snow_products import HISTORY, OUTLOOK, CellProduct, SnowCell
from catalog.sources.errors import SourceError
from catalog.sources.http import Deadline
from catalog.sources.nve_gts import Point, day_of
from kernels.snow.days import SnowWeather
from tiles.grid import NORWAY3KM, Cell

log = logging.getLogger("solflis.api")

_READERS = 4
# A cell has 400 kB since 1957, and 6 kB of a season.
_CACHE_BYTES = 4_000_000
_NONE_BYTES = 200
_VALUES = (*SnowWeather._fields, "altitude", "snow_column")
# The authority's forecast begins with the day that does.
_ISSUED = time(6)

FAILED = problem("snow.FAILED")
NO_CELL = problem("snow.NO_CELL")


class OnDemand:
    """Cells of one product on demand.

    Parameters
    ----------
    cells : SnowCells
    product : CellProduct
    authority : Upstream
        Cells that are kept wait for none of its questions.
    readers : ReaderPool
        Reads what is kept.
    """

    def __init__(self, cells: SnowCells, product: CellProduct, authority: Upstream, readers: ReaderPool) -> None:
        self._cells, self._product, self._authority, self._readers = cells, product, authority, readers

    def last_day(self) -> int:
        """Return the last day of a new answer, days since 1970-01-01."""
        return day_of(self._product.period(self._cells.day())[1])

    async def cells(self, points: Sequence[Point]) -> Fetched:
        """Return what there is of each cell; where the authority is left alone or fails, older answers.

        Parameters
        ----------
        points : sequence of (easting, northing)
        """
        found = await self._kept(points)
        missing = [point for point in points if point not in found]
        if not missing:
            return Fetched(found, None)
        fallback = len(await self._kept(missing, older=True)) == len(missing)
        try:
            fetched = await self._authority.ask(partial(self._fetch, missing), fallback=fallback)
        except SourceError as error:
            fetched = Fetched(await self._kept(missing, older=True), error)
        return Fetched(found | fetched.found, fetched.failed)

    async def _kept(self, points: Sequence[Point], *, older: bool = False) -> dict[Point, SnowCell | None]:
        return await self._readers.run(partial(self._cells.kept, self._product, points, older=older))

    def _fetch(self, points: Sequence[Point], deadline: Deadline) -> Fetched:
        fetched = self._cells.fetch(self._product, points, deadline)
        if fetched.failed is not None:
            log.warning("%s", fetched.failed)
            self._authority.failed(fetched.failed, deadline)
        return fetched


class Snow:
    """Reads the days of snow of cells of the 3 km grid.

    Parameters
    ----------
    published : Published
    cells : SnowCells
    authority : Upstream
    """

    def __init__(self, published: Published, cells: SnowCells, authority: Upstream) -> None:
        self._clock, self._readers = published.clock, ReaderPool(_READERS, "snow-reader")
        self._followed = {of: published.follow(of.product.name, OPENED_BY, open_snow) for of in (HISTORY, OUTLOOK)}
        self._on_demand = {of: OnDemand(cells, of, authority, self._readers) for of in self._followed}
        self._cache: Cache[Series | None] = Cache(_CACHE_BYTES, lambda series: series.nbytes if series else _NONE_BYTES)

    async def series(self, cell: Cell) -> Series:
        """Return the days of a cell from 1 September 1957 to the last 31 August.

        Where they cannot be fetched, those to the 31 August before answer, if they are kept: `Series.behind`.

        Raises
        ------
        ApiError
            `FAILED`, `NO_CELL`; `DAMAGED`: they are published, and cannot be read.
        """
        series = await self._published(HISTORY, cell) or await self._fetched(HISTORY, cell)
        is_behind = series.on_demand and int(series.days[-1]) < self._on_demand[HISTORY].last_day()
        return series.left_behind() if is_behind else series

    async def season(self, cell: Cell) -> Series:
        """Return the days of a cell from the last 1 September to nine days ahead; else as `series`."""
        return await self._published(OUTLOOK, cell) or await self._fetched(OUTLOOK, cell)

    def is_stale(self, season: Series) -> bool:
        """Return whether a season's forecast is older than it should be."""
        after = OUTLOOK.product.stale_after
        return after is not None and self._clock.now() - season.issued > after

    async def _published(self, of: CellProduct, cell: Cell) -> Series | None:
        version: CellVersion | None = current_of(self._followed[of], OPENED_BY, self._clock.now())
        if version is None:
            return None

        def read() -> Series | None:
            held = version.cell(cell, "snow_row", _VALUES)
            return None if held is None else series_of(held, cell, version.entry.issued_at)

        return await self._cache.get_or_make((version.name, cell), partial(self._readers.run, read))

    async def _fetched(self, of: CellProduct, cell: Cell) -> Series:
        """Return what is kept or fetched; not cached in memory, for the next question may find newer days."""
        centre = NORWAY3KM.middle(cell)
        fetched = await self._on_demand[of].cells([centre])
        if centre not in fetched.found:
            raise FAILED(headers=retry_after(fetched.failed)) from fetched.failed
        found = fetched.found[centre]
        if found is None:
            raise NO_CELL()
        return series_of(found, cell, datetime.combine(date_of(found.observed_until + 1), _ISSUED, UTC))
