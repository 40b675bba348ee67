"""`/api/forecast/extended`: the regional model's hours, then the external service's, up to ten days."""

import asyncio
from typing import Any

import numpy as np
from aiohttp import web

from api import texts
from api.access.plans import Plan
from api.access.required import Access
from api.body import Body
from api.errors import NotFound
from api.forecast.body import MAX_AGE_S
from api.forecast.current import Forecasts
from api.forecast.extended.answer import CARRIED, Regional
from api.forecast.extended.answer import body as body_of
from api.forecast.extended.external import External
from api.forecast.extended.models import Extended, ExtendedProduction
from api.forecast.extended.turbidity import Turbidity
from api.forecast.failures import NO_DATA, NO_PLANT, ORIGIN, OUTSIDE, TOO_MUCH_POWER
from api.forecast.models import SeriesQuery, Sites
from api.forecast.place import Place, locate, place_at
from api.forecast.production.models import EXAMPLE, ForecastRequest
from api.forecast.production.routes import MAX_BYTES, require_power
from api.forecast.rows import Layout
from api.forecast.selection import V1
from api.forecast.snow.current import SnowFactors
from api.gate import Gate
from api.ready import Prepared, answer
from api.routing import Failure, Route
from tiles.grid import FORECAST, Cell

RIGHT = "extended"
FAILED = Failure(502, texts.EXTERNAL_FAILED, "the external service fails, and no fresh answer of it is kept")


class ExtendedHandlers:
    """Answers from what is published and from the external service.

    Parameters
    ----------
    forecasts : Forecasts
    turbidity : Turbidity
    external : External
    snow : SnowFactors
    sites : Sites
    gate : Gate
    """

    def __init__(
        self,
        forecasts: Forecasts,
        turbidity: Turbidity,
        external: External,
        snow: SnowFactors,
        sites: Sites,
        gate: Gate,
    ) -> None:
        self._forecasts, self._turbidity, self._external, self._gate = forecasts, turbidity, external, gate
        self._snow, self._sites = snow, sites
        self._headers = {origin: _headers(origin) for origin in ("live", "simulated")}

    async def get(self, request: web.Request, asked: SeriesQuery) -> web.StreamResponse:
        """Answer with the irradiance of a point."""
        return await self.at(request, locate(asked, self._sites), asked.layout)

    async def post(self, request: web.Request, asked: ForecastRequest) -> web.StreamResponse:
        """Answer with the irradiance of a point and the production of the plant there."""
        if asked.anlegg_id is not None:
            raise NotFound(texts.NO_PLANT)
        return await self.at(request, place_at(asked.latitude, asked.longitude), asked.layout, asked)

    async def at(
        self, request: web.Request, place: Place, layout: Layout, asked: ForecastRequest | None = None
    ) -> web.StreamResponse:
        """Answer for a place, with production where arrays are given."""
        cell = FORECAST.cell_at(place.lat, place.lon)
        regional = self._regional(place, cell, asked)
        # before the service is asked: who has no quota left shall not make us ask it (a failure is refunded)
        await self._gate.charge(request, ((place.lat, place.lon),))
        weather = await self._external.at(place.lat, place.lon)
        origin, body = await asyncio.to_thread(body_of, place, regional, weather, layout, asked)
        return answer(request, self._headers[origin], body)

    def _regional(self, place: Place, cell: Cell, asked: ForecastRequest | None) -> Regional:
        now = self._forecasts.clock.now()
        series = self._forecasts.of(V1, now)
        packed = series.packed(cell)
        head = series.head(place, cell, series.sums(packed), now)
        plant = asked is not None and bool(asked.arrays)
        return Regional(
            {name: head[name] for name in CARRIED},
            series.times,
            np.round(series.ghi(packed), 1),
            series,
            series.packed_weather(cell) if plant else None,
            self._turbidity.months(cell),
            self._snow.current(now) if plant and asked is not None and asked.snow else None,
            now,
        )


def _headers(origin: str) -> Prepared:
    cached = f"private, max-age={MAX_AGE_S}"
    return Prepared({"Content-Type": "application/json", "X-Data-Origin": origin, "Cache-Control": cached})


def _require(plan: Plan, asked: Any) -> None:
    plan.require_right(RIGHT)
    if isinstance(asked, ForecastRequest):
        require_power(plan, asked)


def routes(handlers: ExtendedHandlers) -> tuple[Route, ...]:
    """Return the declarations of this group."""
    access = Access(keyed=True, meter="forecast", limits=_require)
    not_included = Failure(403, texts.NEEDS_PLAN[RIGHT], "the caller's plan does not include it")
    description = (
        "The first hours, about 60, are V1.5's (`regional_model`). The rest come from an external weather service: its "
        "cloud and temperature, every 6 hours towards the end and filled evenly, under a clear sky of climatological "
        "turbidity (Kasten & Czeplak). All hours are UTC, and none is missing or twice there. "
    )
    return (
        Route(
            "GET",
            "/api/forecast/extended",
            handlers.get,
            tag="Forecast",
            summary="Hourly global horizontal irradiance up to ten days ahead",
            description=f"{description}`daily`, `model` and `precise` do not apply.",
            query=SeriesQuery,
            response=Extended,
            access=access,
            headers=(ORIGIN,),
            errors=(
                Failure(400, f"{texts.GET_POINT} ...", "coordinate missing or no number, or unknown site"),
                OUTSIDE,
                not_included,
                FAILED,
                NO_DATA,
            ),
            examples=("/api/forecast/extended?lat=59.958&lon=10.69",),
        ),
        Route(
            "POST",
            "/api/forecast/extended",
            handlers.post,
            tag="Forecast",
            summary="Irradiance and the production of a plant, up to ten days ahead",
            description=f"{description}Production as in `POST /api/forecast`; `daily` and `model` do not apply.",
            body=Body(ForecastRequest, EXAMPLE, max_bytes=MAX_BYTES),
            response=ExtendedProduction,
            access=access,
            headers=(ORIGIN,),
            errors=(
                OUTSIDE,
                not_included,
                TOO_MUCH_POWER,
                NO_PLANT,
                FAILED,
                NO_DATA,
            ),
        ),
    )
