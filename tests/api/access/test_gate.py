"""Who may call what: keys in their three forms, plans, quotas, and what every counted answer says of them."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import web

from api.access import keys
from api.access.required import Access
from api.access.secret import load_secret
from api.core import problems
from api.core.routing import Route
from api.core.settings import PLANS
from api.database.engine import address, make_async_engine
from tests.api.conftest import Api, Asked, MovableClock, Start
from tests.api.fabricated import CYCLE

POINT = "/api/forecast?lat=59.91&lon=10.75"
ELSEWHERE = "/api/forecast?lat=60.39&lon=5.32"
INVALID = {"error": "Invalid API key", "code": "UNAUTHORIZED"}
DAILY = "Daily stitched forecast requires Basic tier or higher"
TRIAL = """
[plans.trial]
requests_per_day = 1
plants_per_day = 1
kwp_per_plant = 25
systems_per_bulk = 1
"""
MIDNIGHT = CYCLE.replace(hour=0) + timedelta(days=1)


class Guarded:
    """An API that counts, and its operator."""

    def __init__(self, api: Api, engine: Any, state: Path, clock: MovableClock) -> None:
        self.api, self.engine, self.clock = api, engine, clock
        self.secret = load_secret(None, state)

    async def key(self, plan: str = "free", email: str = "a@b.no") -> str:
        """Issue a key."""
        return await keys.issue(self.engine, self.secret, email, plan, self.clock.moment)

    async def ask(self, path: str = POINT, key: str | None = None, **headers: str) -> Asked:
        """Ask once."""
        return await self.api.ask(path, headers={**headers, **({"X-API-Key": key} if key else {})})


@pytest_asyncio.fixture
async def guarded(start: Start, state: Path, database_url: str, tmp_path: Path) -> AsyncIterator[Guarded]:
    """An API on either database."""

    async def fails(request: web.BaseRequest, _: None) -> web.Response:
        await api.app.machinery.gate.charge(request, [(60.0, 20.0)])
        raise RuntimeError("after the charge")

    async def tmy(request: web.BaseRequest, _: None) -> web.Response:
        await api.app.machinery.gate.charge(request, [(60.0, 10.0)])
        return web.Response(body=b"{}")

    more = (
        Route("GET", "/fails", fails, summary="-", tag="-", access=Access(keyed=True, meter="forecast")),
        Route("GET", "/tmy", tmy, summary="-", tag="-", access=Access(keyed=True, meter="tmy")),
    )
    clock, plans = MovableClock(), tmp_path / "plans.toml"
    plans.write_text(PLANS.read_text(encoding="utf-8") + TRIAL, encoding="utf-8")
    api = await start(clock=clock, access="keys", database=database_url, plans=plans, more_routes=more)
    engine = make_async_engine(address(database_url, state))
    yield Guarded(api, engine, state, clock)
    await engine.dispose()


def quota(asked: Asked) -> tuple[int, int, int]:
    """Return limit, remaining and reset."""
    limit, remaining, reset = (int(asked.headers[f"X-Quota-{name}"]) for name in ("Limit", "Remaining", "Reset"))
    return limit, remaining, reset


@pytest.mark.parametrize(
    ("query", "headers"),
    [
        ("", {"x-api-key": "x"}),
        ("", {"authorization": "bearer x"}),
        ("", {"Authorization": "sk_live_0"}),
        ("&%61pi_key=x&daily=true", {}),
        ("&lat=abc", {"X-API-Key": "x"}),
    ],
)
async def test_an_unknown_key(guarded: Guarded, query: str, headers: dict[str, str]) -> None:
    asked = await guarded.ask(POINT + query, **headers)
    assert (asked.status, asked.json) == (401, INVALID)
    assert asked.headers["WWW-Authenticate"] == "Bearer"
    assert asked.headers["X-Quota-Remaining"] == "0"


async def test_what_is_no_key(guarded: Guarded) -> None:
    for headers in ({"X-API-Key": ""}, {"Authorization": "Bearer "}, {"Authorization": "Basic dTpw"}):
        assert (await guarded.ask(**headers)).status == 200
    for query in ("&api_key=", "&API_KEY=x"):
        assert (await guarded.ask(POINT + query)).status == 200
    assert (await guarded.ask("/api/forecast/latest", key="x")).status == 200, "this route takes no key"


async def test_a_key_in_its_three_forms_and_their_precedence(guarded: Guarded) -> None:
    key = await guarded.key()
    assert len(key) == 72
    assert key.startswith("sk_live_")
    wrong = "sk_live_wrong"
    for path, headers, status in (
        (POINT, {"X-API-Key": key}, 200),
        (POINT, {"Authorization": f"Bearer {key}"}, 200),
        (f"{POINT}&api_key={key}", {}, 200),
        (f"{POINT}&api_key={wrong}", {"X-API-Key": key, "Authorization": f"Bearer {wrong}"}, 200),
        (f"{POINT}&api_key={key}", {"X-API-Key": wrong, "Authorization": f"Bearer {key}"}, 401),
        (f"{POINT}&api_key={key}", {"Authorization": f"Bearer {wrong}"}, 401),
    ):
        asked = await guarded.ask(path, **headers)
        assert asked.status == status, headers
    assert quota(asked := await guarded.ask(key=key))[:2] == (1000, 1000 - 5)
    assert (asked.headers["X-Quota-Plants-Limit"], asked.headers["X-Quota-Plants-Remaining"]) == ("10", "9")


async def test_a_deactivated_key_is_unknown_at_once_and_quota_moves_to_the_new_one(guarded: Guarded) -> None:
    key = await guarded.key()
    assert quota(await guarded.ask(key=key))[1] == 999
    new = await keys.rotate(guarded.engine, guarded.secret, "a@b.no", guarded.clock.moment)
    assert (await guarded.ask(key=key)).json == INVALID
    assert quota(await guarded.ask(key=new))[1] == 998
    await keys.deactivate(guarded.engine, guarded.secret, new, guarded.clock.moment)
    assert (await guarded.ask(key=new)).status == 401


async def test_rights_of_plans(guarded: Guarded) -> None:
    for key in (None, await guarded.key("free", "free@b.no")):
        asked = await guarded.ask(f"{POINT}&daily=true", key)
        assert (asked.status, asked.json) == (403, {"error": DAILY, "code": "FORBIDDEN", "parameter": "daily"})
        assert quota(asked)[1] == quota(asked)[0]
    basic = await guarded.key("basic", "basic@b.no")
    assert (await guarded.ask(f"{POINT}&daily=1", basic)).status == 200


async def test_the_document_says_where_a_key_is_needed(guarded: Guarded) -> None:
    paths = (await guarded.ask("/openapi.json")).json["paths"]
    for method in ("get", "post"):
        assert {} in paths["/api/forecast"][method]["security"]
        assert {} not in paths["/api/forecast/extended"][method]["security"]
    assert (await guarded.ask("/api/forecast/extended?lat=59.91&lon=10.75")).status == 403


async def test_who_has_a_key_is_not_sent_for_one_when_the_plants_are_used_up(guarded: Guarded) -> None:
    key = await guarded.key("free")
    answers = [await guarded.ask(f"/api/forecast?lat={59.90 + n / 100:.2f}&lon=10.75", key) for n in range(11)]
    assert [a.status for a in answers] == [200] * 10 + [429]
    assert answers[-1].json["error"] == problems.PLANTS_USED.text(limit=10)


async def test_the_examples_of_the_forecast_are_one_plant(guarded: Guarded) -> None:
    paths = (await guarded.ask("/openapi.json")).json["paths"]
    answers = [await guarded.ask(example) for example in paths["/api/forecast"]["get"]["x-examples"]]
    assert [answer.status for answer in answers] == [200, 200]


async def test_anonymous_callers_have_24_requests_and_one_plant(guarded: Guarded) -> None:
    answers = [await guarded.ask() for _ in range(20)]
    assert [quota(a)[:2] for a in answers] == [(24, 24 - n) for n in range(1, 21)]
    assert quota(answers[0])[2] == int(MIDNIGHT.timestamp())
    refused = await guarded.ask(ELSEWHERE)
    assert refused.status == 429
    assert refused.json["error"] == problems.ANONYMOUS_PLANTS_USED.text(limit=1)
    assert refused.json["quota"] == {
        "plan": "anonymous",
        "limit": 1,
        "used": 1,
        "remaining": 0,
        "resets_at": MIDNIGHT.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "rejected_coords": [{"latitude": 60.39, "longitude": 5.32}],
    }
    assert quota(refused)[:2] == (24, 4)
    assert 0 < int(refused.headers["Retry-After"]) <= 86_400
    rest = await asyncio.gather(*(guarded.ask("/api/forecast?lat=59.910004&lon=10.75") for _ in range(10)))
    assert Counter(a.status for a in rest) == {200: 4, 401: 6}
    used_up = await guarded.ask()
    assert (used_up.status, *quota(used_up)[:2]) == (401, 24, 0)
    assert used_up.json["error"] == problems.ANONYMOUS_REQUESTS_USED.text(limit=24)
    guarded.clock.moment = MIDNIGHT
    again = await guarded.ask("/api/forecast?lat=59.91&lon=10.75&lat=2")
    assert (again.status, *quota(again)[:2]) == (400, 24, 24)


async def test_a_plan_that_is_used_up_is_named(guarded: Guarded) -> None:
    key = await guarded.key("trial")
    assert (await guarded.ask(key=key)).status == 200
    asked = await guarded.ask(key=key)
    assert (asked.status, asked.json["error"]) == (401, problems.PLAN_REQUESTS_USED.text(limit=1, plan="trial"))
    assert 0 < int(asked.headers["Retry-After"]) <= 86_400


async def test_only_what_is_answered_is_charged(guarded: Guarded) -> None:
    for path, status in (
        ("/api/forecast", 400),
        ("/api/forecast?lat=1&lon=1", 400),
        ("/api/forecast?lat=59.91&lon=10.75&daily=1", 403),
        ("/fails", 500),
    ):
        asked = await guarded.ask(path)
        assert (asked.status, *quota(asked)[:2]) == (status, 24, 24), path
    asked = await guarded.ask(POINT)
    assert (asked.status, *quota(asked)[:2]) == (200, 24, 23)
    etag = asked.headers["ETag"]
    unchanged = await guarded.ask(POINT, **{"If-None-Match": etag})
    assert (unchanged.status, *quota(unchanged)[:2]) == (304, 24, 22)
    head = await guarded.api.ask(POINT, "HEAD")
    assert (head.status, *quota(head)[:2]) == (200, 24, 21)


async def test_addresses_behind_a_trusted_proxy_count_by_themselves(guarded: Guarded) -> None:
    for forwarded, left in (("198.51.100.7", 23), ("2001:db8:1:2::1", 23), ("203.0.113.9, 198.51.100.7", 22)):
        assert quota(await guarded.ask(**{"X-Forwarded-For": forwarded}))[1] == left


async def test_tmy_counts_by_address_with_a_key_or_without(guarded: Guarded) -> None:
    key = await guarded.key()
    assert quota(await guarded.ask("/tmy", key))[:2] == (2000, 1999)
    asked = await guarded.ask("/tmy")
    assert quota(asked)[:2] == (2000, 1998)
    assert "X-Quota-Plants-Limit" not in asked.headers
    assert (await guarded.ask("/tmy", "wrong")).status == 401


async def test_an_open_installation_counts_nothing(start: Start) -> None:
    api = await start(access="open")
    for _ in range(30):
        asked = await api.ask(f"{ELSEWHERE}&daily=true", headers={"X-API-Key": "x"})
        assert asked.status == 200
    assert "X-Quota-Limit" not in asked.headers
