"""`POST /mcp`: the tool server, within the API's process."""

from collections.abc import Callable
from functools import partial

import orjson
from aiohttp import web
from yarl import URL

from api.access.callers import Clients
from api.access.rates import Rates
from api.access.required import Access, key_of
from api.core import problems
from api.core.errors import ApiError
from api.core.resources import Resources
from api.core.routing import Route
from api.core.settings import Settings
from api.mcp import results
from api.mcp.backends import Backend, InnerBackend
from api.mcp.registry import FILE, TOOLS
from api.mcp.service import PATH, HasKey, McpService

TAG = "Tool server"
# Of a call, beside what it may wait for a job: the tool's own requests.
_GRACE_S = 35.0


def routes(resources: Resources) -> tuple[Route, ...]:
    """Return the declarations of this group."""
    settings, gate = resources.settings, resources.machinery.gate

    def backend() -> Backend:
        assert resources.inner is not None  # noqa: S101 -- set when all routes are known
        return InnerBackend(resources.inner, settings.base_url, settings.mcp_wait_s)

    async def has_key(request: web.BaseRequest) -> bool:
        if gate.is_open or key_of(request) is None:
            return gate.is_open
        try:
            await gate.admit(request, Access(keyed=True))
        except ApiError as error:
            if error.problem is problems.INVALID_KEY:
                return False
            raise
        return True

    return (route(settings, backend, resources.rates, resources.clients, has_key),)


def route(settings: Settings, backend: Callable[[], Backend], rates: Rates, clients: Clients, has_key: HasKey) -> Route:
    """Return the declaration of the route; parameters as of `McpService`."""
    lists = orjson.loads(FILE.read_bytes())
    schemas = {one["name"]: one["inputSchema"] for one in next(iter(lists.values()))["tools"]}
    service = McpService(
        backend,
        rates,
        clients,
        has_key,
        settings.mcp_origins | {str(URL(settings.base_url).origin())},
        lists,
        {tool.name: partial(results.run, tool, schemas[tool.name]) for tool in TOOLS},
        frozenset(tool.name for tool in TOOLS if tool.needs_key and settings.access == "keys"),
    )
    return Route("POST", PATH, service.post, tag=TAG, within_s=settings.mcp_wait_s + _GRACE_S)
