"""Browsers may call us from anywhere: the answer to a preflight."""

from collections.abc import Iterable

from aiohttp import web

ALLOWED_HEADERS = "X-API-Key, Authorization, Content-Type, If-None-Match, X-Anlegg-Beta"
PREFLIGHT_MAX_AGE_S = 86_400


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
