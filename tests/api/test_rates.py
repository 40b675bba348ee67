"""Rate limits of a route, as the endpoint flow keeps them."""

from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from pydantic import BaseModel

from api import texts
from api.access.required import Access
from api.body import Body
from api.routing import Route
from api.settings import LOOPBACK
from tests.api.conftest import Api, Asked, Start


class Anything(BaseModel):
    """A body without fields."""


async def _answer(_: web.Request, __: Any) -> web.Response:
    return web.Response(text="ok")


ROUTES = (
    Route(
        "POST",
        "/heavy",
        _answer,
        summary="-",
        tag="-",
        body=Body(Anything, {}),
        access=Access(keyed=True),
        rates=("2/hour", "10/day"),
    ),
    Route("GET", "/light", _answer, summary="-", tag="-", rates=("2/hour",)),
    Route("GET", "/told", _answer, summary="-", tag="-", rates=("3/second", "5/hour"), told_rate="5/hour", coded=True),
)


@pytest.fixture
async def limited(start: Start, tmp_path: Path) -> Api:
    return await start(more_routes=ROUTES, state_folder=tmp_path / "state", access="keys", trusted_proxies=LOOPBACK)


async def _heavy(api: Api, network: str, body: bytes = b"{}", **headers: str) -> Asked:
    headers = {"Content-Type": "application/json", "X-Forwarded-For": network, **headers}
    return await api.ask("/heavy", "POST", data=body, headers=headers)


async def test_a_route_and_a_network_have_their_own(limited: Api) -> None:
    assert [(await _heavy(limited, "192.0.2.1")).status for _ in range(3)] == [200, 200, 429]
    assert (await _heavy(limited, "192.0.2.2")).status == 200
    light = await limited.ask("/light", headers={"X-Forwarded-For": "192.0.2.1"})
    assert light.status == 200
    assert [(await _heavy(limited, f"2001:db8::{i}")).status for i in range(3)] == [200, 200, 429]


async def test_the_refusal(limited: Api) -> None:
    for _ in range(3):
        asked = await _heavy(limited, "192.0.2.1")
    assert asked.json == {"error": texts.TOO_MANY.format(wait="60 minutter")}
    assert 3590 <= int(asked.headers["Retry-After"]) <= 3600
    assert 'solflis_quota_rejections_total{reason="rate"} 1.0' in (await limited.ask("/metrics")).text


async def test_it_counts_before_anything_is_looked_at(limited: Api) -> None:
    assert (await _heavy(limited, "192.0.2.1", b"no json")).status == 400
    assert (await _heavy(limited, "192.0.2.1", **{"X-API-Key": "sk_live_guessed"})).status == 401
    assert (await _heavy(limited, "192.0.2.1", b"no json")).status == 429
    assert (await _heavy(limited, "192.0.2.1", **{"X-API-Key": "sk_live_guessed"})).status == 429


async def test_without_a_store(start: Start, tmp_path: Path) -> None:
    state = tmp_path / "state"
    (state / "rates.sqlite").mkdir(parents=True)
    api = await start(more_routes=ROUTES, state_folder=state)
    asked = await api.ask("/light")
    assert (asked.status, asked.json) == (503, {"error": texts.NO_RATES})
    assert (await api.ask("/api/sites")).status == 200
    (state / "rates.sqlite").rmdir()
    assert (await api.ask("/light")).status == 200


async def test_the_document_says_so(limited: Api) -> None:
    responses = (await limited.ask("/openapi.json")).json["paths"]["/light"]["get"]["responses"]
    assert "2/hour" in responses["429"]["description"]
    assert "Retry-After" in responses["429"]["headers"]
    assert "503" in responses


async def test_every_answer_says_what_is_left_of_the_rule_that_is_told(limited: Api) -> None:
    headers = {"X-Forwarded-For": "192.0.2.1"}
    answers = [await limited.ask("/told", headers=headers) for _ in range(4)]
    assert [(one.status, one.headers["X-Quota-Remaining"]) for one in answers] == [
        (200, "4"), (200, "3"), (200, "2"), (429, "2"),
    ]  # fmt: skip
    assert answers[3].json["code"] == "RATE_LIMITED"
    assert answers[3].headers["Retry-After"] == "1"
    assert "X-Quota-Remaining" not in (await limited.ask("/light", headers=headers)).headers
