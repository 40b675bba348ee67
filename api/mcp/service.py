"""The handler of `POST /mcp`: from a message to its answer."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from importlib.metadata import version
from typing import Any

import orjson
from aiohttp import web
from multidict import istr

from api.access.callers import Clients
from api.access.rates import Rates
from api.access.required import key_of
from api.core import problems
from api.core.body import JSON, receive, require_media
from api.core.errors import ApiError, problem
from api.core.request_keys import CODE
from api.core.response import Prepared, respond
from api.mcp import wire
from api.mcp.backends import Backend, CallerApi
from api.mcp.texts import text, texts
from api.mcp.tool import Api, Fields, ToolError

PATH = "/mcp"
KEYLESS_RATE = "30/minute"
MAX_BYTES = 100_000
TOO_MANY = problem("mcp.TOO_MANY")

_RECEIVE_S = 10.0
_ORIGIN, _HOST = istr("Origin"), istr("Host")
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_ANSWER = Prepared({"Content-Type": JSON, "Cache-Control": "no-store"})
_SERVER_INFO = {"name": "solflis", "title": "Solflis", "version": version("solflis")}
_META = {"_meta": {"io.modelcontextprotocol/serverInfo": _SERVER_INFO}}
_CAPABILITIES: dict[str, Any] = {"tools": {}}
# What some clients ask for unasked, and drop a server without; the capabilities say that there is none.
_EMPTY: dict[str, Fields] = {
    "prompts/list": {"prompts": []},
    "resources/list": {"resources": []},
    "resources/templates/list": {"resourceTemplates": []},
}

log = logging.getLogger("solflis.api")

RunTool = Callable[[str, Api, Fields], Awaitable[Fields]]
"""From protocol version, API and arguments to a result of `tools/call`."""
HasKey = Callable[[web.BaseRequest], Awaitable[bool]]


class McpService:
    """Answers messages of the Model Context Protocol.

    Parameters
    ----------
    backend : callable
        Returns the API that tools ask; called at each message.
    rates : Rates
    clients : Clients
    has_key : callable
        Whether a request shows a key that counts, or none is needed; others share the limit of their address.
    origins : frozenset of str
        Web pages whose scripts may call, such as `https://app.example.com`.
    lists : mapping of str to dict
        Result of `tools/list` by protocol version.
    tools : mapping of str to RunTool
        By name.
    keyed_tools : frozenset of str
        Those that need a key.
    """

    def __init__(
        self,
        backend: Callable[[], Backend],
        rates: Rates,
        clients: Clients,
        has_key: HasKey,
        origins: frozenset[str],
        lists: Mapping[str, Fields],
        tools: Mapping[str, RunTool],
        keyed_tools: frozenset[str],
    ) -> None:
        self._backend, self._rates, self._clients, self._has_key = backend, rates, clients, has_key
        self._origins, self._lists, self._tools, self._keyed_tools = origins, lists, tools, keyed_tools

    async def post(self, request: web.BaseRequest, _: None) -> web.StreamResponse:
        """Answer one JSON-RPC message of the Model Context Protocol: Streamable HTTP, stateless, JSON answers."""
        try:
            self._check_origin(request)
            require_media(request, JSON)
            raw = await receive(request, MAX_BYTES, _RECEIVE_S, problems.INVALID_JSON)
            message = wire.read(request.headers, raw)
            if message.identity is None:
                return web.Response(status=202)
            result = await self._result(request, message)
        except wire.ProtocolError as error:
            request[CODE] = str(error.code)
            return web.Response(status=error.status, body=error.body(), content_type=JSON)
        body = {"jsonrpc": "2.0", "id": message.identity, "result": result}
        return respond(request, _ANSWER, orjson.dumps(body))

    def _check_origin(self, request: web.BaseRequest) -> None:
        """Refuse scripts of web pages that are not listed; other clients send no origin."""
        for origin in request.headers.getall(_ORIGIN, ()):
            if origin not in self._origins and not _is_ours(origin, request.headers.get(_HOST, "")):
                raise wire.ProtocolError(wire.INVALID, "This web page may not call the tool server.", status=403)

    async def _result(self, request: web.BaseRequest, message: wire.Message) -> Fields:
        stateless = message.version == wire.STATELESS
        method, params = message.method, message.params
        result: Fields | None = None
        if method == "tools/call":
            result = await self._call(request, message)
        elif method == "tools/list":
            result = self._list(message)
        elif stateless and method == "server/discover":
            result = _discovery()
        elif not stateless and method == "initialize":
            result = _initialization(params, message.identity)
        elif not stateless and method == "ping":
            result = {}
        elif not stateless:
            result = _EMPTY.get(method)
        if result is None:
            raise wire.ProtocolError(wire.UNKNOWN_METHOD, f'Unknown method: "{method[:60]}".', message.identity)
        return {**result, "resultType": "complete", **_META} if stateless else result

    def _list(self, message: wire.Message) -> Fields:
        if message.params.get("cursor") is not None:
            raise wire.ProtocolError(
                wire.INVALID_PARAMS, "There is one page of tools: send no cursor.", message.identity
            )
        return self._lists[message.version]

    async def _call(self, request: web.BaseRequest, message: wire.Message) -> Fields:
        """Return the result of a tool; what goes wrong in it is a result, too."""
        name, arguments = message.params.get("name"), message.params.get("arguments")
        arguments = {} if arguments is None else arguments
        if not isinstance(name, str) or not isinstance(arguments, dict):
            wrong = '"params" needs "name", a string, and "arguments", an object.'
            raise wire.ProtocolError(wire.INVALID_PARAMS, wrong, message.identity)
        try:
            await self._admit(request, name)
            if name not in self._tools:
                raise ToolError(text("errors", "unknown_tool", name=name[:60], known=", ".join(self._tools)))
            return await self._tools[name](message.version, CallerApi(self._backend(), request), arguments)
        except (ToolError, ApiError) as error:
            said = str(error)
        except wire.ProtocolError as error:
            error.identity = message.identity
            raise
        except Exception:
            log.exception("unexpected: tool %s", name[:60])
            said = text("errors", "internal")
        return {"content": [{"type": "text", "text": said}], "isError": True}

    async def _admit(self, request: web.BaseRequest, name: str) -> None:
        """Refuse a call without key, of a tool that needs one, or of somebody whose address has had its share."""
        if await self._has_key(request):
            return
        if name in self._keyed_tools and key_of(request) is None:
            raise ToolError(text("errors", "needs_key", base_url=self._backend().base_url))
        await self._rates.hit([(KEYLESS_RATE, (PATH, self._clients.of(request)))], problem=TOO_MANY)


def _is_ours(origin: str, host: str) -> bool:
    """Return whether a page is one that we serve on this machine: no other name than these is sure to be ours."""
    return origin == f"http://{host}" and host.rpartition(":")[0] in _LOOPBACK


def _discovery() -> Fields:
    return {
        "supportedVersions": list(wire.SUPPORTED),
        "capabilities": _CAPABILITIES,
        "instructions": texts()["server"]["instructions"],
        "ttlMs": 3_600_000,
        "cacheScope": "public",
    }


def _initialization(params: Fields, identity: wire.Id) -> Fields:
    """Return the answer to `initialize`: the version that is asked for, else the newest with a handshake."""
    asked = params.get("protocolVersion")
    if not isinstance(asked, str):
        raise wire.ProtocolError(wire.INVALID_PARAMS, '"params" needs "protocolVersion", a string.', identity)
    chosen = asked if asked in wire.HANDSHAKE else wire.HANDSHAKE[0]
    return {
        "protocolVersion": chosen,
        "capabilities": _CAPABILITIES,
        "serverInfo": _SERVER_INFO,
        "instructions": texts()["server"]["instructions"],
    }
