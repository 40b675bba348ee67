"""The handler of level 3: asks the queue for a job, waits for its end, and answers from its result."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

import orjson
from aiohttp import web

from api.core import problems as shared
from api.core.errors import Language, language_of
from api.core.mail import limits_of
from api.core.pipeline import Pipeline, Selection, at_hand
from api.core.resources import Resources
from api.core.upstream import retry_after
from api.data.horizons import View
from api.horizon import problems
from api.horizon.formats.registry import JSON, file_suffix, formats
from api.horizon.precise.mail import letter
from api.horizon.precise.question import KIND, Question, content, question_for
from api.horizon.precise.result import profile
from api.horizon.precise.schemas import Mailed, PreciseRequest
from api.horizon.precise.year import Years
from api.horizon.rooftop.calculation import Roof
from api.horizon.rooftop.heights import Heights
from api.horizon.schemas import RooftopQuery
from api.horizon.service import REQUEST_ID, warn_of_ignored
from api.jobs.queue import Job, question_of
from api.observing.request_id import current
from catalog.sources.errors import SourceError
from kernels import utm
from tiles.clock import iso
from tiles.store import NotFound

WITHIN_S = problems.PRECISE_WITHIN_S
HEADERS = {"pdf": "X-Precise-Pdf-Url", "csv": "X-Precise-Csv-Url"}
JOB = "X-Precise-Job-Id"

_LEVEL = "precise"

log = logging.getLogger("solflis.api")

Viewer = Callable[[float, float, str], Awaitable[View]]


class PreciseService:
    """Answers `POST /api/horizon/precise`.

    Parameters
    ----------
    resources : Resources
    heights : Heights
    view : callable
        Returns level 1 at a place, or raises the refusal.
    """

    def __init__(self, resources: Resources, heights: Heights, view: Viewer) -> None:
        self._heights, self._view, self._years = heights, view, Years(resources)
        self._jobs, self._results, self._links = resources.jobs, resources.results, resources.links
        self._machinery, self._clock, self._secret = resources.machinery, resources.clock, resources.secret
        self._rates, self._clients, self._sender = resources.rates, resources.clients, resources.settings.mail_from
        headers = {"Cache-Control": "no-store", "X-API-Tier": _LEVEL}
        self.pipeline = Pipeline(resources.machinery, formats("rooftop"), headers)

    async def precise(self, request: web.BaseRequest, asked: tuple[RooftopQuery, PreciseRequest]) -> web.StreamResponse:
        """Shade on a panel, and what it costs in a typical year.

        Level 2's horizon, and what it takes of the irradiation on the panel's plane in the typical year of the place:
        in all, by month, by terrain and by each object near by. The report (PDF) and the table (CSV) are read by
        signed links, which are valid for 7 days. Takes a second or a few; a place whose heights are not here yet takes
        longer. After 60 s it is 504: the calculation goes on, and the same question finds it. With `email`, the links
        are sent there too.
        """
        query, body = asked
        warn_of_ignored(request, body)
        language, client = language_of(request.headers.get("Accept-Language", "")), self._clients.of(request)
        if body.email is not None:
            await self._rates.hit(limits_of(client, body.email.inbox), problem=problems.TOO_MANY_MAILS)
        job: Job | None = None
        try:
            async with asyncio.timeout(WITHIN_S):
                job, question = await self._ask(body, language, client)
                links = self._links_to(job, question)
                runs, simulated = not job.has_ended, question.data_origin == "simulated"
                mail = partial(self._mail, job, body, letter(body, links, job.expires_at, language, simulated), client)
                mail_state = await mail() if runs else None  # before the wait: whoever leaves gets it all the same
                job = await self._jobs.wait(job)
                result = await self._read(job)
                mail_state = mail_state if runs else await mail()
        except SourceError as error:
            raise problems.BACKEND_FAILED(headers=retry_after(error)) from error
        except TimeoutError as error:
            if job is None:
                raise problems.PRECISE_SLOW() from error
            log.warning("job %s was not done within %g s: does `solflis worker` run?", job.id, WITHIN_S)
            raise problems.JOB_GOES_ON() from error
        # anew: whoever asked meanwhile has made the job's life longer
        selection = self._selection(query, job, result, self._links_to(job, question), mail_state)
        return await self.pipeline.answer(request, query.format, selection)

    async def _ask(self, body: PreciseRequest, language: Language, client: str) -> tuple[Job, Question]:
        """Return the job that answers, and what it was asked; level 2 is calculated where it is new."""
        far = await self._view(body.lat, body.lon, "include_tier1=false") if body.include_tier1 else None
        year = await self._years.at(body.lat, body.lon)
        x, y = map(float, utm.forward(body.lat, body.lon))
        who, machinery = self._secret.digest("client", client), self._machinery
        async with self._heights.around(x, y, ground=True) as blocks:
            roof = Roof(body, x, y, blocks, far)
            question = question_for(roof, body, year, language, machinery.code_version)
            if (existing := await self._jobs.find(KIND, question.digest)) is not None:
                return existing, question
            about = {"issued_at": iso(self._clock.now()), "code_version": machinery.code_version}
            with machinery.cpu.slot():
                await machinery.engines.ready()
                inputs = await machinery.cpu.run(partial(content, question, roof, body, year, language, about))
        return await self._jobs.ask(KIND, question.digest, inputs, who), question

    async def _read(self, job: Job) -> dict[str, Any]:
        try:
            read: dict[str, Any] = orjson.loads(
                await asyncio.to_thread(self._results.get, str(job.result), "result.json")
            )
        except NotFound as error:
            await self._jobs.forget(job)
            raise shared.JOB_FAILED() from error
        return read

    async def _mail(self, job: Job, body: PreciseRequest, mail: bytes, client: str) -> Mailed | None:
        """Have a mail sent when the job is done, once a day; return what becomes of it, None where none is question."""
        if body.email is None:
            return None
        once = question_of("mail", job.id, body.email.mailbox, self._clock.now().date())
        sent = await self._jobs.ask("mail", once, mail, self._secret.digest("client", client), after=job.id)
        return "sent" if sent.has_ended else "queued"

    def _links_to(self, job: Job, question: Question) -> dict[str, str]:
        return {kind: self._links.to(job.id, file, job.expires_at) for kind, file in question.files.items()}

    def _selection(
        self, query: RooftopQuery, job: Job, result: dict[str, Any], links: Mapping[str, str], mail_state: Mailed | None
    ) -> Selection:
        fields, is_json = result["fields"], query.format == JSON
        own: dict[str, Any] = {"job_id": job.id, **{f"{kind}_url": link for kind, link in links.items()}}
        own |= {"expires_at": iso(job.expires_at), "is_stub": False, "method": result["method"][query.method]}
        own |= {"mail": mail_state} if mail_state else {}
        headers = {HEADERS[kind]: link for kind, link in links.items()} | {JOB: job.id}
        return Selection(
            versions=(job.id, job.runs),
            data_origin=fields["data_origin"],
            read=partial(at_hand, partial(dict, fields, **own) if is_json else partial(profile, fields, result)),
            asked=(links["pdf"], query.method, mail_state) if is_json else None,
            headers={REQUEST_ID: current.get() or ""} | ({} if is_json else headers),
            file_name=f"tier3_horizon_{result['name']}{file_suffix(query.format)}",
            quick=is_json,
        )


def error_headers() -> Mapping[str, str]:
    """Return the headers that errors of level 3 carry too."""
    return {REQUEST_ID: current.get() or "", "X-API-Tier": _LEVEL}
