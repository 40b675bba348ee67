"""Rate limits of a route, as the endpoint flow keeps them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from pydantic import BaseModel

from api.access.required import Access
from api.core import problems
from api.core.body import Body
from api.core.routing import Route
from api.core.settings import LOOPBACK
from tests.api.conftest import Api, Asked, Start


class Anything(BaseModel):
    """A body without fields."""


async def _answer(_: web.BaseRequest, __: Any) -> web.Response:
    return web.Response(text="ok")


LIGHT = Route("GET", "/light", _answer, summary="-", tag="-", rates=("2/hour",))
HEAVY = replace(LIGHT, method="POST", path="/heavy", rates=("2/hour", "10/day"), body=Body(Anything, {}))
SHOWN = replace(LIGHT, path="/shown", rates=("3/second", "5/hour"), shown_rate="5/hour")


@pytest.fixture
async def limited(start: Start, tmp_path: Path) -> Api:
    routes = LIGHT, replace(HEAVY, access=Access(keyed=True)), SHOWN
    return await start(more_routes=routes, state_folder=tmp_path / "state", access="keys", trusted_proxies=LOOPBACK)


async def _heavy(api: Api, network: str, body: bytes = b"{}", **headers: str) -> Asked:
    headers = {"Content-Type": "application/json", "X-Forwarded-For": network, **headers}
    return await api.ask("/heavy", "POST", data=body, headers=headers)


async def test_a_route_and_a_network_have_their_own_and_the_refusal_says_when_to_come_back(limited: Api) -> None:
    *granted, refused = [await _heavy(limited, "192.0.2.1") for _ in range(3)]
    assert [answer.status for answer in granted] == [200, 200]
    assert (refused.status, refused.json["code"]) == (429, "RATE_LIMITED")
    assert 3590 <= int(refused.headers["Retry-After"]) <= 3600
    assert 'solflis_quota_rejections_total{reason="rate"} 1.0' in (await limited.ask("/metrics")).text
    assert (await _heavy(limited, "192.0.2.2")).status == 200
    assert (await limited.ask("/light", headers={"X-Forwarded-For": "192.0.2.1"})).status == 200
    assert [(await _heavy(limited, f"2001:db8::{i}")).status for i in range(3)] == [200, 200, 429]


async def test_it_counts_before_anything_is_looked_at(limited: Api) -> None:
    assert (await _heavy(limited, "192.0.2.1", b"no json")).status == 400
    assert (await _heavy(limited, "192.0.2.1", **{"X-API-Key": "sk_live_guessed"})).status == 401
    assert (await _heavy(limited, "192.0.2.1", b"no json")).status == 429


async def test_without_a_store(start: Start, tmp_path: Path) -> None:
    state = tmp_path / "state"
    (state / "rates.sqlite").mkdir(parents=True)
    api = await start(more_routes=(LIGHT,), state_folder=state)
    asked = await api.ask("/light")
    assert (asked.status, asked.json) == (503, problems.NO_RATES().body())
    assert (await api.ask("/api/sites")).status == 200
    (state / "rates.sqlite").rmdir()
    assert (await api.ask("/light")).status == 200


async def test_the_document_says_so(limited: Api) -> None:
    responses = (await limited.ask("/openapi.json")).json["paths"]["/light"]["get"]["responses"]
    assert "2/hour" in responses["429"]["description"]
    assert "Retry-After" in responses["429"]["headers"]
    assert "503" in responses


async def test_every_answer_says_what_is_left_of_the_rule_that_is_shown(limited: Api) -> None:
    answers = [await limited.ask("/shown") for _ in range(4)]
    left = [(one.status, one.headers["X-Quota-Remaining"]) for one in answers]
    assert left == [(200, "4"), (200, "3"), (200, "2"), (429, "2")]
    assert answers[3].headers["Retry-After"] == "1"
    assert "X-Quota-Remaining" not in (await limited.ask("/light")).headers
