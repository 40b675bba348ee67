"""Errors outside any endpoint: unknown paths, wrong methods, accidents, and what is no HTTP."""

import asyncio
import logging

import orjson
import pytest
from aiohttp import web

from api.routing import Route
from tests.api.conftest import Api, Start


@pytest.mark.parametrize(
    "path", ["/", "/api", "/api/forecast/", "/api/forecast/x", "/..%2f..%2fetc/passwd", "/%ff", "/%00"]
)
async def test_unknown_path(api: Api, path: str) -> None:
    asked = await api.ask(path)
    assert asked.status == 404
    assert asked.json == {"error": "Ukjent adresse. Se /docs for adressene som finnes."}
    assert asked.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
async def test_wrong_method(api: Api, method: str) -> None:
    asked = await api.ask("/api/forecast", method)
    assert asked.status == 405
    assert asked.headers["Allow"] == "GET, HEAD, OPTIONS"
    assert asked.json == {"error": f"Metoden {method} er ikke tillatt her. Tillatt: GET, HEAD, OPTIONS."}


async def test_an_accident_says_nothing_about_itself(start: Start, caplog: pytest.LogCaptureFixture) -> None:
    async def accident(_: web.Request, __: None) -> web.Response:
        raise RuntimeError("the password is 1234")

    api = await start(more_routes=(Route("GET", "/accident", accident, summary="-", tag="-"),))
    with caplog.at_level(logging.ERROR, "solflis.api"):
        asked = await api.ask("/accident?secret=1")
    assert (asked.status, asked.json) == (500, {"error": "Intern feil. Den er loggført. Prøv igjen senere."})
    [record] = caplog.records
    assert record.exc_info is not None
    assert "the password is 1234" in str(record.exc_info[1])
    assert "secret" not in record.message


NO_HTTP = [
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    b"GET /api/forecast?lat= 60 HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /api/forecast?lat=" + b"9" * 20_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /health HTTP/1.1\r\nHost: x\r\nX-Long: " + b"a" * 20_000 + b"\r\n\r\n",
    b"GET /health HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
]


@pytest.mark.parametrize("sent", NO_HTTP, ids=["tls", "space", "long url", "long header", "length"])
async def test_what_is_no_request_is_answered_in_json(api: Api, sent: bytes) -> None:
    host, port = api.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(sent)
    answer = await asyncio.wait_for(reader.read(), 5)
    writer.close()
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b" 400 " in head.splitlines()[0]
    assert b"Access-Control-Allow-Origin: *" in head
    assert orjson.loads(body)["error"].startswith("Forespørselen er ikke gyldig HTTP")
    assert (await api.ask("/health")).status == 200
