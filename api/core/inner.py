"""Requests to our own routes from within a request: same caller, key, quotas and rates; no socket, no HTTP."""

import asyncio
from collections.abc import Callable
from time import perf_counter

from aiohttp import HttpVersion11, StreamReader, web
from aiohttp.base_protocol import BaseProtocol
from aiohttp.http_parser import RawRequestMessage
from aiohttp.streams import EMPTY_PAYLOAD
from multidict import CIMultiDict, CIMultiDictProxy, istr
from yarl import URL

from api.core.body import JSON
from api.core.request_keys import ANSWERED
from api.core.response import ReadyResponse
from api.core.routing import Router
from api.core.server import answer_of
from api.observing import request_id
from api.observing.answers import Answers

_FORWARDED_FOR = istr("X-Forwarded-For")


class InnerRequests:
    """Sends requests to the routes of this process.

    Parameters
    ----------
    router : Router
    answers : Answers
        Notes each, as those that come from outside.
    """

    def __init__(self, router: Router, answers: Answers) -> None:
        self._router, self._answers = router, answers

    async def send(
        self, outer: web.BaseRequest, method: str, url: URL, key: str | None, body: bytes = b""
    ) -> tuple[web.StreamResponse, bytes]:
        """Return the answer of a route and its body; each of several at once runs in a task of its own.

        Parameters
        ----------
        outer : BaseRequest
            From whose address it comes. When its answer has been sent, this one counts as sent.
        method : str
        url : URL
            Path and query.
        key : str or None
        body : bytes
            JSON; empty where there is none.
        """
        begun, request = perf_counter(), _request(outer, method, url, key, body)
        own_id = request_id.current.set(request_id.new_request_id())  # what it is charged goes by it
        try:
            response = await answer_of(self._router, request)
            self._answers.note(request, response, perf_counter() - begun)
        finally:
            request_id.current.reset(own_id)
        if (answered := request.get(ANSWERED)) is not None:
            _after(outer, answered)
        assert isinstance(response, ReadyResponse | web.Response)  # noqa: S101 -- nothing is streamed
        return response, response.body if isinstance(response.body, bytes) else b""


def _request(outer: web.BaseRequest, method: str, url: URL, key: str | None, body: bytes) -> web.BaseRequest:
    headers = CIMultiDict((_FORWARDED_FOR, value) for value in outer.headers.getall(_FORWARDED_FOR, ()))
    if key is not None:
        headers["X-API-Key"] = key
    payload = EMPTY_PAYLOAD
    loop = asyncio.get_running_loop()
    if body:
        headers["Content-Type"] = JSON
        payload = StreamReader(BaseProtocol(loop), len(body) + 1, loop=loop)
        payload.feed_data(body)
        payload.feed_eof()
    proxy = CIMultiDictProxy(headers)
    message = RawRequestMessage(method, str(url), HttpVersion11, proxy, (), False, None, False, False, url)
    return web.BaseRequest(message, payload, outer.protocol, outer.writer, outer.task, loop)


def _after(outer: web.BaseRequest, answered: Callable[[], None]) -> None:
    """Call a function when the outer request has been answered, after those that wait for it already."""
    earlier = outer.get(ANSWERED)

    def both() -> None:
        if earlier is not None:
            earlier()
        answered()

    outer[ANSWERED] = both
