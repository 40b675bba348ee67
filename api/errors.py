"""What can go wrong with a request, and how each becomes `{"error": text}`: one tree, one place."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, ClassVar

import orjson
from aiohttp import web

from api import texts
from api.error_codes import CODES
from api.headers import complete
from api.observing import request_id
from api.observing.answers import endpoint_of
from api.ready import ReadyResponse

log = logging.getLogger("solflis.api")

OVERDUE: web.RequestKey["ApiError"] = web.RequestKey("overdue")
"""What a request is answered with whose handler is cancelled because it takes too long."""

Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]

ANSWER_HEADERS: web.RequestKey[dict[str, str] | None] = web.RequestKey("answer_headers")
"""Under this key a request holds headers that its answer carries, whatever the answer is; None until there are any."""

ERROR_HEADERS: web.RequestKey[Callable[[], Mapping[str, str]]] = web.RequestKey("error_headers")
"""Under this key a request of some routes holds what gives the headers of an error, whoever raises it."""

CODED: web.RequestKey[bool] = web.RequestKey("coded")
"""Under this key a request of some routes says that its errors have a `code`, whoever raises them."""


class ApiError(Exception):
    """Base of every answer that is no success.

    Parameters
    ----------
    text : str
        What the caller reads; from `api.texts`.
    headers : mapping, optional
        Beside those that every error carries.
    fields : mapping, optional
        Of the answer's body, beside `error`.
    """

    status: ClassVar[int] = 500

    def __init__(
        self, text: str, headers: Mapping[str, str] | None = None, fields: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(text)
        self.text = text
        self.headers = dict(headers or {})
        self.fields = dict(fields or {})


class BadRequest(ApiError):
    """The request asks for something that cannot be meant."""

    status = 400


class Unauthorized(ApiError):
    """The key is not valid, or no request is left today."""

    status = 401

    def __init__(self, text: str) -> None:
        super().__init__(text, {"WWW-Authenticate": "Bearer"})


class Forbidden(ApiError):
    """The caller's plan does not include this."""

    status = 403


class NotFound(ApiError):
    """What is named is not there."""

    status = 404


class MethodNotAllowed(ApiError):
    """The path takes other methods.

    Parameters
    ----------
    method : str
        That was tried.
    methods : iterable of str
        Which it takes.
    """

    status = 405

    def __init__(self, method: str, methods: Iterable[str]) -> None:
        allowed = ", ".join(sorted(methods))
        super().__init__(texts.WRONG_METHOD.format(method=method, allowed=allowed), {"Allow": allowed})


class RequestTimeout(ApiError):
    """The body did not arrive in time."""

    status = 408


class Conflict(ApiError):
    """What is asked for is there already."""

    status = 409


class TooLarge(ApiError):
    """The body is larger than the route takes."""

    status = 413


class UnsupportedMedia(ApiError):
    """The body is plainly something else than the route takes."""

    status = 415


class TooMany(ApiError):
    """Too often; the header `Retry-After` or the body's `quota` says when to come back."""

    status = 429


class ServerError(ApiError):
    """Something of ours failed, and the text says what."""


class BadGateway(ApiError):
    """A service that we ask failed."""

    status = 502


class Unavailable(ApiError):
    """The data are not there (now).

    Parameters
    ----------
    text : str
    retry_after_s : int, optional
        When to come back, s; absent where waiting does not help.
    """

    status = 503

    def __init__(self, text: str, retry_after_s: int | None = None) -> None:
        super().__init__(text, {} if retry_after_s is None else {"Retry-After": str(retry_after_s)})


class GatewayTimeout(ApiError):
    """A service that we ask takes longer than the caller can wait; the header `Retry-After` says when to come back."""

    status = 504

    def __init__(self, text: str, retry_after_s: int) -> None:
        super().__init__(text, {"Retry-After": str(retry_after_s)})


def error_response(
    status: int, text: str, headers: Mapping[str, str] | None = None, fields: Mapping[str, Any] | None = None
) -> web.Response:
    """Return an error answer."""
    return web.Response(
        status=status,
        body=orjson.dumps({"error": text, **(fields or {})}),
        headers={"Content-Type": "application/json", "Cache-Control": "no-store", **(headers or {})},
    )


def answering(handle: Handler) -> Handler:
    """Return what hands requests to an application, and answers whatever comes of it.

    It gives the request its id, turns what is raised into an error answer, and adds what every answer carries. It
    stands around the application because a middleware costs each request 4 % more processor time.
    """

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        identity = request_id.new_request_id()
        request_id.current.set(identity)  # aiohttp runs each request in a task of its own, with which this ends
        request[ANSWER_HEADERS] = None
        try:
            response = await handle(request)
        except ApiError as error:
            response = _of(request, error)
        except web.HTTPException as error:
            response = _of_aiohttp(request, error)
        except asyncio.CancelledError:
            if (overdue := request.get(OVERDUE)) is None:
                raise
            response = _cut_short(request, overdue)
        except Exception:
            log.exception("unexpected: %s %s", request.method, endpoint_of(request))
            response = _of(request, ServerError(texts.INTERNAL))
        if not isinstance(response, ReadyResponse):  # whose prepared headers hold them
            complete(response.headers)
        headers = response.headers
        headers[request_id.HEADER] = identity
        if (more := request[ANSWER_HEADERS]) is not None:
            headers.update(more)
        if response.status >= 400 and (of_errors := request.get(ERROR_HEADERS)) is not None:
            headers.update(of_errors())
        return response

    return answer


def _cut_short(request: web.BaseRequest, error: ApiError) -> web.Response:
    """Answer a request whose handler was cancelled because it took too long; the connection ends with that."""
    if task := asyncio.current_task():
        task.uncancel()
    log.error("cut short with %d: %s %s", error.status, request.method, endpoint_of(request))
    response = _of(request, error)
    response.force_close()
    return response


def _of(request: web.BaseRequest, error: ApiError) -> web.Response:
    fields = error.fields
    if request.get(CODED):
        fields = {"code": CODES[error.status], **fields}
    return error_response(error.status, error.text, error.headers, fields)


def _of_aiohttp(request: web.BaseRequest, error: web.HTTPException) -> web.Response:
    """Word what aiohttp itself refuses: unknown path, wrong method, body too large."""
    if isinstance(error, web.HTTPNotFound):
        return error_response(404, texts.UNKNOWN_PATH)
    if isinstance(error, web.HTTPMethodNotAllowed):
        return _of(request, MethodNotAllowed(request.method, error.allowed_methods))
    if isinstance(error, web.HTTPRequestEntityTooLarge):
        return error_response(413, texts.TOO_LARGE)
    response = error_response(error.status, texts.NOT_ACCEPTED)
    if isinstance(error, web.HTTPExpectationFailed):
        response.force_close()  # whether its body comes all the same is the client's choice
    return response
