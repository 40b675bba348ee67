"""Reading files of results."""

import asyncio

from aiohttp import web

from api.core.request_keys import PARAMETERS
from api.core.resources import Resources
from api.core.response import Prepared, respond
from api.jobs.links import EXPIRED_LINK
from api.jobs.results import SIMULATED
from api.results.schemas import LinkQuery
from tiles.store import NotFound

MEDIA = {"pdf": "application/pdf", "csv": "text/csv; charset=utf-8"}
"""Media types by extension."""


class ResultsService:
    """Answers `GET /api/results/{job}/{file}`."""

    def __init__(self, resources: Resources) -> None:
        self._links = resources.links
        self._jobs, self._results, self._clock = resources.jobs, resources.results, resources.clock
        common = {"Cache-Control": "private, no-store"}
        self._prepared = {name: Prepared({"Content-Type": media, **common}) for name, media in MEDIA.items()}

    async def file(self, request: web.BaseRequest, query: LinkQuery) -> web.StreamResponse:
        """File of a result, by a signed link.

        Answers such as that of `POST /api/horizon/precise` give the links; each is valid for one file, for 7 days.
        """
        job_id, name = request[PARAMETERS]["job"], request[PARAMETERS]["file"]
        self._links.check(job_id, name, query.expires, query.signature, self._clock.now())
        job = await self._jobs.get(job_id)
        if job is None or job.result is None:
            raise EXPIRED_LINK()
        try:
            body = await asyncio.to_thread(self._results.get, job.result, name)
        except NotFound:
            raise EXPIRED_LINK() from None
        origin = "simulated" if SIMULATED in name else "live"
        headers = {"Content-Disposition": f"inline; filename={name}", "X-Data-Origin": origin}
        return respond(request, self._prepared[name.rpartition(".")[2]], body, headers)
