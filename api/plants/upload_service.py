"""The handlers of uploaded files: take one, show what came of it, confirm it, reject it."""

import asyncio
import logging
from datetime import datetime
from functools import partial
from typing import Any

from aiohttp import web
from sqlalchemy import Connection

from api.core.errors import ApiError
from api.core.file_body import SentFile
from api.core.pipeline import Format, Pipeline, Selection, at_hand
from api.core.prose import prose
from api.core.query import KEY_PARAMETER, parse
from api.core.resources import Resources
from api.data.plants import store, uploads
from api.data.plants.measurements import Hours
from api.data.plants.plant import Plant, new_id
from api.data.plants.uploads import Upload
from api.jobs.queue import question_of
from api.plants import problems
from api.plants.answers import upload_fields
from api.plants.calibration import Calibrations
from api.plants.head import Head, content_of
from api.plants.rows import Rows, known, upload_id_of
from api.plants.schemas import MAX_TEXT, UploadQuery, ViewQuery
from api.plants.service import respond

KIND = "plant_upload"
PNG = Format("image/png", dict, ".png", inline=True, draw="api.plants.picture:draw")

log = logging.getLogger("solflis.api")


class UploadService:
    """Answers the endpoints of uploads."""

    def __init__(self, resources: Resources) -> None:
        self._rows, self._clock, self._jobs = Rows(resources), resources.clock, resources.jobs
        self._secret, self._clients = resources.secret, resources.clients
        self._calibrations = Calibrations(resources)
        self._pictures = Pipeline(resources.machinery, {"png": PNG}, {"Cache-Control": "no-store"})

    async def upload(self, request: web.BaseRequest, asked: tuple[UploadQuery, SentFile]) -> web.StreamResponse:
        """Read a file of measured production, whatever portal made it, and check it.

        It waits to be confirmed, for 14 days. It is stored at once with `bekreft=true`, or where a file with the same
        headings was confirmed before, unless the check finds anything. Parameters may be fields of the form too. After
        75 s it is 504: the file is read on, and the upload is there later.
        """
        query, file = asked
        plant = await self._rows.plant_of(request)
        head = _head(request, plant, query, file)
        client = self._secret.digest("client", self._clients.of(request))
        question, content = question_of(KIND, head.upload_id), content_of(head, file.content)
        try:
            job = await self._jobs.ask(KIND, question, content, client, plant=plant.id)
            async with asyncio.timeout(problems.WITHIN_S):
                await self._jobs.wait(job)
        except TimeoutError:
            log.warning("a file was not read within %g s: does `solflis worker` run?", problems.WITHIN_S)
            raise problems.TIMEOUT(fields={"opplasting_id": head.upload_id}) from None
        except ApiError:
            await self._rows.plant_of(request)  # it may have been deleted meanwhile
            raise
        upload = known(await self._rows.write(_used, plant.id, head.upload_id, self._clock.now()))
        await self._calibrate(request, upload)
        return respond(request, upload_fields(upload), 201)

    async def show(self, request: web.BaseRequest, query: ViewQuery) -> web.StreamResponse:
        """An upload again, or its picture."""
        plant, upload_id = await self._rows.plant_of(request), upload_id_of(request)
        upload = known(await self._rows.read(uploads.get, plant.id, upload_id, self._clock.now()))
        if query.format == "json":
            return respond(request, upload_fields(upload))
        hours = await self._rows.read_hours(uploads.hours_of, upload)
        if hours is None:
            raise problems.NOT_WAITING(state=prose(__file__, "status")[upload.state])
        selection = Selection(
            versions=(upload.id, upload.state, plant.data_at),
            data_origin="live",
            read=partial(at_hand, partial(_drawn, plant, upload, hours)),
            asked=None,
            file_name=f"produksjon_{upload.id}",
            kept=False,  # nothing of a plant outlives its deletion
            quick=True,
        )
        return await self._pictures.answer(request, "png", selection)

    async def confirm(self, request: web.BaseRequest, _: None) -> web.StreamResponse:
        """Store the production of an upload, and remember how files with its headings are read.

        Hours that are there already are replaced (`erstattet`). Confirming again changes nothing.
        """
        plant, upload_id = await self._rows.plant_of(request), upload_id_of(request)
        upload = known(await self._rows.write_hours(uploads.confirm, plant.id, upload_id, self._clock.now()))
        if upload.state == "venter":
            raise problems.UPLOAD_FAILED_CHECKS()
        await self._calibrate(request, _in_state(upload, "bekreftet"))
        return respond(request, upload_fields(upload))

    async def reject(self, request: web.BaseRequest, _: None) -> web.StreamResponse:
        """Remove the production of an upload that was not confirmed. Rejecting again changes nothing."""
        plant, upload_id = await self._rows.plant_of(request), upload_id_of(request)
        upload = known(await self._rows.write(uploads.reject, plant.id, upload_id, self._clock.now()))
        return respond(request, upload_fields(_in_state(upload, "avvist")))

    async def _calibrate(self, request: web.BaseRequest, upload: Upload) -> None:
        if upload.state == "bekreftet":
            await self._calibrations.queue(request, upload.plant_id, upload.id)


def _head(request: web.BaseRequest, plant: Plant, query: UploadQuery, file: SentFile) -> Head:
    """Return what is known of a file; what the query says counts before what its form says.

    Raises
    ------
    ApiError
        A field of the form is none of those expected.
    """
    if file.fields:
        given = {name: value for name, value in request.rel_url.query.items() if name != KEY_PARAMETER}
        query = parse(UploadQuery, request.rel_url.with_query({**file.fields, **given}))
    return Head(
        plant_id=plant.id,
        upload_id=new_id("opp_"),
        filnavn=query.filnavn or file.name[:MAX_TEXT],
        enhet=query.enhet,
        tidssone=query.tidssone,
        stempel=query.stempel,
        kolonne=query.kolonne,
        dato=query.dato,
        korriger=query.korriger,
        bekreft=query.bekreft,
    )


def _drawn(plant: Plant, upload: Upload, hours: Hours) -> dict[str, Any]:
    """Return what the picture is drawn from."""
    content = {name: upload.content[name] for name in ("kontroll", "endringer", "forhandsvisning")}
    return {**content, **hours._asdict(), "navn": plant.name, "lat": plant.lat, "lon": plant.lon, "kwp": plant.kwp}


def _in_state(upload: Upload, state: str) -> Upload:
    """Return an upload.

    Raises
    ------
    ApiError
        `NOT_WAITING`: it is in another state.
    """
    if upload.state != state:
        raise problems.NOT_WAITING(state=prose(__file__, "status")[upload.state])
    return upload


def _used(connection: Connection, plant_id: str, upload_id: str, now: datetime) -> Upload | None:
    store.note_use(connection, plant_id, now)
    return uploads.get(connection, plant_id, upload_id, now)
