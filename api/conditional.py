"""ETags: an answer that the caller has already is not sent again (RFC 9110, weak comparison)."""

from collections.abc import Mapping

from aiohttp import web
from multidict import istr

from api.ready import Parts, Prepared, answer

_CONTENT_TYPE = istr("Content-Type")
_ETAG = istr("ETag")
_IF_NONE_MATCH = istr("If-None-Match")


def matches(header: str, etag: str) -> bool:
    """Return whether an If-None-Match header names an ETag; weak and strong forms are the same here."""
    opaque = etag.removeprefix("W/")
    return any(one.strip() in ("*", opaque, f"W/{opaque}") for one in header.split(","))


def respond(
    request: web.Request, body: bytes | Parts, etag: str, prepared: Prepared, more: Mapping[str, str] | None = None
) -> web.StreamResponse:
    """Return the body with its ETag, or 304 where the caller has it.

    Parameters
    ----------
    prepared : Prepared
        Headers of every such answer, Content-Type among them.
    more : mapping, optional
        Headers of this one.
    """
    header = request.headers.get(_IF_NONE_MATCH)
    if header is not None and matches(header, etag):
        response: web.StreamResponse = web.Response(status=304, headers=prepared.fields)
        del response.headers[_CONTENT_TYPE]
    else:
        response = answer(request, prepared, body)
    response.headers[_ETAG] = etag
    if more:
        response.headers.update(more)
    return response
