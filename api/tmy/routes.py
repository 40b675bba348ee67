"""`GET /api/tmy`, `/api/tmy/stats`, `/api/tmy/sources`, and `POST /api/tmy/lead`."""

import contextvars
from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple, TypeVar

import orjson
from aiohttp import web

from api import texts
from api.access.required import Access
from api.body import JSON, Body
from api.conditional import matches, respond
from api.crew import Crew
from api.engines import Engines
from api.gate import Gate
from api.press import Press
from api.ready import Prepared
from api.routing import Route
from api.tmy import failures, summary
from api.tmy.cells import Found, find, origin, require_product, typical_year
from api.tmy.choice import ProductName, choose
from api.tmy.current import Climate, Version
from api.tmy.file import CACHED, PRODUCT, File, disposition, etag, of_place
from api.tmy.formats.registry import FORMATS
from api.tmy.lead_models import Lead, LeadStored
from api.tmy.leads import Leads
from api.tmy.licence import Licence
from api.tmy.models import PointQuery, Sources, Stats, Tmy, TmyQuery, formats_told
from api.tmy.year import TypicalYear
from tiles.clock import Clock

TAG = "TMY"
LEADS = ("200/day",)
_ACCESS = Access(keyed=True, meter="tmy")
_EXAMPLE = "lat=59.91&lon=10.75"

# Some, so that a store that hangs on one reading stops no other.
_READERS = 4

T = TypeVar("T")
Summary = Callable[[Found, PointQuery, datetime], tuple[dict[str, Any], tuple[Version, ...]]]


class Chosen(NamedTuple):
    """What a file is made of.

    Parameters
    ----------
    etag : str
    headers : dict
    year : callable
        Reads its hours.
    """

    etag: str
    headers: dict[str, str]
    year: Callable[[], TypicalYear]


class TmyHandlers:
    """Answers from what is published.

    Parameters
    ----------
    climate : Climate
    licence : Licence
    clock : Clock
    engines : Engines
    gate : Gate
    code_version : str
    """

    def __init__(
        self, climate: Climate, licence: Licence, clock: Clock, engines: Engines, gate: Gate, code_version: str
    ) -> None:
        self._climate, self._licence, self._clock = climate, licence, clock
        self._engines, self._gate, self._code_version = engines, gate, code_version
        self._press = Press("tmy", texts.TMY_BUSY)
        self._readers = Crew(_READERS, "tmy-reader")
        self._prepared = {
            media: Prepared({"Content-Type": media, "Cache-Control": CACHED})
            for media in {JSON, *(declared.media_type for declared in FORMATS.values())}
        }

    async def year(self, request: web.Request, asked: TmyQuery) -> web.StreamResponse:
        """Answer with a file."""
        product = choose(asked.product, asked.source, asked.period)
        with self._press.place():
            file = await self._file(request, asked, product)
        return await self._respond(request, asked, file, FORMATS[asked.format].media_type)

    async def _file(self, request: web.Request, asked: TmyQuery, product: ProductName) -> File:
        now = self._clock.now()
        known = request.headers.get("If-None-Match", "")
        chosen = await self._reading(partial(self._choose, asked, product, now))
        body = b""
        if not matches(known, chosen.etag):
            await self._engines.ready()
            year = await self._reading(chosen.year)
            body = await self._press.run(partial(FORMATS[asked.format].write, year))
        return File(body, chosen.etag, chosen.headers)

    async def _reading(self, read: Callable[[], T]) -> T:
        """Read in a thread; few do so at once, or the event loop would wait for the interpreter among them."""
        return await self._readers.run(partial(contextvars.copy_context().run, read))

    def _choose(self, asked: TmyQuery, product: ProductName, now: datetime) -> Chosen:
        found = find(self._climate, asked.lat, asked.lon, now)
        require_product(found.known, product, asked.confidence)
        version = self._climate.beside(found.stats, product, now)
        licence = self._licence.headers(now)
        what = (version.name, product, asked.format, asked.confidence, asked.tz, *licence.values())
        declared = FORMATS[asked.format]
        headers = {
            **of_place(found.place),
            PRODUCT: product,
            "X-Data-Origin": origin(version, found.stats),
            "Content-Disposition": disposition(declared, asked.lat, asked.lon, product, asked.confidence),
            **licence,
        }
        year = partial(typical_year, found, version, product, asked.confidence, asked.tz, self._licence, now)
        return Chosen(etag(found, self._code_version, what), headers, year)

    async def stats(self, request: web.Request, asked: PointQuery) -> web.StreamResponse:
        """Answer with what is known of a cell."""
        return await self._summarise(request, asked, self._stats)

    def _stats(self, found: Found, asked: PointQuery, _: datetime) -> tuple[dict[str, Any], tuple[Version, ...]]:
        return summary.stats(found, asked.lat, asked.lon), (found.stats,)

    async def sources(self, request: web.Request, asked: PointQuery) -> web.StreamResponse:
        """Answer with where a cell's typical years come from."""
        return await self._summarise(request, asked, self._sources)

    def _sources(self, found: Found, _: PointQuery, now: datetime) -> tuple[dict[str, Any], tuple[Version, ...]]:
        versions = {name: self._climate.beside(found.stats, name, now) for name in found.known.products}
        return summary.sources(found, versions), (found.stats, *versions.values())

    async def _summarise(self, request: web.Request, asked: PointQuery, summarise: Summary) -> web.StreamResponse:
        def made() -> File:
            now = self._clock.now()
            found = find(self._climate, asked.lat, asked.lon, now)
            body, versions = summarise(found, asked, now)
            licence = self._licence.headers(now)
            names = (version.name for version in versions)
            tag = etag(found, self._code_version, (f"{asked.lat}, {asked.lon}", *names, *licence.values()))
            headers = {**of_place(found.place), "X-Data-Origin": origin(*versions), **licence}
            return File(orjson.dumps(body), tag, headers)

        return await self._respond(request, asked, await self._reading(made), JSON)

    async def _respond(self, request: web.Request, asked: PointQuery, file: File, media: str) -> web.StreamResponse:
        await self._gate.charge(request, ((asked.lat, asked.lon),))
        return respond(request, file.body, file.etag, self._prepared[media], file.headers)


def lead_handler(leads: Leads, licence: Licence, clock: Clock) -> Callable[[web.Request, Any], Awaitable[web.Response]]:
    """Return what stores a lead and answers with its number."""

    async def store(_: web.Request, asked: Lead) -> web.Response:
        stored = LeadStored(id=await leads.store(asked), license_version=leads.license_version)
        headers = {"Content-Type": JSON, "Cache-Control": "no-store", **licence.headers(clock.now())}
        return web.Response(body=orjson.dumps(stored.model_dump()), headers=headers)

    return store


def routes(
    climate: Climate, leads: Leads, licence: Licence, clock: Clock, engines: Engines, gate: Gate, code_version: str
) -> tuple[Route, ...]:
    """Return the declarations of this group."""
    handlers = TmyHandlers(climate, licence, clock, engines, gate, code_version)

    def of_errors() -> dict[str, str]:
        return licence.headers(clock.now())

    return (
        Route(
            "GET",
            "/api/tmy",
            handlers.year,
            tag=TAG,
            summary="A typical meteorological year of 8760 hours, as a file",
            description=(
                "Of the nearest cell of 3 km that holds land, within 6 km. `period=18` is of `source=reanalysis` only; "
                "a `product` beside a source or period that it is not of is refused. Past the licence's last day every "
                f"answer says so. Formats: {formats_told()}"
            ),
            query=TmyQuery,
            response=Tmy,
            other_media=tuple(dict.fromkeys(one.media_type for one in FORMATS.values() if one.media_type != JSON)),
            conditional=True,
            access=_ACCESS,
            headers=failures.FILE_HEADERS,
            error_headers=of_errors,
            errors=(*failures.PLACE, *failures.CHOICE),
            examples=(f"/api/tmy?{_EXAMPLE}", f"/api/tmy?{_EXAMPLE}&format=json&confidence=p90"),
        ),
        Route(
            "GET",
            "/api/tmy/stats",
            handlers.stats,
            tag=TAG,
            summary="Annual and monthly sums, percentiles and selected years of a cell",
            query=PointQuery,
            response=Stats,
            conditional=True,
            access=_ACCESS,
            headers=failures.HEADERS,
            error_headers=of_errors,
            errors=failures.PLACE,
            examples=(f"/api/tmy/stats?{_EXAMPLE}",),
        ),
        Route(
            "GET",
            "/api/tmy/sources",
            handlers.sources,
            tag=TAG,
            summary="What a cell's typical years are made of",
            query=PointQuery,
            response=Sources,
            conditional=True,
            access=_ACCESS,
            headers=failures.HEADERS,
            error_headers=of_errors,
            errors=failures.PLACE,
            examples=(f"/api/tmy/sources?{_EXAMPLE}",),
        ),
        Route(
            "POST",
            "/api/tmy/lead",
            lead_handler(leads, licence, clock),
            tag=TAG,
            summary="The download form: who downloads, and for what site",
            description="What is sent is stored, for the operator to read.",
            body=Body(
                Lead,
                {
                    "company": "Sol AS",
                    "name": "Kari Nordmann",
                    "email": "kari@example.com",
                    "lat": 59.91,
                    "lon": 10.75,
                    "license_accepted": True,
                },
                max_bytes=10_000,
            ),
            response=LeadStored,
            rates=LEADS,
            headers=(failures.LICENCE,),
            error_headers=of_errors,
            errors=(failures.NO_LEADS,),
        ),
    )
