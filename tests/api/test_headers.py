"""Every answer carries what browsers need to read it, and nothing that lets them do more with it."""

import pytest
import pytest_asyncio

from api.headers import EXPOSED_HEADERS
from tests.api.conftest import Api, Start

ANSWERS = [
    ("GET", "/api/forecast?lat=59.91&lon=10.75", 200),
    ("HEAD", "/api/forecast?lat=59.91&lon=10.75", 200),
    ("GET", "/api/forecast", 400),
    ("GET", "/api/forecast?lat=59.91&lon=10.75&api_key=x", 401),
    ("GET", "/api/forecast?lat=59.91&lon=10.75&daily=true", 403),
    ("GET", "/api/forecast?lat=70&lon=20", 503),
    ("GET", "/nowhere", 404),
    ("POST", "/api/sites", 405),
    ("GET", "/", 302),
    ("GET", "/health", 200),
    ("GET", "/metrics", 200),
    ("GET", "/docs", 200),
    ("OPTIONS", "/api/forecast", 204),
]
FIXED = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": EXPOSED_HEADERS,
    "Cross-Origin-Resource-Policy": "cross-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Server": "solflis",
}


@pytest_asyncio.fixture
async def keyed(start: Start) -> Api:
    """An application in which keys and plans hold."""
    return await start(access="keys")


@pytest.mark.parametrize(("method", "path", "status"), ANSWERS)
async def test_every_answer_carries_them(keyed: Api, method: str, path: str, status: int) -> None:
    asked = await keyed.ask(path, method, allow_redirects=False)
    assert asked.status == status
    assert {name: asked.headers.getall(name, []) for name in FIXED} == {name: [value] for name, value in FIXED.items()}
    [policy] = asked.headers.getall("Content-Security-Policy")
    own = "style-src 'unsafe-inline'; " if path == "/docs" else ""
    assert policy == f"default-src 'none'; {own}frame-ancestors 'none'"


def test_what_scripts_may_read() -> None:
    exposed = EXPOSED_HEADERS.split(", ")
    assert len(exposed) == len(set(exposed))
    assert set(exposed) >= {"ETag", "Sunset", "X-Data-Origin", "X-Request-Id", "Retry-After", "Content-Disposition"}
    assert set(exposed) >= {
        f"X-Quota-{what}" for what in ("Limit", "Remaining", "Reset", "Plants-Limit", "Plants-Remaining")
    }


async def test_the_root_leads_to_the_page(api: Api) -> None:
    asked = await api.ask("/", allow_redirects=False)
    assert (asked.status, asked.headers["Location"]) == (302, "/docs")
    assert (await api.ask("/")).headers["Content-Type"].startswith("text/html")
