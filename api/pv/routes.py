"""`GET /api/pv/calc`: production of a described plant on the typical year."""

import contextvars
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import orjson
from aiohttp import web

from api import texts
from api.body import JSON
from api.conditional import matches, respond
from api.crew import Crew
from api.engines import Engines
from api.horizons import Horizons
from api.pictures.pictures import Pictures
from api.press import Press
from api.published import Followed
from api.pv import failures, table
from api.pv.choice import Chosen, choose, read
from api.pv.ground import ground_of
from api.pv.kept import Kept
from api.pv.models import Production
from api.pv.query import Asked, Format, PvQuery, understood
from api.pv.snow import series_of
from api.query import undeclared
from api.ready import Prepared
from api.routing import Route
from api.snow.losses import Snow
from api.snow.series import Series
from api.tmy.choice import ENSEMBLE
from api.tmy.current import Climate
from api.tmy.file import CACHED, PRODUCT, File, degrees, etag, of_place
from tiles.clock import Clock

if TYPE_CHECKING:
    from api.pv.calculation import Cell, Year

TAG = "PV production"
PICTURE = "api.pv.picture"
MEDIA: dict[Format, str] = {"json": JSON, "csv": "text/csv; charset=utf-8", "png": "image/png"}
_EXAMPLE = "/api/pv/calc?lat=59.91&lon=10.75"

# Some, so that a store that hangs on one reading stops no other.
_READERS = 4
# A cell takes about 2 MB with its five years: about 12 of them.
_KEPT_BYTES = 24_000_000

T = TypeVar("T")


class PvHandlers:
    """Answers from what is published.

    Parameters
    ----------
    climate : Climate
    horizons : Horizons
    snow : Snow
    albedo : Followed
        The product.
    pictures : Pictures
    clock : Clock
    engines : Engines
    code_version : str
    """

    def __init__(
        self,
        climate: Climate,
        horizons: Horizons,
        snow: Snow,
        albedo: Followed,
        pictures: Pictures,
        clock: Clock,
        engines: Engines,
        code_version: str,
    ) -> None:
        self._climate, self._horizons, self._snow, self._pictures = climate, horizons, snow, pictures
        self._albedo = albedo
        self._clock, self._engines, self._code_version = clock, engines, code_version
        self._readers = Crew(_READERS, "pv-reader")
        self._press = Press("pv", texts.PV_BUSY)
        self._cells: Kept[Cell] = Kept(_KEPT_BYTES)
        self._prepared = {
            name: Prepared({"Content-Type": media, "Cache-Control": CACHED}) for name, media in MEDIA.items()
        }

    async def calc(self, request: web.Request, query: PvQuery) -> web.StreamResponse:
        """Answer with months and year."""
        asked = understood(query, undeclared(PvQuery, request.rel_url))
        snow = await self._snow_of(asked)  # before the line: the snow authority may take long, and others do not wait
        with self._press.place():
            file = await self._file(request, asked, snow)
        return respond(request, file.body, file.etag, self._prepared[asked.format], file.headers)

    async def _snow_of(self, asked: Asked) -> Series | None:
        if not asked.snowloss:
            return None
        found, _ = await self._reading(partial(choose, self._climate, asked, self._clock.now()))
        return await series_of(self._snow, found)

    async def _file(self, request: web.Request, asked: Asked, snow: Series | None) -> File:
        chosen = replace(await self._choose(asked), snow=snow)
        tag = etag(chosen.found, self._code_version, _what(asked, chosen))
        headers = _headers(asked, chosen)
        if matches(request.headers.get("If-None-Match", ""), tag):
            return File(b"", tag, headers)
        await self._engines.ready()
        cell = await self._cells.get(chosen.key, partial(self._cell, chosen))
        made = await self._press.run(partial(_made, cell, asked, chosen))
        body = made if isinstance(made, bytes) else await self._pictures.draw(PICTURE, made)
        return File(body, tag, headers)

    async def _choose(self, asked: Asked) -> Chosen:
        found, version = await self._reading(partial(choose, self._climate, asked, self._clock.now()))
        now, cell = self._clock.now(), found.place.cell
        ground = await self._reading(partial(ground_of, self._albedo, asked.albedo, cell, now))
        if not asked.horizon:
            return Chosen(found, version, None, None, ground=ground)
        horizons = self._horizons.version()
        horizon = await self._horizons.at(asked.lat, asked.lon, texts.PV_NO_HORIZON)
        return Chosen(found, version, horizon, horizons, ground=ground)

    async def _cell(self, chosen: Chosen) -> "Cell":
        year = await self._reading(partial(read, chosen))
        return await self._press.run(partial(_ready, year))

    async def _reading(self, work: Callable[[], T]) -> T:
        return await self._readers.run(partial(contextvars.copy_context().run, work))


def _what(asked: Asked, chosen: Chosen) -> tuple[str, ...]:
    """Return what an answer depends on beside the code and the cell's statistics."""
    horizons = chosen.horizon.entry.path if chosen.horizon is not None else chosen.horizons
    snow = () if chosen.snow is None else (chosen.snow.version,)
    told = orjson.dumps([asked.inputs(), asked.assumed_snowmounting, asked.ignored]).decode()
    return "pv", chosen.version.name, str(horizons), chosen.ground.told, *snow, told


def _headers(asked: Asked, chosen: Chosen) -> dict[str, str]:
    headers = {**of_place(chosen.found.place), PRODUCT: ENSEMBLE, "X-Data-Origin": chosen.origin}
    if asked.format != "json":
        kind = "attachment" if asked.format == "csv" else "inline"
        name = f"service_pv_{degrees(asked.lat)}_{degrees(asked.lon)}.{asked.format}"
        headers["Content-Disposition"] = f"{kind}; filename={name}"
    return headers


def _ready(year: "Year") -> "Cell":
    from api.pv.calculation import prepare  # see api/engines.py

    return prepare(year)


def _made(cell: "Cell", asked: Asked, chosen: Chosen) -> bytes | dict[str, Any]:
    """Return an answer's bytes, or what its picture shows."""
    from api.pv import answer  # see api/engines.py
    from api.pv.calculation import calculate

    result = calculate(cell, asked, chosen.snow, chosen.lon)
    body = answer.body(asked, chosen, result)
    if asked.format == "png":
        return answer.for_picture(body, result)
    return orjson.dumps(body) if asked.format == "json" else table.write(body)


def routes(
    climate: Climate,
    horizons: Horizons,
    snow: Snow,
    albedo: Followed,
    pictures: Pictures,
    clock: Clock,
    engines: Engines,
    code_version: str,
) -> tuple[Route, ...]:
    """Return the declarations of this group."""
    handlers = PvHandlers(climate, horizons, snow, albedo, pictures, clock, engines, code_version)
    return (
        Route(
            "GET",
            "/api/pv/calc",
            handlers.calc,
            tag=TAG,
            summary="Annual and monthly production of a plant on the typical year",
            description=(
                "On the typical year of the nearest cell of 3 km that holds land, within 6 km, with the terrain's "
                "horizon at the position. No key, no quota, no hourly values. Irradiation on the planes is with the "
                "horizon's shade; of several surfaces it is the mean weighted by kWp. A limit (`maxpower`) is held "
                "against hourly means, which hide shorter peaks: `warnings` says how much more it would take at most. "
                "`format=csv` is one table: months, the year with all that JSON says beside, surfaces; `png` a chart "
                "of the months."
            ),
            query=PvQuery,
            response=Production,
            other_media=tuple(media.partition(";")[0] for media in MEDIA.values() if media != JSON),
            conditional=True,
            headers=failures.HEADERS,
            errors=failures.ERRORS,
            examples=(
                _EXAMPLE,
                f"{_EXAMPLE}&arrays=5:35:-90,3:20:90&maxpower=6&confidence=p90",
                f"{_EXAMPLE}&peakpower=8&optimize=both&horizon=0",
                f"{_EXAMPLE}&peakpower=8&format=csv",
                f"{_EXAMPLE}&peakpower=8&snowloss=1&snowmounting=roof",
            ),
        ),
    )
