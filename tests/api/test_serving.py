"""What comes over the wire: whatever it is, the answer is JSON in our words or a closed connection, never a 500."""

import asyncio
import logging
import re
from collections.abc import Awaitable
from dataclasses import dataclass

import orjson
import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from api.connection import MAX_ADDRESS, MAX_FIELDS
from api.routing import Route
from api.serving import straight
from tests.api.conftest import Api, Start

HEALTH = b"GET /health HTTP/1.1\r\nHost: x\r\n"


@dataclass
class Answer:
    """One answer off the wire."""

    status: int
    headers: dict[bytes, bytes]
    body: bytes


async def exchange(api: Api, sent: bytes, ends: bool = True) -> list[Answer]:
    """Send bytes, and read until the connection is closed: by the server, or else when it is quiet after an answer."""
    host, port = api.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(sent)
    received = b""
    try:
        while data := await asyncio.wait_for(reader.read(65536), 30 if ends or not received else 0.5):
            received += data
    except ConnectionResetError:
        pass
    except TimeoutError:
        assert received
        assert not ends, received[:500]
    writer.close()
    return list(answers(received))


def answers(received: bytes) -> list[Answer]:
    found = []
    while received:
        head, _, received = received.partition(b"\r\n\r\n")
        first, *lines = head.split(b"\r\n")
        status = int(first.split()[1])
        headers = dict(line.lower().split(b": ", 1) for line in lines)
        if status == 100:
            continue
        length = int(headers.get(b"content-length", b"0"))
        found.append(Answer(status, headers, received[:length]))
        received = received[length:]
    return found


def assert_ours(answer: Answer) -> None:
    assert answer.headers[b"content-type"] == b"application/json"
    assert set(orjson.loads(answer.body)) == {"error"}
    assert answer.headers[b"access-control-allow-origin"] == b"*"
    assert answer.headers[b"x-content-type-options"] == b"nosniff"
    assert answer.headers[b"server"] == b"solflis"
    assert re.fullmatch(rb"[0-9a-f]{32}", answer.headers[b"x-request-id"])


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
        (b"\x00" * 100 + b"\r\n\r\n", 400),
        (b"GET /api/forecast?lat= 60 HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"GET /api/forecast?lat=" + b"9" * 20_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414),
        (b"GET /" + b"a" * MAX_ADDRESS + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414),
        (HEALTH + b"X-Long: " + b"a" * 20_000 + b"\r\n\r\n", 431),
        (HEALTH + b"a" * 20_000 + b": x\r\n\r\n", 431),
        (HEALTH + b"".join(b"X-%d: y\r\n" % i for i in range(200)) + b"\r\n", 431),
        (HEALTH + b"Content-Length: -5\r\n\r\n", 400),
        (HEALTH + b"Content-Length: 5x\r\n\r\n", 400),
        (HEALTH + b"Content-Length: 99999999999999999999999\r\n\r\n", 400),
        (HEALTH + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", 400),
        (HEALTH + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (HEALTH + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", 400),
        (HEALTH + b"Transfer-Encoding: gzip\r\n\r\n", 400),
        (HEALTH + b"Transfer-Encoding: chunked, identity\r\n\r\n", 400),
        (HEALTH + b"X-A: b\r\n folded\r\n\r\n", 400),
        (HEALTH + b"X-A : b\r\n\r\n", 400),
        (HEALTH + b"X-A: b\x00c\r\n\r\n", 400),
        (HEALTH + b"no colon\r\n\r\n", 400),
        (b"GET /health HTTP/9.9\r\nHost: x\r\n\r\n", 400),
        (b"GARBAGE /health HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"get /health HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"GET\r\n\r\n", 400),
    ],
)  # fmt: skip
async def test_what_is_no_request(api: Api, sent: bytes, status: int) -> None:
    [answer] = await exchange(api, sent)
    assert answer.status == status
    assert_ours(answer)
    assert (await api.ask("/health")).status == 200


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET /" + b"a" * (MAX_ADDRESS - 100) + b" HTTP/1.1\r\nHost: x\r\n\r\n", 404),
        (HEALTH + b"".join(b"X-%d: y\r\n" % i for i in range(MAX_FIELDS - 1)) + b"\r\n", 200),
        (b"TRACE /health HTTP/1.1\r\nHost: x\r\n\r\n", 405),
        (b"TRACE /nowhere HTTP/1.1\r\nHost: x\r\n\r\n", 404),
        (b"PROPFIND /health HTTP/1.1\r\nHost: x\r\n\r\n", 405),
        (b"CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n", 404),
        (b"CONNECT /health HTTP/1.1\r\nHost: x\r\n\r\n", 404),
        (b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", 404),
        (b"GET http://elsewhere/nowhere HTTP/1.1\r\nHost: x\r\n\r\n", 404),
        (HEALTH + b"Expect: a miracle\r\n\r\n", 417),
        (b"GET /nowhere HTTP/1.1\r\nHost: x\r\nExpect: a miracle\r\n\r\n", 417),
        (HEALTH + b"Expect: 100-continue\r\n\r\n", 200),
        (HEALTH + b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n", 200),
        (HEALTH + b"Accept: \xff\xfe\r\n\r\n", 200),
    ],
)  # fmt: skip
async def test_what_is_odd(api: Api, sent: bytes, status: int) -> None:
    [answer] = await exchange(api, sent, ends=False)
    assert answer.status == status
    if status != 200:
        assert_ours(answer)
    assert (await api.ask("/health")).status == 200


async def test_what_nobody_can_meet_ends_the_connection(api: Api) -> None:
    [answer] = await exchange(api, HEALTH + b"Expect: a miracle\r\n\r\n")
    assert (answer.status, answer.headers[b"connection"]) == (417, b"close")


async def test_head_and_options_have_no_body(api: Api) -> None:
    for method, path, status in (("HEAD", "/nowhere", 404), ("OPTIONS", "/health", 204), ("HEAD", "/docs", 200)):
        asked = await api.ask(path, method)
        assert (asked.status, asked.text) == (status, "")


async def test_bodies_that_nobody_asked_for_do_no_harm(api: Api) -> None:
    body = b"GET /api/sites HTTP/1.1\r\nHost: x\r\n\r\n"
    sent = HEALTH + b"Content-Length: %d\r\n\r\n" % len(body) + body + HEALTH + b"Connection: close\r\n\r\n"
    got = await exchange(api, sent)
    assert [answer.status for answer in got] == [200, 200]
    assert all(b'"products"' in answer.body for answer in got)  # the body was not taken for a request


@pytest.mark.parametrize("encoding", [b"gzip", b"deflate"])
@pytest.mark.parametrize(
    ("head", "status"),
    [
        (HEALTH, 200),
        (b"GET /nowhere HTTP/1.1\r\nHost: x\r\n", 404),
        (b"POST /api/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n", 400),
    ],
)
async def test_a_body_that_is_not_what_it_says_is_one_quiet_line(
    start: Start, caplog: pytest.LogCaptureFixture, encoding: bytes, head: bytes, status: int
) -> None:
    api = await start()
    caplog.set_level(logging.INFO)
    sent = head + b"Content-Encoding: " + encoding + b"\r\nContent-Length: 8\r\n\r\nnonsense"
    [answer] = await exchange(api, sent)
    assert answer.status == status
    assert [(said.levelname, said.getMessage()) for said in caplog.records] == [
        ("INFO", "the rest of a request's body cannot be read")
    ]
    assert caplog.records[0].exc_info is None


@pytest.mark.parametrize("chunks", [b"zz\r\nhello\r\n0\r\n\r\n", b"5\r\nhelloXX0\r\n\r\n", b"-5\r\nhello\r\n"])
async def test_bad_chunks(start: Start, chunks: bytes) -> None:
    async def read(request: web.Request, _: None) -> web.Response:
        return web.Response(body=await request.read())

    api = await start(more_routes=(Route("POST", "/read", read, summary="-", tag="-"),))
    got = await exchange(api, b"POST /read HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
    assert {answer.status for answer in got} <= {400}
    for answer in got:
        assert_ours(answer)


async def test_pipelined_requests_are_answered_in_their_order(api: Api) -> None:
    paths = [b"/health", b"/nowhere", b"/api/sites", b"/api/forecast"] * 20
    sent = b"".join(b"GET %b HTTP/1.1\r\nHost: x\r\n\r\n" % path for path in paths) + b"nonsense\r\n\r\n"
    got = await exchange(api, sent)
    assert [answer.status for answer in got] == [200, 404, 200, 400] * 20 + [400]
    assert len({answer.headers[b"x-request-id"] for answer in got}) == 81


async def test_a_request_after_a_smuggled_one_is_not_answered(api: Api) -> None:
    smuggled = b"GET /api/sites HTTP/1.1\r\nHost: x\r\n\r\n"
    sent = HEALTH + b"Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled
    [answer] = await exchange(api, sent)
    assert answer.status == 400


async def test_straight_leads_where_the_router_leads(api: Api) -> None:
    left: list[web.BaseRequest] = []

    async def nothing() -> web.StreamResponse:
        return web.Response()

    def by_router(request: web.BaseRequest) -> Awaitable[web.StreamResponse]:
        left.append(request)
        return nothing()

    dispatch = straight(api.app, by_router)
    declared = [(route.method, route.resource.canonical) for route in api.app.router.routes() if route.resource]
    assert len(declared) > 30
    for method, path in declared:
        request = make_mocked_request(method, f"{path}?lat=59.91", app=api.app)
        found = await api.app.router.resolve(request)
        dispatch(request).close()  # type: ignore[attr-defined]
        assert request.match_info.route is found.route
        assert request.app is api.app
    assert left == []
    for method, path, headers in (
        ("GET", "/nowhere", {}),
        ("PUT", "/health", {}),
        ("GET", "/health/", {}),
        ("GET", "/health", {"Expect": "100-continue"}),
    ):
        await dispatch(make_mocked_request(method, path, headers, app=api.app))
    assert len(left) == 4
