"""Running an application on a socket, with our own wording where aiohttp answers before any handler runs."""

import logging
import socket

from aiohttp import web
from aiohttp.web_protocol import RequestHandler

from api import texts
from api.cors import allow_any_origin
from api.errors import error_response
from api.observing import request_id

log = logging.getLogger("solflis.api")

BACKLOG = 1024


class _Connection(RequestHandler):
    """A connection that answers what is no HTTP, or too long, in JSON like any other error."""

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
        if "request_id" not in request:
            request["request_id"] = request_id.new_request_id()
            request_id.current.set(request["request_id"])
        if status < 500:
            log.info("refused before routing: %s", type(exc).__name__)
            response = error_response(status, texts.MALFORMED)
        else:
            log.error("unexpected, outside any handler", exc_info=exc)
            response = error_response(status, texts.INTERNAL)
        allow_any_origin(response.headers)
        response.headers[request_id.HEADER] = request["request_id"]
        response.force_close()
        return response


class _Server(web.Server):
    def __call__(self) -> RequestHandler:
        return _Connection(self, loop=self._loop, **self._kwargs)


class Runner(web.AppRunner):
    """Runs an application; without access log, whose cost is a tenth of a forecast."""

    def __init__(self, app: web.Application, *, shutdown_timeout: float) -> None:
        super().__init__(app, access_log=None, shutdown_timeout=shutdown_timeout)

    async def _make_server(self) -> web.Server:
        made = await super()._make_server()
        return _Server(made.request_handler, request_factory=made.request_factory, **self._kwargs)


async def listen(runner: web.AppRunner, sock: socket.socket) -> None:
    """Accept connections on a socket that is bound already."""
    await web.SockSite(runner, sock, backlog=BACKLOG).start()
