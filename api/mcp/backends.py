"""How tools reach the API: within the process, or over HTTP where the tool server runs by itself."""

import logging
from collections.abc import Mapping
from typing import Any, Protocol

import aiohttp
import orjson
from aiohttp import web
from multidict import istr
from yarl import URL

from api.access.callers import Clients
from api.access.required import key_of
from api.core import problems
from api.core.body import JSON
from api.core.errors import NOT_BUILT
from api.core.inner import InnerRequests
from api.mcp.texts import text
from api.mcp.tool import Api, Fields, ToolError

log = logging.getLogger("solflis.api")

_ORIGIN = istr("X-Data-Origin")
# What a status means for who calls a tool, by the text that says it.
_HINTS = {404: "on_land", 429: "shared_limit"}
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
        return await self._ask("GET", URL.build(path=path, query={name: _written(query[name]) for name in query}))

    async def post(self, path: str, body: Mapping[str, Any]) -> Fields:
        """Return the answer to a POST, as `get`."""
        return await self._ask("POST", URL.build(path=path), orjson.dumps(body))

    async def _ask(self, method: str, url: URL, body: bytes = b"") -> Fields:
        status, answer, origin = await self._backend.send(self._request, method, url, body)
        content: Fields = orjson.loads(answer)
        if status >= 400:
            raise ToolError(self._refusal(status, content), status, content)
        _linked(content, self.base_url)
        if origin is not None:
            content["data_origin"] = origin
        return content

    def _refusal(self, status: int, content: Fields) -> str:
        """Return the text of an error of the API, for who calls a tool."""
        error = content["error"].replace("Parameteren ", "Argumentet ")
        if error == problems.INVALID_KEY.nb:
            return text("errors", "wrong_key", base_url=self.base_url)
        if content.get("code") == NOT_BUILT:
            return text("errors", "not_built", error=error)
        return text("errors", _HINTS[status], error=error) if status in _HINTS else error


def _linked(content: Fields, base_url: str) -> None:
    """Make the link to the description of a method whole."""
    method = content.get("method")
    if isinstance(method, dict) and str(method.get("docs", "")).startswith("/"):
        method["docs"] = base_url + method["docs"]


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
        self._api, self._session, self._clients = api.rstrip("/"), session, clients
        self.base_url, self.wait_s = base_url, wait_s

    async def send(self, request: web.BaseRequest, method: str, url: URL, body: bytes) -> tuple[int, bytes, str | None]:
        """Send a request with the caller's key, and with the address that limits count by.

        The API believes the address where this host is one of its `SOLFLIS_TRUSTED_PROXIES`.

        Raises
        ------
        ToolError
            The API cannot be reached, or does not answer in time.
        """
        headers = {"X-Forwarded-For": self._clients.of(request).partition("/")[0], "Content-Type": JSON}
        if (key := key_of(request)) is not None:
            headers["X-API-Key"] = key
        address = URL(f"{self._api}{url.raw_path_qs}", encoded=True)
        sent = self._session.request(method, address, data=body or None, headers=headers, allow_redirects=False)
        try:
            async with sent as response:
                content = await _received(response)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise _away(type(error).__name__) from None
        except ValueError:  # a key that no header can hold
            raise ToolError(text("errors", "wrong_key", base_url=self.base_url)) from None
        if 300 <= response.status < 400 or response.content_type != JSON:
            raise _away(f"{response.status} {response.content_type}")
        return response.status, content, response.headers.get(_ORIGIN)


async def _received(response: aiohttp.ClientResponse) -> bytes:
    received = bytearray()
    async for piece in response.content.iter_any():
        received += piece
        if len(received) > _MOST_BYTES:
            raise _away("answer too long")
    return bytes(received)


def _away(why: str) -> ToolError:
    log.warning("the API does not answer as it should: %s", why)
    return ToolError(text("errors", "unreachable"))


def open_session() -> aiohttp.ClientSession:
    """Return the connections of a `RemoteBackend`; cookies of one caller are nobody else's."""
    return aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_WITHIN_S), cookie_jar=aiohttp.DummyCookieJar())
