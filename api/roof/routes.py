"""`/api/roof/...`: the planes of a roof, the modules that it holds, and what the building is used for."""

from api.access.partners import HEADER
from api.core import problems as shared
from api.core.body import Body
from api.core.resources import Resources
from api.core.routing import Route
from api.roof import problems
from api.roof.answers import BuildingType, Layout, Status
from api.roof.schemas import EXAMPLE, MAX_BYTES, BuildingQuery, RoofRequest
from api.roof.service import DRAWINGS, RoofService

TAG = "Roof"
_GRACE_S = 10.0
_OF_FIELDS = (
    "missing", "float_type", "greater_than_equal", "less_than_equal", "literal_error", "extra_forbidden",
    "key_unknown", "ring_invalid", "ring_far", "too_short", "too_long", "string_too_long",
)  # fmt: skip
_OF_BODIES = (
    *(shared.FIELDS[kind] for kind in _OF_FIELDS),
    problems.PASSWORD_REQUIRED,
    problems.PASSWORD_WRONG,
    shared.NO_COUNTING,
    shared.QUEUE_FULL,
    shared.NO_JOBS,
)
_OF_RUNS = (
    problems.NO_BUILDING,
    problems.BUILDING_TOO_LARGE,
    problems.BACKEND_FAILED,
    shared.JOB_FAILED,
    shared.JOB_CANCELLED,
)
_ORIGIN = ("X-Data-Origin", "`live`; `simulated` if any input is.")
_ACCESS = f"Needs the password of an agreement, `passord` or the header `{HEADER}`."
_JOB = {"jobb_id": "From `POST /api/roof/jobs`."}
_OF_JOBS = (problems.NOT_FOUND, problems.EXPIRED, shared.NO_JOBS)
_NAMED = ("Content-Disposition", "`tak_<lat>_<lon>` is the file's name.")
_COUNTS = (_NAMED, ("X-Moduler", "Number of modules."), ("X-Kwp", "kWp."), _ORIGIN)


def routes(resources: Resources) -> tuple[Route, ...]:
    """Return the declarations of this group."""
    service = RoofService(resources)
    rates = resources.settings.roof_rates
    body = Body(RoofRequest, EXAMPLE, max_bytes=MAX_BYTES)
    drawings = tuple(
        Route(
            "GET",
            f"/api/roof/jobs/{{jobb_id}}/tegning.{kind}",
            service.drawing,
            description=f"As {kind.upper()}.",
            path_parameters=_JOB,
            media_type=media,
            headers=_COUNTS,
            problems=(*_OF_JOBS, *_OF_RUNS, problems.NO_DRAWING, problems.NOT_READY, problems.QUEUE_TIMEOUT),
        )
        for kind, media in DRAWINGS.items()
    )
    return (
        Route(
            "POST",
            "/api/roof/jobs",
            service.queue,
            description=_ACCESS,
            body=body,
            status=202,
            response=Status,
            rates=rates,
            shown_rate=rates[-1],
            problems=_OF_BODIES,
        ),
        Route(
            "GET",
            "/api/roof/jobs/{jobb_id}",
            service.job,
            path_parameters=_JOB,
            response=Status,
            problems=_OF_JOBS,
        ),
        *drawings,
        Route(
            "POST",
            "/api/roof/layout",
            service.layout,
            description=_ACCESS,
            body=body,
            response=Layout,
            rates=rates,
            shown_rate=rates[-1],
            within_s=problems.SYNC_S + _GRACE_S,
            headers=(_ORIGIN,),
            problems=(*_OF_BODIES, *_OF_RUNS, problems.TIMEOUT, problems.EXPIRED),
        ),
        Route(
            "GET",
            "/api/roof/bygningstype",
            service.building_type,
            query=BuildingQuery,
            response=BuildingType,
            headers=(_ORIGIN,),
            problems=(shared.NOT_BETWEEN, problems.REGISTER_FAILED),
        ),
    )
