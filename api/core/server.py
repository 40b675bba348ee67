"""Serving an application on a socket, by aiohttp's low-level server: what it does to each request and connection."""

import asyncio
import logging
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any, cast

from aiohttp import web
from aiohttp.http_exceptions import BadHttpMessage, HttpProcessingError, LineTooLong
from multidict import istr

from api.core import problems
from api.core.errors import ApiError, error_response
from api.core.request_keys import ANSWER_HEADERS, ANSWERED, CODE, ENDPOINT, ERROR_HEADERS, WITHIN_S
from api.core.response import ReadyResponse, complete, takes_gzip
from api.core.routing import Router
from api.observing import request_id
from api.observing.answers import Answers

log = logging.getLogger("solflis.api")

BACKLOG = 1024
# aiohttp says of a line that is too long how long it may be, not whether it is the first: hence two lengths.
MAX_ADDRESS = 8192
MAX_FIELD = 8190
MAX_FIELDS = 100
# For answers to those whose handlers were cut short at the end, s; then for what does not end even so.
ANSWER_S = 0.5
_DROP_S = 0.05
# A client that still sends what was refused can read the answer: so much is thrown away before the connection ends.
_DISCARD_S = 2.0
_DISCARD_BYTES = 4_000_000

_ENCODING, _ACCEPT_LANGUAGE = istr("Content-Encoding"), istr("Accept-Language")
Handle = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


@dataclass(frozen=True)
class Patience:
    """Time limits of clients and handlers.

    Parameters
    ----------
    head_s : float
        From the connection, or from a later request's first byte, to the end of the request's head, s.
    idle_s : float
        Between two requests on a connection, s.
    handler_s : float
        From the end of the request to the beginning of its answer, s.
    request_s : float
        From the end of the request's head to the client's having read the answer but for what the buffers hold, s.
    grace_s : float
        For a handler that was cut short to end, s.
    """

    head_s: float = 10.0
    idle_s: float = 75.0
    handler_s: float = 30.0
    request_s: float = 60.0
    grace_s: float = 5.0

    @property
    def look_s(self) -> float:
        """Pause between two looks at the connections, s."""
        return min(1.0, min(self.head_s, self.handler_s, self.request_s, self.grace_s) / 4)


USUAL = Patience()


def answering(router: Router) -> Handle:
    """Return what answers every request: it gives the id, turns what is raised into an answer, and adds headers."""

    async def handle(request: web.BaseRequest) -> web.StreamResponse:
        identity = request_id.new_request_id()
        request_id.current.set(identity)  # aiohttp runs each request in a task of its own, with which this ends
        connection = cast(Connection, request.protocol)
        connection.begin(request)
        try:
            response = await answer_of(router, request)
        except asyncio.CancelledError:
            if (overdue := connection.overdue) is None:
                raise
            response = _cut_short(request, overdue)
        if not isinstance(response, ReadyResponse):  # whose prepared headers hold them
            complete(response.headers)
        headers = response.headers
        headers[request_id.HEADER] = identity
        # Most hold nothing but their endpoint, and looking for what is missing takes a microsecond.
        if len(request) > 1 and (more := request.get(ANSWER_HEADERS)) is not None:
            headers.update(more)
        if response.status >= 400 and (of_errors := request.get(ERROR_HEADERS)) is not None:
            headers.update(of_errors())
        return response

    return handle


async def answer_of(router: Router, request: web.BaseRequest) -> web.StreamResponse:
    """Return the answer of a request's route; what is raised is turned into an answer, but not cancellation."""
    try:
        if _ENCODING in request.headers and request.headers[_ENCODING].lower() != "identity":
            raise problems.ENCODED_BODY()  # before anything is unpacked
        return await router.find(request)(request)
    except ApiError as error:
        return _refusal(request, error)
    except Exception:
        log.exception("unexpected: %s %s", request.method, request.get(ENDPOINT, "-"))
        return _refusal(request, problems.INTERNAL())


def _refusal(request: web.BaseRequest, error: ApiError) -> web.Response:
    request[CODE] = error.problem.code
    response = error_response(error, request.headers.get(_ACCEPT_LANGUAGE, ""), gzip=takes_gzip(request))
    if not request.content.is_eof():
        response.force_close()  # what still arrives of the body is thrown away
    return response


def _cut_short(request: web.BaseRequest, error: ApiError) -> web.Response:
    """Return the answer of a request whose handler was cancelled; the connection ends with it."""
    if task := asyncio.current_task():
        task.uncancel()
    log.error("cut short with %d: %s %s", error.status, request.method, request.get(ENDPOINT, "-"))
    response = _refusal(request, error)
    response.force_close()
    return response


class Connection(web.RequestHandler):
    """A connection that notes its moments, so that a look at all connections once a second costs requests nothing."""

    _wire: asyncio.Transport
    _request: web.BaseRequest | None = None
    _head_since: float | None = None
    _arrived = 0.0  # the last bytes before the handler began, by a clock finer than the loop's
    _begun = 0.0
    _body_until = 0.0
    _ending_since: float | None = None
    _discarded = 0
    task: asyncio.Task[Any] | None = None
    overdue: ApiError | None = None

    def __init__(self, server: web.Server, note: Callable[..., None], **options: Any) -> None:
        super().__init__(server, **options)
        self._event_loop, self._note = options["loop"], note

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the first head."""
        super().connection_made(transport)
        self._wire = cast(asyncio.Transport, transport)  # uvloop's is not one by name
        self._head_since = self._event_loop.time()

    def data_received(self, data: bytes) -> None:
        """Note when a head begins."""
        if self._request is None:
            self._arrived = perf_counter()
            if self._head_since is None:
                self._head_since = self._event_loop.time()
            self._discarded += len(data)
            if self._discarded > _DISCARD_BYTES:  # no head is as long: the rest of a body that was refused
                self.force_close()
        super().data_received(data)

    def begin(self, request: web.BaseRequest) -> None:
        """Note that a request's head is complete; its handler calls this."""
        self._request, self._head_since, self._ending_since, self.overdue = request, None, None, None
        self._begun = self._body_until = self._event_loop.time()
        self._discarded = 0
        self.task = asyncio.current_task(self._event_loop)  # without the loop it asks the system for its process: 2 us

    def log_access(self, request: web.BaseRequest, response: web.StreamResponse, time: float | None) -> None:  # noqa: ARG002 - by the loop's clock, in whole ms
        """Note that an answer has been sent, and how long it took since its request arrived."""
        self._request = self.task = None
        now = perf_counter()
        self._note(request, response, now - self._arrived)
        if len(request) > 1 and (answered := request.get(ANSWERED)) is not None:
            answered()
        self._arrived = now  # of a request that waits already

    def log_exception(self, *args: object, **kw: object) -> None:
        """Say no more than that of a body that cannot be read: strangers send what they like."""
        if isinstance(kw.get("exc_info"), web.RequestPayloadError | HttpProcessingError):
            log.info("the rest of a request's body cannot be read")
        else:
            super().log_exception(*args, **kw)

    def look(self, now: float, patience: Patience) -> None:
        """End what takes too long."""
        if self._wire.is_closing():
            self._end(now, patience.request_s)  # closing waits for the client to read what was sent
        elif self._request is not None:
            self._look_at_request(self._request, now, patience)
        elif self._head_since is not None and now - self._head_since > patience.head_s:
            self.force_close()

    def _look_at_request(self, request: web.BaseRequest, now: float, patience: Patience) -> None:
        if request.writer.output_size > 0:  # the answer is on its way
            if now - self._begun > max(patience.request_s, request.get(WITHIN_S, 0.0)):
                _drop(self._wire)
        elif self.overdue is not None:
            self._end(now, patience.grace_s)
        elif not request.content.is_eof():
            self._body_until = now
            if now - self._begun > patience.request_s:
                self.cut_short(problems.TOO_SLOW())
        else:
            within_s = request.get(WITHIN_S, patience.handler_s)
            late = now - max(self._begun, self._body_until) > within_s
            if late or now - self._begun > max(patience.request_s, within_s):
                self.cut_short(problems.OVERDUE())

    def cut_short(self, error: ApiError) -> None:
        """Answer the running request with an error, unless its answer is on its way."""
        if self._request is None or self._request.writer.output_size > 0 or self.overdue is not None:
            return
        self.overdue, self._ending_since = error, self._event_loop.time()
        if self.task is not None:
            self.task.cancel()

    def _end(self, now: float, grace_s: float) -> None:
        """Drop the connection when it has had the time to end by itself."""
        if self._ending_since is None:
            self._ending_since = now
        elif now - self._ending_since > grace_s:
            _drop(self._wire)

    def handle_error(
        self, request: web.BaseRequest, status: int = 500, exc: BaseException | None = None, _: str | None = None
    ) -> web.StreamResponse:
        """Return the answer to what aiohttp refuses before any handler runs; the connection ends with it."""
        if request.writer.output_size > 0:
            raise ConnectionError("the answer has begun, no error can be sent any more")
        if status >= 500:
            log.error("unexpected, outside any handler", exc_info=exc)
        else:
            log.info("refused before routing: %s", type(exc).__name__)
        if request_id.current.get() is None:
            request_id.current.set(request_id.new_request_id())
        response = _refusal(request, problems.INTERNAL() if status >= 500 else _malformed(exc))
        complete(response.headers)
        response.headers[request_id.HEADER] = request_id.current_id()
        response.force_close()
        return response


def _drop(wire: asyncio.Transport) -> None:
    """End a connection with a reset: else the kernel goes on offering what is unsent to a client that does not read."""
    wire.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    wire.abort()


def _malformed(error: BaseException | None) -> ApiError:
    if isinstance(error, LineTooLong) and error.args[1] == MAX_ADDRESS:
        return problems.ADDRESS_TOO_LONG(limit=MAX_ADDRESS)
    if isinstance(error, LineTooLong) or (
        type(error) is BadHttpMessage and error.message.startswith("Too many headers")
    ):
        return problems.HEAD_TOO_LARGE(count=MAX_FIELDS, limit=MAX_FIELD)
    return problems.MALFORMED()


class Server(web.Server):
    """Makes connections, and looks at them.

    Parameters
    ----------
    handle : callable
    note : callable
        Called with request, response and seconds when an answer has been sent.
    patience : Patience
    """

    def __init__(self, handle: Handle, note: Callable[..., None], patience: Patience) -> None:
        super().__init__(handle)
        self._make: dict[str, Any] = {
            "note": note,
            "keepalive_timeout": patience.idle_s,
            "lingering_time": _DISCARD_S,
            "auto_decompress": False,
            "max_line_size": MAX_ADDRESS,
            "max_field_size": MAX_FIELD,
            "max_headers": MAX_FIELDS,
        }
        self._patience, self._event_loop = patience, asyncio.get_running_loop()
        self._timer = self._event_loop.call_later(patience.look_s, self._look)

    def __call__(self) -> web.RequestHandler:
        """Return a new connection."""
        return Connection(self, loop=self._event_loop, **self._make)

    def _look(self) -> None:
        self._timer = self._event_loop.call_later(self._patience.look_s, self._look)
        now = self._event_loop.time()
        for connection in cast(list[Connection], self.connections):
            connection.look(now, self._patience)

    async def shutdown(self, timeout: float | None = None) -> None:
        """Let running requests finish, answer 503 to those that do not, and drop what is left.

        By itself aiohttp waits the timeout twice, and answers nothing.
        """
        connections = cast(list[Connection], self.connections)
        await _end_of(connections, timeout)
        for connection in connections:
            connection.cut_short(problems.STOPPING())
        await _end_of(connections, ANSWER_S)
        await super().shutdown(_DROP_S)  # 0 would be for ever
        self._timer.cancel()


async def _end_of(connections: Iterable[Connection], within_s: float | None) -> None:
    if running := [one.task for one in connections if one.task is not None]:
        await asyncio.wait(running, timeout=within_s)


@asynccontextmanager
async def serving(
    router: Router, answers: Answers, *, finish_s: float, patience: Patience = USUAL
) -> AsyncIterator[web.ServerRunner]:
    """Yield a runner to attach sites to; at the end requests finish for `finish_s` seconds, and answers are noted."""
    runner = web.ServerRunner(Server(answering(router), answers.note, patience), shutdown_timeout=finish_s)
    async with AsyncExitStack() as stack:
        stack.callback(answers.flush)
        stack.push_async_callback(runner.cleanup)
        await runner.setup()
        yield runner
