"""`POST /api/horizon/rooftop`: what buildings, trees and terrain hide of the sky on a roof."""

import asyncio
import logging
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson
from aiohttp import web

from api import texts
from api.body import JSON as JSON_MEDIA
from api.body import Body
from api.engines import Engines
from api.errors import BadGateway, GatewayTimeout, NotFound
from api.horizon.drawing import PICTURE, pictured
from api.horizon.formats.declaration import name_of
from api.horizon.formats.registry import FORMATS, JSON, PNG, value_of
from api.horizon.rooftop import failures
from api.horizon.rooftop.failures import WITHIN_S
from api.horizon.rooftop.fetching import LONGEST_PAUSE_S, FetchFailed
from api.horizon.rooftop.land import NEAR_M, Blocks, Land
from api.horizon.rooftop.models import EXAMPLE, MAX_BYTES, Rooftop, RooftopQuery, RooftopRequest
from api.horizon.terrain.routes import TAG
from api.horizon.terrain.tiles import no_tile, on_grid
from api.horizons import Horizons, View
from api.observing.request_id import current_id
from api.pictures.pictures import Pictures
from api.press import Press
from api.query import legible, undeclared
from api.ready import Prepared
from api.ready import answer as respond
from api.routing import Route
from kernels import utm

if TYPE_CHECKING:
    from api.horizon.rooftop.answer import Asked

log = logging.getLogger("solflis.api")

RATES = ("5/second", "300/hour")
RETRY_S = 5
# Who fails is not asked again at once.
FAILED_RETRY_S = 30

_MEDIA = {
    JSON: JSON_MEDIA,
    PNG: "image/png",
    **{one.value: one.media_type for one in FORMATS.values() if "rooftop" in one.tiers},
}


Made = tuple[bytes | dict[str, Any], str]
"""A body, or what a picture shows, and the origin of its data."""

Told = tuple[RooftopRequest, tuple[str, ...]]
"""A question, and the names in it that nobody knows."""


class RooftopHandlers:
    """Answers from heights near by and from level 1.

    Parameters
    ----------
    land : Land
    horizons : Horizons
    pictures : Pictures
    engines : Engines
    """

    def __init__(self, land: Land, horizons: Horizons, pictures: Pictures, engines: Engines) -> None:
        self._land, self._horizons, self._pictures, self._engines = land, horizons, pictures, engines
        self._press = Press("rooftop", texts.ROOFTOP_BUSY)
        common = {"Cache-Control": "no-store", failures.TIER: "rooftop"}
        self._prepared = {value: Prepared({"Content-Type": media, **common}) for value, media in _MEDIA.items()}

    async def rooftop(self, request: web.Request, asked: tuple[RooftopQuery, RooftopRequest]) -> web.StreamResponse:
        """Answer with the horizon of an observer."""
        query, body = asked
        value = value_of(query.format)
        unknown = (*(body.model_extra or {}), *undeclared(RooftopQuery, request.rel_url))
        made, origin = await self._made(value, body, legible(unknown))
        if not isinstance(made, bytes):
            made = await self._pictures.draw(PICTURE, made)
        headers = {failures.REQUEST_ID: current_id(), "X-Data-Origin": origin}
        if value != JSON:
            extension = ".png" if value == PNG else FORMATS[value].extension
            name = name_of("tier2_horizon", body.lat, body.lon, extension)
            headers["Content-Disposition"] = f"inline; filename={name}"
        response = respond(request, self._prepared[value], made)
        response.headers.update(headers)
        return response

    async def _made(self, value: str, body: RooftopRequest, ignored: tuple[str, ...]) -> Made:
        try:
            # all of it: on a machine whose kernels are not compiled yet, these alone take longer
            async with asyncio.timeout(WITHIN_S):
                return await self._found(value, body, ignored)
        except FetchFailed as error:
            log.warning("%s", error)
            wait = FAILED_RETRY_S if error.retry_s is None else min(error.retry_s, LONGEST_PAUSE_S)
            raise BadGateway(texts.ROOFTOP_FAILED, {"Retry-After": str(max(1, round(wait)))}) from error
        except TimeoutError as error:
            raise GatewayTimeout(texts.ROOFTOP_SLOW.format(seconds=WITHIN_S), RETRY_S) from error

    async def _found(self, value: str, body: RooftopRequest, ignored: tuple[str, ...]) -> Made:
        far = await self._far(body) if body.include_tier1 else None
        x, y = map(float, utm.forward(body.lat, body.lon))
        await self._engines.ready()

        async def work(blocks: Blocks) -> Made:
            return await self._press.run(partial(_calculated, value, (body, ignored), (x, y), blocks, far))

        return await self._land.use(x, y, work)

    async def _far(self, body: RooftopRequest) -> View:
        view = await self._horizons.view(body.lat, body.lon, texts.ROOFTOP_NO_HORIZON)
        if view is None:
            error = no_tile(self._horizons, body.lat, body.lon)
            hint = f" {texts.ROOFTOP_NEAR_ALONE}" if on_grid(body.lat, body.lon) else ""
            raise NotFound(f"{error.text}{hint}", fields=error.fields)
        return view


def _calculated(value: str, told: Told, place: tuple[float, float], blocks: Blocks, far: View | None) -> Made:
    """Return an answer's bytes, or what its picture shows, and the origin of its data."""
    from api.horizon.rooftop import answer  # see api/engines.py
    from api.horizon.rooftop.calculation import Observer, calculate

    body, ignored = told
    begun = time.perf_counter()
    observer: Observer = Observer(*place, body.observer_height_m, body.observer_z_masl)
    seen = calculate(observer, blocks, far)
    compute_ms = (time.perf_counter() - begun) * 1000
    asked: Asked = answer.Asked(body.lat, body.lon, *place, blocks, far, ignored)
    if value == JSON:
        return orjson.dumps(answer.fields(asked, seen, compute_ms)), asked.origin
    profile = answer.profile_of(asked, seen)
    return (pictured(profile) if value == PNG else FORMATS[value].write(profile)), asked.origin


def routes(land: Land, horizons: Horizons, pictures: Pictures, engines: Engines) -> tuple[Route, ...]:
    """Return the declarations of this group."""
    handlers = RooftopHandlers(land, horizons, pictures, engines)
    return (
        Route(
            "POST",
            "/api/horizon/rooftop",
            handlers.rooftop,
            tag=TAG,
            summary="What buildings, trees and terrain hide of the sky on a roof, in 720 directions",
            description=(
                f"Within {NEAR_M:g} m from the national surface model of 1 m, with buildings and vegetation; beyond "
                "from level 1 (`GET /api/horizon/terrain`), corrected for the observer's own height. Where level 1's "
                "horizon lies within the near field the surface model alone decides. Nothing nearer than 1.5 m counts. "
                "Where this installation has no heights yet they are fetched: the first answer for a place may take "
                "seconds, or be 504 with `Retry-After`."
            ),
            query=RooftopQuery,
            body=Body(RooftopRequest, EXAMPLE, max_bytes=MAX_BYTES),
            response=Rooftop,
            other_media=tuple(dict.fromkeys(media for media in _MEDIA.values() if media != JSON_MEDIA)),
            rates=RATES,
            told_rate=RATES[1],
            coded=True,
            error_headers=failures.of_errors,
            headers=failures.HEADERS,
            errors=failures.ERRORS,
        ),
    )
