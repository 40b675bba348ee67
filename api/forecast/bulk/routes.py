"""`POST /api/forecast/bulk`: the production of up to 50 plants."""

import asyncio
from datetime import datetime

import orjson
from aiohttp import web

from api import texts
from api.access.plans import Plan
from api.access.required import Access
from api.answer_cache import AnswerCache
from api.body import Body
from api.forecast.body import HOUR_S
from api.forecast.bulk.models import BULK_EXAMPLE, MAX_SYSTEMS, Bulk, BulkRequest
from api.forecast.bulk.reading import Missing, read
from api.forecast.current import Chosen, Forecasts
from api.forecast.failures import NO_DATA, ORIGIN, SUNSET, TOO_MANY_SYSTEMS, TOO_MUCH_POWER
from api.forecast.production.plant import total_kwp
from api.forecast.snow.applied import key_of, origin_with
from api.forecast.snow.current import Absent, Current, SnowFactors
from api.gate import Gate
from api.routing import Failure, Route

# Ten times what fifty usual systems take: every byte of an array's name comes back with each hour of its series.
MAX_BYTES = 300_000

_HEADERS = (
    ORIGIN,
    SUNSET,
    ("X-Service-Cache", "`HIT` where the answer was kept, else `MISS`; the quota is charged either way."),
    ("Cache-Control", "`public, max-age=<seconds until the next cycle>`."),
)


def require_plants(plan: Plan, asked: BulkRequest) -> None:
    """Refuse more systems, or a plant of more power, than the plan allows.

    Raises
    ------
    Forbidden
    """
    plan.require_systems(len(asked.systems))
    for system in asked.systems:
        plan.require_kwp(total_kwp(system.arrays))


def until_next_cycle(now: datetime) -> int:
    """Return the seconds until the next full hour: cycles are of full hours, and so are expiry and midnight."""
    return HOUR_S - int(now.timestamp()) % HOUR_S


class BulkHandlers:
    """Answers from what is published, or from what was answered before.

    Parameters
    ----------
    forecasts : Forecasts
    snow : SnowFactors
    gate : Gate
    cache : AnswerCache
    """

    def __init__(self, forecasts: Forecasts, snow: SnowFactors, gate: Gate, cache: AnswerCache) -> None:
        self._forecasts, self._snow, self._gate, self._cache = forecasts, snow, gate, cache

    async def bulk(self, request: web.Request, asked: BulkRequest) -> web.StreamResponse:
        """Answer with the series of every system; the plan was looked at before."""
        now = self._forecasts.clock.now()
        chosen = self._forecasts.choose(asked, now)
        series, snow = chosen.series, self._snow.current(now) if asked.snow else None
        series.require("temp_air")
        # Without a pause: a tile that is swapped meanwhile would be closed, and two cycles never meet in one answer.
        readings = [read(series, system) for system in asked.systems]
        answered = [s for s, reading in zip(asked.systems, readings, strict=True) if not isinstance(reading, Missing)]
        places = [(system.latitude, system.longitude) for system in answered]
        await self._gate.charge(request, places)

        origin = series.origin if snow is None else origin_with(series.origin, snow, places)
        key = orjson.dumps(asked.model_dump()) + series.etag_of(f"bulk.{chosen.first}").encode()
        key += b"" if snow is None else key_of(snow)
        lasting = all(reading.lasts for reading in readings if isinstance(reading, Missing))
        body = await asyncio.to_thread(self._cache.get, key) if lasting else None
        found = body is not None
        if body is None:
            body = await asyncio.to_thread(_calculate, asked, chosen, readings, snow, origin)
            if lasting:
                await asyncio.to_thread(self._cache.put, key, body)
        headers = {
            "Content-Type": "application/json",
            "X-Data-Origin": origin,
            "Cache-Control": f"public, max-age={until_next_cycle(now)}",
            "X-Service-Cache": "HIT" if found else "MISS",
            **(chosen.sunset or {}),
        }
        return web.Response(body=body, headers=headers)


def _calculate(
    asked: BulkRequest, chosen: Chosen, readings: list[bytes | Missing], snow: Current | Absent | None, origin: str
) -> bytes:
    from api.forecast.bulk.answer import calculate  # see api/engines.py

    return calculate(asked, chosen, readings, snow, origin)


def routes(forecasts: Forecasts, snow: SnowFactors, gate: Gate, cache: AnswerCache) -> tuple[Route, ...]:
    """Return the declarations of this group."""
    handlers = BulkHandlers(forecasts, snow, gate, cache)
    return (
        Route(
            "POST",
            "/api/forecast/bulk",
            handlers.bulk,
            tag="Forecast",
            summary=f"Irradiance and production of up to {MAX_SYSTEMS} plants in one call",
            description=(
                "All plants are answered from the same cycle. One that lies outside the coverage, or where the weather "
                "model has no data, has `error` in place of its series. The call counts as one request, and as many "
                "plants as get an answer; the whole of it is refused where they are more than are left. The engine is "
                "the simplified one. With `snow`, the answer's `snow` says of each system what was applied."
            ),
            body=Body(BulkRequest, BULK_EXAMPLE, max_bytes=MAX_BYTES),
            response=Bulk,
            access=Access(keyed=True, rights={"daily": "daily"}, meter="forecast", limits=require_plants),
            headers=_HEADERS,
            errors=(
                Failure(400, texts.FIELD_TOO_MANY.format(name="systems", max_length=MAX_SYSTEMS), "too many systems"),
                TOO_MANY_SYSTEMS,
                TOO_MUCH_POWER,
                NO_DATA,
            ),
        ),
    )
