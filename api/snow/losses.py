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
from api.snow.on_demand import OnDemand
from api.snow.series import Series, centre_of, from_cell, from_tile
from api.tmy.cells import Found
from api.upstream import Upstream, retry_after
from catalog.snow_cells import SnowCells
from catalog.snow_products import HISTORY, OUTLOOK
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
    authority : Upstream
    clock : Clock
    """

    def __init__(
        self, history: Followed, outlook: Followed, cells: SnowCells, authority: Upstream, clock: Clock
    ) -> None:
        self._history, self._outlook, self._clock = history, outlook, clock
        self._readers = Crew(_READERS, "snow-reader")
        self._histories = OnDemand(cells, HISTORY, authority, self._readers)
        self._outlooks = OnDemand(cells, OUTLOOK, authority, self._readers)
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
        cell, newest = found.place.cell, self._histories.last_day()
        if (published := await self._published(self._history, cell)) is not None:
            return published
        series = await self._on_demand(self._histories, cell, texts.SNOW_FAILED)
        return series.left_behind() if int(series.days[-1]) < newest else series

    async def season(self, found: Found) -> Series:
        """Return the days of a cell from the last 1 September to nine days ahead; else as `series`."""
        cell = found.place.cell
        published = await self._published(self._outlook, cell)
        return published or await self._on_demand(self._outlooks, cell, texts.SNOW_FORECAST_FAILED)

    def stale(self, series: Series, now: datetime) -> bool:
        """Return whether a season's forecast is older than it should be."""
        after = self._outlook.product.stale_after
        return after is not None and now - series.issued > after

    async def _published(self, followed: Followed, cell: Cell) -> Series | None:
        serving = followed.current(OPENED_BY, self._clock.now())
        if serving is None:
            return None
        version = serving.prepared
        try:
            return await self._kept.get((version.name, cell), partial(self._read, partial(_built, version, cell)))
        except _NotBuilt:
            return None

    async def _read(self, work: Callable[[], Series]) -> Series:
        return await self._readers.run(partial(contextvars.copy_context().run, work))

    async def _on_demand(self, on_demand: OnDemand, cell: Cell, failed: str) -> Series:
        """Return what is kept or fetched; not kept in memory, for it may be older than what can be fetched next."""
        centre = centre_of(cell)
        fetched = await on_demand.cells([centre])
        if centre not in fetched.found:
            raise BadGateway(failed, retry_after(fetched.failed)) from fetched.failed
        held = fetched.found[centre]
        if held is None:
            raise BadGateway(texts.SNOW_NO_CELL)
        return from_cell(held, cell)


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
