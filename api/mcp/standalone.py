"""The tool server by itself: `POST /mcp` alone, on an API that is asked over HTTP."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import ClientSession, web

from api.access.callers import Clients
from api.access.gate import Gate
from api.access.plans import read_plans
from api.access.rates import Rates
from api.access.required import key_of
from api.access.secret import load_secret
from api.core.routing import Router, endpoint
from api.core.settings import Settings, SettingsError
from api.mcp.backends import Backend, RemoteBackend, open_session
from api.mcp.routes import route
from api.observing.answers import Answers
from api.observing.metrics import Metrics


class ToolServer:
    """The application that `solflis mcp` serves.

    Parameters
    ----------
    settings : Settings
        `mcp_api` is the API's address. The limit of callers without key is counted in the state folder, or in
        `rate_store`: together with an API that has the same.

    Raises
    ------
    SettingsError
        A setting, or a file that one names, cannot be used.
    """

    def __init__(self, settings: Settings) -> None:
        if settings.mcp_api is None:
            raise SettingsError("SOLFLIS_MCP_API is missing: the address of the API, such as http://127.0.0.1:8080")
        self._settings, self._api = settings, settings.mcp_api
        self._clients = Clients(settings.trusted_proxies)
        self._session: ClientSession | None = None
        self._metrics = Metrics(settings.metrics)
        self.answers = Answers(self._metrics)
        secret = load_secret(settings.secret, settings.state)
        self._rates = Rates(settings.rate_store or settings.state, secret, self._clients, self._metrics.rejected)
        nobody_is_refused = Gate(
            secret, read_plans(settings.plans), self._clients, settings.clock, None, self._metrics.rejected
        )
        declared = route(settings, self._backend, self._rates, self._clients, self._has_key)
        self.router = Router([(declared, endpoint(declared, nobody_is_refused, self._rates))])

    def _backend(self) -> Backend:
        assert self._session is not None  # noqa: S101 -- opened before anybody is answered
        settings = self._settings
        return RemoteBackend(self._api, self._session, self._clients, settings.base_url, settings.mcp_wait_s)

    async def _has_key(self, request: web.BaseRequest) -> bool:
        """Return whether a key is shown, or none is needed: the API says whether it counts."""
        return self._settings.access == "open" or key_of(request) is not None

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Keep the connections to the API."""
        async with open_session() as self._session, self._rates.lifespan():
            yield
        self._metrics.close()
