"""The snow of a cell, and what it costs a plane by month: `/api/snowsoiling/calc` and `/api/pv/calc` ask here."""

import contextvars
from collections.abc import Callable
from datetime import date, datetime
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from api import texts
from api.crew import Crew
from api.errors import BadGateway
from api.published import Followed
from api.pv.kept import Kept
from api.snow.current import OPENED_BY, QUANTITIES, Version, number_of
from api.snow.series import Series, centre_of, from_source, from_tile
from api.tmy.cells import Found
from api.upstream import Upstream, retry_after
from catalog.snow_cells import SnowCells
from catalog.sources.errors import SourceError
from catalog.sources.http import Deadline
from catalog.sources.nve_gts import NoCell, Point, SnowData
from tiles.clock import Clock
from tiles.grid import Cell

if TYPE_CHECKING:
    from kernels.snow.cover import SnowWeather
    from kernels.snow.months import Months
    from kernels.snow.panel import Panel

_READERS = 4
# A cell has 400 kB since 1957, and 6 kB of a season.
_KEPT_BYTES = 4_000_000


class Snow:
    """The days of snow of cells: what is published, else what the authority says when it is asked for one cell.

    Parameters
    ----------
    history, outlook : Followed
        The products.
    cells : SnowCells
        Asks for one cell, and keeps it.
    authority : Upstream
        Cells that are published or kept wait for none of its questions.
    clock : Clock
    """

    def __init__(
        self, history: Followed, outlook: Followed, cells: SnowCells, authority: Upstream, clock: Clock
    ) -> None:
        self._history, self._outlook, self._cells = history, outlook, cells
        self._authority, self._clock = authority, clock
        self._readers = Crew(_READERS, "snow-reader")
        self._kept: Kept[Series] = Kept(_KEPT_BYTES)

    async def series(self, found: Found) -> Series:
        """Return the days of a cell from 1 September 1957 to the last 31 August.

        Where they cannot be fetched, those to the 31 August before answer, if they are kept: `Series.behind`.

        Raises
        ------
        BadGateway
            They are not published for the cell, and the authority cannot be asked, or has none.
        Unavailable
            They are published, and cannot be read.
        """
        cell, now = found.place.cell, self._clock.now()
        if (published := await self._published(self._history, cell, now)) is not None:
            return published
        try:
            return await self._kept.get((cell, self._cells.day()), partial(self._history_of, cell))
        except _Behind as behind:
            return behind.series

    async def season(self, found: Found) -> Series:
        """Return the days of a cell from the last 1 September to nine days ahead; else as `series`."""
        cell, now = found.place.cell, self._clock.now()
        if (published := await self._published(self._outlook, cell, now)) is not None:
            return published
        # not kept here: where the authority fails it is an older one, until it answers again
        return await self._outlook_of(cell)

    def stale(self, series: Series, now: datetime) -> bool:
        """Return whether a season's forecast is older than it should be."""
        after = self._outlook.product.stale_after
        return after is not None and now - series.issued > after

    async def _published(self, followed: Followed, cell: Cell, now: datetime) -> Series | None:
        serving = followed.current(OPENED_BY, now)
        if serving is None:
            return None
        version = serving.prepared
        try:
            return await self._kept.get((version.name, cell), partial(self._read, partial(_built, version, cell)))
        except _NotBuilt:
            return None

    async def _read(self, work: Callable[[], Series]) -> Series:
        return await self._readers.run(partial(contextvars.copy_context().run, work))

    async def _history_of(self, cell: Cell) -> Series:
        """Return what is kept of the authority's answers, or ask it: who has an answer waits for nobody.

        Raises
        ------
        _Behind
            The newest year is neither kept nor to be had now: what is raised is not kept in memory.
        """
        newest = number_of(self._cells.last_summer())
        if kept := await self._from_disk(partial(self._cells.kept_history, centre_of(cell)), cell):
            return kept
        try:
            series = await self._ask(self._cells.history, cell, texts.SNOW_FAILED)
        except BadGateway as error:
            older = await self._from_disk(partial(self._cells.kept_history, centre_of(cell), older=True), cell)
            if older is None or isinstance(error.__cause__, NoCell):
                raise
            series = older
        if int(series.days[-1]) < newest:
            raise _Behind(series.left_behind())
        return series

    async def _outlook_of(self, cell: Cell) -> Series:
        """As `_history_of`; one of the last days is better than none."""
        kept = await self._from_disk(partial(self._cells.kept_outlook, centre_of(cell)), cell)
        try:
            return kept or await self._ask(self._cells.outlook, cell, texts.SNOW_FORECAST_FAILED)
        except BadGateway:
            older = await self._from_disk(partial(self._cells.kept_outlook, centre_of(cell), older=True), cell)
            if older is None:
                raise
            return older

    async def _from_disk(self, look: Callable[[], SnowData | None], cell: Cell) -> Series | None:
        data = await self._readers.run(look)
        return None if data is None else from_source(data, cell)

    async def _ask(self, ask: Callable[[Point, Deadline], SnowData], cell: Cell, failed: str) -> Series:
        """Ask the authority, unless it is to be spared now."""
        centre = centre_of(cell)
        try:
            return await self._authority.ask(lambda deadline: from_source(ask(centre, deadline), cell))
        except NoCell as error:
            raise BadGateway(texts.SNOW_NO_CELL) from error
        except SourceError as error:
            raise BadGateway(failed, retry_after(error)) from error


class _Behind(Exception):
    """A series lacks the newest year."""

    def __init__(self, series: Series) -> None:
        super().__init__()
        self.series = series


class _NotBuilt(Exception):
    """The version does not hold the cell."""


def _built(version: Version, cell: Cell) -> Series:
    series = from_tile(version, cell)
    if series is None:
        raise _NotBuilt
    return series


def losses(
    light: NDArray[np.float64], series: Series, panel: "Panel", lon: float, first_year: int, soiling_pct: float
) -> "Months":
    """Return what snow and soiling cost a plane by month; pure, for a press' thread.

    Parameters
    ----------
    light : float64 (12, 24)
        Mean irradiance on the plane by month and hour of the day in UTC, W/m2 (`kernels.pv.mean_days.mean_days`).
    series : Series
    panel : Panel
        How the modules stand.
    lon : float
        Degrees east.
    first_year : int
        Calendar years from this one on count; the model begins on the 1 September before.
    soiling_pct : float
        What soiling takes in months without snow, %.
    """
    from kernels.snow.cover import cover
    from kernels.snow.months import monthly

    counted = series.since(first_season(first_year))
    covered = cover(counted.days, weather_of(counted), light, panel, lon)
    return monthly(counted.days, covered, light, first_year, soiling_pct)


def first_season(first_year: int) -> int:
    """Return the 1 September before a year, days since 1970-01-01: from then on no snow lies that is not known."""
    return number_of(date(first_year - 1, 9, 1))


def weather_of(series: Series) -> "SnowWeather":
    """Return a series as the model takes it."""
    from kernels.snow.cover import SnowWeather

    return SnowWeather(**{name: series.values[name].astype(np.float64) for name in QUANTITIES})
