"""Answers of 200 and 304: the same over every kind of connection, compressed where that is asked for."""

import gzip
from collections.abc import AsyncIterator
from urllib.parse import quote

import pytest
import pytest_asyncio
from aiohttp import web

from api.core.response import COMPRESSED_FROM, Prepared, respond
from tests.api.conftest import Client
from tests.api.core.served import connected, ended, exchange, route, serve

BODY = b'{"ghi":0.0}' * 200
SMALL = b"x" * (COMPRESSED_FROM - 1)
JSON = Prepared({"Content-Type": "application/json", "Cache-Control": "no-cache"})
PICTURE = Prepared({"Content-Type": "image/png"})
SENT = {
    "/strong": (JSON, BODY, '"abc"'),
    "/weak": (JSON, (BODY[:5], BODY[5:]), 'W/"abc"'),
    "/untagged": (JSON, BODY, None),
    "/small": (JSON, SMALL, '"abc"'),
    "/picture": (PICTURE, BODY, '"abc"'),
}


async def send(request: web.BaseRequest, _: None) -> web.StreamResponse:
    prepared, body, etag = SENT[request.path]
    return respond(request, prepared, body, {"X-Data-Origin": "live"}, etag)


async def split(request: web.BaseRequest, _: None) -> web.StreamResponse:
    return respond(request, JSON, BODY, {"X-Evil": "a" + request.rel_url.query["ends"] + "Set-Cookie: b"})


@pytest_asyncio.fixture
async def client() -> AsyncIterator[Client]:
    async with serve(*(route(path, send) for path in SENT), route("/split", split)) as client:
        yield client


async def raw(client: Client, head: str, method: str = "GET") -> tuple[dict[str, str], bytes]:
    [answer] = await exchange(client, f"{method} {head}\r\n\r\n".encode())
    assert answer.status == 200
    assert len(answer.headers.pop("x-request-id")) == 32
    assert answer.headers.pop("date").endswith(" GMT")
    return answer.headers, answer.body


@pytest.mark.parametrize("accepts", ["", "Accept-Encoding: gzip\r\n"])
async def test_every_kind_of_connection_gets_the_same(client: Client, accepts: str) -> None:
    headers, body = await raw(client, f"/strong HTTP/1.1\r\n{accepts}Host: x")
    for rest, kept in (
        ("1.1\r\nHost: x\r\nConnection: close", {"connection": "close"}),
        ("1.0", {}),
        ("1.0\r\nConnection: keep-alive", {"connection": "keep-alive"}),
    ):
        first, _, others = rest.partition("\r\n")
        got = await raw(client, f"/strong HTTP/{first}\r\n{accepts}{others}".removesuffix("\r\n"))
        assert got == ({**headers, **kept}, body)
    assert (await raw(client, f"/strong HTTP/1.1\r\n{accepts}Host: x", "HEAD"))[0] == headers


@pytest.mark.parametrize(
    "accepted", ["gzip", "GZIP", "br, gzip;q=0.5", "*", "gzip; q=0.1", "identity;q=0, gzip", "br;q=1.0,*;q=0.1"]
)
@pytest.mark.parametrize("path", ["/strong", "/weak", "/untagged"])
async def test_gzip_where_it_is_accepted(client: Client, path: str, accepted: str) -> None:
    headers, body = await raw(client, f"{path} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: {accepted}")
    assert (headers["content-encoding"], headers["vary"]) == ("gzip", "Accept-Encoding")
    assert len(body) == int(headers["content-length"]) < len(BODY)
    assert gzip.decompress(body) == BODY
    assert headers.get("etag") == {"/strong": '"abc-gzip"', "/weak": 'W/"abc"'}.get(path)


@pytest.mark.parametrize("accepted", ["", "br", "gzip;q=0", "gzip;q=0.000", "*;q=0", "gzip; q=0, *", "identity", ";"])
async def test_no_gzip_where_it_is_not(client: Client, accepted: str) -> None:
    headers, body = await raw(client, f"/strong HTTP/1.1\r\nHost: x\r\nAccept-Encoding: {accepted}")
    assert (body, headers["etag"], headers["vary"]) == (BODY, '"abc"', "Accept-Encoding")
    assert "content-encoding" not in headers


@pytest.mark.parametrize(("path", "body"), [("/small", SMALL), ("/picture", BODY)])
async def test_what_gains_nothing_is_not_compressed(client: Client, path: str, body: bytes) -> None:
    headers, got = await raw(client, f"{path} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip")
    assert (got, headers["etag"]) == (body, '"abc"')
    assert "content-encoding" not in headers


@pytest.mark.parametrize(
    ("path", "known", "etag"),
    [
        ("/strong", '"abc"', '"abc"'),
        ("/strong", '"abc-gzip"', '"abc-gzip"'),
        ("/strong", 'W/"abc"', '"abc"'),
        ("/strong", '"x", "abc"', '"abc"'),
        ("/strong", "*", '"abc"'),
        ("/weak", '"abc"', 'W/"abc"'),
        ("/picture", '"abc"', '"abc"'),
    ],
)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_304_of_what_the_caller_has(client: Client, method: str, path: str, known: str, etag: str) -> None:
    asked = await client.ask(path, method, headers={"If-None-Match": known})
    assert (asked.status, asked.text, asked.headers["ETag"]) == (304, "", etag)
    assert asked.headers["X-Data-Origin"] == "live"
    assert asked.headers.get("Vary") == (None if path == "/picture" else "Accept-Encoding")
    assert "Content-Type" not in asked.headers


@pytest.mark.parametrize(("path", "known"), [("/strong", '"x"'), ("/strong", "abc"), ("/untagged", "*")])
async def test_200_of_what_the_caller_has_not(client: Client, path: str, known: str) -> None:
    assert (await client.ask(path, headers={"If-None-Match": known})).status == 200


@pytest.mark.parametrize("ends", ["\r\n", "\n", "\r"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_no_header_begins_another(client: Client, method: str, ends: str) -> None:
    async with connected(client) as (reader, writer):
        writer.write(f"{method} /split?ends={quote(ends)} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert await ended(reader) == b"", "nothing of it is sent"
    with pytest.raises(ValueError, match="line break"):
        Prepared({"X": f"a{ends}b"})
