"""What comes over the wire: whatever it is, the answer is JSON in our words or a closed connection, never a 500."""

import re
from collections.abc import AsyncIterator

import orjson
import pytest
import pytest_asyncio
from aiohttp import web

from api.core.server import MAX_ADDRESS, MAX_FIELDS
from tests.api.conftest import Client
from tests.api.core.served import Answer, exchange, route, serve, well

HEALTH = b"GET /health HTTP/1.1\r\nHost: x\r\n"


async def ill(_: web.BaseRequest, __: None) -> web.StreamResponse:
    raise ValueError


@pytest_asyncio.fixture
async def api() -> AsyncIterator[Client]:
    async with serve(route("/health", well), route("/ill", ill)) as client:
        yield client


def assert_ours(answer: Answer) -> None:
    assert answer.headers["content-type"] == "application/json"
    assert set(orjson.loads(answer.body)) == {"error", "code"}
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["server"] == "solflis"
    assert re.fullmatch("[0-9a-f]{32}", answer.headers["x-request-id"])


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
        (b"GET /api/forecast?lat= 60 HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"GET /api/forecast?lat=" + b"9" * 20_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414),
        (b"GET /" + b"a" * MAX_ADDRESS + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414),
        (HEALTH + b"X-Long: " + b"a" * 20_000 + b"\r\n\r\n", 431),
        (HEALTH + b"".join(b"X-%d: y\r\n" % i for i in range(200)) + b"\r\n", 431),
        (HEALTH + b"Content-Length: -5\r\n\r\n", 400),
        (HEALTH + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", 400),
        (HEALTH + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + HEALTH + b"\r\n", 400),
        (HEALTH + b"Transfer-Encoding: gzip\r\n\r\n", 400),
        (HEALTH + b"X-A: b\r\n folded\r\n\r\n", 400),
        (HEALTH + b"X-A: b\x00c\r\n\r\n", 400),
        (HEALTH + b"no colon\r\n\r\n", 400),
        (b"GET /health HTTP/9.9\r\nHost: x\r\n\r\n", 400),
        (b"GARBAGE /health HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"GET\r\n\r\n", 400),
    ],
)  # fmt: skip
async def test_what_is_no_request(api: Client, sent: bytes, status: int) -> None:
    [answer] = await exchange(api, sent, closes=True)
    assert answer.status == status
    assert_ours(answer)
    assert (await api.ask("/health")).status == 200


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET /" + b"a" * (MAX_ADDRESS - 100) + b" HTTP/1.1\r\nHost: x\r\n\r\n", 404),
        (HEALTH + b"".join(b"X-%d: y\r\n" % i for i in range(MAX_FIELDS - 1)) + b"\r\n", 200),
        (b"TRACE /health HTTP/1.1\r\nHost: x\r\n\r\n", 405),
        (b"PROPFIND /health HTTP/1.1\r\nHost: x\r\n\r\n", 405),
        (b"CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n", 404),
        (b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", 404),
        (b"GET http://elsewhere/nowhere HTTP/1.1\r\nHost: x\r\n\r\n", 404),
        (b"GET /ill HTTP/1.1\r\nHost: x\r\n\r\n", 500),
        (HEALTH + b"Expect: 100-continue\r\n\r\n", 200),
        (HEALTH + b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n", 200),
        (HEALTH + b"Accept: \xff\xfe\r\n\r\n", 200),
    ],
)  # fmt: skip
async def test_what_is_odd(api: Client, sent: bytes, status: int) -> None:
    [answer] = await exchange(api, sent)
    assert answer.status == status
    if status != 200:
        assert_ours(answer)
    assert (await api.ask("/health")).status == 200


async def test_a_body_that_nobody_asked_for_is_no_request(api: Client) -> None:
    body = b"GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n"
    sent = HEALTH + b"Content-Length: %d\r\n\r\n" % len(body) + body + HEALTH + b"Connection: close\r\n\r\n"
    assert [answer.status for answer in await exchange(api, sent, count=2, closes=True)] == [200, 200]


async def test_pipelined_requests_are_answered_in_their_order(api: Client) -> None:
    paths = [b"/health", b"/nowhere", b"/ill"] * 20
    sent = b"".join(b"GET %b HTTP/1.1\r\nHost: x\r\n\r\n" % path for path in paths)
    got = await exchange(api, sent, count=60)
    assert [answer.status for answer in got] == [200, 404, 500] * 20
    ids = [answer.headers["x-request-id"] for answer in got]
    assert len(set(ids)) == 60
    assert sorted(ids) == ids, "later ids sort later"


async def test_the_servers_id_is_not_the_callers(api: Client) -> None:
    asked = await api.ask("/health", headers={"X-Request-Id": "f" * 32})
    assert asked.headers["X-Request-Id"] != "f" * 32
