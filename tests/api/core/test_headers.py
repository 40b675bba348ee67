"""Every answer carries what browsers need to read it, and nothing that lets them do more with it."""

import pytest

from api.core.response import EXPOSED_HEADERS
from tests.api.conftest import Api

ANSWERS = [
    ("GET", "/api/forecast?lat=59.91&lon=10.75", 200),
    ("GET", "/api/forecast", 400),
    ("GET", "/nowhere", 404),
    ("GET", "/", 302),
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


@pytest.mark.parametrize(("method", "path", "status"), ANSWERS)
async def test_every_answer_carries_them(api: Api, method: str, path: str, status: int) -> None:
    asked = await api.ask(path, method, allow_redirects=False)
    assert asked.status == status
    assert {name: asked.headers.getall(name, []) for name in FIXED} == {name: [value] for name, value in FIXED.items()}
    [policy] = asked.headers.getall("Content-Security-Policy")
    own = "style-src 'unsafe-inline'; " if path == "/docs" else ""
    assert policy == f"default-src 'none'; {own}frame-ancestors 'none'"


def test_what_scripts_may_read() -> None:
    exposed = EXPOSED_HEADERS.split(", ")
    assert len(exposed) == len(set(exposed))
    assert {"ETag", "X-Data-Origin", "X-Request-Id", "X-Warning", "Retry-After", "X-Quota-Remaining"} <= set(exposed)
