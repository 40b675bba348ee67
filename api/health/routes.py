"""`GET /health` and `GET /metrics`."""

from api.core import problems
from api.core.resources import Resources
from api.core.routing import Route
from api.health.schemas import Health
from api.health.service import HealthService

TAG = "Service"


def routes(resources: Resources) -> tuple[Route, ...]:
    """Return the declarations of this group."""
    service = HealthService(resources)
    return (
        Route(
            "GET",
            "/health",
            service.health,
            response=Health,
            examples=("/health",),
        ),
        Route(
            "GET",
            "/metrics",
            service.metrics,
            media_type="text/plain",
            problems=(problems.NOT_FOR_YOU,),
            examples=("/metrics",),
        ),
    )
