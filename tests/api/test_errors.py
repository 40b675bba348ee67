"""Errors outside any endpoint: unknown paths, wrong methods, and accidents."""

import logging

import pytest
from aiohttp import web

from api.routing import Route
from tests.api.conftest import Api, Start


@pytest.mark.parametrize("path", ["/api", "/api/forecast/", "/api/forecast/x", "/..%2f..%2fetc/passwd", "/%ff", "/%00"])
async def test_unknown_path(api: Api, path: str) -> None:
    asked = await api.ask(path)
    assert asked.status == 404
    assert asked.json == {"error": "Ukjent adresse. Se /docs for adressene som finnes."}
    assert asked.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
async def test_wrong_method(api: Api, method: str) -> None:
    asked = await api.ask("/api/sites", method)
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


async def test_no_answer_at_all_is_an_accident_too(start: Start) -> None:
    async def accident(_: web.Request, __: None) -> web.Response:
        return None  # type: ignore[return-value]

    api = await start(more_routes=(Route("GET", "/accident", accident, summary="-", tag="-"),))
    asked = await api.ask("/accident")
    assert (asked.status, asked.json) == (500, {"error": "Intern feil. Den er loggført. Prøv igjen senere."})
    assert len(asked.headers["X-Request-Id"]) == 32
