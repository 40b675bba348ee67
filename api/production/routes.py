"""`GET /api/production/now`."""

from api.core import problems
from api.core.resources import Resources
from api.core.routing import Route
from api.production.counties import method_of
from api.production.installed import read_installed
from api.production.problems import NOT_TODAY
from api.production.schemas import ProductionNow
from api.production.service import ProductionService
from tiles.products.county_now import ENGINE

TAG = "Production now"


def routes(resources: Resources) -> tuple[Route, ...]:
    """Return the declarations of this group."""
    service = ProductionService(resources, read_installed(resources.settings.installed_power))
    return (
        Route(
            "GET",
            "/api/production/now",
            service.now,
            response=ProductionNow,
            conditional=True,
            headers=(
                ("X-Data-Origin", "`live` or `simulated`."),
                ("Cache-Control", "`public, max-age=<seconds until the next full hour>`."),
            ),
            problems=(NOT_TODAY, problems.NOT_PUBLISHED, problems.DAMAGED),
            method_prose=method_of(ENGINE),
            examples=("/api/production/now",),
        ),
    )
