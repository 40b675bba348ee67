"""`GET /api/horizon/terrain`: what terrain hides at a place, from the tiles."""

import hashlib
from collections.abc import Callable
from functools import partial

from aiohttp import web

from api.body import JSON as JSON_MEDIA
from api.conditional import matches, respond
from api.engines import Engines
from api.horizon.drawing import PICTURE, pictured
from api.horizon.formats.declaration import name_of
from api.horizon.formats.registry import FORMATS, JSON, PNG
from api.horizon.profile import VERSION
from api.horizon.terrain import answer, failures
from api.horizon.terrain.failures import TILE_KEY, YEAR
from api.horizon.terrain.kept import Bodies
from api.horizon.terrain.models import Terrain
from api.horizon.terrain.query import TerrainQuery, require_coverage
from api.horizon.terrain.tiles import no_tile
from api.horizons import Horizons, View
from api.pictures.pictures import Pictures
from api.press import Press
from api.query import undeclared
from api.ready import Parts, Prepared, json_parts
from api.routing import Route
from api.texts import HORIZON_BUSY, HORIZON_DAMAGED
from api.tmy.file import CACHED

TAG = "Horizon"
_EXAMPLE = "/api/horizon/terrain?lat=59.91&lon=10.75"
_MEDIA = {JSON: JSON_MEDIA, PNG: "image/png", **{one.value: one.media_type for one in FORMATS.values()}}
# Of JSON 17 kB, of the largest file 80.
_KEPT_BYTES = 2_000_000
# Made in less than it takes to hand it to a thread.
_SMALL = ("binary",)


class TerrainHandlers:
    """Answers from what is published.

    Parameters
    ----------
    horizons : Horizons
    pictures : Pictures
    engines : Engines
    code_version : str
    """

    def __init__(self, horizons: Horizons, pictures: Pictures, engines: Engines, code_version: str) -> None:
        self._horizons, self._pictures, self._engines = horizons, pictures, engines
        self._code_version = code_version
        self._press = Press("horizon", HORIZON_BUSY)
        self._kept = Bodies(_KEPT_BYTES)
        common = {"Cache-Control": CACHED, "X-Api-Tier": "terrain", "X-Api-Version": VERSION}
        self._prepared = {value: Prepared({"Content-Type": media, **common}) for value, media in _MEDIA.items()}

    async def terrain(self, request: web.Request, asked: TerrainQuery) -> web.StreamResponse:
        """Answer with the horizon of the cell that holds a position."""
        require_coverage(asked.lat, asked.lon)
        view = await self._horizons.view(asked.lat, asked.lon, HORIZON_DAMAGED)
        if view is None:
            raise no_tile(self._horizons, asked.lat, asked.lon)
        ignored = undeclared(TerrainQuery, request.rel_url) if asked.format == JSON else ()
        tag = self._etag(view, asked, ignored)
        body: Parts = ()
        if not matches(request.headers.get("If-None-Match", ""), tag):
            body = self._kept.get(tag) or await self._made(view, asked, ignored)
            self._kept.put(tag, body)
        return respond(request, body, tag, self._prepared[asked.format], _headers(view, asked))

    def _etag(self, view: View, asked: TerrainQuery, ignored: tuple[str, ...]) -> str:
        horizon = view.horizon
        place = f"{asked.lat},{asked.lon},{ignored}" if asked.format == JSON else ""
        what = f"{horizon.entry.path}|{horizon.cell}|{asked.format}|{place}|{self._code_version}"
        return f'"{hashlib.sha256(what.encode()).hexdigest()[:32]}"'

    async def _made(self, view: View, asked: TerrainQuery, ignored: tuple[str, ...]) -> Parts:
        if asked.format == JSON:
            return json_parts(answer.fields(view, asked.lat, asked.lon, ignored), answer.series(view))
        profile = answer.profile_of(view)
        if asked.format in _SMALL:
            return (FORMATS[asked.format].write(profile),)
        with self._press.place():
            if asked.format != PNG:
                write: Callable[[], bytes] = partial(FORMATS[asked.format].write, profile)
                return (await self._press.run(write),)
            await self._engines.ready()
            data = await self._press.run(partial(pictured, profile))
            return (await self._pictures.draw(PICTURE, data),)


def _headers(view: View, asked: TerrainQuery) -> dict[str, str]:
    horizon = view.horizon
    headers = {TILE_KEY: horizon.tile_key, "X-Data-Origin": horizon.data_origin}
    if horizon.dtm_year is not None:
        headers[YEAR] = str(horizon.dtm_year)
    if asked.format != JSON:
        extension = ".png" if asked.format == PNG else FORMATS[asked.format].extension
        name = name_of(answer.prefix_of(view), asked.lat, asked.lon, extension)
        headers["Content-Disposition"] = f"inline; filename={name}"
    return headers


def routes(horizons: Horizons, pictures: Pictures, engines: Engines, code_version: str) -> tuple[Route, ...]:
    """Return the declarations of this group."""
    handlers = TerrainHandlers(horizons, pictures, engines, code_version)
    told = "; ".join(f"`{one.value}`: {one.tool}, {one.unverified}" for one in FORMATS.values() if one.unverified)
    return (
        Route(
            "GET",
            "/api/horizon/terrain",
            handlers.terrain,
            tag=TAG,
            summary="What terrain hides of the sky at a place, in 720 directions",
            description=(
                "From the national terrain model, without buildings and vegetation, seen from 1.5 m above the ground "
                "of the cell of 100 m that holds the position. No key, no quota. `binary` is 720 little-endian "
                "float16, degrees. `csv` has the columns azimuth_deg, elevation_deg and distance_m; `geojson` the line "
                "of what makes the horizon. The files for tools have whole degrees of azimuth, each the highest of "
                f"three points, and nothing below 0. {told}. `png` shows the sun's paths over the horizon."
            ),
            query=TerrainQuery,
            response=Terrain,
            other_media=tuple(dict.fromkeys(media for media in _MEDIA.values() if media != JSON_MEDIA)),
            conditional=True,
            coded=True,
            headers=failures.HEADERS,
            errors=failures.ERRORS,
            examples=(_EXAMPLE, f"{_EXAMPLE}&format=csv", f"{_EXAMPLE}&format=pvsyst"),
        ),
    )
