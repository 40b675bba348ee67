"""Running an application on a socket."""

import asyncio
import socket
from collections.abc import Awaitable, Iterable
from typing import TextIO

from aiohttp import web
from aiohttp.web_protocol import RequestHandler
from multidict import istr

from api import texts
from api.connection import MAX_ADDRESS, MAX_FIELD, MAX_FIELDS, USUAL, Connection, Patience
from api.errors import Handler, Unavailable, answering
from api.observing.answers import ANSWERS

BACKLOG = 1024
# For answers to those whose handlers were cut short at the end, s; then for what does not end even so.
ANSWER_S = 0.5
_DROP_S = 0.05
_AGAIN_S = 2

_EXPECT = istr("Expect")


class _Server(web.Server):
    """Makes connections, and looks after them."""

    def __init__(self, made: web.Server, app: web.Application, patience: Patience) -> None:
        handle = answering(straight(app, made.request_handler))
        super().__init__(handle, request_factory=made.request_factory, **made._kwargs)
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
        """Let what runs finish, answer 503 to what does not, and drop what is left.

        By itself, aiohttp waits the timeout twice, and answers nothing.
        """
        connections = [one for one in self.connections if isinstance(one, Connection)]
        await _end_of(connections, timeout)
        for connection in connections:
            connection.give_up(Unavailable(texts.STOPPING, _AGAIN_S))
        await _end_of(connections, ANSWER_S)
        await super().shutdown(_DROP_S)  # 0 would be for ever
        self._timer.cancel()


def straight(app: web.Application, handle: Handler) -> Handler:
    """Return what takes a request straight to its endpoint where its path is declared as it stands.

    aiohttp's router makes an object for each request that it finds a route for: with what goes with it, a tenth of what
    a GET takes. To it is left what it alone can answer: unknown paths, methods that a path does not take, expectations,
    and paths with parameters if ever there are any.

    Parameters
    ----------
    app : web.Application
        With all its routes.
    handle : callable
        The application's own.
    """
    known: dict[tuple[str, str], web.UrlMappingMatchInfo] = {}
    for resource in app.router.resources():
        for route in resource if isinstance(resource, web.PlainResource) else ():
            match = known[route.method, resource.canonical] = web.UrlMappingMatchInfo({}, route)
            match.add_app(app)
            match.freeze()

    def dispatch(request: web.BaseRequest) -> Awaitable[web.StreamResponse]:
        match = known.get((request.method, request.rel_url.raw_path))
        if match is None or _EXPECT in request.headers or not isinstance(request, web.Request):
            return handle(request)
        request._match_info = match
        return match.handler(request)

    return dispatch


async def _end_of(connections: Iterable[Connection], within_s: float | None) -> None:
    if running := [one.running for one in connections if one.running is not None]:
        await asyncio.wait(running, timeout=within_s)


class Runner(web.AppRunner):
    """Runs an application that `create_app` made.

    Parameters
    ----------
    app : web.Application
    shutdown_timeout : float
        For running requests to finish, s; then they are answered 503.
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
        noted = app[ANSWERS]
        noted.write_to(access_log)
        self._patience = patience
        super().__init__(
            app,
            access_log_class=noted.hook(),
            shutdown_timeout=shutdown_timeout,
            keepalive_timeout=patience.idle_s,
            lingering_time=patience.grace_s,
            max_line_size=MAX_ADDRESS,
            max_field_size=MAX_FIELD,
            max_headers=MAX_FIELDS,
        )

    async def cleanup(self) -> None:
        """Stop; what is noted is counted and written even where something fails at its end."""
        try:
            await super().cleanup()
        finally:
            self.app[ANSWERS].flush()

    async def _make_server(self) -> web.Server:
        return _Server(await super()._make_server(), self.app, self._patience)


async def listen(runner: web.AppRunner, sock: socket.socket) -> None:
    """Accept connections on a socket that is bound already."""
    await web.SockSite(runner, sock, backlog=BACKLOG).start()
