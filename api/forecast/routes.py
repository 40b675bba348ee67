"""`GET /api/forecast`, `/api/forecast/latest` and `/api/sites`."""

from urllib.parse import quote

import orjson
from aiohttp import web

from api import texts
from api.access.required import Access
from api.conditional import respond
from api.errors import NotFound, Unavailable
from api.forecast.current import Forecasts
from api.forecast.extended.models import Extended
from api.forecast.extended.routes import FAILED, ExtendedHandlers
from api.forecast.failures import NO_DATA, NO_PLANT, ORIGIN, OUTSIDE, SUNSET
from api.forecast.models import Forecast, ForecastQuery, Latest, Sites
from api.forecast.place import bare_point, locate
from api.forecast.selection import V1
from api.gate import Gate
from api.routing import Failure, Route
from tiles.grid import FORECAST

TAG = "Forecast"
_CONDITIONAL_HEADERS = (ORIGIN, ("ETag", "Of the cycle, the cell and the model."))


class ForecastHandlers:
    """Answers from what is published.

    Parameters
    ----------
    forecasts : Forecasts
    sites : Sites
    extended : ExtendedHandlers
        Answers `extended=true`.
    gate : Gate
    """

    def __init__(self, forecasts: Forecasts, sites: Sites, extended: ExtendedHandlers, gate: Gate) -> None:
        self._forecasts, self._sites, self._extended, self._gate = forecasts, sites, extended, gate
        self._sites_body = orjson.dumps(sites.model_dump())

    async def point(self, request: web.Request, query: ForecastQuery) -> web.StreamResponse:
        """Answer with the hourly series of a point or site."""
        if query.anlegg_id is not None:
            raise NotFound(texts.NO_PLANT)
        now = self._forecasts.clock.now()
        place = locate(query, self._sites)
        if query.extended:
            return await self._extended.at(request, place, query.layout)
        series, first, sunset = self._forecasts.choose(query, now)
        cell = FORECAST.cell_at(place.lat, place.lon)
        try:
            body = series.body(place, cell, now, first, query.layout)
        except Unavailable as error:
            error.headers.update(sunset or {})
            raise
        await self._gate.charge(request, ((place.lat, place.lon),))
        return respond(request, body, series.etag(cell, first, query.layout), series.headers, sunset)

    async def latest(self, request: web.Request, _: None) -> web.StreamResponse:
        """Answer with what the latest V1.5 cycle is."""
        series = self._forecasts.of(V1, self._forecasts.clock.now())
        return respond(request, series.description(), series.etag_of("latest"), series.headers)

    async def sites(self, _: web.Request, __: None) -> web.Response:
        """Answer with the named sites."""
        return web.Response(body=self._sites_body, headers={"Content-Type": "application/json"})


def _examples(sites: Sites) -> tuple[str, ...]:
    """Return one place asked for in both ways: callers without key have one plant a day."""
    for name, site in sites.root.items():
        return f"/api/forecast?lat={site.lat}&lon={site.lon}", f"/api/forecast?site={quote(name)}"
    return ("/api/forecast?lat=59.91&lon=10.75",)


def routes(forecasts: Forecasts, sites: Sites, extended: ExtendedHandlers, gate: Gate) -> tuple[Route, ...]:
    """Return the declarations of this group."""
    handlers = ForecastHandlers(forecasts, sites, extended, gate)
    return (
        Route(
            "GET",
            "/api/forecast",
            handlers.point,
            tag=TAG,
            summary="Hourly global horizontal irradiance about 60 hours ahead, by point or site",
            description=(
                "Give `lat` and `lon`, or `site`. The model is computed at 1 km; values are served from a "
                "grid of 0.03 degrees. A new cycle comes every hour; the last good one is served up to 12 "
                "hours old, and `cycle_time` and `cycle_age_hours` say how old it is. "
                "`extended` answers as `/api/forecast/extended`."
            ),
            query=ForecastQuery,
            quick=bare_point,
            response=Forecast | Extended,
            conditional=True,
            access=Access(keyed=True, rights={"daily": "daily", "extended": "extended"}, meter="forecast"),
            headers=(*_CONDITIONAL_HEADERS, SUNSET),
            errors=(
                Failure(
                    400,
                    f"{texts.GET_POINT} ...",
                    "coordinate missing or no number, unknown site, or both given",
                ),
                OUTSIDE,
                Failure(400, texts.NOT_A_FLAG.format(name="daily"), "another parameter has an invalid value"),
                NO_PLANT,
                FAILED,
                NO_DATA,
            ),
            examples=_examples(sites),
        ),
        Route(
            "GET",
            "/api/forecast/latest",
            handlers.latest,
            tag=TAG,
            summary="The latest cycle of the V1.5 grid",
            description="It can differ from the cycle of `/api/forecast`, whose own `cycle_time` counts.",
            response=Latest,
            conditional=True,
            headers=_CONDITIONAL_HEADERS,
            errors=(NO_DATA,),
            examples=("/api/forecast/latest",),
        ),
        Route(
            "GET",
            "/api/sites",
            handlers.sites,
            tag=TAG,
            summary="The named sites",
            response=Sites,
            examples=("/api/sites",),
        ),
    )
