"""Keys of the values that a request carries from one step of its answer to the next."""

from collections.abc import Callable, Mapping

from aiohttp import web

ENDPOINT: web.RequestKey[str] = web.RequestKey("endpoint")
"""Path of the route that takes the request, as declared."""
PARAMETERS: web.RequestKey[Mapping[str, str]] = web.RequestKey("parameters")
"""Parameters of the path."""
WITHIN_S: web.RequestKey[float] = web.RequestKey("within_s")
"""Time limit of the handler, s, where it differs from that of all."""
CODE: web.RequestKey[str] = web.RequestKey("code")
"""The `code` of the error that it is answered."""
WARNINGS: web.RequestKey[list[str]] = web.RequestKey("warnings")
"""Sentences that the answer carries: `warnings` in JSON, header `X-Warning` on files."""
ANSWER_HEADERS: web.RequestKey[Mapping[str, str]] = web.RequestKey("answer_headers")
"""Headers that the answer carries, whatever its status."""
ANSWERED: web.RequestKey[Callable[[], None]] = web.RequestKey("answered")
"""Called when the answer has been sent."""
ERROR_HEADERS: web.RequestKey[Callable[[], Mapping[str, str]]] = web.RequestKey("error_headers")
"""Returns headers that errors of the route carry."""
