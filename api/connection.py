"""One connection: what aiohttp refuses before any handler runs is worded by us, and nobody keeps it busy for ever."""

import asyncio
import logging
import socket
import struct
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import perf_counter
from typing import cast

from aiohttp import web
from aiohttp.http_exceptions import BadHttpMessage, HttpProcessingError, LineTooLong
from aiohttp.web_protocol import RequestHandler

from api import texts
from api.errors import OVERDUE, RequestTimeout, Unavailable, error_response
from api.headers import complete
from api.observing import request_id

log = logging.getLogger("solflis.api")

# aiohttp says of a line that is too long how long it may be, not whether it is the first: hence two lengths.
MAX_ADDRESS = 8192
MAX_FIELD = 8190
MAX_FIELDS = 100


@dataclass(frozen=True)
class Patience:
    """How long a client, and a handler, may take.

    Parameters
    ----------
    head_s : float
        From the connection, or from a later request's first byte, to the end of the request's head, s.
    idle_s : float
        Between two requests on a connection, s.
    handler_s : float
        From the end of the request to the beginning of its answer, s.
    request_s : float
        From the end of the request's head to the client's having read all of the answer but what fits into
        the buffers, s.
    grace_s : float
        For a handler that was cut short to end, and for a body that nobody read to arrive, s.
    """

    head_s: float = 10.0
    idle_s: float = 75.0
    handler_s: float = 30.0
    request_s: float = 60.0
    grace_s: float = 5.0

    @property
    def look_s(self) -> float:
        """How often to look at the connections, s."""
        return min(1.0, min(self.head_s, self.handler_s, self.request_s, self.grace_s) / 4)


USUAL = Patience()


class Connection(RequestHandler):
    """A connection that notes its moments, so that a look at all connections once a second costs requests nothing."""

    _wire: asyncio.Transport
    _head_since: float | None = None
    _begun: float | None = None
    _arrived = 0.0  # a head for which nobody had to wait; the loop's own clock counts whole ms
    _body_until = 0.0
    _task: asyncio.Task[object] | None = None
    _ending_since: float | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the first head."""
        super().connection_made(transport)
        self._wire = cast(asyncio.Transport, transport)  # uvloop's are none by name
        self._head_since = self._loop.time()

    def data_received(self, data: bytes) -> None:
        """Note when a head begins, and that one is complete."""
        before = self._request_count
        super().data_received(data)
        if self._request_count != before:
            self._head_since = None
            if self._begun is None:
                self._arrived = perf_counter()
        elif self._head_since is None and self._waiter is not None:  # which waits for the next request
            self._head_since = self._loop.time()

    async def _handle_request(
        self,
        request: web.BaseRequest,
        start_time: float | None,  # noqa: ARG002 - by the loop's clock
        request_handler: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]],
    ) -> tuple[web.StreamResponse, bool]:
        self._begun = self._body_until = self._loop.time()
        self._task = asyncio.current_task(self._loop)  # else it asks the system whose process this is
        since, self._arrived = self._arrived or perf_counter(), 0.0
        try:
            return await super()._handle_request(request, since, request_handler)
        finally:
            self._begun = self._task = self._ending_since = None

    def log_access(self, request: web.BaseRequest, response: web.StreamResponse, time: float | None) -> None:
        """Note an answer, and how long it took since its request's head."""
        if self._logging_enabled and self.access_logger is not None and time is not None:
            self.access_logger.log(request, response, perf_counter() - time)

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
        elif self._begun is not None:
            self._look_at_request(now, self._begun, patience)
        elif self._head_since is not None and now - self._head_since > patience.head_s:
            self.force_close()

    def _look_at_request(self, now: float, begun: float, patience: Patience) -> None:
        request = self._current_request
        if request is None or request.writer.output_size > 0:  # the answer is on its way
            if now - begun > patience.request_s:
                _drop(self._wire)
            return
        if OVERDUE in request:
            self._end(now, patience.grace_s)
            return
        if not request.content.is_eof():
            self._body_until = now
            if now - begun > patience.request_s:
                self._cut_short(request, now, RequestTimeout(texts.TOO_SLOW))
        elif now - max(begun, self._body_until) > patience.handler_s or now - begun > patience.request_s:
            self._cut_short(request, now, Unavailable(texts.OVERDUE))

    @property
    def running(self) -> asyncio.Task[None] | None:
        """What ends when the connection does; None when it has ended."""
        return self._task_handler

    def give_up(self, error: Unavailable) -> None:
        """Answer the running request with an error, unless its answer is on its way."""
        request = self._current_request
        if request is not None and request.writer.output_size == 0 and OVERDUE not in request:
            self._cut_short(request, self._loop.time(), error)

    def _cut_short(self, request: web.BaseRequest, now: float, error: RequestTimeout | Unavailable) -> None:
        request[OVERDUE] = error
        self._ending_since = now
        if self._task is not None:
            self._task.cancel()

    def _end(self, now: float, grace_s: float) -> None:
        """Drop the connection when it has had the time to end by itself."""
        if self._ending_since is None:
            self._ending_since = now
        elif now - self._ending_since > grace_s:
            _drop(self._wire)

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,  # noqa: ARG002 - aiohttp's wording, which we replace
    ) -> web.StreamResponse:
        """Return the error answer; the connection ends with it."""
        if request.writer.output_size > 0:
            raise ConnectionError("the answer has begun, no error can be sent any more")
        if status >= 500:
            log.error("unexpected, outside any handler", exc_info=exc)
            return refuse(status, texts.INTERNAL)
        log.info("refused before routing: %s", type(exc).__name__)
        return refuse(*_worded(exc))


def _drop(wire: asyncio.Transport) -> None:
    """End a connection at once, with a reset: else the kernel goes on offering what is unsent to who does not read."""
    wire.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    wire.abort()


def refuse(status: int, text: str) -> web.Response:
    """Return an error answer that does not come through the application; the connection ends with it."""
    if request_id.current.get() is None:
        request_id.current.set(request_id.new_request_id())
    response = error_response(status, text)
    complete(response.headers)
    response.headers[request_id.HEADER] = request_id.current.get() or ""
    response.force_close()
    return response


def _worded(error: BaseException | None) -> tuple[int, str]:
    """Return the status and the text for what aiohttp's parser refuses."""
    too_large = 431, texts.HEAD_TOO_LARGE.format(count=MAX_FIELDS, limit=MAX_FIELD)
    if isinstance(error, LineTooLong):
        is_address = error.args[1] == MAX_ADDRESS
        return (414, texts.ADDRESS_TOO_LONG.format(limit=MAX_ADDRESS)) if is_address else too_large
    if type(error) is BadHttpMessage and error.message.startswith("Too many headers"):
        return too_large
    return 400, texts.MALFORMED
