"""The handlers of plants: register, list, show, delete, and measurements in the fixed format."""

import asyncio
import logging
from typing import Any

import orjson
from aiohttp import web
from sqlalchemy import Connection

from api.access.gate import Gate
from api.core import problems as shared
from api.core.body import JSON
from api.core.executors import ProcessFailed
from api.core.prose import prose
from api.core.resources import Resources
from api.core.response import warnings_of
from api.data.plants import measurements, store, uploads
from api.data.plants.measurements import HOUR_S, Hours, Stored, Summary
from api.data.plants.plant import Array, Plant, new_id
from api.data.plants.uploads import Upload
from api.database.engine import truncate_log
from api.plants import problems
from api.plants.answers import CONSENT_VERSION, details, hour, plant_fields
from api.plants.calibration import Calibrations
from api.plants.measured import findings, measured, refuse
from api.plants.rows import Rows
from api.plants.schemas import Measurements, Registration

_DAY = 23  # hours: the shortest day of local time
_CHECKED_WITHIN_S = 20.0

log = logging.getLogger("solflis.api")


def respond(request: web.BaseRequest, fields: dict[str, Any], status: int = 200) -> web.Response:
    """Return an answer that no cache may keep, with the request's warnings."""
    warnings = warnings_of(request)
    body = orjson.dumps(fields if warnings is None else fields | {"warnings": warnings})
    return web.Response(body=body, status=status, content_type=JSON, headers={"Cache-Control": "no-store"})


class PlantService:
    """Answers the endpoints of plants."""

    def __init__(self, resources: Resources) -> None:
        self._rows, self._clock, self._settings = Rows(resources), resources.clock, resources.settings
        self._results, self._database = resources.results, resources.database
        self._processes, self._calibrations = resources.machinery.processes, Calibrations(resources)

    async def register(self, request: web.BaseRequest, body: Registration) -> web.StreamResponse:
        """Register a plant, with the consent to store its production; it belongs to the key's account."""
        now = self._clock.now()
        plant = Plant(
            id=new_id("anl_"),
            account=Gate.account_of(request),
            name=body.navn,
            lat=body.latitude,
            lon=body.longitude,
            arrays=tuple(Array(one.name, one.kwp, one.tilt_deg, one.azimuth_deg) for one in body.flater),
            performance_ratio=body.ytelsesfaktor,
            is_home=body.privat,
            consent_at=now,
            consent_version=CONSENT_VERSION,
            interpreter_consent=body.samtykke_datatolkning,
            created_at=now,
            used_at=now,
        )
        await self._rows.write(_add, plant)
        return respond(request, plant_fields(plant), 201)

    async def listing(self, request: web.BaseRequest, _: None) -> web.StreamResponse:
        """The plants of the key, the oldest first."""
        plants = await self._rows.read(store.listing, Gate.account_of(request))
        return respond(request, {"anlegg": [plant_fields(plant) for plant in plants]})

    async def plant(self, request: web.BaseRequest, _: None) -> web.StreamResponse:
        """A plant: its measurements in short, its calibration, and its latest uploads."""
        plant = await self._rows.plant_of(request)
        summary, latest = await self._rows.read(_shown, plant.id, self._clock.now())
        return respond(request, details(plant, summary, latest))

    async def delete(self, request: web.BaseRequest, _: None) -> web.StreamResponse:
        """Delete a plant with its files, production, calibration and jobs, at once and for good."""
        plant = await self._rows.plant_of(request)
        jobs = await self._rows.write(store.delete, [plant.id])
        for job_id in jobs:
            await asyncio.to_thread(self._results.delete, job_id)
        if not await asyncio.to_thread(truncate_log, self._database.url):
            log.warning("the database's log still has what was deleted: `solflis plants retention` empties it tonight")
        return respond(request, {"id": plant.id, "slettet": True, "melding": prose(__file__, "answers")["deleted"]})

    async def measurements(self, request: web.BaseRequest, body: Measurements) -> web.StreamResponse:
        """Store measured production in the fixed format, by the hour.

        Values are summed to hours; an hour that they cover in part is not stored. An hour that comes again replaces the
        old one. Where anything cannot be true, nothing is stored. A day and more in one call is checked as a file is.
        """
        plant, now = await self._rows.plant_of(request), self._clock.now()
        found = await asyncio.to_thread(measured, plant, body, now)
        checked = await self._checked(plant, found.hours)
        refuse(findings(checked or {"status": "ok"}))
        stored = await self._rows.write_hours(_put, plant.id, found.hours, now)
        if stored is None:
            raise problems.NOT_FOUND()
        if plant.calibrated_at is None:
            await self._calibrations.queue(request, plant.id, now.date().isoformat())
        starts = found.hours.starts
        times = {"fra": hour(int(starts[0])), "til": hour(int(starts[-1]))}
        counts = {"lagret": stored.hours, "erstattet": stored.replaced, "ufullstendige": found.incomplete}
        return respond(request, {**counts, **times, **({"kontroll": checked} if checked else {})}, 201)

    async def _checked(self, plant: Plant, hours: Hours) -> dict[str, Any] | None:
        """Return the full check of values that span a day or more."""
        if hours.starts[-1] - hours.starts[0] < (_DAY - 1) * HOUR_S:
            return None
        try:
            checked: dict[str, Any] = await self._processes.run(
                "api.plants.upload:check_hours", plant, hours, self._settings, within_s=_CHECKED_WITHIN_S
            )
        except ProcessFailed as error:
            raise shared.JOB_FAILED() from error
        return checked


def _add(connection: Connection, plant: Plant) -> None:
    if store.count(connection, plant.account) >= problems.MAX_PLANTS:
        raise problems.TOO_MANY_PLANTS()
    store.add(connection, plant)


def _shown(connection: Connection, plant_id: str, now: Any) -> tuple[Summary, list[Upload]]:
    return measurements.summary(connection, plant_id), uploads.latest(connection, plant_id, now)


def _put(connection: Connection, plant_id: str, hours: Hours, now: Any) -> Stored | None:
    """Store hours, unless the plant was deleted meanwhile."""
    if not store.lock(connection, plant_id):
        return None
    stored = measurements.put(connection, plant_id, hours, "api")
    store.note_data(connection, plant_id, now)
    store.note_use(connection, plant_id, now)
    return stored
