"""`GET /api/snowsoiling/calc`: loss by snow by month; `GET /api/snow/outlook`: snow in the days ahead."""

import asyncio
import contextvars
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import orjson
from aiohttp import web

from api import texts
from api.answer_cache import AnswerCache
from api.body import JSON
from api.conditional import matches, respond
from api.crew import Crew
from api.engines import Engines
from api.horizons import Horizons
from api.press import Press
from api.pv.kept import Kept
from api.query import undeclared
from api.ready import Prepared
from api.routing import Route
from api.snow import failures
from api.snow.choice import Chosen, choose, read
from api.snow.current import running
from api.snow.losses import Snow
from api.snow.models import Outlook, Soiling
from api.snow.query import Format, OutlookQuery, PlaneQuery, SoilingQuery
from api.snow.series import Series
from api.tmy.cells import Found
from api.tmy.current import Climate
from api.tmy.file import CACHED, degrees, etag, of_place
from tiles.clock import Clock

if TYPE_CHECKING:
    from api.snow.calculation import Ground, Sunlit

TAG = "Snow on modules"
_PLACE = "lat=59.91&lon=10.75"
_MEDIA: dict[Format, str] = {"json": JSON, "csv": "text/csv; charset=utf-8"}
# Some, so that a store that hangs on one reading stops no other.
_READERS = 4
# A place takes about 0.7 MB.
_KEPT_BYTES = 6_000_000
_CACHE_BYTES = 32_000_000
_WEEK_S, _HOUR_S = 7 * 86_400.0, 3600.0

T = TypeVar("T")


class SnowHandlers:
    """Answers from what is published, and of cells that are not, from what the snow authority says.

    Parameters
    ----------
    climate : Climate
    horizons : Horizons
    snow : Snow
    soiling, outlook : AnswerCache
        What was answered; the workers of a machine share it.
    clock : Clock
    engines : Engines
    code_version : str
    """

    def __init__(
        self,
        climate: Climate,
        horizons: Horizons,
        snow: Snow,
        soiling: AnswerCache,
        outlook: AnswerCache,
        clock: Clock,
        engines: Engines,
        code_version: str,
    ) -> None:
        self._climate, self._horizons, self._snow = climate, horizons, snow
        self._soiling, self._outlook = soiling, outlook
        self._clock, self._engines, self._code_version = clock, engines, code_version
        self._readers = Crew(_READERS, "snow-light-reader")
        self._press = Press("snow", texts.SNOW_BUSY)
        self._places: Kept[Sunlit] = Kept(_KEPT_BYTES)
        self._of_months = {
            name: Prepared({"Content-Type": media, "Cache-Control": CACHED}) for name, media in _MEDIA.items()
        }
        self._of_days = Prepared({"Content-Type": JSON, "Cache-Control": f"public, max-age={_HOUR_S:.0f}"})

    async def months(self, request: web.Request, asked: SoilingQuery) -> web.StreamResponse:
        """Answer with months and year."""
        chosen = await self._choose(asked, self._snow.series)
        ignored = undeclared(SoilingQuery, request.rel_url)
        told = orjson.dumps([asked.lat, asked.lon, asked.inputs(), asked.format, ignored]).decode()
        tag = etag(chosen.found, self._code_version, ("snowsoiling", *chosen.versions, told))
        headers = {**of_place(chosen.found.place), "X-Data-Origin": chosen.origin}
        if asked.format == "csv":
            place = f"{degrees(asked.lat)}_{degrees(asked.lon)}"
            name = f"service_snowsoiling_{place}_{degrees(asked.angle)}deg.csv"
            headers["Content-Disposition"] = f"attachment; filename={name}"
        body = b""
        if not matches(request.headers.get("If-None-Match", ""), tag):
            make = partial(_months, asked=asked, ignored=ignored, chosen=chosen)
            body, headers[failures.SOILING_CACHE] = await self._answer(self._soiling, tag, chosen, make)
        return respond(request, body, tag, self._of_months[asked.format], headers)

    async def days(self, request: web.Request, asked: OutlookQuery) -> web.StreamResponse:
        """Answer with the days ahead."""
        chosen = await self._choose(asked, self._snow.season)
        ignored = undeclared(OutlookQuery, request.rel_url)
        now = self._clock.now()
        today, stale = running(now), self._snow.stale(chosen.series, now)
        told = orjson.dumps([asked.lat, asked.lon, asked.system(), asked.days, today, stale, ignored]).decode()
        tag = etag(chosen.found, self._code_version, ("outlook", *chosen.versions, told))
        headers = {**of_place(chosen.found.place), "X-Data-Origin": chosen.origin}
        body = b""
        if not matches(request.headers.get("If-None-Match", ""), tag):
            make = partial(_days, asked=asked, ignored=ignored, chosen=chosen, today=today, stale=stale)
            body, headers[failures.OUTLOOK_CACHE] = await self._answer(self._outlook, tag, chosen, make)
        return respond(request, body, tag, self._of_days, headers)

    async def _choose(self, asked: PlaneQuery, snow: Callable[[Found], Awaitable[Series]]) -> Chosen:
        return await choose(self._climate, self._horizons, snow, asked, self._clock.now(), self._reading)

    async def _answer(
        self, cache: AnswerCache, tag: str, chosen: Chosen, make: Callable[["Sunlit"], bytes]
    ) -> tuple[bytes, str]:
        """Return an answer's bytes, and whether somebody had made them."""
        key = tag.encode()
        with self._press.place():
            if (known := await asyncio.to_thread(cache.get, key)) is not None:
                return known, "HIT"
            await self._engines.ready()
            place = await self._places.get(chosen.place, partial(self._place, chosen))
            return await self._press.run(partial(_kept, cache, key, partial(make, place))), "MISS"

    async def _place(self, chosen: Chosen) -> "Sunlit":
        ground = await self._reading(partial(read, chosen))
        return await self._press.run(partial(_ready, ground))

    async def _reading(self, work: Callable[[], T]) -> T:
        return await self._readers.run(partial(contextvars.copy_context().run, work))


def _kept(cache: AnswerCache, key: bytes, make: Callable[[], bytes]) -> bytes:
    """Make an answer and keep it: in the same thread, for to look through what is kept would hold up others."""
    body = make()
    cache.put(key, body)
    return body


def _ready(ground: "Ground") -> "Sunlit":
    from api.snow.calculation import prepare  # see api/engines.py

    return prepare(ground)


def _months(place: "Sunlit", asked: SoilingQuery, ignored: tuple[str, ...], chosen: Chosen) -> bytes:
    from api.snow import answer, table  # see api/engines.py
    from api.snow.calculation import soiling

    body = answer.soiling(asked, ignored, chosen, soiling(place, chosen.series, asked, chosen.lon))
    return orjson.dumps(body) if asked.format == "json" else table.write(body)


def _days(
    place: "Sunlit", asked: OutlookQuery, ignored: tuple[str, ...], chosen: Chosen, today: int, stale: bool
) -> bytes:
    from api.snow import outlook  # see api/engines.py
    from api.snow.calculation import season

    cover = season(place, chosen.series, asked, chosen.lon)
    return orjson.dumps(outlook.body(asked, ignored, chosen, cover, today, stale=stale))


def caches(state: Path) -> tuple[AnswerCache, AnswerCache]:
    """Return where answers of months and of days are kept: for 7 days and for an hour.

    Parameters
    ----------
    state : Path
        Folder that the workers of this machine share.
    """
    return (
        AnswerCache(state / "snowsoil", _CACHE_BYTES, _WEEK_S),
        AnswerCache(state / "snow_outlook", _CACHE_BYTES, _HOUR_S),
    )


def routes(handlers: SnowHandlers) -> tuple[Route, ...]:
    """Return the declarations of this group."""
    return (
        Route(
            "GET",
            "/api/snowsoiling/calc",
            handlers.months,
            tag=TAG,
            summary="Loss by snow and soiling on a plane, month by month, over the years since `start`",
            description=(
                "By a daily model on the snow authority's series since 1957, with the irradiation on the plane in the "
                "typical year of the nearest cell of 3 km that holds land, within 6 km, and the terrain's horizon at "
                "the position. No key, no quota. Monthly production x (1 - loss_pct_incl_soiling / 100). A cell whose "
                "snow is not published is fetched from the authority, which can take some seconds, and kept 30 days."
            ),
            query=SoilingQuery,
            response=Soiling,
            other_media=("text/csv",),
            conditional=True,
            headers=failures.SOILING_HEADERS,
            errors=failures.SOILING,
            examples=(
                f"/api/snowsoiling/calc?{_PLACE}",
                f"/api/snowsoiling/calc?{_PLACE}&angle=10&mounting=flat&lossmode=strings&start=2001",
                f"/api/snowsoiling/calc?{_PLACE}&format=csv",
            ),
        ),
        Route(
            "GET",
            "/api/snow/outlook",
            handlers.days,
            tag=TAG,
            summary="Snow on a plane today and in the days ahead",
            description=(
                "The same model from the last 1 September on, with the snow authority's forecast of nine days. A date "
                "names the day that runs from 06 UTC of that date to 06 UTC of the next. No key, no quota, no "
                "production. A cell that is not published is fetched from the authority once a day."
            ),
            query=OutlookQuery,
            response=Outlook,
            conditional=True,
            headers=failures.OUTLOOK_HEADERS,
            errors=failures.OUTLOOK,
            examples=(
                f"/api/snow/outlook?{_PLACE}",
                f"/api/snow/outlook?{_PLACE}&angle=45&mounting=rack&burial_mm=1500&days=3",
            ),
        ),
    )
