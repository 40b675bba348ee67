"""`GET /api/snowload/calc`: the characteristic snow load on the ground of a site."""

from api.core.resources import Resources
from api.core.routing import Route
from api.snowload.method import PROSE, statistics
from api.snowload.problems import PROBLEMS
from api.snowload.schemas import Snowload, SnowloadQuery
from api.snowload.service import SnowloadService

TAG = "Snow load"
_EXAMPLE = "/api/snowload/calc?lat=59.91&lon=10.75"


def routes(resources: Resources) -> tuple[Route, ...]:
    """Return the declaration of this group."""
    snowload = SnowloadService(resources)
    return (
        Route(
            "GET",
            "/api/snowload/calc",
            snowload.calc,
            query=SnowloadQuery,
            response=Snowload,
            other_media=snowload.pipeline.media,
            conditional=True,
            headers=(
                ("Cache-Control", "`public, max-age=86400`; a minute where the snow authority failed for some cells."),
                ("X-Data-Origin", "`live` or `simulated`: simulated data are invented."),
            ),
            problems=PROBLEMS,
            method_prose={
                "reference": PROSE["reference"],
                "disclaimer": PROSE["disclaimer"],
                "statistics": statistics("`returnperiod`", "`variability`"),
            },
            examples=(
                _EXAMPLE,
                f"{_EXAMPLE}&grid=5&returnperiod=100&variability=1.2&start=1991-9-1&elev=120",
                "/api/snowload/calc?x=262500&y=6649500&cells=262500_6649500,263500_6649500",
                f"{_EXAMPLE}&format=csv",
            ),
        ),
    )
