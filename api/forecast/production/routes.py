"""`POST /api/forecast`: the forecast of a point, with the production of the plant that stands there."""

from collections.abc import Callable
from datetime import datetime
from functools import cached_property
from math import inf

from aiohttp import web

from api import texts
from api.access.plans import Plan
from api.access.required import Access
from api.body import Body
from api.engines import Engines
from api.errors import NotFound, Unavailable
from api.forecast.body import Irradiance, Series
from api.forecast.current import Chosen, Forecasts
from api.forecast.failures import NO_DATA, NO_PLANT, ORIGIN, OUTSIDE, SUNSET, TOO_MUCH_POWER
from api.forecast.place import Place, place_at
from api.forecast.production.models import EXAMPLE, ForecastRequest, Production
from api.forecast.production.plant import total_kwp
from api.forecast.snow.applied import OnPlant, on_plant
from api.forecast.snow.current import SnowFactors
from api.gate import Gate
from api.horizons import Horizon, Horizons, why_none
from api.ready import Parts, Prepared, answer, json_parts
from api.routing import Route
from tiles.grid import FORECAST

MAX_BYTES = 100_000


def origin_of(series: Series, horizon: Horizon | None, snow: OnPlant | None) -> str:
    """Return `live` or `simulated`: what comes of made-up terrain or snow is made up."""
    origin = series.origin if horizon is None or series.origin != "live" else horizon.data_origin
    return origin if snow is None or origin != "live" else snow.data_origin


def headers_of(series: Series, origin: str) -> Prepared:
    """Return the headers of an answer of an origin."""
    if origin == series.origin:
        return series.headers
    return Prepared({**series.headers.fields, "X-Data-Origin": origin})


def require_power(plan: Plan, asked: ForecastRequest) -> None:
    """Refuse a plant of more power than the plan allows.

    Raises
    ------
    Forbidden
    """
    if plan.kwp_per_plant < inf:  # else the sum would be for nothing
        plan.require_kwp(total_kwp(asked.arrays))


class ProductionHandlers:
    """Answers from what is published.

    Parameters
    ----------
    forecasts : Forecasts
    horizons : Horizons
    snow : SnowFactors
    engines : Engines
    gate : Gate
    """

    def __init__(
        self, forecasts: Forecasts, horizons: Horizons, snow: SnowFactors, engines: Engines, gate: Gate
    ) -> None:
        self._forecasts, self._horizons, self._snow = forecasts, horizons, snow
        self._engines, self._gate = engines, gate

    async def point(self, request: web.Request, asked: ForecastRequest) -> web.StreamResponse:
        """Answer with the hourly series of a point and the production there."""
        if asked.anlegg_id is not None:
            raise NotFound(texts.NO_PLANT)
        now = self._forecasts.clock.now()
        place = place_at(asked.latitude, asked.longitude)
        if asked.arrays:
            await self._engines.ready()
        # First: between choosing a tile and reading it there is no pause, or the tile might be closed meanwhile.
        horizon = await self._horizons.at(place.lat, place.lon) if asked.precise and asked.arrays else None
        chosen = self._forecasts.choose(asked, now)
        try:
            body, origin = self._body(asked, place, chosen, horizon, now)
        except Unavailable as error:
            error.headers.update(chosen.sunset or {})
            raise
        await self._gate.charge(request, ((place.lat, place.lon),))
        response = answer(request, headers_of(chosen.series, origin), body)
        if chosen.sunset is not None:
            response.headers.update(chosen.sunset)
        return response

    @cached_property  # an import in a function is 1 % of such a request, each time
    def _texts(self) -> Callable[..., tuple[Irradiance, dict[str, bytes]]]:
        from api.forecast.production.answer import forecast_texts  # see api/engines.py

        return forecast_texts

    def _body(
        self, asked: ForecastRequest, place: Place, chosen: Chosen, horizon: Horizon | None, now: datetime
    ) -> tuple[Parts, str]:
        series, first, _ = chosen
        cell = FORECAST.cell_at(place.lat, place.lon)
        if not asked.arrays:
            return series.body(place, cell, now, first, asked.layout), series.origin
        packed = series.packed_weather(cell, wind=asked.precise)
        no_horizon = why_none(self._horizons.version()) if asked.precise and horizon is None else None
        snow = None
        if asked.snow:
            snow = on_plant(self._snow.current(now), *place[1:], asked.arrays, series.times[first:], now)
        irradiance, production = self._texts(asked, series, packed, first, horizon, no_horizon, snow)
        fields = series.head(place, cell, irradiance.sums, now)
        fields["data_origin"] = origin = origin_of(series, horizon, snow)
        return json_parts(fields, {"ghi_timeseries": irradiance.text, **production}), origin


def routes(
    forecasts: Forecasts, horizons: Horizons, snow: SnowFactors, engines: Engines, gate: Gate
) -> tuple[Route, ...]:
    """Return the declarations of this group."""
    handlers = ProductionHandlers(forecasts, horizons, snow, engines, gate)
    return (
        Route(
            "POST",
            "/api/forecast",
            handlers.point,
            tag="Forecast",
            summary="Irradiance and the production of a plant, about 60 hours ahead",
            description=(
                "As `GET /api/forecast`, and with `arrays` the production of each and of all together: by a simplified "
                "engine (Erbs, Hay & Davies, no horizon), or with `precise` by a Perez engine (Skartveit & Olseth, "
                "Perez, Martin & Ruiz, Faiman, Huld; crystalline silicon, standing free). Neither knows of the light's "
                "colour. With `snow` each array's power is multiplied by what snow on the modules leaves of it that "
                "day, in the plant's municipality (`kommune_by` says how it was found) and on the plane of reference "
                "nearest to the array's. Powers are means over the hour, in tenths of a watt; `total_W` is the sum of "
                "what is printed."
            ),
            body=Body(ForecastRequest, EXAMPLE, max_bytes=MAX_BYTES),
            response=Production,
            access=Access(keyed=True, rights={"daily": "daily"}, meter="forecast", limits=require_power),
            headers=(ORIGIN, SUNSET),
            errors=(
                OUTSIDE,
                TOO_MUCH_POWER,
                NO_PLANT,
                NO_DATA,
            ),
        ),
    )
