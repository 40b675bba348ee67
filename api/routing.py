"""A route is declared once: the router, the gate and the OpenAPI document all read the same declaration."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from pydantic import BaseModel

from api import cors
from api.access import rates
from api.access.required import OPEN, Access, require
from api.body import JSON, Body
from api.error_bodies import Error
from api.errors import CODED, ERROR_HEADERS, ApiError, MethodNotAllowed
from api.gate import Gate
from api.query import Quick, parse

# The handler gets the request and what it asks: its body, or else its query, read as the route declares it (or None).
Handler = Callable[[web.Request, Any], Awaitable[web.StreamResponse]]


@dataclass(frozen=True)
class Failure:
    """An error that a route can answer.

    Parameters
    ----------
    status : int
    text : str
        The text, or its beginning.
    cause : str
        When it comes.
    media_type : str
        Where it is a page for people, the text is not in the document.
    body : type of BaseModel
        Of a JSON answer.
    fields : mapping
        What an example has beside `error`.
    """

    status: int
    text: str
    cause: str
    media_type: str = JSON
    body: type[BaseModel] = Error
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Route:
    """One method of one path.

    Parameters
    ----------
    method, path : str
    handler : Handler
    summary, description, tag : str
        For the document.
    response : type or None
        Of a JSON answer; anything pydantic can describe.
    query : type or None
        The declared query (`api.query`).
    quick : callable, optional
        A short cut past `parse` for the commonest query strings; it must agree with `parse`.
    body : Body or None
        The declared body (`api.body`). The handler of a route that declares a query too is given both: (query, body).
    access : Access
    rates : tuple of str
        How often a client's network may call, `5/second`; counted before the body is read.
    errors : tuple of Failure
    headers : tuple of (name, description)
        Of a success, beside those of every answer.
    told_rate : str or None
        Which of `rates` the header `X-Quota-Remaining` of every answer is about.
    coded : bool
        Whether its errors have a `code` (`api.error_codes`).
    error_headers : callable, optional
        Gives those of its headers that its errors carry too, and those of the gate.
    conditional : bool
        Whether it answers 304 to a matching If-None-Match.
    examples : tuple of str
        Paths that run as they stand.
    media_type : str
    other_media : tuple of str
        That a success may have too, as the query asks; the document has no schema of them.
    status : int
        Of a success; a redirect has no content.
    """

    method: str
    path: str
    handler: Handler
    summary: str
    tag: str
    response: Any = None
    description: str = ""
    query: type | None = None
    quick: Quick | None = None
    body: Body | None = None
    access: Access = OPEN
    rates: tuple[str, ...] = ()
    errors: tuple[Failure, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    told_rate: str | None = None
    coded: bool = False
    error_headers: Callable[[], Mapping[str, str]] | None = None
    conditional: bool = False
    examples: tuple[str, ...] = ()
    media_type: str = JSON
    other_media: tuple[str, ...] = ()
    status: int = 200

    def endpoint(self, gate: Gate) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        """Return what the router calls: the gate, the body or query, then the handler.

        What goes wrong is refunded where it is our fault, and every answer of a route with a meter says what is left.
        """
        handler, access, read, rate_rules, path = self.handler, self.access, self._reader(), self.rates, self.path
        error_headers, coded, told_rate = self.error_headers, self.coded, self.told_rate

        async def endpoint(request: web.Request) -> web.StreamResponse:
            if error_headers is not None:
                request[ERROR_HEADERS] = error_headers
            if coded:
                request[CODED] = True
            try:
                if rate_rules:
                    await rates.check(request, path, rate_rules, told_rate)
                caller = await gate.admit(request, access)
                asked = await read(request)
                if asked is not None:
                    require(caller.plan, access, asked)
                response = await handler(request, asked)
            except ApiError as error:
                await gate.conclude(request, error.status)
                raise
            except asyncio.CancelledError:
                gate.abandon(request)
                raise
            except Exception:
                await gate.conclude(request, 500)
                raise
            if response.status >= 400:
                await gate.conclude(request, response.status)
            return response

        return endpoint

    def _reader(self) -> Callable[[web.Request], Awaitable[Any]]:
        """Return what reads a request's body or query; None is read where neither is declared."""
        declared, quick, body = self.query, self.quick, self.body
        if body is not None:
            return body.read if declared is None else _both(declared, body)

        async def read(request: web.Request) -> Any:
            if declared is None:
                return None
            asked = quick(request.rel_url.raw_query_string) if quick else None
            return parse(declared, request.rel_url) if asked is None else asked

        return read


def _both(declared: type, body: Body) -> Callable[[web.Request], Awaitable[Any]]:
    async def read(request: web.Request) -> Any:
        return parse(declared, request.rel_url), await body.read(request)

    return read


def register(app: web.Application, routes: Sequence[Route], gate: Gate) -> None:
    """Put declared routes into an application, each path with HEAD (where it has GET) and preflight."""
    # One resource for each path: the router tries all that a path has.
    paths = {path: app.router.add_resource(path) for path in dict.fromkeys(route.path for route in routes)}
    methods: dict[str, set[str]] = {path: {"OPTIONS"} for path in paths}
    for route in routes:
        endpoint = route.endpoint(gate)
        for method in ("GET", "HEAD") if route.method == "GET" else (route.method,):
            paths[route.path].add_route(method, endpoint)
            methods[route.path].add(method)
    for path, allowed in methods.items():
        paths[path].add_route("OPTIONS", _preflight(frozenset(allowed)))
    for path, route in {route.path: route for route in routes if route.coded}.items():
        # what the router itself answers has no code
        paths[path].add_route("*", _wrong_method(route, frozenset(methods[path])))


def _preflight(allowed: frozenset[str]) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    async def answer(_: web.Request) -> web.StreamResponse:
        return cors.preflight(allowed)

    return answer


def _wrong_method(route: Route, allowed: frozenset[str]) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    async def answer(request: web.Request) -> web.StreamResponse:
        request[CODED] = True
        if route.error_headers is not None:
            request[ERROR_HEADERS] = route.error_headers
        raise MethodNotAllowed(request.method, allowed)

    return answer
