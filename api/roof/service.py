"""The handlers of the roof endpoints: check the password, ask the queue, answer from results."""

import asyncio
import base64
import logging
import secrets
from datetime import timedelta
from typing import Any

import orjson
from aiohttp import web

from api.access import partners
from api.core import problems as shared
from api.core.body import JSON
from api.core.errors import ApiError
from api.core.executors import ProcessFailed
from api.core.query import legible, outside
from api.core.request_keys import PARAMETERS
from api.core.resources import Resources
from api.core.upstream import Upstream
from api.database.engine import READS
from api.jobs.queue import Job, question_of
from api.jobs.status import status_of
from api.roof import problems
from api.roof.production import add_production
from api.roof.schemas import LAT, LON, BuildingQuery, RoofRequest
from catalog.sources import bygningspunkt
from catalog.sources.errors import SourceError
from tiles.store import NotFound

KIND = "roof"
DRAWINGS = {
    "png": "image/png",
    "svg": "image/svg+xml",
    "dxf": "image/vnd.dxf",
    "geojson": "application/geo+json",
}
_TYPICAL_S = 2
_REGISTER_S = 20.0
# A point this near another (1 m) is on the same building: the answer of one is the other's.
_DIGITS = 5
_NOT_ASKED = {"passord", "tving_ny", "lat", "lon"}

log = logging.getLogger("solflis.api")


class RoofService:
    """Answers the roof endpoints."""

    def __init__(self, resources: Resources) -> None:
        self._jobs, self._results, self._clock = resources.jobs, resources.results, resources.clock
        self._clients, self._secret, self._machinery = resources.clients, resources.secret, resources.machinery
        self._database, self._counted, self._settings = resources.database, resources.counted, resources.settings
        self._resources = resources
        self._register = Upstream(bygningspunkt.NAME, failures=3)

    async def queue(self, request: web.BaseRequest, body: RoofRequest) -> web.StreamResponse:
        """Queue an analysis of the roof at a point; the result is at `GET /api/roof/jobs/{jobb_id}` for 15 minutes."""
        job = await self._ask(request, body)
        status, _ = await self._status(job)
        return web.Response(body=orjson.dumps(status), status=202, content_type=JSON)

    async def layout(self, request: web.BaseRequest, body: RoofRequest) -> web.StreamResponse:
        """Analyse the roof at a point, and answer the result itself.

        After 90 s it is 504: the analysis goes on, and the same question finds it.
        """
        try:
            async with asyncio.timeout(problems.SYNC_S):
                job = await self._jobs.wait(await self._ask(request, body))
        except TimeoutError as error:
            log.warning("a job of kind %s was not done in time: does `solflis worker` run?", KIND)
            raise problems.TIMEOUT() from error
        result = await self._result(job)
        if result.pop("tegning"):
            result["tegning"] = {"png_base64": base64.b64encode(await self._read(job, "png")).decode()}
        return web.Response(body=await self._whole(job, result), content_type=JSON, headers=_origin(result))

    async def job(self, request: web.BaseRequest, _: None) -> web.StreamResponse:
        """How far a job is, and its result when it is done; asking is not limited."""
        job = await self._known(request)
        status, headers = await self._status(job)
        return web.Response(body=orjson.dumps(status), content_type=JSON, headers=headers)

    async def drawing(self, request: web.BaseRequest, _: None) -> web.StreamResponse:
        """The drawing of a finished job."""
        job = await self._known(request)
        if job.state == "failed":
            raise job.error()
        if job.state != "done":
            raise problems.NOT_READY()
        kind = request.rel_url.path.rpartition(".")[2]
        result = orjson.loads(await self._read(job, "json"))
        if kind != "geojson" and not result["tegning"]:
            raise problems.NO_DRAWING()
        place = result["punkt"]
        headers = {
            "Content-Disposition": f'inline; filename="tak_{place["lat"]:.5f}_{place["lon"]:.5f}.{kind}"',
            "X-Moduler": str(result["resultat"]["moduler"]),
            "X-Kwp": f"{result['resultat']['kwp']:g}",
            "Cache-Control": "private, max-age=900",
            **_origin(result),
        }
        return web.Response(body=await self._read(job, kind), content_type=DRAWINGS[kind], headers=headers)

    async def building_type(self, _: web.BaseRequest, query: BuildingQuery) -> web.StreamResponse:
        """Type of the building at a point, by the national register."""
        if (name := outside(query.lat, query.lon, LAT, LON)) is not None:
            low, high = LAT if name == "lat" else LON
            raise shared.NOT_BETWEEN(name, low=low, high=high)
        try:
            found = await self._register.ask_process(
                lambda: self._machinery.processes.run(
                    "api.roof.register:look_up", self._settings, query.lat, query.lon, within_s=_REGISTER_S
                ),
                _REGISTER_S,
            )
        except (SourceError, ProcessFailed) as error:
            raise problems.REGISTER_FAILED() from error
        headers = {**_origin(found), "Cache-Control": "public, max-age=3600"}
        return web.Response(body=orjson.dumps(found), content_type=JSON, headers=headers)

    async def _ask(self, request: web.BaseRequest, body: RoofRequest) -> Job:
        await self._require_password(request, body)
        point = {"lat": round(body.lat, _DIGITS), "lon": round(body.lon, _DIGITS)}
        unknown = body.model_extra or {}
        asked = body.model_dump(exclude={*_NOT_ASKED, *unknown}) | point
        inputs = {
            "request": asked,
            "far": await self._far_horizon(**point),
            "anew": body.tving_ny,
            "unknown": legible(unknown),
        }
        content = orjson.dumps(inputs, option=orjson.OPT_SORT_KEYS)
        once = secrets.token_hex(8) if body.tving_ny else ""
        digest = question_of(KIND, content, self._machinery.code_version, once)
        client = self._secret.digest("client", self._clients.of(request))
        job = await self._jobs.ask(KIND, digest, content, client)
        if (await self._in_time(job)).state == "failed":  # it was overdue: another answers the question
            job = await self._jobs.ask(KIND, digest, content, client)
        return job

    async def _far_horizon(self, lat: float, lon: float) -> list[float] | None:
        """Return the terrain's horizon; None where none is built or it cannot be read."""
        try:
            found = await self._resources.horizons.at(lat, lon)
        except ApiError:
            return None
        return None if found is None else found.elevation.tolist()

    async def _require_password(self, request: web.BaseRequest, body: RoofRequest) -> None:
        if not self._counted:
            return
        given = body.passord.get_secret_value() if body.passord else ""
        given = given or request.headers.get(partners.HEADER, "").strip()
        if not given:
            raise problems.PASSWORD_REQUIRED()
        async with self._database.transaction(shared.NO_COUNTING, READS) as connection:
            if not await connection.run_sync(partners.is_valid, self._secret, given):
                raise problems.PASSWORD_WRONG()

    async def _known(self, request: web.BaseRequest) -> Job:
        job_id = request[PARAMETERS]["jobb_id"]
        if not job_id.isalnum():  # PostgreSQL takes no NUL
            raise problems.NOT_FOUND()
        job = await self._jobs.get(job_id)
        if job is None or job.kind != KIND:
            raise problems.EXPIRED() if await self._jobs.is_past(job_id, KIND) else problems.NOT_FOUND()
        return await self._in_time(job)

    async def _in_time(self, job: Job) -> Job:
        """Return a job; one that is not done in time fails now."""
        if job.has_ended or self._clock.now() - job.created_at <= timedelta(seconds=problems.QUEUED_S):
            return job
        await self._jobs.cancel(job.id, problems.QUEUE_TIMEOUT())
        return await self._jobs.get(job.id) or job

    async def _status(self, job: Job) -> tuple[dict[str, Any], dict[str, str]]:
        """Return how far a job is, with its result when it is done, and the result's headers."""
        status = await status_of(self._jobs, job, _TYPICAL_S)
        if job.state == "done":
            result = await self._result(job)
            if result.pop("tegning"):
                status["tegning_url"] = f"{self._settings.base_url}/api/roof/jobs/{job.id}/tegning.png"
            return status | {"resultat": orjson.Fragment(await self._whole(job, result))}, _origin(result)
        return status, {}

    async def _result(self, job: Job) -> dict[str, Any]:
        result: dict[str, Any] = orjson.loads(await self._read(job, "json"))
        place = result["punkt"]
        has_horizon = await self._far_horizon(place["lat"], place["lon"]) is not None
        await add_production(result, self._resources.annual_production, has_horizon=has_horizon)
        return result

    async def _whole(self, job: Job, result: dict[str, Any]) -> bytes:
        """Return a result with its collections as JSON; they may have 15 MB, and stay as they are."""
        collections = await self._read(job, "collections")
        return orjson.dumps(result)[:-1] + (b"," + collections[1:] if collections != b"{}" else b"}")

    async def _read(self, job: Job, name: str) -> bytes:
        try:
            return await asyncio.to_thread(self._results.get, str(job.result), f"result.{name}")
        except NotFound as error:
            await self._jobs.forget(job)
            raise problems.EXPIRED() from error


def _origin(result: dict[str, Any]) -> dict[str, str]:
    return {"X-Data-Origin": result["data_origin"]}
