"""`GET /api/snowsoiling/calc`: loss by snow by month; `GET /api/snow/outlook`: snow in the days ahead."""

from functools import partial

from api.core.resources import Resources
from api.core.routing import Route
from api.data.snow import reader
from api.data.typical_year import HEADERS, PLACE_PROBLEMS
from api.snow.method import PROSE
from api.snow.schemas import PROBLEMS, Outlook, OutlookQuery, Soiling, SoilingQuery
from api.snow.service import OUTLOOK_CACHE, SOILING_CACHE, SnowService

_PLACE = "lat=59.91&lon=10.75"
_HEADERS = tuple(header for header in HEADERS if header[0] != "Cache-Control")

TAG = "Snow on modules"


def routes(resources: Resources) -> tuple[Route, ...]:
    """Return the declarations of this group."""
    snow = SnowService(resources)
    problems = (*PLACE_PROBLEMS, *PROBLEMS, reader.FAILED, reader.NO_CELL)
    route = partial(Route, "GET", conditional=True, problems=problems)
    return (
        route(
            "/api/snowsoiling/calc",
            snow.months,
            query=SoilingQuery,
            response=Soiling,
            other_media=snow.months_pipeline.media,
            headers=(
                *_HEADERS,
                ("Cache-Control", "`public, max-age=86400`."),
                (SOILING_CACHE, "`HIT` where a worker of this machine made it in the last 7 days, else `MISS`."),
            ),
            method_prose={name: PROSE["full"][name] for name in ("model", "reference", "note")},
            examples=(
                f"/api/snowsoiling/calc?{_PLACE}",
                f"/api/snowsoiling/calc?{_PLACE}&angle=10&mounting=flat&lossmode=strings&start=2001&method=full",
                f"/api/snowsoiling/calc?{_PLACE}&format=csv",
            ),
        ),
        route(
            "/api/snow/outlook",
            snow.days,
            query=OutlookQuery,
            response=Outlook,
            other_media=snow.days_pipeline.media,
            headers=(
                *_HEADERS,
                ("Cache-Control", "`public, max-age=3600`."),
                (OUTLOOK_CACHE, "`HIT` where a worker of this machine made the answer in the last hour, else `MISS`."),
            ),
            method_prose={name: PROSE["full"][name] for name in ("model", "caveat")},
            examples=(
                f"/api/snow/outlook?{_PLACE}",
                f"/api/snow/outlook?{_PLACE}&angle=45&mounting=rack&burial_mm=1500&days=3",
            ),
        ),
    )
