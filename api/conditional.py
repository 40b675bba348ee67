"""ETags: an answer that the caller has already is not sent again (RFC 9110, weak comparison)."""

from collections.abc import Mapping

from aiohttp import web
from multidict import CIMultiDict, istr

_ETAG = istr("ETag")
_IF_NONE_MATCH = istr("If-None-Match")


def matches(header: str, etag: str) -> bool:
    """Return whether an If-None-Match header names an ETag; weak and strong forms are the same here."""
    opaque = etag.removeprefix("W/")
    return any(one.strip() in ("*", opaque, f"W/{opaque}") for one in header.split(","))


def respond(
    request: web.Request,
    body: bytes,
    etag: str,
    common: CIMultiDict[str],
    more: Mapping[str, str] | None = None,
) -> web.Response:
    """Return the body with its ETag, or 304 where the caller has it.

    Parameters
    ----------
    common : CIMultiDict
        Headers of every such answer, Content-Type among them; copied.
    more : mapping, optional
        Headers of this one.
    """
    headers = common.copy()
    headers[_ETAG] = etag
    if more:
        headers.update(more)
    header = request.headers.get(_IF_NONE_MATCH)
    if header is not None and matches(header, etag):
        del headers["Content-Type"]
        return web.Response(status=304, headers=headers)
    return web.Response(body=body, headers=headers)
