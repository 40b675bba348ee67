"""`/api/terrain/category` and `/api/terrain/jobs`: terrain category and terrain form around a site."""

from api.core import problems as shared
from api.core.body import Body
from api.core.resources import Resources
from api.core.routing import Route
from api.terrain import problems
from api.terrain.schemas import EXAMPLE, MAX_BYTES, Queued, Terrain, TerrainQuery, TerrainRequest
from api.terrain.service import JOB, TerrainService

TAG = "Terrain"
# Of the answer, after the result is there.
_GRACE_S = 10.0
_OF_JOBS = (
    problems.NOT_ON_LAND,
    problems.BACKEND_FAILED,
    shared.DAMAGED,
    shared.NO_JOBS,
    shared.JOB_FAILED,
    shared.JOB_CANCELLED,
)
_OF_FIELDS = ("missing", "float_type", "greater_than_equal", "less_than_equal", "literal_error")
_OF_BODIES = (shared.NOT_A_CHOICE, *(shared.FIELDS[kind] for kind in _OF_FIELDS), shared.QUEUE_FULL)
_HEADERS = (
    ("X-Data-Origin", "`live`; `simulated` if any input is."),
    (JOB, "For `GET /api/terrain/jobs/{jobb_id}`."),
)


def routes(resources: Resources) -> tuple[Route, ...]:
    """Return the declarations of this group."""
    service = TerrainService(resources)
    rates = resources.settings.terrain_rates
    media = service.pipeline.media
    body = Body(TerrainRequest, EXAMPLE, max_bytes=MAX_BYTES)
    return (
        Route(
            "POST",
            "/api/terrain/category",
            service.category,
            description="Beta: decision support that the responsible designer checks. NS-EN 1991-1-4, A.2 and A.3.",
            query=TerrainQuery,
            body=body,
            response=Terrain,
            other_media=media,
            rates=rates,
            shown_rate=rates[-1],
            within_s=problems.WITHIN_S + _GRACE_S,
            headers=_HEADERS,
            problems=(*_OF_BODIES, *_OF_JOBS, problems.TIMEOUT),
        ),
        Route(
            "POST",
            "/api/terrain/jobs",
            service.queue,
            description="Beta. `estimert_sekunder` is for a site whose land is here already.",
            body=body,
            status=202,
            response=Queued,
            rates=rates,
            shown_rate=rates[-1],
            problems=(*_OF_BODIES, shared.NO_JOBS),
        ),
        Route(
            "GET",
            "/api/terrain/jobs/{jobb_id}",
            service.job,
            path_parameters={"jobb_id": "From `POST /api/terrain/jobs`."},
            query=TerrainQuery,
            response=Queued,
            other_media=media,
            problems=(problems.NOT_FOUND, problems.EXPIRED, problems.NOT_READY, *_OF_JOBS),
        ),
    )
