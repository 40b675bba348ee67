"""Nobody keeps a connection busy for ever, and a server that stops ends what runs."""

import asyncio
import logging
import select
import socket
import time
from contextlib import AbstractAsyncContextManager, AsyncExitStack

import pytest
from aiohttp import web

from api.core.server import Patience
from tests.api.conftest import Client
from tests.api.core.served import Answer, connected, ended, read_answer, route, serve, well
from tests.support.waiting import until

LONG = 20.0
BIG = b"x" * 30_000_000
WELL = b"GET /well HTTP/1.1\r\nHost: x\r\n\r\n"


class Handlers:
    """Handlers that take their time, and note what becomes of them."""

    def __init__(self) -> None:
        self.begun, self.cancelled, self.go_on = 0, 0, asyncio.Event()

    async def hang(self, _: web.BaseRequest, __: None) -> web.StreamResponse:
        self.begun += 1
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return web.Response(body=b"done")

    async def stubborn(self, request: web.BaseRequest, _: None) -> web.StreamResponse:
        try:
            await self.hang(request, None)
        except asyncio.CancelledError:
            await asyncio.Event().wait()
        return web.Response()

    async def read(self, request: web.BaseRequest, _: None) -> web.StreamResponse:
        body = await request.read()
        await asyncio.sleep(0.3)  # a calculation
        return web.Response(body=body)

    async def big(self, _: web.BaseRequest, __: None) -> web.StreamResponse:
        return web.Response(body=BIG)

    def served(self, finish_s: float = 1.0, **times: float) -> AbstractAsyncContextManager[Client]:
        """Serve them, with patience that is long but for what a test is about."""
        patience = {**dict.fromkeys(("head_s", "idle_s", "handler_s", "request_s", "grace_s"), LONG), **times}
        routes = (route(f"/{one.__name__}", one) for one in (self.hang, self.stubborn, self.big, well))
        return serve(*routes, route("/read", self.read, "POST"), patience=Patience(**patience), finish_s=finish_s)


@pytest.fixture
async def handlers() -> Handlers:
    return Handlers()


@pytest.mark.parametrize("first", [b"", b"GET /well HTTP/1.1\r\nHost: x\r\nX-A: "])
async def test_a_head_that_does_not_come_to_its_end(handlers: Handlers, first: bytes) -> None:
    async with handlers.served(head_s=0.4) as client, connected(client) as (reader, writer):
        begun = time.monotonic()
        writer.write(first)
        received = asyncio.create_task(ended(reader))
        while first and not received.done():  # a drop now and then does not help
            writer.write(b"a")
            await asyncio.sleep(0.05)
        assert await received == b""
        assert 0.35 < time.monotonic() - begun < 10


async def test_a_slow_head_of_a_later_request(handlers: Handlers) -> None:
    async with handlers.served(head_s=0.4) as client, connected(client) as (reader, writer):
        writer.write(WELL)
        await read_answer(reader)
        with pytest.raises(TimeoutError):  # between requests there is more time
            await asyncio.wait_for(reader.read(1), 0.8)
        writer.write(WELL[:8])
        begun = time.monotonic()
        await ended(reader)
        assert 0.35 < time.monotonic() - begun < 10


async def test_an_idle_connection(handlers: Handlers) -> None:
    async with handlers.served(idle_s=0.4) as client, connected(client) as (reader, writer):
        writer.write(WELL)
        begun = time.monotonic()
        assert (await ended(reader)).startswith(b"HTTP/1.1 200")
        assert 0.35 < time.monotonic() - begun < 10


async def test_a_body_that_does_not_come(handlers: Handlers) -> None:
    served = handlers.served(request_s=0.4, handler_s=0.2, grace_s=0.4)
    async with served as client, connected(client) as (reader, writer):
        writer.write(b"POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhello")
        assert (await read_answer(reader)).status == 408
        assert await ended(reader) == b""


async def test_the_time_of_a_slow_body_is_not_the_handlers(handlers: Handlers) -> None:
    async with handlers.served(handler_s=1.5) as client, connected(client) as (reader, writer):
        writer.write(b"POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n")
        for _ in range(10):
            await asyncio.sleep(0.18)
            writer.write(b"a")
        answer = await read_answer(reader)
    assert (answer.status, answer.body) == (200, b"a" * 10)


async def test_a_handler_that_hangs(handlers: Handlers, caplog: pytest.LogCaptureFixture) -> None:
    async with handlers.served(handler_s=0.3) as client:
        assert (await client.ask("/hang?lat=59.9")).status == 503
    assert handlers.cancelled == 1
    [said] = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert said == "cut short with 503: GET /hang"


async def test_a_handler_that_does_not_give_in(handlers: Handlers) -> None:
    async with handlers.served(handler_s=0.2, grace_s=0.2) as client:
        async with connected(client) as (reader, writer):
            writer.write(b"GET /stubborn HTTP/1.1\r\nHost: x\r\n\r\n")
            assert await ended(reader) == b""
        assert handlers.cancelled == 1
        assert (await client.ask("/well")).status == 200


@pytest.mark.parametrize("close", [b"", b"Connection: close\r\n"])
async def test_a_client_that_never_reads(handlers: Handlers, close: bytes) -> None:
    async with handlers.served(request_s=0.4) as served:
        host, port = served.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.setblocking(False)
            await asyncio.get_running_loop().sock_sendall(client, b"GET /big HTTP/1.1\r\nHost: x\r\n%b\r\n" % close)
            begun = time.monotonic()
            ends = select.poll()
            ends.register(client, 0)  # errors alone: the answer waits unread
            while not ends.poll(0):
                assert time.monotonic() - begun < 10, "the connection is still there"
                await asyncio.sleep(0.02)
            assert time.monotonic() - begun > 0.35


async def test_a_connection_may_live_longer_than_any_request(handlers: Handlers) -> None:
    served = handlers.served(head_s=0.6, handler_s=0.6, request_s=0.6, grace_s=0.6)
    async with served as client, connected(client) as (reader, writer):
        deadline = time.monotonic() + 1.5
        while time.monotonic() < deadline:
            writer.write(WELL)
            assert (await read_answer(reader)).status == 200


async def stopped(handlers: Handlers, path: str, finish_s: float, *, finishes: bool = False) -> Answer | None:
    """Stop a server while it answers; return the answer, None where the connection ends without."""
    async with AsyncExitStack() as connections:
        async with handlers.served(finish_s) as client:
            reader, writer = await connections.enter_async_context(connected(client))
            idle, _ = await connections.enter_async_context(connected(client))
            writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            await until(lambda: handlers.begun)
            begun = time.monotonic()
            if finishes:
                asyncio.get_running_loop().call_later(0.3, handlers.go_on.set)
        assert time.monotonic() - begun < finish_s + 5
        assert await ended(idle) == b"", "a connection that waits holds up nothing"
        try:
            return await read_answer(reader)
        except (asyncio.IncompleteReadError, ConnectionResetError):
            return None


async def test_a_request_that_runs_is_finished_when_the_server_stops(handlers: Handlers) -> None:
    answer = await stopped(handlers, "/hang", 10.0, finishes=True)
    assert answer is not None
    assert (answer.status, answer.body) == (200, b"done")


async def test_a_request_that_outlives_the_stop_is_answered_503(handlers: Handlers) -> None:
    answer = await stopped(handlers, "/hang", 0.2)
    assert answer is not None
    assert (answer.status, answer.headers["retry-after"], handlers.cancelled) == (503, "2", 1)


async def test_a_handler_that_does_not_give_in_is_dropped_when_the_server_stops(handlers: Handlers) -> None:
    assert await stopped(handlers, "/stubborn", 0.2) is None
