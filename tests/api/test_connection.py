"""Nobody keeps a connection busy for ever: slow heads, slow bodies, answers that nobody reads, handlers that hang."""

import asyncio
import logging
import select
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import orjson
import pytest
from aiohttp import web

from api.connection import Patience
from api.routing import Route
from tests.api.conftest import Api, Start

LONG = 20.0
BIG = b"x" * 30_000_000


def short(**times: float) -> Patience:
    """Patience that is long but for what a test is about."""
    return Patience(**{**dict.fromkeys(("head_s", "idle_s", "handler_s", "request_s", "grace_s"), LONG), **times})


class Handlers:
    """Handlers that take their time, and note what becomes of them."""

    def __init__(self) -> None:
        self.cancelled = 0

    async def hang(self, _: web.Request, __: None) -> web.Response:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return web.Response()

    async def stubborn(self, _: web.Request, __: None) -> web.Response:
        for _ in range(2):
            try:
                await asyncio.sleep(LONG)
            except asyncio.CancelledError:
                self.cancelled += 1
        return web.Response()

    async def read(self, request: web.Request, _: None) -> web.Response:
        return web.Response(body=await request.read())

    async def ponder(self, request: web.Request, _: None) -> web.Response:
        body = await request.read()
        await asyncio.sleep(0.3)
        return web.Response(body=body)

    async def big(self, _: web.Request, __: None) -> web.Response:
        return web.Response(body=BIG)

    async def stream(self, request: web.Request, _: None) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b"begun")
        await asyncio.sleep(60)
        return response

    def routes(self) -> tuple[Route, ...]:
        declared = {"hang": "GET", "stubborn": "GET", "read": "POST", "ponder": "POST", "big": "GET", "stream": "GET"}
        return tuple(
            Route(method, f"/{name}", getattr(self, name), summary="-", tag="-") for name, method in declared.items()
        )


@asynccontextmanager
async def connected(api: Api) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    host, port = api.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=1000)
    yield reader, writer
    writer.close()


async def ended(reader: asyncio.StreamReader, within_s: float = 10.0) -> bytes:
    """Return what comes until the connection is closed."""
    received = b""
    try:
        async with asyncio.timeout(within_s):
            while data := await reader.read(65536):
                received += data
    except ConnectionResetError:
        pass
    return received


def body_of(answer: bytes) -> dict[str, str]:
    got: dict[str, str] = orjson.loads(answer.partition(b"\r\n\r\n")[2])
    return got


@pytest.mark.parametrize("first", [b"", b"GET /", b"GET /health HTTP/1.1\r\nHost: x\r\nX-A: "])
async def test_a_head_that_does_not_come_to_its_end(start: Start, first: bytes) -> None:
    api = await start(patience=short(head_s=0.4))
    async with connected(api) as (reader, writer):
        begun = time.monotonic()
        writer.write(first)
        received = asyncio.create_task(ended(reader))
        while first and not received.done():  # a drop now and then does not help
            writer.write(b"a")
            await asyncio.sleep(0.05)
        assert await received == b""
        assert 0.35 < time.monotonic() - begun < 10


async def test_a_slow_head_of_a_later_request(start: Start) -> None:
    api = await start(patience=short(head_s=0.4))
    async with connected(api) as (reader, writer):
        writer.write(b"GET /api/sites HTTP/1.1\r\nHost: x\r\n\r\n")
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
        await asyncio.sleep(0.8)  # between requests there is more time
        assert not reader.at_eof()
        writer.write(b"GET /api/si")
        begun = time.monotonic()
        await ended(reader)
        assert 0.35 < time.monotonic() - begun < 10


async def test_an_idle_connection(start: Start) -> None:
    api = await start(patience=short(idle_s=0.4))
    async with connected(api) as (reader, writer):
        writer.write(b"GET /api/sites HTTP/1.1\r\nHost: x\r\n\r\n")
        begun = time.monotonic()
        assert (await ended(reader)).startswith(b"HTTP/1.1 200")
        assert 0.35 < time.monotonic() - begun < 10


async def test_a_body_that_does_not_come(start: Start) -> None:
    api = await start(patience=short(request_s=0.4, handler_s=0.2, grace_s=0.4), more_routes=Handlers().routes())
    async with connected(api) as (reader, writer):
        writer.write(b"POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhello")
        answer = await ended(reader)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert body_of(answer) == {"error": "Forespørselen kom ikke helt fram i tide. Prøv igjen."}


async def test_the_time_of_a_slow_body_is_not_the_handlers(start: Start) -> None:
    api = await start(patience=short(handler_s=1.5), more_routes=Handlers().routes())
    async with connected(api) as (reader, writer):
        writer.write(b"POST /ponder HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 10\r\n\r\n")
        for _ in range(10):
            await asyncio.sleep(0.18)
            writer.write(b"a")
        answer = await ended(reader)
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert answer.endswith(b"\r\n\r\n" + b"a" * 10)


async def test_a_handler_that_hangs(start: Start, caplog: pytest.LogCaptureFixture) -> None:
    handlers = Handlers()
    api = await start(patience=short(handler_s=0.3), more_routes=handlers.routes())
    asked = await api.ask("/hang?lat=59.9")
    assert (asked.status, asked.json) == (503, {"error": "Svaret tok for lang tid. Prøv igjen senere."})
    assert handlers.cancelled == 1
    [said] = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert said == "cut short with 503: GET /hang"


async def test_a_handler_that_does_not_give_in(start: Start) -> None:
    handlers = Handlers()
    api = await start(patience=short(handler_s=0.2, grace_s=0.2), more_routes=handlers.routes())
    async with connected(api) as (reader, writer):
        writer.write(b"GET /stubborn HTTP/1.1\r\nHost: x\r\n\r\n")
        assert await ended(reader) == b""
    assert handlers.cancelled == 1
    assert (await api.ask("/api/sites")).status == 200


async def test_an_answer_that_stops_in_the_middle(start: Start) -> None:
    api = await start(patience=short(request_s=0.4), more_routes=Handlers().routes())
    async with connected(api) as (reader, writer):
        writer.write(b"GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = await ended(reader)
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"begun" in answer


@pytest.mark.parametrize("close", [b"", b"Connection: close\r\n"])
async def test_a_client_that_never_reads(start: Start, close: bytes) -> None:
    api = await start(patience=short(request_s=0.4), more_routes=Handlers().routes())
    host, port = api.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.setblocking(False)
        await asyncio.get_running_loop().sock_sendall(client, b"GET /big HTTP/1.1\r\nHost: x\r\n%b\r\n" % close)
        begun = time.monotonic()
        ended = select.poll()
        ended.register(client, 0)  # errors alone: the answer waits unread
        while not ended.poll(0):
            assert time.monotonic() - begun < 10, "the connection is still there"
            await asyncio.sleep(0.02)
        assert time.monotonic() - begun > 0.35


async def test_times_of_a_quick_client_are_no_limit(start: Start) -> None:
    api = await start(patience=short(head_s=1.0, handler_s=1.0, request_s=1.0, grace_s=1.0))
    deadline = time.monotonic() + 2.5
    asked = 0
    async with connected(api) as (reader, writer):  # which lives longer than any of the times; aiohttp would ask again
        while time.monotonic() < deadline:
            writer.write(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200 ")
            await reader.readexactly(int(head.lower().partition(b"content-length: ")[2].split()[0]))
            asked += 1
    assert asked > 5
