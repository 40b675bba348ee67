"""Browsers may call from anywhere, and see what they need."""

import pytest

from api.headers import EXPOSED_HEADERS
from tests.api.conftest import Api

ANSWERS = [
    ("GET", "/api/forecast?lat=59.91&lon=10.75", 200),
    ("HEAD", "/api/forecast?lat=59.91&lon=10.75", 200),
    ("GET", "/api/forecast", 400),
    ("GET", "/api/forecast?lat=59.91&lon=10.75&api_key=x", 401),
    ("GET", "/api/forecast?lat=59.91&lon=10.75&daily=true", 403),
    ("GET", "/api/forecast?lat=70&lon=20", 503),
    ("GET", "/nowhere", 404),
    ("POST", "/api/sites", 405),
    ("GET", "/health", 200),
    ("GET", "/docs", 200),
    ("OPTIONS", "/api/forecast", 204),
]


@pytest.mark.parametrize(("method", "path", "status"), ANSWERS)
async def test_every_answer_carries_the_headers(api: Api, method: str, path: str, status: int) -> None:
    asked = await api.ask(path, method)
    assert asked.status == status
    assert asked.headers.getall("Access-Control-Allow-Origin") == ["*"]
    exposed = asked.headers["Access-Control-Expose-Headers"].split(", ")
    assert {"ETag", "Sunset", "X-Data-Origin", "X-Request-Id", "X-Quota-Remaining", "Retry-After"} <= set(exposed)
    assert ", ".join(exposed) == EXPOSED_HEADERS


async def test_preflight_of_every_path(api: Api) -> None:
    paths = {resource.canonical for resource in api.app.router.resources()}
    assert "/api/forecast" in paths
    for path in paths:
        asked = await api.ask(
            path,
            "OPTIONS",
            headers={
                "Origin": "https://example.org",
                "Access-Control-Request-Method": "GET",
                "Access-Control-Request-Headers": "x-api-key",
            },
        )
        assert (asked.status, asked.text) == (204, "")
        assert asked.headers["Access-Control-Allow-Methods"] == asked.headers["Allow"] == "GET, HEAD, OPTIONS"
        allowed = set(asked.headers["Access-Control-Allow-Headers"].split(", "))
        assert allowed == {"X-API-Key", "Authorization", "Content-Type", "If-None-Match", "X-Anlegg-Beta"}
        assert int(asked.headers["Access-Control-Max-Age"]) > 0


async def test_preflight_of_an_unknown_path(api: Api) -> None:
    assert (await api.ask("/nowhere", "OPTIONS")).status == 404
