"""`GET /health`."""

from typing import Literal

from aiohttp import web

from api.health.models import Health
from api.health.state import product_health
from api.published import Published
from api.routing import Route
from tiles.clock import Clock, iso


class HealthHandler:
    """Answers 200 as long as the process answers; `status` tells how things are.

    Parameters
    ----------
    published : Published
    clock : Clock
    code_version : str
    """

    def __init__(self, published: Published, clock: Clock, code_version: str) -> None:
        self._published, self._clock, self._code_version = published, clock, code_version

    async def health(self, _: web.Request, __: None) -> web.Response:
        """Answer with the state of every product."""
        now = self._clock.now()
        products = {
            name: product_health(followed, self._published, now) for name, followed in self._published.followed.items()
        }
        ready = all(p.state in ("ready", "idle") and p.catalog_readable for p in products.values())
        report = Health(
            status="ok" if ready else "degraded",
            code_version=self._code_version,
            now=iso(now),
            clock=self._kind(),
            products=products,
        )
        headers = {"Content-Type": "application/json", "Cache-Control": "no-store"}
        return web.Response(body=report.model_dump_json().encode(), headers=headers)

    def _kind(self) -> Literal["real", "shifted", "frozen"]:
        if self._clock.is_real:
            return "real"
        return "frozen" if self._clock.anchor is None else "shifted"


def routes(published: Published, clock: Clock, code_version: str) -> tuple[Route, ...]:
    """Return the declarations of this group."""
    handler = HealthHandler(published, clock, code_version)
    return (
        Route(
            "GET",
            "/health",
            handler.health,
            tag="Service",
            summary="What is served, and how old it is",
            description="Always 200 while the process answers; `status` and `state` tell how things are.",
            response=Health,
            examples=("/health",),
        ),
    )
