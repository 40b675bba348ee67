"""`GET /api/pv/calc` and `POST /api/pv/calc/bulk`: production of described plants on the typical year."""

from api.core import problems
from api.core.body import Body
from api.core.prose import prose
from api.core.resources import Resources
from api.core.routing import Route
from api.data.typical_year import HEADERS, PLACE_PROBLEMS
from api.pv import query, service
from api.pv.bulk import EXAMPLE, MAX_SYSTEMS, Bulk, BulkRequest, PvBulkService
from api.pv.query import PvQuery
from api.pv.schemas import Production
from api.pv.service import PvService

TAG = "PV production"
_EXAMPLE = "/api/pv/calc?lat=59.91&lon=10.75"


def routes(resources: Resources) -> tuple[Route, ...]:
    """Return the declarations of this group."""
    pv = PvService(resources)
    resources.annual_production = pv.annual
    bulk = PvBulkService(resources.machinery, pv)
    return (
        Route(
            "GET",
            "/api/pv/calc",
            pv.calc,
            query=PvQuery,
            response=Production,
            other_media=pv.pipeline.media,
            conditional=True,
            headers=(
                *HEADERS,
                ("X-Tmy-Product", "The product that answers."),
            ),
            problems=(*PLACE_PROBLEMS, *query.PROBLEMS, *service.PROBLEMS),
            method_prose=prose(__file__, "method"),
            examples=(
                _EXAMPLE,
                f"{_EXAMPLE}&arrays=5:35:-90,3:20:90&maxpower=6&confidence=p90",
                f"{_EXAMPLE}&peakpower=8&optimize=both&horizon=0",
                f"{_EXAMPLE}&peakpower=8&format=csv",
                f"{_EXAMPLE}&peakpower=8&snowloss=1&snowmounting=roof&method=full",
            ),
        ),
        Route(
            "POST",
            "/api/pv/calc/bulk",
            bulk.calc,
            description=f"At most {MAX_SYSTEMS} plants.",
            body=Body(BulkRequest, EXAMPLE, max_bytes=100_000),
            response=Bulk,
            headers=(("X-Data-Origin", "`live`; `simulated` if any input is."),),
            problems=(problems.FIELDS["id_taken"], problems.BUSY),
        ),
    )
