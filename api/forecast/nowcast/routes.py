"""`GET /api/forecast/nowcast`."""

from aiohttp import web

from api import texts
from api.access.required import Access
from api.errors import Unavailable
from api.forecast.body import RETRY_S
from api.forecast.current import Forecasts
from api.forecast.failures import NO_DATA, ORIGIN, OUTSIDE
from api.forecast.models import SeriesQuery, Sites
from api.forecast.nowcast.answer import N_HOURS, Images, body
from api.forecast.nowcast.models import Nowcast
from api.forecast.place import locate
from api.forecast.selection import V23B
from api.gate import Gate
from api.published import Followed
from api.ready import Prepared, answer
from api.routing import Failure, Route
from tiles.clock import floor_hour
from tiles.grid import FORECAST

MAX_AGE_S = 120


class NowcastHandlers:
    """Answers from the newest nowcast and the newest forecast.

    Parameters
    ----------
    forecasts : Forecasts
    nowcast : Followed
        The product.
    sites : Sites
    gate : Gate
    """

    def __init__(self, forecasts: Forecasts, nowcast: Followed, sites: Sites, gate: Gate) -> None:
        self._forecasts, self._nowcast, self._sites, self._gate = forecasts, nowcast, sites, gate
        self._headers = {origin: _headers(origin) for origin in ("live", "simulated")}

    async def point(self, request: web.Request, asked: SeriesQuery) -> web.StreamResponse:
        """Answer with the next hours of a point."""
        place = locate(asked, self._sites)
        cell = FORECAST.cell_at(place.lat, place.lon)
        now = self._forecasts.clock.now()
        series = self._forecasts.of(V23B, now)
        row = series.row_at(floor_hour(now))
        packed = () if row is None else series.packed(cell, row)
        if len(packed) < N_HOURS:
            raise Unavailable(texts.NO_CELL, RETRY_S)
        serving = self._nowcast.current("ghi", now)
        images: Images | None = None if serving is None else serving.prepared
        origin, content = body(place, cell, series, packed, images, now, asked.layout)
        await self._gate.charge(request, ((place.lat, place.lon),))
        return answer(request, self._headers[origin], content)


def _headers(origin: str) -> Prepared:
    cached = f"public, max-age={MAX_AGE_S}"
    return Prepared({"Content-Type": "application/json", "X-Data-Origin": origin, "Cache-Control": cached})


def routes(forecasts: Forecasts, nowcast: Followed, sites: Sites, gate: Gate) -> tuple[Route, ...]:
    """Return the declarations of this group."""
    handlers = NowcastHandlers(forecasts, nowcast, sites, gate)
    return (
        Route(
            "GET",
            "/api/forecast/nowcast",
            handlers.point,
            tag="Forecast",
            summary="The next four hours, from satellite images",
            description=(
                "The cloud that the satellite saw last, carried along its motion, and blended into the forecast v2.3b "
                "the more the farther ahead: the satellite weighs 1 at the image's moment and 0 four hours later. An "
                "image comes every 15 minutes. Where none is young enough, or it does not cover the point (north of "
                "about 67 to 69 degrees, low sun, night, missing pixels), `source` is `v23b_fallback`, and "
                "`fallback_reason` says why."
            ),
            query=SeriesQuery,
            response=Nowcast,
            access=Access(keyed=True, meter="forecast"),
            headers=(ORIGIN,),
            errors=(
                Failure(400, f"{texts.GET_POINT} ...", "coordinate missing or no number, or unknown site"),
                OUTSIDE,
                NO_DATA,
            ),
            examples=("/api/forecast/nowcast?lat=59.958&lon=10.69",),
        ),
    )
