"""Answers with a prepared head say the same as aiohttp's own, over every kind of connection."""

import asyncio

import pytest

from api.ready import Prepared, _lines
from tests.api.conftest import Api

OSLO = "/api/forecast?lat=59.91&lon=10.75"


async def raw(
    api: Api, request: str, answers: int = 1, closes: bool = False
) -> tuple[list[tuple[str, dict[str, str], bytes]], bool]:
    """Send bytes; return status line, headers and body of each answer, and whether the connection was closed."""
    host, port = api.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(request.encode())
    got = []
    for _ in range(answers):
        head = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 30)).decode().split("\r\n")
        headers = dict(line.split(": ", 1) for line in head[1:] if line)
        body = b"" if request.startswith("HEAD") else await reader.readexactly(int(headers["Content-Length"]))
        got.append((head[0], headers, body))
    try:
        closed = await asyncio.wait_for(reader.read(1), 30 if closes else 0.1) == b""
    except TimeoutError:
        closed = False
    writer.close()
    return got, closed


async def test_all_ways_of_asking_get_the_same(api: Api) -> None:
    [(line, headers, body)], closed = await raw(api, f"GET {OSLO} HTTP/1.1\r\nHost: x\r\n\r\n")
    assert (line, closed) == ("HTTP/1.1 200 OK", False)
    assert headers.pop("Date").endswith(" GMT")
    assert len(headers.pop("X-Request-Id")) == 32
    for request, kept in (
        (f"GET {OSLO} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", {"Connection": "close"}),
        (f"GET {OSLO} HTTP/1.0\r\n\r\n", {}),
        (f"GET {OSLO} HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", {"Connection": "keep-alive"}),
        (f"HEAD {OSLO} HTTP/1.1\r\nHost: x\r\n\r\n", {}),
    ):
        closes = "close" in request or "1.0\r\n\r\n" in request
        [(_, others, again)], closed = await raw(api, request, closes=closes)
        del others["Date"], others["X-Request-Id"]
        assert others == {**headers, **kept}, request
        assert again == (b"" if request.startswith("HEAD") else body)
        assert closed == closes


async def test_many_on_one_connection(api: Api) -> None:
    got, closed = await raw(api, f"GET {OSLO} HTTP/1.1\r\nHost: x\r\n\r\n" * 50, answers=50)
    assert {(line, body) for line, _, body in got} == {("HTTP/1.1 200 OK", got[0][2])}
    assert not closed


async def test_headers_of_one_answer_go_with_it(api: Api) -> None:
    asked = await api.ask(f"{OSLO}&fresh=false")
    assert asked.headers["ETag"]
    with_sunset = await api.ask(f"{OSLO}&fresh=true")
    assert with_sunset.headers["Sunset"] == "Thu, 19 Nov 2026 00:00:00 GMT"
    assert "Sunset" not in asked.headers


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nb", "a\rb"])
def test_no_header_begins_another(value: str) -> None:
    with pytest.raises(ValueError, match="line break"):
        _lines({"X": value})
    with pytest.raises(ValueError, match="line break"):
        Prepared({"X": value})
