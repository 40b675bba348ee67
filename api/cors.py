"""Browsers may call us from anywhere: the headers of every answer, and the answer to a preflight."""

from collections.abc import Iterable

from aiohttp import web
from multidict import CIMultiDict, istr

ALLOWED_HEADERS = "X-API-Key, Authorization, Content-Type, If-None-Match, X-Anlegg-Beta"
EXPOSED_HEADERS = (
    "ETag, Sunset, X-Data-Origin, X-Request-Id, X-Quota-Limit, X-Quota-Remaining, X-Quota-Reset, "
    "Retry-After, X-Service-Cache, Content-Disposition"
)
PREFLIGHT_MAX_AGE_S = 86_400

_ORIGIN = istr("Access-Control-Allow-Origin")
_EXPOSE = istr("Access-Control-Expose-Headers")
_SERVER = istr("Server")


def allow_any_origin(headers: CIMultiDict[str]) -> None:
    """Add to an answer what every answer carries."""
    headers[_ORIGIN] = "*"
    headers[_EXPOSE] = EXPOSED_HEADERS
    headers[_SERVER] = "solflis"


def preflight(methods: Iterable[str]) -> web.Response:
    """Return the answer to OPTIONS on a path with these methods."""
    allowed = ", ".join(sorted(methods))
    return web.Response(
        status=204,
        headers={
            "Allow": allowed,
            "Access-Control-Allow-Methods": allowed,
            "Access-Control-Allow-Headers": ALLOWED_HEADERS,
            "Access-Control-Max-Age": str(PREFLIGHT_MAX_AGE_S),
        },
    )
