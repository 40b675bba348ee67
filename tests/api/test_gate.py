"""Who may call what: keys in their three forms, plans, quotas, and what every counted answer says of them."""

import asyncio
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import web

from api.access import keys
from api.access.required import Access
from api.access.secret import load_secret
from api.database.engine import address, make_async_engine
from api.routing import Route
from tests.api.conftest import Api, Asked, MovableClock, Start
from tests.api.fabricated import CYCLE

POINT = "/api/forecast?lat=59.91&lon=10.75"
ELSEWHERE = "/api/forecast?lat=60.39&lon=5.32"
DAILY = "Daily stitched forecast requires Basic tier or higher"
EXTENDED = "Extended forecast requires Basic tier or higher"
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
async def guarded(start: Start, state: Path, database_url: str) -> Any:
    """An API on either database."""
    clock = MovableClock()

    async def at(request: web.Request, _: None) -> web.Response:
        await app_gate(request).charge(request, [(60.0, float(request.query.get("lon", 10)))])
        raise RuntimeError("after the charge")

    async def tmy(request: web.Request, _: None) -> web.Response:
        await app_gate(request).charge(request, [(60.0, 10.0)])
        return web.Response(body=b"{}")

    more = (
        Route("GET", "/fails", at, summary="-", tag="-", access=Access(keyed=True, meter="forecast")),
        Route("GET", "/tmy", tmy, summary="-", tag="-", access=Access(keyed=True, meter="tmy")),
    )
    api = await start(clock=clock, access="keys", database=database_url, more_routes=more)
    engine = make_async_engine(address(database_url, state))
    yield Guarded(api, engine, state, clock)
    await engine.dispose()


def app_gate(request: web.Request) -> Any:
    from api.gate import GATE

    return request.app[GATE]


def quota(asked: Asked) -> tuple[int, int, int]:
    """Return limit, remaining and reset."""
    names = ("X-Quota-Limit", "X-Quota-Remaining", "X-Quota-Reset")
    return tuple(int(asked.headers[name]) for name in names)  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("query", "headers"),
    [
        ("", {"X-API-Key": "sk_live_0"}),
        ("", {"x-api-key": "x"}),
        ("", {"Authorization": "Bearer sk_live_0"}),
        ("", {"authorization": "bearer x"}),
        ("", {"Authorization": "sk_live_0"}),
        ("&api_key=sk_live_0", {}),
        ("&%61pi_key=x", {}),
        ("&api_key=x&daily=true", {}),
    ],
)
async def test_an_unknown_key(guarded: Guarded, query: str, headers: dict[str, str]) -> None:
    asked = await guarded.ask(POINT + query, **headers)
    assert (asked.status, asked.json) == (401, {"error": "Invalid API key"})
    assert asked.headers["WWW-Authenticate"] == "Bearer"
    assert asked.headers["X-Quota-Remaining"] == "0"


@pytest.mark.parametrize(
    ("query", "headers"),
    [
        ("", {"X-API-Key": ""}),
        ("", {"Authorization": "Bearer "}),
        ("", {"Authorization": "Basic dTpw"}),
        ("&api_key=", {}),
        ("&API_KEY=x", {}),
    ],
)
async def test_what_is_no_key(guarded: Guarded, query: str, headers: dict[str, str]) -> None:
    assert (await guarded.ask(POINT + query, **headers)).status == 200


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
    assert (await guarded.ask(key=key)).json == {"error": "Invalid API key"}
    assert quota(await guarded.ask(key=new))[1] == 998
    await keys.deactivate(guarded.engine, guarded.secret, new, guarded.clock.moment)
    assert (await guarded.ask(key=new)).status == 401


async def test_an_unknown_key_comes_before_a_bad_request(guarded: Guarded) -> None:
    assert (await guarded.ask("/api/forecast?lat=abc", key="x")).status == 401


@pytest.mark.parametrize("path", ["/api/forecast/latest", "/api/sites", "/health", "/docs", "/openapi.json"])
async def test_routes_without_key_ignore_one(guarded: Guarded, path: str) -> None:
    asked = await guarded.ask(path, key="x")
    assert asked.status == 200
    assert "X-Quota-Limit" not in asked.headers


@pytest.mark.parametrize(
    ("query", "text"),
    [("daily=true", DAILY), ("daily=1", DAILY)],
)
async def test_rights_of_plans(guarded: Guarded, query: str, text: str) -> None:
    for key in (None, await guarded.key("free", "free@b.no")):
        asked = await guarded.ask(f"{POINT}&{query}", key)
        assert (asked.status, asked.json) == (403, {"error": text})
        assert quota(asked)[1] == quota(asked)[0]
    basic = await guarded.key("basic", "basic@b.no")
    assert (await guarded.ask(f"{POINT}&{query}", basic)).status == 200


async def test_who_has_a_key_is_not_sent_for_one_when_the_plants_are_used_up(guarded: Guarded) -> None:
    key = await guarded.key("free")
    answers = [await guarded.ask(f"/api/forecast?lat={59.90 + n / 100:.2f}&lon=10.75", key) for n in range(11)]
    assert [a.status for a in answers] == [200] * 10 + [429]
    assert answers[-1].json["error"].endswith("Telleren nullstilles kl. 00:00 UTC.")


async def test_the_examples_of_the_forecast_are_one_plant(guarded: Guarded) -> None:
    described = (await guarded.ask("/openapi.json")).json
    examples = described["paths"]["/api/forecast"]["get"]["x-examples"]
    assert len(examples) == 2
    for example in examples:
        assert (await guarded.ask(example)).status == 200, example


async def test_anonymous_callers_have_24_requests_and_one_plant(guarded: Guarded) -> None:
    answers = [await guarded.ask() for _ in range(20)]
    assert [quota(a)[:2] for a in answers] == [(24, 24 - n) for n in range(1, 21)]
    assert quota(answers[0])[2] == int(MIDNIGHT.timestamp())
    refused = await guarded.ask(ELSEWHERE)
    assert refused.status == 429
    assert refused.json["error"].startswith("Dagskvoten for anlegg (1 ")
    assert refused.json["error"].endswith("En gratis nøkkel gir mer: POST /api/register.")
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
    assert used_up.status == 401
    assert "(24/day)" in used_up.json["error"]
    assert quota(used_up)[:2] == (24, 0)
    guarded.clock.moment = MIDNIGHT
    again = await guarded.ask("/api/forecast?lat=59.91&lon=10.75&lat=2")
    assert (again.status, *quota(again)[:2]) == (400, 24, 24)


async def test_a_plan_that_is_used_up_is_named(guarded: Guarded, monkeypatch: pytest.MonkeyPatch) -> None:
    key = await guarded.key()
    plans = guarded.api.app[__import__("api.gate", fromlist=["GATE"]).GATE]._plans.plans
    monkeypatch.setitem(plans, "free", plans["free"].model_copy(update={"requests_per_day": 1}))
    assert (await guarded.ask(key=key)).status == 200
    asked = await guarded.ask(key=key)
    assert asked.status == 401
    assert "(1/day)" in asked.json["error"]
    assert "planen free" in asked.json["error"]


async def test_only_what_is_answered_is_charged(guarded: Guarded) -> None:
    for path, status in (
        ("/api/forecast", 400),
        ("/api/forecast?lat=1&lon=1", 400),
        ("/api/forecast?lat=59.91&lon=10.75&daily=1", 403),
        ("/fails?lon=20", 500),
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
    async def left(forwarded: str) -> int:
        return quota(await guarded.ask(**{"X-Forwarded-For": forwarded}))[1]

    assert await left("198.51.100.7") == 23
    assert await left("203.0.113.9, 198.51.100.7") == 22  # only the last hop's word counts
    assert await left("2001:db8:1:2::1") == 23
    assert await left("2001:db8:1:2:ffff::9") == 22
    assert await left("2001:db8:1:3::1") == 23
    assert await left("198.51.100.7, 127.0.0.1") == 21
    assert await left("::ffff:198.51.100.7") == 20


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
