"""`GET /metrics`."""

import asyncio

from aiohttp import web
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4

from api import texts
from api.access.callers import CLIENTS
from api.access.ledger import Ledger
from api.errors import Forbidden
from api.health.state import product_health
from api.observing.answers import Answers
from api.observing.metrics import Metrics
from api.published import Published
from api.routing import Failure, Route
from tiles.clock import Clock


class MetricsHandler:
    """Answers Prometheus.

    Parameters
    ----------
    metrics : Metrics
    noted : Answers
        What this worker has noted and not yet counted.
    published : Published
    clock : Clock
    ledger : Ledger
    """

    def __init__(self, metrics: Metrics, noted: Answers, published: Published, clock: Clock, ledger: Ledger) -> None:
        self._metrics, self._noted = metrics, noted
        self._published, self._clock, self._ledger = published, clock, ledger

    async def metrics(self, request: web.Request, _: None) -> web.Response:
        """Answer with every count, summed over the workers of this machine."""
        if not request.app[CLIENTS].is_trusted(request):
            raise Forbidden(texts.NOT_FOR_YOU)
        self._noted.flush()
        body = await asyncio.to_thread(self._metrics.text, self._ages_s(), self._ledger.up)
        return web.Response(body=body, headers={"Content-Type": CONTENT_TYPE_PLAIN_0_0_4, "Cache-Control": "no-store"})

    def _ages_s(self) -> dict[str, float]:
        now = self._clock.now()
        followed = self._published.followed.items()
        ages = {name: product_health(one, self._published, now).age_s for name, one in followed}
        return {name: age for name, age in ages.items() if age is not None}


def routes(metrics: Metrics, noted: Answers, published: Published, clock: Clock, ledger: Ledger) -> tuple[Route, ...]:
    """Return the declarations of this group."""
    handler = MetricsHandler(metrics, noted, published, clock, ledger)
    return (
        Route(
            "GET",
            "/metrics",
            handler.metrics,
            tag="Service",
            summary="Counts for Prometheus",
            description=(
                "For the addresses that the operator trusts: answers by route, method and status, their durations, "
                "refusals by quota and rate, the age of what is served, whether the database answers."
            ),
            media_type="text/plain",
            errors=(Failure(403, texts.NOT_FOR_YOU, "from any other address"),),
            examples=("/metrics",),
        ),
    )
