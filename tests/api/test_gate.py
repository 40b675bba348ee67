"""Who may call what: no key exists yet, and the anonymous caller has no rights."""

import pytest

from api import gate
from tests.api.conftest import Api

POINT = "/api/forecast?lat=59.91&lon=10.75"
DAILY = "Daily stitched forecast requires Basic tier or higher"
EXTENDED = "Extended forecast requires Basic tier or higher"


@pytest.mark.parametrize(
    ("query", "headers"),
    [
        ("", {"X-API-Key": "sk_live_0"}),
        ("", {"x-api-key": "x"}),
        ("", {"Authorization": "Bearer sk_live_0"}),
        ("", {"authorization": "bearer x"}),
        ("&api_key=sk_live_0", {}),
        ("&%61pi_key=x", {}),
        ("&api_key=x&daily=true", {}),
    ],
)
async def test_any_key_is_unknown(api: Api, query: str, headers: dict[str, str]) -> None:
    asked = await api.ask(POINT + query, headers=headers)
    assert (asked.status, asked.json) == (401, {"error": "Invalid API key"})
    assert asked.headers["WWW-Authenticate"] == "Bearer"


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
async def test_what_is_no_key(api: Api, query: str, headers: dict[str, str]) -> None:
    assert (await api.ask(POINT + query, headers=headers)).status == 200


async def test_an_unknown_key_comes_before_a_bad_request(api: Api) -> None:
    assert (await api.ask("/api/forecast?lat=abc", headers={"X-API-Key": "x"})).status == 401


@pytest.mark.parametrize("path", ["/api/forecast/latest", "/api/sites", "/health", "/docs", "/openapi.json"])
async def test_routes_without_key_ignore_one(api: Api, path: str) -> None:
    assert (await api.ask(path, headers={"X-API-Key": "x"})).status == 200


@pytest.mark.parametrize(
    ("query", "text"),
    [("daily=true", DAILY), ("daily=1", DAILY), ("extended=true", EXTENDED), ("extended=1&daily=false", EXTENDED)],
)
async def test_rights_of_the_anonymous_caller(api: Api, query: str, text: str) -> None:
    asked = await api.ask(f"{POINT}&{query}")
    assert (asked.status, asked.json) == (403, {"error": text})


def test_a_plan_with_the_right_passes() -> None:
    class Query:
        daily = True

    access = gate.Access(keyed=True, rights={"daily": "daily"})
    gate.require(gate.Plan("basic", frozenset({"daily"})), access, Query())
    with pytest.raises(gate.Forbidden):
        gate.require(gate.ANONYMOUS, access, Query())
