"""`GET /api/tmy`, `/api/tmy/stats`, `/api/tmy/sources`, and `POST /api/tmy/lead`."""

from functools import partial

from api.access.required import Access
from api.core import problems
from api.core.body import Body
from api.core.resources import Resources
from api.core.routing import Route
from api.data.typical_year import HEADERS, PLACE_PROBLEMS, PointQuery
from api.tmy import service
from api.tmy.leads import NO_LEADS, Lead, LeadStored
from api.tmy.licence import HEADER
from api.tmy.schemas import Sources, Stats, Tmy, TmyQuery, formats_in_words
from api.tmy.service import TmyService

TAG = "TMY"
LEADS = ("200/day",)
_PLACE = "lat=59.91&lon=10.75"
_LICENCE = (HEADER, "Version of the licence, its last day, and whether it has expired; absent where there is none.")
_LEAD = {
    "company": "Sol AS",
    "name": "Kari Nordmann",
    "email": "kari@example.com",
    "lat": 59.91,
    "lon": 10.75,
    "license_accepted": True,
}


def routes(resources: Resources) -> tuple[Route, ...]:
    """Return the declarations of this group."""
    tmy = TmyService(resources)
    headers = (*HEADERS, _LICENCE)
    route = partial(
        Route,
        "GET",
        query=PointQuery,
        conditional=True,
        access=Access(keyed=True, meter="tmy"),
        headers=headers,
        error_headers=tmy.licence_headers,
        problems=PLACE_PROBLEMS,
    )
    return (
        route(
            "/api/tmy",
            tmy.year,
            description=f"Formats: {formats_in_words()}",
            query=TmyQuery,
            response=Tmy,
            other_media=tmy.files.media,
            headers=(
                *headers,
                ("X-Tmy-Product", "The product that answers."),
            ),
            problems=(*PLACE_PROBLEMS, problems.NOT_A_CHOICE, *service.PROBLEMS),
            examples=(f"/api/tmy?{_PLACE}", f"/api/tmy?{_PLACE}&format=json&confidence=p90"),
        ),
        route(
            "/api/tmy/stats",
            tmy.stats,
            response=Stats,
            examples=(f"/api/tmy/stats?{_PLACE}",),
        ),
        route(
            "/api/tmy/sources",
            tmy.sources,
            response=Sources,
            examples=(f"/api/tmy/sources?{_PLACE}",),
        ),
        Route(
            "POST",
            "/api/tmy/lead",
            tmy.lead,
            body=Body(Lead, _LEAD, max_bytes=10_000),
            response=LeadStored,
            rates=LEADS,
            headers=(_LICENCE,),
            error_headers=tmy.licence_headers,
            problems=(NO_LEADS,),
        ),
    )
