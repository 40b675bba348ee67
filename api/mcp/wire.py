"""JSON-RPC 2.0 over Streamable HTTP: from a request's headers and bytes to a message, or a protocol error. No I/O.

Specification: modelcontextprotocol.io, versions 2025-03-26 to 2026-07-28.
"""

import base64
import binascii
from typing import Any, NamedTuple

import orjson
from multidict import CIMultiDictProxy, istr

STATELESS = "2026-07-28"
"""The version without a handshake: each request says its version, in `_meta` and in a header."""
HANDSHAKE = ("2025-11-25", "2025-06-18", "2025-03-26")
"""Versions that begin with `initialize`; the first is offered to clients that ask for a version we do not have."""
SUPPORTED = (STATELESS, *HANDSHAKE)
OLDEST = HANDSHAKE[-1]
"""Also of a handshake client that sends no version header; its results have no structured content and no links."""

PARSE, INVALID, UNKNOWN_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602
MISMATCH, UNSUPPORTED = -32020, -32022
_STATUS = {UNKNOWN_METHOD: 404}

_VERSION, _METHOD, _NAME = istr("MCP-Protocol-Version"), istr("Mcp-Method"), istr("Mcp-Name")
_META_VERSION = "io.modelcontextprotocol/protocolVersion"
_META_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
_ENCODED = ("=?base64?", "?=")

Id = int | str | None
Headers = CIMultiDictProxy[str]


class ProtocolError(Exception):
    """A message that the protocol does not allow: answered as a JSON-RPC error.

    Parameters
    ----------
    code : int
        JSON-RPC error code.
    message : str
    identity : int, str or None
        Id of the request, where it could be read.
    data : dict, optional
    status : int, optional
        HTTP status; by default 404 of an unknown method, else 400.
    """

    def __init__(
        self, code: int, message: str, identity: Id = None, data: dict[str, Any] | None = None, status: int = 0
    ) -> None:
        super().__init__(message)
        self.code, self.data, self.identity = code, data, identity
        self.status = status or _STATUS.get(code, 400)

    def body(self) -> bytes:
        """Return the JSON-RPC error."""
        error: dict[str, Any] = {"code": self.code, "message": str(self)}
        if self.data is not None:
            error["data"] = self.data
        known = {} if self.identity is None else {"id": self.identity}  # the protocol has no null
        return orjson.dumps({"jsonrpc": "2.0", **known, "error": error})


class Message(NamedTuple):
    """A request or a notification.

    Parameters
    ----------
    method : str
    params : dict
        Empty where there are none.
    version : str
        Of the protocol: one of `SUPPORTED`.
    identity : int, str or None
        None: a notification, which is not answered.
    """

    method: str
    params: dict[str, Any]
    version: str
    identity: Id


def read(headers: Headers, raw: bytes) -> Message:
    """Return the message of a request's body, checked against its headers.

    Raises
    ------
    ProtocolError
    """
    try:
        body = orjson.loads(raw)
    except orjson.JSONDecodeError:
        raise ProtocolError(PARSE, "The body is not valid JSON.") from None
    method, params, identity = _shape(body)
    try:
        version = _version(headers, params)
        if version == STATELESS:
            _check_mirrors(headers, method, params)
    except ProtocolError as error:
        error.identity = identity
        raise
    return Message(method, params, version, identity)


def _shape(body: Any) -> tuple[str, dict[str, Any], Id]:
    """Return method, parameters and id of a JSON-RPC request or notification."""
    if not isinstance(body, dict):
        raise ProtocolError(INVALID, "Send one JSON-RPC message, a JSON object: batches are not supported.")
    has_id, identity = "id" in body, body.get("id")
    valid_id = type(identity) in (int, str)
    known = identity if valid_id else None
    if body.get("jsonrpc") != "2.0" or not isinstance(body.get("method"), str):
        raise ProtocolError(INVALID, 'A message has "jsonrpc": "2.0" and a "method".', known)
    if has_id and not valid_id:
        raise ProtocolError(INVALID, "An id is a string or a whole number.")
    params = body.get("params", {})
    if not isinstance(params, dict):
        raise ProtocolError(INVALID, '"params" is an object.', known)
    if not has_id and not body["method"].startswith("notifications/"):
        raise ProtocolError(INVALID, f'The request "{body["method"][:60]}" needs an id.')
    return body["method"], params, known


def _version(headers: Headers, params: dict[str, Any]) -> str:
    """Return the protocol's version: that of `_meta` and header, or of a header alone in the handshake versions."""
    given = headers.getall(_VERSION, [])
    if len({value.strip() for value in given}) > 1:
        raise ProtocolError(MISMATCH, f"The header {_VERSION} is sent twice with different values.")
    header = given[0].strip() if given else None
    meta = params.get("_meta", {})
    if not isinstance(meta, dict):
        raise ProtocolError(INVALID_PARAMS, '"_meta" is an object.')
    if _META_VERSION not in meta and (header is None or header in HANDSHAKE):
        return header or OLDEST
    version = meta.get(_META_VERSION, header)
    if version != header:
        raise ProtocolError(
            MISMATCH, f"The header {_VERSION} must be there, with the value of _meta's {_META_VERSION}."
        )
    if version not in SUPPORTED:
        data = {"supported": list(SUPPORTED), "requested": version}
        raise ProtocolError(UNSUPPORTED, f"Supported protocol versions: {', '.join(SUPPORTED)}.", data=data)
    if _META_VERSION not in meta or not isinstance(meta.get(_META_CAPABILITIES), dict):
        raise ProtocolError(INVALID_PARAMS, f'"_meta" needs {_META_VERSION} and {_META_CAPABILITIES}.')
    return str(version)


def _check_mirrors(headers: Headers, method: str, params: dict[str, Any]) -> None:
    """Refuse headers that do not repeat method and tool of the body: proxies route by them."""
    if _mirrored(headers, _METHOD) != method:
        raise ProtocolError(MISMATCH, f'The header {_METHOD} must be there, with the value of "method".')
    name = params.get("name")
    if method == "tools/call" and isinstance(name, str) and _mirrored(headers, _NAME) != name:
        raise ProtocolError(MISMATCH, f'The header {_NAME} must be there, with the value of "params.name".')


def _mirrored(headers: Headers, name: str) -> str | None:
    """Return a header's value, decoded; None where it is absent, malformed or sent with several values."""
    values = {value.strip() for value in headers.getall(name, ())}
    if len(values) != 1:
        return None
    value = values.pop()
    start, end = _ENCODED
    if not (value.startswith(start) and value.endswith(end)):
        return value
    try:
        return base64.b64decode(value[len(start) : -len(end)], validate=True).decode()
    except (binascii.Error, ValueError):
        return None
