"""Which route answers: paths with parameters, HEAD, preflight, other methods."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from aiohttp import web

from api.core.request_keys import PARAMETERS
from tests.api.conftest import Client
from tests.api.core.served import route, serve


async def tell(request: web.BaseRequest, _: None) -> web.StreamResponse:
    return web.json_response(dict(request.get(PARAMETERS, {})))


@pytest_asyncio.fixture
async def client() -> AsyncIterator[Client]:
    paths = ("/jobs/{id}", "/jobs/{id}/parts/{part}", "/jobs/all")
    async with serve(*(route(path, tell) for path in paths), route("/jobs/{id}", tell, "DELETE")) as client:
        yield client


@pytest.mark.parametrize(
    ("path", "parameters"),
    [
        ("/jobs/7?lat=1", {"id": "7"}),
        ("/jobs/7/parts/a.b", {"id": "7", "part": "a.b"}),
        ("/jobs/all", {}),
        ("/jobs/%C3%A5%20b", {"id": "å b"}),
        ("/j%6Fbs/all", {}),
    ],
)
async def test_parameters_of_a_path(client: Client, path: str, parameters: dict[str, str]) -> None:
    asked = await client.ask(path)
    assert (asked.status, asked.json) == (200, parameters)


@pytest.mark.parametrize(
    "path",
    ["/jobs", "/jobs/", "/jobs/7/", "/jobs/7/parts", "/jobs/a%2Fb", "/%ff", "/%00", "/..%2f..%2fetc/passwd", "/"],
)
async def test_unknown_paths(client: Client, path: str) -> None:
    for method in ("GET", "HEAD", "OPTIONS", "POST"):
        assert (await client.ask(path, method)).status == 404


@pytest.mark.parametrize(
    ("path", "allowed"), [("/jobs/all", "GET, HEAD, OPTIONS"), ("/jobs/7", "DELETE, GET, HEAD, OPTIONS")]
)
async def test_methods_of_a_path(client: Client, path: str, allowed: str) -> None:
    head = await client.ask(path, "HEAD")
    assert (head.status, head.text) == (200, "")
    assert head.headers["Content-Length"] == (await client.ask(path)).headers["Content-Length"]
    for method in ("PUT", "PATCH", "PROPFIND", "TRACE"):
        refused = await client.ask(path, method)
        assert (refused.status, refused.headers["Allow"]) == (405, allowed)
    asks = {"Origin": "https://example.org", "Access-Control-Request-Method": "GET"}
    preflight = await client.ask(path, "OPTIONS", headers=asks)
    assert (preflight.status, preflight.text) == (204, "")
    assert preflight.headers["Access-Control-Allow-Methods"] == preflight.headers["Allow"] == allowed
    taken = set(preflight.headers["Access-Control-Allow-Headers"].split(", "))
    assert taken >= {"X-API-Key", "Authorization", "Content-Type", "If-None-Match"}
    assert int(preflight.headers["Access-Control-Max-Age"]) > 0
