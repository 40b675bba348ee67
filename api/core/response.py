"""Answers: headers of every answer, ETags, compression, and answers whose head is prepared.

aiohttp builds a head from a dict for every answer; of a forecast request that was a third of the processor time (155
us with it, 103 us without, where ready-made bytes take 67 us). Unusual requests (HEAD, HTTP/1.0, a connection to be
closed) are left to aiohttp.
"""

import time
from collections.abc import Mapping
from email.utils import formatdate
from functools import lru_cache
from typing import Any

import orjson
from aiohttp import HttpVersion11, web
from aiohttp.abc import AbstractStreamWriter
from isal import isal_zlib
from multidict import CIMultiDict, istr
from pydantic import BaseModel

from api.core.request_keys import WARNINGS

EXPOSED_HEADERS = (
    "ETag, Sunset, X-Data-Origin, X-Request-Id, X-Warning, X-Quota-Limit, X-Quota-Remaining, X-Quota-Reset, "
    "X-Quota-Plants-Limit, X-Quota-Plants-Remaining, Retry-After, X-Service-Cache, Content-Disposition, "
    "X-Tmy-Cell, X-Tmy-Cell-Distance-Km, X-Tmy-Product, X-Tmy-License, "
    "X-Snowsoil-Cache, X-Snow-Outlook-Cache, "
    "X-Horizon-Tile-Key, X-DTM-Year, X-Api-Tier, X-Api-Version, X-Worker-Request-Id, "
    "X-Precise-Pdf-Url, X-Precise-Csv-Url, X-Precise-Job-Id, "
    "X-Terrain-Job-Id, "
    "X-Moduler, X-Kwp"
)
COMPRESSED_FROM = 1024
"""Smaller bodies are sent as they are, bytes."""
GZIP_SUFFIX, GZIP_MAGIC = "-gzip", b"\x1f\x8b"
_COMPRESSIBLE = ("text/", "json", "xml", "arrow", "octet-stream")  # parts of media types
_LEVEL = 2  # of isal: a TMY3 file of 2.07 MB in 10 ms to 0.2 MB

_ACCEPT_ENCODING, _CONTENT_SECURITY = istr("Accept-Encoding"), istr("Content-Security-Policy")
_CONTENT_TYPE, _ETAG, _IF_NONE_MATCH = istr("Content-Type"), istr("ETag"), istr("If-None-Match")
_FIXED = CIMultiDict(
    {
        # Browsers may call from anywhere, and read these.
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Expose-Headers": EXPOSED_HEADERS,
        "Cross-Origin-Resource-Policy": "cross-origin",
        # A browser that shows an answer as a page finds nothing to run, to load or to frame.
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
        "Server": "solflis",
    }
)

Parts = tuple[bytes, ...]
"""A body in parts, joined once with its head when it is sent: of twenty kilobytes each copy can be measured."""


def complete(headers: CIMultiDict[str]) -> None:
    """Add the headers of every answer; a page may bring a content policy of its own."""
    headers.update(_FIXED)
    headers.setdefault(_CONTENT_SECURITY, "default-src 'none'; frame-ancestors 'none'")


async def preflight(allowed: str, _: web.BaseRequest) -> web.Response:
    """Return the answer to OPTIONS, which browsers ask before they call from another site."""
    headers = {
        "Allow": allowed,
        "Access-Control-Allow-Methods": allowed,
        "Access-Control-Allow-Headers": (
            "X-API-Key, X-Partner-Code, Authorization, Content-Type, If-None-Match, X-Anlegg-Beta, "
            "MCP-Protocol-Version, Mcp-Method, Mcp-Name"
        ),
        "Access-Control-Max-Age": "86400",
    }
    return web.Response(status=204, headers=headers)


def json_parts(fields: Mapping[str, Any], texts: Mapping[str, bytes]) -> Parts:
    """Return an object as JSON: some fields (at least one), then some that are JSON already."""
    parts = [orjson.dumps(fields)[:-1]]
    for name, text in texts.items():
        parts += (_key(name), text)
    return (*parts, b"}")


def warnings_of(request: web.BaseRequest) -> list[str] | None:
    """Take the warnings of a request, to tell them in its answer; None where there are none.

    Most requests hold nothing but their endpoint, and looking for what is missing takes a microsecond.
    """
    return request.pop(WARNINGS, None) if len(request) > 1 else None


def with_warnings(request: web.BaseRequest, body: Parts) -> Parts:
    """Append the request's warnings to a JSON object, as its field `warnings`."""
    warnings = warnings_of(request)
    return body if warnings is None else (*body[:-1], body[-1][:-1], _key("warnings"), orjson.dumps(warnings), b"}")


@lru_cache(maxsize=64)
def _key(name: str) -> bytes:
    return b',"%b":' % name.encode()


class Prepared:
    """Headers that many answers share.

    Parameters
    ----------
    headers : mapping of str to str
        Content-Type among them; those of every answer are added.
    """

    def __init__(self, headers: Mapping[str, str]) -> None:
        self.fields = CIMultiDict(headers)
        self.compressible = any(kind in self.fields.get(_CONTENT_TYPE, "") for kind in _COMPRESSIBLE)
        if self.compressible:
            self.fields["Vary"] = "Accept-Encoding"
        complete(self.fields)
        self.lines = b"HTTP/1.1 200 OK\r\n" + _lines(self.fields)


class ReadyResponse(web.StreamResponse):
    """A 200 answer to a GET or POST that leaves in one piece; what is put into `headers` goes with it."""

    def __init__(self, prepared: Prepared, body: Parts) -> None:
        super().__init__()
        self._lines, self._content = prepared.lines, body
        self._writer: AbstractStreamWriter | None = None

    @property
    def keep_alive(self) -> bool:
        """Always: other requests are not answered this way."""
        return True

    @property
    def body(self) -> bytes:
        """The body, as of other answers."""
        return b"".join(self._content)

    @property
    def body_length(self) -> int:
        """Bytes that have been sent, as of other answers."""
        return self._writer.output_size if self._writer is not None else 0

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter:
        """Take the connection; nothing is sent yet."""
        self._writer = request.writer
        return self._writer

    async def write_eof(self, data: bytes = b"") -> None:
        """Send everything."""
        assert self._writer is not None  # noqa: S101 - aiohttp calls prepare first
        more = _lines(self.headers) if self.headers else b""
        size = sum(map(len, self._content)) + len(data)
        last = b"Date: %b\r\nContent-Length: %d\r\n\r\n" % (_date(int(time.time())), size)
        await self._writer.write_eof(b"".join((self._lines, more, last, *self._content, data)))


def respond(
    request: web.BaseRequest,
    prepared: Prepared,
    body: bytes | Parts,
    headers: Mapping[str, str] | None = None,
    etag: str | None = None,
    *,
    compressed: bool = False,
) -> web.StreamResponse:
    """Return a 200 answer, compressed where the request allows it, or 304 where the caller has it.

    Parameters
    ----------
    request : BaseRequest
    prepared : Prepared
    body : bytes or parts
    headers : mapping, optional
        Of this answer alone.
    etag : str, optional
    compressed : bool
        Whether the body is gzip already.
    """
    if etag is not None and (known := has(request, etag)):
        unchanged = web.Response(status=304, headers=prepared.fields)
        del unchanged.headers[_CONTENT_TYPE]
        unchanged.headers[_ETAG] = known
        unchanged.headers.update(headers or {})
        return unchanged
    parts = body if isinstance(body, tuple) else (body,)
    if not compressed and prepared.compressible and takes_gzip(request) and sum(map(len, parts)) >= COMPRESSED_FROM:
        parts, compressed = (compress(b"".join(parts)),), True
    response: web.StreamResponse
    if request.method in ("GET", "POST") and request.version == HttpVersion11 and request.keep_alive:
        response = ReadyResponse(prepared, parts)
    else:
        response = web.Response(body=b"".join(parts), headers=prepared.fields)
    if etag is not None:
        response.headers[_ETAG] = _of_gzip(etag) if compressed else etag
    if compressed:
        response.headers["Content-Encoding"] = "gzip"
    if headers:
        response.headers.update(headers)
    return response


def respond_model(
    request: web.BaseRequest, answer: BaseModel, headers: Mapping[str, str] | None = None
) -> web.StreamResponse:
    """Return a 200 answer of a model that no cache may keep; the request's warnings become its field `warnings`."""
    body = answer.model_dump_json(exclude={"warnings"}).encode()
    return respond(request, _NOT_STORED, with_warnings(request, (body,)), headers)


def compress(body: bytes) -> bytes:
    """Return a body as gzip; the same body gives the same bytes."""
    packed: bytes = isal_zlib.compress(body, _LEVEL, wbits=31)
    return packed


def takes_gzip(request: web.BaseRequest) -> bool:
    """Return whether the answer may be gzip."""
    header = request.headers.get(_ACCEPT_ENCODING)
    return header is not None and _takes_gzip(header)


@lru_cache(maxsize=256)
def _takes_gzip(header: str) -> bool:
    qualities = {}
    for part in header.lower().replace(" ", "").split(","):
        name, _, quality = part.partition(";q=")
        qualities[name] = quality not in ("0", "0.0", "0.00", "0.000")
    return qualities.get("gzip", qualities.get("*", False))


def has(request: web.BaseRequest, etag: str) -> str | None:
    """Return the ETag of an answer that the caller has already (If-None-Match, RFC 9110, weak comparison), or None."""
    header = request.headers.get(_IF_NONE_MATCH)
    if header is None:
        return None
    known = {etag.removeprefix("W/"): etag, _of_gzip(etag).removeprefix("W/"): _of_gzip(etag), "*": etag}
    return next((tag for one in header.split(",") if (tag := known.get(one.strip().removeprefix("W/")))), None)


def _of_gzip(etag: str) -> str:
    """Return the ETag of the compressed body: a strong one stands for the same bytes."""
    return etag if etag.startswith("W/") else f'{etag[:-1]}{GZIP_SUFFIX}"'


@lru_cache(maxsize=1)
def _date(second: int) -> bytes:
    return formatdate(second, usegmt=True).encode()


def _lines(headers: Mapping[str, str]) -> bytes:
    """Return headers as they are sent.

    Raises
    ------
    ValueError
        A header holds a line break, which would begin another.
    """
    text = "\r\n".join(map(": ".join, headers.items()))
    if text.count("\n") != len(headers) - 1 or text.count("\r") != len(headers) - 1:
        raise ValueError("a header holds a line break")
    return text.encode() + b"\r\n"


_NOT_STORED = Prepared({"Content-Type": "application/json", "Cache-Control": "no-store"})
