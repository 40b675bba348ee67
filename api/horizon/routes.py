"""`GET /api/horizon/terrain` and `POST /api/horizon/rooftop`: what hides the sky at a place, in 720 directions."""

from api.core import problems as shared
from api.core.body import Body
from api.core.resources import Resources
from api.core.routing import Route
from api.horizon import problems
from api.horizon.formats.registry import FORMATS
from api.horizon.rooftop.answer import PROSE
from api.horizon.rooftop.heights import NEAR_M
from api.horizon.schemas import EXAMPLE, MAX_BYTES, Rooftop, RooftopQuery, RooftopRequest, Terrain, TerrainQuery
from api.horizon.service import REQUEST_ID, TIER, TILE_KEY, YEAR, HorizonService, error_headers

TAG = "Horizon"
RATES = ("5/second", "300/hour")
_EXAMPLE = "/api/horizon/terrain?lat=59.91&lon=10.75"
_HEADERS = (("X-Data-Origin", "`live`; `simulated` if any input is."),)
_FAILURES = (shared.BUSY, shared.NO_PICTURE)


def routes(resources: Resources) -> tuple[Route, ...]:
    """Return the declarations of this group."""
    service = HorizonService(resources)
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
            problems=(
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
                problems.BACKEND_SLOW,
            ),
        ),
    )
