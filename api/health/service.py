"""State of every product, and counts for Prometheus."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from functools import partial

from aiohttp import web
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4

from api.core import problems
from api.core.errors import NOT_BUILT, ApiError
from api.core.pipeline import origin_of
from api.core.resources import Resources
from api.core.response import Prepared, respond, respond_model
from api.core.routing import warn
from api.data.published import Followed, Published
from api.health.schemas import Health, ProductHealth, QueueHealth, State
from tiles.clock import iso

# What operators have not built yet, and what nobody can build, is no trouble of the service.
_NO_TROUBLE = frozenset({NOT_BUILT, "NO_LAND"})
_MOST_REFUSED = 0.05
# For its first run, s: no worker runs, or too few. Shorter than a request waits.
_LONG_WAIT_S = 30
# The queue is asked for so long, s: a database that hangs holds up a transaction for seven.
_QUEUE_WITHIN_S = 1.0
_TEXT = Prepared({"Content-Type": CONTENT_TYPE_PLAIN_0_0_4, "Cache-Control": "no-store"})


class HealthService:
    """Answers `/health`, and `/metrics` to whom the operator trusts."""

    def __init__(self, resources: Resources) -> None:
        self._published, self._clock = resources.published, resources.clock
        self._code_version = resources.machinery.code_version
        self._answers, self._metrics, self._ledger = resources.answers, resources.metrics, resources.ledger
        self._clients, self._gate = resources.clients, resources.machinery.gate
        self._jobs, self._job_metrics = resources.jobs, resources.settings.job_metrics

    async def health(self, request: web.BaseRequest, _: None) -> web.StreamResponse:
        """State and age of every product.

        Always 200 while the process answers; `status` and `state` tell how things are.
        """
        products = self._products()
        recent = self._answers.recent()
        refusals = {code: number for code, number in recent.items() if code is not None}
        failed = sum(number for code, number in refusals.items() if code not in _NO_TROUBLE)
        queued = await self._queued()
        jobs = {kind: QueueHealth(queued=n, waiting_s=int(since_s)) for kind, (n, since_s) in queued.items()}
        left = [kind for kind, one in jobs.items() if one.waiting_s > _LONG_WAIT_S]
        well = (
            all(p.state in ("ready", "idle") and p.catalog_readable for p in products.values())
            and (self._ledger.up or self._gate.is_open)
            and not left
            and failed <= _MOST_REFUSED * recent.total()
        )
        report = Health(
            status="ok" if well else "degraded",
            code_version=self._code_version,
            now=iso(self._clock.now()),
            clock="real" if self._clock.is_real else "frozen" if self._clock.anchor is None else "shifted",
            database="up" if self._ledger.up else "down",
            refusals=refusals,
            products=products,
            jobs=jobs,
        )
        if left:
            warn(
                request, f"Jobs of these kinds wait for over {_LONG_WAIT_S} s; look whether `solflis worker` runs", left
            )
        return respond_model(request, report)

    async def _queued(self) -> Mapping[str, tuple[int, float]]:
        """Return what `Jobs.queued` does; nothing where the database does not answer."""
        if not self._ledger.up:
            return {}
        with suppress(ApiError, TimeoutError):
            async with asyncio.timeout(_QUEUE_WITHIN_S):
                return await self._jobs.queued()
        return {}

    def _products(self) -> dict[str, ProductHealth]:
        now, followed = self._clock.now(), self._published.followed
        return {name: product_health(one, self._published, now) for name, one in followed.items()}

    async def metrics(self, request: web.BaseRequest, _: None) -> web.StreamResponse:
        """Counts for Prometheus.

        For the addresses that the operator trusts: answers by route, method and status, their durations, refusals by
        quota and rate, the age of what is served, whether the database answers, jobs that wait and runs of jobs.
        """
        if not self._clients.is_trusted(request):
            raise problems.NOT_FOR_YOU()
        self._answers.flush()
        ages_s = {name: one.age_s for name, one in self._products().items() if one.age_s is not None}
        queued = await self._queued()
        text = partial(self._metrics.text, ages_s, self._ledger.up, queued, self._job_metrics)
        return respond(request, _TEXT, await asyncio.to_thread(text))


def product_health(followed: Followed, published: Published, now: datetime) -> ProductHealth:
    """Return the health of a product.

    Parameters
    ----------
    followed : Followed
    published : Published
    now : datetime
    """
    newest, limit, due = followed.index.newest(now), followed.product.stale_after, _is_due(followed, now)
    # The newest version that answers come from.
    current = (followed.current(variable, now) for variable in followed.prepare)
    serving = max((one for one in current if one), key=lambda one: one.entry.issued_at, default=None)
    shown = serving.entry if serving else newest
    stale = shown is not None and due and limit is not None and now - shown.issued_at > limit
    damaged = len(serving.tile.damaged) if serving else 0
    if damaged or (newest is not None and published.hydrator.failed(newest)):
        state: State = "corrupt"
    elif stale:
        state = "stale"
    elif shown is None and followed.building:
        state = "building"
    elif shown is None:
        # what no answer needs, or nobody asked for, is no trouble while it is not there
        state = "missing" if followed.prepare and due and not followed.product.on_request else "idle"
    elif followed.prepare and serving is None:
        state = "building" if due else "idle"
    else:
        state = "ready"
    return ProductHealth(
        state=state,
        version=shown.version if shown else None,
        served=serving is not None,
        issued_at=iso(shown.issued_at) if shown else None,
        age_s=int((now - shown.issued_at).total_seconds()) if shown else None,
        stale=stale,
        data_origin=origin_of(shown.data_origin) if shown else None,
        newest_version=newest.version if newest else None,
        catalog_readable=followed.trouble is None,
        damaged_shards=damaged,
    )


def _is_due(followed: Followed, now: datetime) -> bool:
    """Return whether a version should be there that is no older than the product allows.

    Asked of the moment that such a version stands for: in the morning the first one is waited for as long as any other.
    """
    product = followed.product
    return product.due is None or product.stale_after is None or product.due(now - product.stale_after)
