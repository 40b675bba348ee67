"""The handlers of the terrain endpoints: ask the queue, and answer from results."""

import asyncio
import logging
from functools import partial
from typing import Any

import orjson
from aiohttp import web

from api.core.body import JSON
from api.core.pipeline import JSON_FORMAT, Format, Pipeline, Selection, at_hand
from api.core.request_keys import PARAMETERS
from api.core.resources import Resources
from api.jobs.queue import Job, question_of
from api.jobs.results import SIMULATED
from api.jobs.status import status_of
from api.terrain import problems
from api.terrain.problems import WITHIN_S
from api.terrain.schemas import TerrainQuery, TerrainRequest
from api.terrain.squares import Squares
from tiles.products.landcover import PRODUCT as LANDCOVER
from tiles.products.terrain import GRIDS, name_of
from tiles.store import NotFound

KIND = "terrain"
JOB = "X-Terrain-Job-Id"
_PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
_COARSEST = name_of(max(GRIDS))
# What a site takes whose land is here already, s.
_TYPICAL_S = 3

log = logging.getLogger("solflis.api")


FORMATS = {
    "json": JSON_FORMAT,
    "pdf": Format("application/pdf", bytes, ".pdf", inline=True),
    "html": Format("text/html; charset=utf-8", bytes, ".html", inline=True, policy=_PAGE_POLICY),
    "geojson": Format("application/geo+json", bytes, ".geojson"),
}


class TerrainService:
    """Answers the terrain endpoints."""

    def __init__(self, resources: Resources) -> None:
        self._jobs, self._results, followed = resources.jobs, resources.results, resources.published.followed
        self._land = {"terrain": followed[_COARSEST], "landcover": followed[LANDCOVER.name]}
        self._clients, self._secret, self._machinery = resources.clients, resources.secret, resources.machinery
        self.pipeline = Pipeline(resources.machinery, FORMATS, {"Cache-Control": "no-store"})
        resources.trims.append(Squares(resources.settings).trim)

    async def category(
        self, request: web.BaseRequest, asked: tuple[TerrainQuery, TerrainRequest]
    ) -> web.StreamResponse:
        """Terrain category and terrain form of 72 sectors around a site, when they are done.

        Takes a second or a few; a place whose land is not here yet takes longer. After 60 s it is 504: the calculation
        goes on, and the same question finds it.
        """
        query, body = asked
        try:
            async with asyncio.timeout(WITHIN_S):
                job = await self._jobs.wait(await self._ask(request, body))
        except TimeoutError as error:
            log.warning("a job of kind %s was not done within %g s: does `solflis worker` run?", KIND, WITHIN_S)
            raise problems.TIMEOUT() from error
        return await self._answer(request, query, job)

    async def queue(self, request: web.BaseRequest, body: TerrainRequest) -> web.StreamResponse:
        """Queue the same, and say where the result will be: `GET /api/terrain/jobs/{jobb_id}`, for 15 minutes."""
        job = await self._ask(request, body)
        return web.Response(body=orjson.dumps(await self._status(job)), status=202, content_type=JSON)

    async def job(self, request: web.BaseRequest, query: TerrainQuery) -> web.StreamResponse:
        """How far a job is, and its result when it is done: as JSON inside `resultat`, else as the file.

        A result lives for 15 minutes from the last time that it was asked for by its question.
        """
        job_id = request[PARAMETERS]["jobb_id"]
        if not job_id.isalnum():  # PostgreSQL takes no NUL
            raise problems.NOT_FOUND()
        job = await self._jobs.get(job_id)
        if job is None or job.kind != KIND:
            raise problems.EXPIRED() if await self._jobs.is_past(job_id, KIND) else problems.NOT_FOUND()
        if job.state == "done" and query.format != "json":
            return await self._answer(request, query, job)
        if query.format != "json":
            raise job.error() if job.state == "failed" else problems.NOT_READY()
        return web.Response(body=orjson.dumps(await self._status(job)), content_type=JSON)

    async def _ask(self, request: web.BaseRequest, body: TerrainRequest) -> Job:
        newest = {name: followed.index.entries[-1:] for name, followed in self._land.items()}
        manifests = {name: entries[0].manifest if entries else None for name, entries in newest.items()}
        content = orjson.dumps({**manifests, "request": body.model_dump()}, option=orjson.OPT_SORT_KEYS)
        digest = question_of(KIND, content, self._machinery.code_version)
        client = self._secret.digest("client", self._clients.of(request))
        return await self._jobs.ask(KIND, digest, content, client)

    async def _status(self, job: Job) -> dict[str, Any]:
        status = await status_of(self._jobs, job, _TYPICAL_S)
        if job.state == "done":
            status["resultat"] = orjson.loads(await self._read(job, "json"))
        return status

    async def _read(self, job: Job, name: str) -> bytes:
        try:
            return await asyncio.to_thread(self._results.get, str(job.result), f"result.{name}")
        except NotFound as error:
            await self._jobs.forget(job)
            raise problems.EXPIRED() from error

    async def _answer(self, request: web.BaseRequest, query: TerrainQuery, job: Job) -> web.StreamResponse:
        answer = orjson.loads(await self._read(job, "json"))
        file = answer if query.format == "json" else await self._read(job, query.format)
        mark = SIMULATED if answer["data_origin"] == "simulated" else ""
        place = f"{answer['lat']:.6g}_{answer['lon']:.6g}_z{answer['hoyde_m']:g}"
        selection = Selection(
            versions=(job.id, job.runs),
            data_origin=answer["data_origin"],
            read=partial(at_hand, lambda: file),
            asked=None,
            headers={JOB: job.id},
            file_name=f"terrengkategori_{place}{mark}",
            quick=True,
        )
        return await self.pipeline.answer(request, query.format, selection)
