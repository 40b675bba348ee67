"""The application: every endpoint group's routes on what the groups share."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from importlib import import_module

from api.core import docs
from api.core.executors import background
from api.core.inner import InnerRequests
from api.core.resources import Resources
from api.core.routing import Route, Router, endpoint
from api.core.settings import Settings

log = logging.getLogger("solflis.api")

# Each has `TAG` and `routes(resources)` in its module `routes`; in the document they come in this order.
_GROUPS = (
    "forecast",
    "production",
    "tmy",
    "pv",
    "snow",
    "snowload",
    "horizon",
    "terrain",
    "roof",
    "places",
    "results",
    "plants",
    "account",
    "health",
)
_TRIM_EVERY_S = 600.0


class Application:
    """The application that a worker serves.

    Parameters
    ----------
    settings : Settings
    more_routes : tuple of Route
        Beside the API's own; a benchmark's baseline uses it.

    Attributes
    ----------
    router : Router
    answers : Answers
        Notes every answer in the log and the metrics.
    routes : tuple of Route

    Raises
    ------
    SettingsError
        A setting, or a file that one names, cannot be used.
    DatabaseError, ValueError
        The address of the database or of the store is malformed.
    """

    def __init__(self, settings: Settings, more_routes: tuple[Route, ...] = ()) -> None:
        self.settings = settings
        self.resources = resources = Resources(settings)
        self.answers, self.machinery = resources.answers, resources.machinery
        groups = (import_module(f"api.{name}.routes") for name in _GROUPS)
        declared = (replace(route, tag=group.TAG) for group in groups for route in group.routes(resources))
        routes = (*declared, *more_routes)
        described = (*routes, *docs.routes(routes, resources.plans if resources.counted else None))
        # messages of a protocol with a description of its own
        self.routes = (*described, *import_module("api.mcp.routes").routes(resources))
        gate, rates = resources.machinery.gate, resources.rates
        self.router = Router((route, endpoint(route, gate, rates)) for route in self.routes)
        resources.inner = InnerRequests(self.router, self.answers)

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Keep running what runs beside the requests.

        Raises
        ------
        DatabaseError
            The database will never be ready.
        """
        resources = self.resources
        async with AsyncExitStack() as stack:
            stack.callback(resources.metrics.close)
            for lifespan in resources.lifespans:
                await stack.enter_async_context(lifespan())
            await stack.enter_async_context(background(self._trim(), "trim folders"))
            await resources.database.first_try()
            await resources.engines.begun()
            yield

    async def _trim(self) -> None:
        """Remove what is too old or too much in folders that are bounded: also of what nobody asks for any more."""
        while True:
            for trim in self.resources.trims:
                try:
                    await asyncio.to_thread(trim)
                except OSError as error:
                    log.warning("a bounded folder cannot be trimmed: %s", error.strerror)
            await asyncio.sleep(_TRIM_EVERY_S)
