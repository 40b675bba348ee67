"""`GET /api/places`: coordinates of addresses and place names."""

from api.core import problems
from api.core.resources import Resources
from api.core.routing import Route
from api.places.schemas import NOT_A_TEXT, SEARCH_FAILED, Places, PlacesQuery
from api.places.service import CACHE_CONTROL, PlacesService

RATES = ("5/second", "300/hour")

TAG = "Places"


def routes(resources: Resources) -> tuple[Route, ...]:
    """Return the declarations of this group."""
    service = PlacesService(resources)
    return (
        Route(
            "GET",
            "/api/places",
            service.search,
            query=PlacesQuery,
            response=Places,
            rates=RATES,
            conditional=True,
            headers=(
                ("X-Data-Origin", "`live` or `simulated`."),
                ("Cache-Control", f"`{CACHE_CONTROL}`."),
            ),
            problems=(NOT_A_TEXT, problems.NOT_WHOLE_BETWEEN, SEARCH_FAILED),
            examples=("/api/places?text=Finse", "/api/places?text=Storgata%205,%20Troms%C3%B8&limit=3"),
        ),
    )
