"""How tools reach the API: within the process, or over HTTP where the tool server runs by itself."""

from collections.abc import Mapping
from typing import Any, Protocol

import aiohttp
import orjson
from aiohttp import web
from multidict import istr
from yarl import URL

from api.access.callers import Clients
from api.access.required import key_of
from api.core.inner import InnerRequests
from api.mcp.texts import text
from api.mcp.tool import Api, Fields, ToolError

_ORIGIN = istr("X-Data-Origin")
# Of one request of the tool server by itself; the API ends its own after 30 s.
_WITHIN_S = 35.0
_MOST_BYTES = 5_000_000


class Backend(Protocol):
    """The API, as the tool server has it."""

    base_url: str
    wait_s: float

    async def send(self, request: web.BaseRequest, method: str, url: URL, body: bytes) -> tuple[int, bytes, str | None]:
        """Send a request for somebody; return status, body and data origin of the answer. Raises ToolError."""


class CallerApi(Api):
    """The API as the caller of one request reaches it."""

    def __init__(self, backend: Backend, request: web.BaseRequest) -> None:
        self.base_url, self.wait_s = backend.base_url, backend.wait_s
        self._backend, self._request = backend, request

    async def get(self, path: str, query: Mapping[str, Any]) -> Fields:
        """Return the answer to a GET, with the data origin that its header says.

        Raises
        ------
        ToolError
            It is an error.
        """
        url = URL.build(path=path, query={name: _written(value) for name, value in query.items()})
        return self._content(*await self._backend.send(self._request, "GET", url, b""))

    async def post(self, path: str, body: Mapping[str, Any]) -> Fields:
        """Return the answer to a POST, as `get`."""
        url = URL.build(path=path)
        return self._content(*await self._backend.send(self._request, "POST", url, orjson.dumps(body)))

    def _content(self, status: int, body: bytes, origin: str | None) -> Fields:
        content: Fields = orjson.loads(body)
        if status == 401:
            raise ToolError(text("errors", "wrong_key", base_url=self.base_url))
        if status >= 400:
            raise ToolError(content["error"])
        if origin is not None:
            content["data_origin"] = origin
        return content


def _written(value: Any) -> str:
    """Return a value as it is written in a query."""
    return str(int(value)) if isinstance(value, bool) else str(value)


class InnerBackend:
    """The API of this process.

    Parameters
    ----------
    inner : InnerRequests
    base_url : str
    wait_s : float
        As of `Api`.
    """

    def __init__(self, inner: InnerRequests, base_url: str, wait_s: float) -> None:
        self._inner, self.base_url, self.wait_s = inner, base_url, wait_s

    async def send(self, request: web.BaseRequest, method: str, url: URL, body: bytes) -> tuple[int, bytes, str | None]:
        """Send a request to a route of this process."""
        response, content = await self._inner.send(request, method, url, key_of(request), body)
        return response.status, content, response.headers.get(_ORIGIN)


class RemoteBackend:
    """An API that is asked over HTTP.

    Parameters
    ----------
    api : str
        Its address.
    session : ClientSession
    clients : Clients
    base_url : str
        Where callers reach it.
    wait_s : float
        As of `Api`.
    """

    def __init__(
        self, api: str, session: aiohttp.ClientSession, clients: Clients, base_url: str, wait_s: float
    ) -> None:
        self._api, self._session, self._clients = URL(api), session, clients
        self.base_url, self.wait_s = base_url, wait_s

    async def send(self, request: web.BaseRequest, method: str, url: URL, body: bytes) -> tuple[int, bytes, str | None]:
        """Send a request with the caller's key, and with the address that limits count by.

        The API believes the address where this host is one of its `SOLFLIS_TRUSTED_PROXIES`.

        Raises
        ------
        ToolError
            The API cannot be reached, or does not answer in time.
        """
        headers = {"X-Forwarded-For": self._clients.of(request).partition("/")[0], "Content-Type": "application/json"}
        if (key := key_of(request)) is not None:
            headers["X-API-Key"] = key
        address = self._api.join(URL(self._api.path.rstrip("/") + url.raw_path)).with_query(url.raw_query_string)
        try:
            async with self._session.request(
                method, address, data=body or None, headers=headers, allow_redirects=False
            ) as response:
                content = await response.content.read(_MOST_BYTES)
                return response.status, content, response.headers.get(_ORIGIN)
        except (aiohttp.ClientError, TimeoutError):
            raise ToolError(text("errors", "unreachable")) from None


def open_session() -> aiohttp.ClientSession:
    """Return the connections of a `RemoteBackend`."""
    return aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_WITHIN_S))
