"""`/api/horizon/terrain`, `/rooftop` and `/precise`: what hides the sky at a place, and what that costs a panel."""

from api.core import problems as shared
from api.core.body import Body
from api.core.resources import Resources
from api.core.routing import Route
from api.data.typical_year import BEING_PUBLISHED
from api.horizon import problems
from api.horizon.formats.registry import FORMATS
from api.horizon.precise.question import METHOD
from api.horizon.precise.schemas import EXAMPLE as PRECISE_EXAMPLE
from api.horizon.precise.schemas import Precise, PreciseRequest
from api.horizon.precise.service import HEADERS as LINKS
from api.horizon.precise.service import JOB, PreciseService
from api.horizon.precise.service import error_headers as precise_headers
from api.horizon.problems import PRECISE_WITHIN_S
from api.horizon.rooftop.answer import PROSE
from api.horizon.rooftop.heights import NEAR_M
from api.horizon.schemas import EXAMPLE, MAX_BYTES, Rooftop, RooftopQuery, RooftopRequest, Terrain, TerrainQuery
from api.horizon.service import REQUEST_ID, TIER, TILE_KEY, YEAR, HorizonService, error_headers

TAG = "Horizon"
RATES = ("5/second", "300/hour")
PRECISE_RATES = ("1/second", "30/hour")
_EXAMPLE = "/api/horizon/terrain?lat=59.91&lon=10.75"
_HEADERS = (("X-Data-Origin", "`live`; `simulated` if any input is."),)
_FAILURES = (shared.BUSY, shared.NO_PICTURE)
_OF_ROOFS = (
    problems.LEVEL_1_ONLY,
    shared.NOT_A_CHOICE,
    *(shared.FIELDS[kind] for kind in ("float_type", "greater_than_equal", "less_than_equal")),
    problems.ROOF_NOT_PUBLISHED,
    problems.NO_TILE,
    problems.ROOF_NOT_BUILT,
    problems.NO_HEIGHTS,
    problems.NO_GROUND,
    problems.BACKEND_FAILED,
    shared.DAMAGED_AVOIDABLE,
    *_FAILURES,
)
# Of the answer, after the result is there.
_GRACE_S = 10.0


def routes(resources: Resources) -> tuple[Route, ...]:
    """Return the declarations of this group."""
    service = HorizonService(resources)
    precise = PreciseService(resources, service.heights, service.view)
    unverified = "; ".join(f"`{one.value}`: {one.tool}, {one.unverified}" for one in FORMATS.values() if one.unverified)
    return (
        Route(
            "GET",
            "/api/horizon/terrain",
            service.terrain,
            description=f"Not verified with the tools themselves: {unverified}.",
            query=TerrainQuery,
            response=Terrain,
            other_media=service.of_terrain.media,
            conditional=True,
            headers=(
                (TILE_KEY, "The tile that answers."),
                (YEAR, "Year of the terrain data; absent where it is not known."),
                ("X-Api-Tier", "`terrain`."),
                ("X-Api-Version", "Of the horizon answers."),
                ("Cache-Control", "`public, max-age=86400`."),
                *_HEADERS,
            ),
            problems=(
                shared.POINT,
                problems.OUTSIDE,
                shared.NOT_A_CHOICE,
                problems.NOT_PUBLISHED,
                problems.NO_TILE,
                problems.NOT_BUILT_THERE,
                shared.DAMAGED,
                *_FAILURES,
            ),
            examples=(_EXAMPLE, f"{_EXAMPLE}&format=csv", f"{_EXAMPLE}&format=pvsyst"),
        ),
        Route(
            "POST",
            "/api/horizon/precise",
            precise.precise,
            query=RooftopQuery,
            body=Body(PreciseRequest, PRECISE_EXAMPLE, max_bytes=MAX_BYTES),
            response=Precise,
            other_media=precise.pipeline.media,
            rates=PRECISE_RATES,
            shown_rate=PRECISE_RATES[1],
            error_headers=precise_headers,
            method_prose={**PROSE, **METHOD},
            within_s=PRECISE_WITHIN_S + _GRACE_S,
            headers=(
                (REQUEST_ID, "As `X-Request-Id`."),
                (TIER, "`precise`."),
                ("X-Quota-Remaining", "Requests left this hour for the IP address."),
                *((name, f"Link to the {kind}; of formats other than JSON.") for kind, name in LINKS.items()),
                (JOB, "As `job_id`; of formats other than JSON."),
                *_HEADERS,
            ),
            problems=(
                *_OF_ROOFS,
                problems.PRECISE_SLOW,
                problems.JOB_GOES_ON,
                problems.TOO_MANY_MAILS,
                shared.NOT_PUBLISHED,
                BEING_PUBLISHED,
                shared.QUEUE_FULL,
                shared.NO_JOBS,
                shared.JOB_FAILED,
                shared.JOB_CANCELLED,
            ),
        ),
        Route(
            "POST",
            "/api/horizon/rooftop",
            service.rooftop,
            description=f"The near field reaches {NEAR_M:g} m.",
            query=RooftopQuery,
            body=Body(RooftopRequest, EXAMPLE, max_bytes=MAX_BYTES),
            response=Rooftop,
            other_media=service.of_roofs.media,
            rates=RATES,
            shown_rate=RATES[1],
            error_headers=error_headers,
            method_prose=PROSE,
            headers=(
                (REQUEST_ID, "As `X-Request-Id`."),
                (TIER, "`rooftop`."),
                ("X-Quota-Remaining", "Requests left this hour for the IP address."),
                *_HEADERS,
            ),
            problems=(*_OF_ROOFS, problems.BACKEND_SLOW),
        ),
    )
