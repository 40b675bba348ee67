"""Running an application on a socket."""

import socket
from collections.abc import Awaitable, Callable
from typing import TextIO

from aiohttp import web
from aiohttp.web_protocol import RequestHandler
from multidict import istr

from api import texts
from api.connection import MAX_ADDRESS, MAX_FIELD, MAX_FIELDS, USUAL, Connection, Patience, refuse
from api.observing.answers import Answers, Lines
from api.observing.metrics import METRICS

BACKLOG = 1024

_EXPECT = istr("Expect")

_Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


class _Server(web.Server):
    """Makes connections, and looks after them."""

    def __init__(self, made: web.Server, patience: Patience) -> None:
        super().__init__(_expecting(made.request_handler), request_factory=made.request_factory, **made._kwargs)
        self._patience = patience
        self._timer = self._loop.call_later(patience.look_s, self._look)

    def __call__(self) -> RequestHandler:
        return Connection(self, loop=self._loop, **self._kwargs)

    def _look(self) -> None:
        self._timer = self._loop.call_later(self._patience.look_s, self._look)
        now = self._loop.time()
        for connection in self.connections:
            if isinstance(connection, Connection):
                connection.look(now, self._patience)

    async def shutdown(self, timeout: float | None = None) -> None:
        await super().shutdown(timeout)
        self._timer.cancel()


def _expecting(handle: _Handler) -> _Handler:
    """Refuse in our words what aiohttp would refuse before any middleware: an expectation that nobody can meet."""

    async def refuse_expectation(_: web.BaseRequest) -> web.StreamResponse:
        return refuse(417, texts.NOT_ACCEPTED)

    def handle_expected(request: web.BaseRequest) -> Awaitable[web.StreamResponse]:
        expected = request.headers.get(_EXPECT)
        if expected is None or expected.lower() == "100-continue":
            return handle(request)
        return refuse_expectation(request)

    return handle_expected


class Runner(web.AppRunner):
    """Runs an application that `create_app` made.

    Parameters
    ----------
    app : web.Application
    shutdown_timeout : float
        For running requests to finish, s.
    patience : Patience, optional
    access_log : TextIO, optional
        Where a line for each answer goes; by default there are none.
    """

    def __init__(
        self,
        app: web.Application,
        *,
        shutdown_timeout: float,
        patience: Patience = USUAL,
        access_log: TextIO | None = None,
    ) -> None:
        self._answers = Answers(app[METRICS], None if access_log is None else Lines(access_log))
        self._patience = patience
        super().__init__(
            app,
            access_log_class=self._answers.hook(),
            shutdown_timeout=shutdown_timeout,
            keepalive_timeout=patience.idle_s,
            lingering_time=patience.grace_s,
            max_line_size=MAX_ADDRESS,
            max_field_size=MAX_FIELD,
            max_headers=MAX_FIELDS,
        )

    async def _make_server(self) -> web.Server:
        return _Server(await super()._make_server(), self._patience)

    async def cleanup(self) -> None:
        """Stop, and write what waits."""
        try:
            await super().cleanup()
        finally:
            self._answers.close()


async def listen(runner: web.AppRunner, sock: socket.socket) -> None:
    """Accept connections on a socket that is bound already."""
    await web.SockSite(runner, sock, backlog=BACKLOG).start()
