"""A route is declared once: the router, the gate and the OpenAPI document read the same declaration."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from inspect import getdoc
from typing import Any

from aiohttp import web

from api.access.gate import Gate
from api.access.rates import Rates
from api.access.required import OPEN, Access, require
from api.core import problems
from api.core.body import JSON, Body
from api.core.errors import ApiError, Problem
from api.core.file_body import FileBody
from api.core.query import Quick, ignored, legible, parse, undeclared
from api.core.request_keys import ENDPOINT, ERROR_HEADERS, PARAMETERS, WARNINGS, WITHIN_S
from api.core.response import preflight

Endpoint = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
_SECTION = re.compile(r"\n\n\w+\n---")
# The handler gets the request and what the route declares: its query, its body, both as a pair, or None.
Handler = Callable[[web.BaseRequest, Any], Awaitable[web.StreamResponse]]


@dataclass(frozen=True)
class Route:
    """One method of one path.

    Parameters
    ----------
    method, path : str
        `{name}` in a path is a parameter, found in `request[PARAMETERS]`.
    handler : Handler
    path_parameters : mapping of str to str
        Descriptions of the path's parameters by name.
    tag : str
        Under which the document lists it: its group's.
    summary, description : str
        For the document. By default the handler's docstring: its first line, and the paragraphs before any section;
        a description that is given, for what is computed, stands behind them.
    response : type or None
        Of a JSON answer; anything pydantic can describe.
    query : type or None
        The declared query (`api.core.query`).
    quick : callable, optional
        A short cut past `parse` for the commonest query strings; it must agree with `parse`.
    body : Body, FileBody or None
        The declared body (`api.core.body`, `api.core.file_body`).
    access : Access
    rates : tuple of str
        Calls of a client's network, `5/second`; counted before the body is read.
    problems : tuple of Problem
        What it answers beside what follows from its other declarations.
    headers : tuple of (name, description)
        Of a success, beside those of every answer.
    shown_rate : str or None
        The one of `rates` that the header `X-Quota-Remaining` of every answer is about.
    error_headers : callable, optional
        Returns headers that its errors carry too.
    conditional : bool
        Whether it answers 304 to a matching If-None-Match.
    examples : tuple of str
        Paths that run as they stand.
    method_prose : mapping
        How it is made, by the names of the answer's `method`; for the document.
    media_type : str
    other_media : tuple of str
        Of a success by the query's `format`; the document has no schema of them.
    status : int
        Of a success; a redirect has no content.
    within_s : float or None
        How long the handler may take, s; None is what all have.
    """

    method: str
    path: str
    handler: Handler
    tag: str = ""
    summary: str = ""
    response: Any = None
    description: str = ""
    query: type | None = None
    quick: Quick | None = None
    body: Body | FileBody | None = None
    access: Access = OPEN
    rates: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    shown_rate: str | None = None
    error_headers: Callable[[], Mapping[str, str]] | None = None
    conditional: bool = False
    examples: tuple[str, ...] = ()
    method_prose: Mapping[str, str] = field(default_factory=dict)
    path_parameters: Mapping[str, str] = field(default_factory=dict)
    media_type: str = JSON
    other_media: tuple[str, ...] = ()
    status: int = 200
    within_s: float | None = None

    def __post_init__(self) -> None:
        if not self.summary:
            summary, _, rest = _SECTION.split(getdoc(self.handler) or "")[0].partition("\n\n")
            object.__setattr__(self, "summary", summary.rstrip("."))
            object.__setattr__(self, "description", " ".join(f"{rest} {self.description}".split()))


def endpoint(route: Route, gate: Gate, rates: Rates) -> Endpoint:
    """Return what answers a route's requests: rates, key, query and body, rights, handler, then the quota.

    A charge is refunded where the failure is ours, and every answer of a route with a meter has the quota's headers.
    Warnings that no body tells are in the header X-Warning.
    """
    handler, access, read, rate_rules = route.handler, route.access, _reader(route), route.rates
    error_headers, path, shown_rate = route.error_headers, route.path, route.shown_rate
    quick, is_open, within_s, with_agreement = route.quick, gate.is_open, route.within_s, access.agreement_with

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        request[ENDPOINT] = path
        if error_headers is not None:
            request[ERROR_HEADERS] = error_headers
        if within_s is not None:
            request[WITHIN_S] = within_s
        try:
            if rate_rules:
                await rates.check(request, path, rate_rules, shown_rate)
            caller = None if is_open else await gate.admit(request, access)
            if quick is None or (asked := quick(request.rel_url.raw_query_string)) is None:
                asked = await read(request)
            if asked is not None and caller is not None:
                if with_agreement is not None and getattr(asked, with_agreement) is not None:
                    assert access.agreement is not None  # noqa: S101 -- a declaration
                    await gate.require_agreement(request, access.agreement)
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
        if len(request) > 1 and (untold := request.get(WARNINGS)):
            response.headers["X-Warning"] = " ".join(untold).encode("ascii", "replace").decode()
        return response

    return answer


def _reader(route: Route) -> Callable[[web.BaseRequest], Awaitable[Any]]:
    """Return what reads a request's query and body, and warns of names that are not declared."""
    declared, body = route.query, route.body

    async def read(request: web.BaseRequest) -> Any:
        query = None if declared is None else parse(declared, request.rel_url)
        if request.rel_url.raw_query_string:
            if names := undeclared(declared, request.rel_url):
                warn(request, "Unknown parameters were ignored", names)
            for other, given in ignored(query, request.rel_url).items():
                warn(request, f"Ignored with {other}", given)
        if body is None:
            return query
        model, unknown = await body.read(request)
        if unknown:
            warn(request, "Unknown fields were ignored", legible(unknown))
        return model if declared is None else (query, model)

    return read


def warn(request: web.BaseRequest, text: str, names: Iterable[str] = ()) -> None:
    """Add a sentence to the warnings of a request's answer, naming parameters or fields."""
    named = f": {', '.join(names)}" if names else ""
    request.setdefault(WARNINGS, []).append(f"{text}{named}.")


class Router:
    """Finds the endpoint of a request; aiohttp's router makes an object per request, a tenth of what a GET takes.

    Parameters
    ----------
    routes : iterable of (Route, Endpoint)
        Each path gets HEAD (where it has GET) and preflight.
    """

    def __init__(self, routes: Iterable[tuple[Route, Endpoint]]) -> None:
        self._paths: dict[str, dict[str, Endpoint]] = {}
        self._error_headers: dict[str, Callable[[], Mapping[str, str]] | None] = {}
        for route, answer in routes:
            methods = self._paths.setdefault(route.path, {})
            methods[route.method] = answer
            if route.method == "GET":
                methods["HEAD"] = answer
            self._error_headers[route.path] = route.error_headers
        self._known = {(method, path): one for path, of in self._paths.items() for method, one in of.items()}
        self._templates = [(_pattern(path), path) for path in self._paths if "{" in path]

    def find(self, request: web.BaseRequest) -> Endpoint:
        """Return what answers a request."""
        found = self._known.get((request.method, request.rel_url.raw_path))
        return found or self._other(request)

    def _other(self, request: web.BaseRequest) -> Endpoint:
        path = request.rel_url.path
        if "{" in path or path not in self._paths:
            for pattern, template in self._templates:
                if match := pattern.fullmatch(path):
                    path, request[PARAMETERS] = template, match.groupdict()
                    break
            else:
                raise problems.UNKNOWN_PATH()
        request[ENDPOINT] = path
        methods = self._paths[path]
        if request.method in methods:
            return methods[request.method]
        allowed = ", ".join(sorted({*methods, "OPTIONS"}))
        if request.method == "OPTIONS":
            return partial(preflight, allowed)
        if (headers := self._error_headers[path]) is not None:
            request[ERROR_HEADERS] = headers
        raise problems.WRONG_METHOD(method=request.method, allowed=allowed, headers={"Allow": allowed})


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(path)))
