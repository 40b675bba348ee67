"""`GET /api/snowload/calc`: the characteristic snow load on the ground of a site."""

import hashlib
from functools import partial
from typing import Any

import orjson
from aiohttp import web

from api import texts
from api.body import JSON
from api.conditional import matches, respond
from api.engines import Engines
from api.pictures.pictures import Pictures
from api.press import Press
from api.published import Followed
from api.query import undeclared
from api.ready import Prepared
from api.routing import Route
from api.snowload import failures, table
from api.snowload.annex import AnnexTable
from api.snowload.asked import Asked, understood
from api.snowload.maxima import Lacking, Looked, Maxima, SnowLoads
from api.snowload.models import Snowload
from api.snowload.municipality import VARIABLE, Municipalities
from api.snowload.query import Format, SnowloadQuery
from tiles.clock import Clock

TAG = "Snow load"
PICTURE = "api.snowload.picture"
MEDIA: dict[Format, str] = {"json": JSON, "csv": "text/csv; charset=utf-8", "png": "image/png"}
_CACHED = "public, max-age=86400"
# Where the authority failed for some of the cells, the next answer may hold them.
_SOON = "public, max-age=60"
_EXAMPLE = "/api/snowload/calc?lat=59.91&lon=10.75"


class SnowloadHandlers:
    """Answers from what is published, and of cells that are not, from what the snow authority says.

    Parameters
    ----------
    loads : SnowLoads
    borders : Followed
        Of the municipalities.
    annex : AnnexTable
        What the operator has supplied of the national annex.
    pictures : Pictures
    clock : Clock
    engines : Engines
    code_version : str
    """

    def __init__(
        self,
        loads: SnowLoads,
        borders: Followed,
        annex: AnnexTable,
        pictures: Pictures,
        clock: Clock,
        engines: Engines,
        code_version: str,
    ) -> None:
        self._loads, self._borders, self._annex, self._pictures = loads, borders, annex, pictures
        self._clock, self._engines, self._code_version = clock, engines, code_version
        self._press = Press("snowload", texts.SNOWLOAD_BUSY)
        self._prepared = {name: Prepared({"Content-Type": media}) for name, media in MEDIA.items()}

    async def calc(self, request: web.Request, query: SnowloadQuery) -> web.StreamResponse:
        """Answer with cells, their median and the table's value."""
        asked = understood(query, undeclared(SnowloadQuery, request.rel_url), self._loads.last_day())
        looked = await self._loads.at(asked.looked_at)
        municipalities = self._municipalities()
        tag = self._etag(asked, looked, municipalities)
        body = b""
        nothing = all(isinstance(looked[point], Lacking) for point in asked.cells)  # nobody can have an answer
        if nothing or not matches(request.headers.get("If-None-Match", ""), tag):
            body = await self._body(asked, looked, municipalities)
        return respond(request, body, tag, self._prepared[asked.format], _headers(asked, looked, municipalities))

    async def _body(self, asked: Asked, looked: Looked, municipalities: Municipalities | None) -> bytes:
        with self._press.place():
            await self._engines.ready()
            made = await self._press.run(partial(_made, asked, looked, municipalities, self._annex))
        return made if isinstance(made, bytes) else await self._pictures.draw(PICTURE, made)

    def _municipalities(self) -> Municipalities | None:
        serving = self._borders.current(VARIABLE, self._clock.now())
        return None if serving is None else serving.prepared

    def _etag(self, asked: Asked, looked: Looked, municipalities: Municipalities | None) -> str:
        read = [one.version if isinstance(one, Maxima) else one.text for one in looked.values()]
        borders = "no borders" if municipalities is None else municipalities.version
        parts = [self._code_version, *read, borders, self._annex.version, orjson.dumps(asked.told()).decode()]
        return f'"{hashlib.sha256("|".join(parts).encode()).hexdigest()[:32]}"'


def _headers(asked: Asked, looked: Looked, municipalities: Municipalities | None) -> dict[str, str]:
    origins: set[str] = {one.data_origin for one in looked.values() if isinstance(one, Maxima)}
    if municipalities is not None:
        origins.add(municipalities.data_origin)
    headers = {"X-Data-Origin": "simulated" if "simulated" in origins else "live"}
    if asked.format != "csv":
        soon = municipalities is None or any(_better_soon(asked, one) for one in looked.values())
        headers["Cache-Control"] = _SOON if soon else _CACHED
    if asked.format != "json":
        kind = "attachment" if asked.format == "csv" else "inline"
        name = f"service_snowload_{asked.metres[0]}_{asked.metres[1]}.{asked.format}"
        headers["Content-Disposition"] = f"{kind}; filename={name}"
    return headers


def _better_soon(asked: Asked, there: Maxima | Lacking) -> bool:
    """Say whether a cell may soon have more: the authority or the disk failed, or it lacks the newest winter."""
    if isinstance(there, Lacking):
        return there.failure is not None or there.text == texts.SNOWLOAD_CELL_DAMAGED
    return there.on_demand and there.last < asked.seasons.stop - 1


def _made(
    asked: Asked, looked: Looked, municipalities: Municipalities | None, annex: AnnexTable
) -> bytes | dict[str, Any]:
    """Return an answer's bytes, or what its picture shows."""
    from api.snowload import answer  # see api/engines.py

    ground = answer.Ground(municipalities, annex)
    body = answer.body(asked, looked, ground)
    if asked.format == "png":
        return answer.for_picture(asked, looked, ground, body)
    return orjson.dumps(body) if asked.format == "json" else table.write(body)


def routes(handlers: SnowloadHandlers) -> tuple[Route, ...]:
    """Return the declaration of this group."""
    return (
        Route(
            "GET",
            "/api/snowload/calc",
            handlers.calc,
            tag=TAG,
            summary="Characteristic snow load on the ground, from the winters since `start`",
            description=(
                "The median over the cells of 1 km around the point, or over cells chosen by hand, of the load with "
                "the return period, times the variability factor; beside it the national annex' value for the "
                "municipality, where the operator has supplied the table. Decision support for the responsible "
                "designer. No key, no quota. Cells that are not published are fetched from the snow authority, which "
                "can take some seconds, and kept 30 days. A cell that cannot be computed stands in `cell_errors`, and "
                "the others answer."
            ),
            query=SnowloadQuery,
            response=Snowload,
            other_media=tuple(media.partition(";")[0] for media in MEDIA.values() if media != JSON),
            conditional=True,
            headers=failures.HEADERS,
            errors=failures.ERRORS,
            examples=(
                _EXAMPLE,
                f"{_EXAMPLE}&grid=5&returnperiod=100&variability=1.2&start=1991-9-1&elev=120",
                "/api/snowload/calc?x=262500&y=6649500&cells=262500_6649500,263500_6649500",
                f"{_EXAMPLE}&format=csv",
            ),
        ),
    )
