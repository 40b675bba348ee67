"""Selecting what answers a question about snow on modules, and calculating it."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from aiohttp import web

from api.core.cache import Cache, FileCache
from api.core.executors import CpuExecutor
from api.core.pipeline import DAY_S, Pipeline, Selection, origin_of
from api.core.printing import degrees
from api.core.query import variant
from api.core.resources import Resources
from api.core.tables import Table, table_formats, table_of
from api.data.location import Location
from api.data.snow.series import Series, date_of
from api.data.typical_year import headers_of
from api.snow.schemas import OutlookQuery, PlaneQuery, SoilingQuery
from kernels.snow.days import day_at

if TYPE_CHECKING:
    from kernels.pv.light import Light
    from kernels.pv.site import Site

SOILING_CACHE, OUTLOOK_CACHE = "X-Snowsoil-Cache", "X-Snow-Outlook-Cache"
HOUR_S = 3600
_WEEK_S = 7 * DAY_S
_FILES_BYTES = 32_000_000
# The light of a place takes 0.3 MB.
_CACHE_BYTES = 3_000_000


class SnowService:
    """Answers of months and of the days ahead."""

    def __init__(self, resources: Resources) -> None:
        machinery = resources.machinery
        self._locations, self._snow, self._clock = resources.locations, resources.snow, resources.clock
        self._cpu: CpuExecutor = machinery.cpu
        self._lights: Cache[Light] = Cache(_CACHE_BYTES)
        months = FileCache(machinery.state / "snowsoil", _FILES_BYTES, _WEEK_S)
        days = FileCache(machinery.state / "snow_outlook", _FILES_BYTES, HOUR_S)
        resources.trims += (months.trim, days.trim)
        self.months_pipeline = Pipeline(machinery, table_formats(_months_table), shared=(months, SOILING_CACHE))
        self.days_pipeline = Pipeline(machinery, table_formats(_days_table), None, HOUR_S, (days, OUTLOOK_CACHE))

    async def months(self, request: web.BaseRequest, query: SoilingQuery) -> web.StreamResponse:
        """Loss by snow and soiling on a plane, month by month, over the years since `start`.

        By a daily model on the snow authority's series since 1957, with the irradiation on the plane in the typical
        year of the nearest cell of 3 km that holds land, within 6 km, and the terrain's horizon at the position. No
        key, no quota. Monthly production x (1 - loss_pct_incl_soiling / 100). A cell whose snow is not published is
        fetched from the authority, which can take some seconds, and kept 30 days.
        """
        location = await self._locations.find(query.lat, query.lon)
        series = await self._snow.series(location.found.place.cell)
        name = f"service_snowsoiling_{degrees(query.lat)}_{degrees(query.lon)}_{degrees(query.angle)}deg"
        name += variant(query, "lat", "lon", "angle", "format")
        selection = self._selection(query, location, series, name)
        return await self.months_pipeline.answer(request, query.format, selection)

    async def days(self, request: web.BaseRequest, query: OutlookQuery) -> web.StreamResponse:
        """Snow on a plane today and in the days ahead.

        The same model from the last 1 September on, with the snow authority's forecast of nine days. A date names the
        day that runs from 06 UTC of that date to 06 UTC of the next. No key, no quota, no production. A cell that is
        not published is fetched from the authority once a day.
        """
        location = await self._locations.find(query.lat, query.lon)
        series = await self._snow.season(location.found.place.cell)
        today, stale = day_at(int(self._clock.now().timestamp())), self._snow.is_stale(series)
        name = f"service_snow_outlook_{degrees(query.lat)}_{degrees(query.lon)}_{date_of(today)}"
        name += variant(query, "lat", "lon", "format")
        selection = self._selection(query, location, series, name, today, stale)
        return await self.days_pipeline.answer(request, query.format, selection)

    def _selection(
        self, query: PlaneQuery, location: Location, series: Series, file_name: str, *moment: int
    ) -> Selection:
        """Return the selection; `moment` is the day that runs, and whether the data are stale, where they matter."""

        async def read() -> Callable[[], dict[str, Any]]:
            site = await self._locations.year(location)
            light = await self._lights.get_or_make(location.versions, partial(self._cpu.run, partial(_light, site)))
            return partial(_answer, query, location, series, site, light, *moment)

        versions = (*location.versions, series.version, *moment)
        origin = origin_of(location.data_origin, series.data_origin)
        return Selection(versions, origin, read, query, headers_of(location.found), file_name)


def _answer(query: PlaneQuery, *inputs: Any) -> dict[str, Any]:
    from api.snow import answer  # see api/core/engines.py

    body: Callable[..., dict[str, Any]] = answer.days if isinstance(query, OutlookQuery) else answer.months
    return body(query, *inputs)


def _light(site: "Site") -> "Light":
    from kernels.pv.light import light_of  # see api/core/engines.py

    return light_of(site)


def _months_table(answer: Mapping[str, Any]) -> Table:
    """Return the months and the year."""
    rows = [{"scope": "month", **month} for month in answer["monthly"]]
    return table_of(answer, [*rows, {"scope": "year", **answer["annual"]}], "inputs", "method")


def _days_table(answer: Mapping[str, Any]) -> Table:
    """Return the days."""
    return table_of(answer, answer["days"], "query", "system", "summary", "method")
