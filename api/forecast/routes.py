"""The declarations of this group."""

from dataclasses import replace
from math import inf
from typing import Any
from urllib.parse import quote

from api.access.plans import Plan
from api.access.required import Access
from api.core import problems as shared
from api.core.body import Body
from api.core.cache import FileCache
from api.core.resources import Resources
from api.core.routing import Route
from api.core.settings import read_toml
from api.core.tables import TABLE_FORMATS
from api.data.plants.current import PlantReader
from api.forecast import problems
from api.forecast.bulk import BULK_EXAMPLE, MAX_BYTES, BulkRequest, BulkService, require_plants
from api.forecast.current import Forecasts
from api.forecast.extended import ExtendedService
from api.forecast.nowcast import NowcastService
from api.forecast.place import BarePoint, Sites, bare_point, total_kwp
from api.forecast.requests import EXAMPLE, ForecastQuery, ForecastRequest, PlantQuery, SeriesQuery
from api.forecast.responses import Bulk, Extended, Latest, Nowcast, Production
from api.forecast.service import ForecastService
from api.forecast.snow.current import SnowFactors
from api.forecast.surroundings import Sources
from api.forecast.to_request import arrays_of
from catalog.point_forecasts import PointForecasts

TAG = "Forecast"
_BODY = Body(ForecastRequest, EXAMPLE, max_bytes=100_000)
_MEDIA = tuple(one.media_type.partition(";")[0] for one in TABLE_FORMATS.values())
_ORIGIN = ("X-Data-Origin", "`live` or `simulated`.")
_SUNSET = ("Sunset", "When the model choice that was used ends, or ended (RFC 8594).")
_BULK_HEADERS = (
    _ORIGIN,
    _SUNSET,
    ("X-Service-Cache", "`HIT` where the answer was kept, else `MISS`; the quota is charged either way."),
    ("Cache-Control", "`public, max-age=<seconds until the next cycle>`."),
)


def _require_power(plan: Plan, request: Any) -> None:
    """Refuse a plant of more power than the plan allows."""
    # a registered plant's is looked up later; of a bare point the sum would be for nothing
    if plan.kwp_per_plant < inf and not isinstance(request, BarePoint) and request.anlegg_id is None:
        arrays = request.arrays if isinstance(request, ForecastRequest) else arrays_of(request)
        plan.require_kwp(total_kwp(arrays), "kwp" if request.arrays is None else "arrays")


def _require_extended(plan: Plan, request: Any) -> None:
    plan.require_right("extended")
    _require_power(plan, request)


def _examples(sites: Sites) -> tuple[str, ...]:
    """Return one place asked for in both ways: callers without key have one plant a day."""
    for name, site in sites.root.items():
        return f"/api/forecast?lat={site.lat}&lon={site.lon}", f"/api/forecast?site={quote(name)}"
    return ("/api/forecast?lat=59.91&lon=10.75",)


def routes(resources: Resources) -> tuple[Route, ...]:
    """Return the declarations."""
    settings, machinery, published = resources.settings, resources.machinery, resources.published
    sites, bulk_answers = read_toml(settings.sites, Sites), FileCache(settings.state / "answers")
    folder, url = settings.state / "readthrough" / "locationforecast", settings.address("locationforecast")
    external = PointForecasts(url, resources.user_agent, folder, settings.clock)
    resources.trims += (bulk_answers.trim, external.trim)
    forecasts = Forecasts(published, settings.clock, machinery.code_version)
    plants = PlantReader(resources.database, settings.clock, problems.NO_PLANT, problems.NO_DATABASE)
    sources = Sources(machinery, published, forecasts, sites, resources.horizons, SnowFactors(published), plants)
    extended = ExtendedService(sources, external)
    service = ForecastService(sources, extended)
    daily, metered = {"daily": "daily"}, Access(keyed=True, meter="forecast")
    of_plants = replace(metered, agreement="anlegg", agreement_with="anlegg_id", limits=_require_power)
    plant = (problems.NO_PLANT, problems.NO_DATABASE)
    production = (*problems.PLACE, *problems.FORECAST, *problems.PRODUCTION, *plant, shared.TOO_MUCH_POWER)
    farther = (problems.EXTERNAL_FAILED, problems.NO_TURBIDITY, shared.BUSY)
    of_query = (shared.NOT_A_CHOICE, problems.NOT_ARRAYS, problems.NOT_A_ZONE, problems.NOT_VARIABLES)
    ten_days: dict[str, Any] = {
        "response": Extended,
        "access": replace(of_plants, key_required=True, limits=_require_extended),
        "headers": (_ORIGIN,),
        "other_media": _MEDIA,
    }
    return (
        Route(
            "GET",
            "/api/forecast",
            service.get,
            query=ForecastQuery,
            quick=bare_point,
            response=Production | Extended,
            conditional=True,
            access=replace(of_plants, rights={**daily, "extended": "extended"}),
            headers=(_ORIGIN, _SUNSET),
            problems=(*production, *of_query, shared.NOT_A_FLAG, *farther),
            examples=_examples(sites),
            other_media=_MEDIA,
        ),
        Route(
            "POST",
            "/api/forecast",
            service.post,
            body=_BODY,
            response=Production,
            access=replace(of_plants, rights=daily),
            headers=(_ORIGIN, _SUNSET),
            problems=(*production, problems.NOT_A_ZONE, problems.NOT_VARIABLES, shared.BUSY),
            other_media=_MEDIA,
        ),
        Route(
            "POST",
            "/api/forecast/bulk",
            BulkService(sources, bulk_answers).post,
            body=Body(BulkRequest, BULK_EXAMPLE, max_bytes=MAX_BYTES),
            response=Bulk,
            access=replace(metered, rights=daily, limits=require_plants),
            headers=_BULK_HEADERS,
            problems=(shared.TOO_MANY_SYSTEMS, shared.TOO_MUCH_POWER, *problems.FORECAST, shared.BUSY),
        ),
        Route(
            "GET",
            "/api/forecast/extended",
            extended.get,
            query=PlantQuery,
            problems=(*production, *of_query, shared.NEEDS_EXTENDED, *farther),
            examples=("/api/forecast/extended?lat=59.958&lon=10.69",),
            **ten_days,
        ),
        Route(
            "POST",
            "/api/forecast/extended",
            extended.post,
            body=_BODY,
            problems=(*production, shared.NEEDS_EXTENDED, *farther),
            **ten_days,
        ),
        Route(
            "GET",
            "/api/forecast/nowcast",
            NowcastService(sources).get,
            query=SeriesQuery,
            response=Nowcast,
            access=metered,
            headers=(_ORIGIN,),
            problems=(*problems.PLACE, *problems.FORECAST, shared.NOT_A_CHOICE, shared.BUSY),
            examples=("/api/forecast/nowcast?lat=59.958&lon=10.69",),
            other_media=_MEDIA,
        ),
        Route(
            "GET",
            "/api/forecast/latest",
            service.latest,
            response=Latest,
            conditional=True,
            headers=(_ORIGIN,),
            problems=problems.FORECAST[:3],
            examples=("/api/forecast/latest",),
        ),
        Route("GET", "/api/sites", service.sites, response=Sites, examples=("/api/sites",)),
    )
