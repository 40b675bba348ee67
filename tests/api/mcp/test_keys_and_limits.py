"""Keys are passed through, quotas are those of the API, and calls without key have a limit of their own."""

import io
from pathlib import Path

import pytest

from api.core.settings import PLANS
from tests.api.conftest import Start
from tests.api.mcp.conftest import ARGUMENTS, OSLO, Server

FORECAST = {"name": "solprognose", "arguments": OSLO}
HERE = {"X-Forwarded-For": "198.51.100.7"}


async def test_key_in_each_of_its_places(server: Server) -> None:
    key = server.key
    for headers, query in (
        ({"X-API-Key": key}, ""),
        ({"Authorization": f"Bearer {key}"}, ""),
        ({}, f"?api_key={key}"),
    ):
        asked = await server.rpc("tools/call", FORECAST, headers=headers, query=query)
        assert "isError" not in asked.json["result"], asked.text


async def test_forecast_without_key_says_how_to_get_one(server: Server) -> None:
    text = await server.refusal("solprognose", OSLO, key=False)
    assert "API-nøkkel" in text
    assert "/api/register" in text


async def test_wrong_key_is_an_error_of_the_tool_and_not_of_http(server: Server) -> None:
    """Clients begin to log in by OAuth where HTTP says 401."""
    asked = await server.rpc("tools/call", FORECAST, headers={"X-API-Key": "sk_live_" + "x" * 64})
    assert asked.status == 200
    assert "WWW-Authenticate" not in asked.headers
    assert asked.json["result"]["isError"]
    assert "ikke gyldig" in asked.json["result"]["content"][0]["text"]


async def test_forecasts_count_against_the_plan_of_the_key(server: Server) -> None:
    async def left() -> int:
        asked = await server.api.ask("/api/forecast?lat=59.91&lon=10.75", headers={"X-API-Key": server.key})
        return int(asked.headers["X-Quota-Remaining"])

    before = await left()
    await server.call("solprognose", OSLO)
    await server.call("solprognose", OSLO)
    assert await left() == before - 3


async def test_typical_years_count_against_the_address(server: Server) -> None:
    async def left() -> int:
        asked = await server.api.ask("/api/tmy/stats?lat=59.91&lon=10.75", headers={"X-Forwarded-For": "198.51.100.8"})
        return int(asked.headers["X-Quota-Remaining"])

    before = await left()
    await server.call("tmy", OSLO, key=False, headers={"X-Forwarded-For": "198.51.100.8"})
    assert await left() == before - 3


async def test_quota_that_is_used_up_is_no_wrong_key(start: Start, full_store: Path, tmp_path: Path) -> None:
    plans = tmp_path / "plans.toml"
    plans.write_text(PLANS.read_text().replace("requests_per_day = 2000", "requests_per_day = 3"))
    server = Server(await start(access="keys", store_folder=full_store, plans=plans), "")
    await server.call("tmy", OSLO, key=False, headers=HERE)
    text = await server.refusal("tmy", OSLO, key=False, headers=HERE)
    assert "brukt opp" in text
    assert "00:00 UTC" in text


async def test_thirty_calls_a_minute_without_key(server: Server) -> None:
    for _ in range(30):
        assert "isError" not in await server.call("solproduksjon_naa", {}, key=False, headers=HERE)
    text = await server.refusal("solproduksjon_naa", {}, key=False, headers=HERE)
    assert "30" in text
    assert "deler adresse" in text
    assert "isError" not in await server.call("solproduksjon_naa", {}, headers=HERE)
    wrong = {**HERE, "X-API-Key": "sk_live_" + "x" * 64}
    assert "30" in await server.refusal("solproduksjon_naa", {}, key=False, headers=wrong)
    assert (await server.rpc("tools/list", headers=HERE)).status == 200


async def test_no_limit_and_no_key_where_access_is_open(start: Start) -> None:
    server = Server(await start(access="open"), "")
    for _ in range(31):
        text = await server.refusal("solprognose", {"lat": 70.0, "lon": 20.0}, key=False, headers=HERE)
        assert text.startswith("Solvarselet er ikke tilgjengelig")


@pytest.mark.parametrize("tool", ["adressesok", "pv_produksjon", "solprognose"])
async def test_logs_hold_neither_key_nor_place_nor_search(server: Server, tool: str) -> None:
    log, answers = io.StringIO(), server.api.app.answers
    answers.write_to(log)
    arguments = {**ARGUMENTS[tool], **({"text": "Storgata 5, Oslo"} if tool == "adressesok" else {})}
    params = {"name": tool, "arguments": arguments}
    asked = await server.rpc("tools/call", params, query=f"?api_key={server.key}")
    assert "isError" not in asked.json["result"]
    await server.api.until("/health", lambda _: '"endpoint":"/mcp"' in log.getvalue())
    answers.write_to(None)
    assert not any(secret in log.getvalue() for secret in (server.key, "59.91", "10.75", "Storgata"))
