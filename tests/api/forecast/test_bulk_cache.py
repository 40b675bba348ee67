"""What is kept of bulk answers, and what a kept answer costs all the same."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest_asyncio

from tests.api.conftest import Api, Asked
from tests.api.fabricated import CYCLE, entry
from tests.api.forecast.conftest import BERGEN, PLANT, SOUTH, Counted, CountedStart, Serve, left
from tests.api.forecast.test_bulk import BULK, bulk, system
from tiles.hydrated import POINTS, hydrated_dir


async def found(api: Api, *systems: Mapping[str, Any], **more: Any) -> str:
    """Ask, and return whether the answer was kept."""
    asked = await bulk(api, *map(dict, systems or (system("a"),)), **more)
    assert asked.status == 200, asked.text
    return str(asked.headers["X-Service-Cache"])


async def test_what_means_the_same_is_the_same_and_all_else_is_not(sunny: Api) -> None:
    mine = system("means")
    assert await found(sunny, mine) == "MISS"
    same = {**mine, "temp_coeff_pmax": -0.004, "performance_ratio": None}
    assert await found(sunny, same, snow=False, model="v23b", performance_ratio=0.85) == "HIT"
    for more in ({"snow": True}, {"model": "v1"}, {"layout": "columns"}, {"performance_ratio": 0.8}):
        assert await found(sunny, mine, **more) == "MISS", more
        assert await found(sunny, mine, **more) == "HIT", more
    for other in (
        system("means too"),
        {**mine, "latitude": 59.911},
        {**mine, "temp_coeff_pmax": -0.003},
        {**mine, "arrays": [SOUTH]},
        {**mine, "arrays": [{**SOUTH, "tilt_deg": 31}]},
    ):
        assert await found(sunny, other) == "MISS", other
    assert await found(sunny, mine, system("means too")) == "MISS"


async def test_what_is_damaged_is_not_kept(serve: Serve, tmp_path: Path) -> None:
    made = entry(CYCLE, variables=("ghi", "temp_air"))
    api = await serve(made)
    damaged, missing, outside = system("d", (65.0, 14.0)), system("m", (70.0, 20.0)), system("o", (1, 1))
    assert [await found(api, damaged), await found(api, damaged)] == ["MISS", "MISS"]
    assert [await found(api, missing, outside) for _ in range(2)] == ["MISS", "HIT"]
    assert "error" not in (await bulk(api, system("a"))).json["results"]["a"]
    os.truncate(hydrated_dir(tmp_path / "state", made.path) / POINTS, 1000)
    cut = await bulk(api, system("a"))
    assert cut.headers["X-Service-Cache"] == "MISS"
    assert "error" in cut.json["results"]["a"]


@pytest_asyncio.fixture
async def counted(start_counted: CountedStart, sunny_state: Path, sunny_store: Path) -> Counted:
    """An API that counts."""
    return await start_counted(sunny_state, store_folder=sunny_store)


async def counted_bulk(counted: Counted, key: str | None, *systems: dict[str, Any]) -> Asked:
    return await counted.ask(key, BULK, {"systems": list(systems)})


def towns(count: int) -> list[dict[str, Any]]:
    """Return systems in as many places, all in the cell of Oslo."""
    return [system(f"s{n}", (59.905 + n / 5000, 10.75)) for n in range(count)]


async def test_a_call_is_one_request_and_a_plant_for_each_answer(counted: Counted) -> None:
    key = await counted.key("pro")
    asked = await counted_bulk(counted, key, *towns(3), system("twice", (59.905, 10.75)), system("outside", (1, 1)))
    assert left(asked) == (99_999, 997)
    asked = await counted_bulk(counted, key, *towns(4), system("sea", (70.0, 20.0)))
    assert left(asked) == (99_998, 996)
    assert (await counted.ask(key, "/api/forecast", {**PLANT, "latitude": 59.905})).status == 200
    assert left(await counted.ask(key, "/api/forecast", PLANT)) == (99_996, 995)


async def test_a_kept_answer_costs_the_same(counted: Counted) -> None:
    pro, basic = await counted.key("pro"), await counted.key("basic")
    body = [system("cost", BERGEN)]
    miss, hit, other = [await counted_bulk(counted, key, *body) for key in (pro, pro, basic)]
    assert [asked.headers["X-Service-Cache"] for asked in (miss, hit, other)] == ["MISS", "HIT", "HIT"]
    assert [left(asked) for asked in (miss, hit, other)] == [(99_999, 999), (99_998, 999), (9_999, 99)]
    refused = await counted_bulk(counted, "sk_live_no", *body)
    assert (refused.status, refused.json["error"]) == (401, "Invalid API key")


async def test_what_the_plan_allows_comes_before_charge_and_cache(counted: Counted) -> None:
    keys_of = {plan: await counted.key(plan) for plan in ("free", "basic", "pro")}
    assert (await counted_bulk(counted, keys_of["pro"], *towns(11))).status == 200  # which is kept now
    for plan, most in ((None, 1), ("free", 1), ("basic", 10)):
        key = keys_of.get(plan or "")
        asked = await counted_bulk(counted, key, *towns(11))
        tier = plan or "free"
        assert asked.status == 403
        assert asked.json["error"] == f'Tier "{tier}" tillater maks {most} anlegg per kall (oppgitt: 11).'
        assert left(asked)[0] == int(asked.headers["X-Quota-Limit"])
    large = system("large", arrays=[{**SOUTH, "name": f"{n}", "kwp": 30} for n in range(6)])
    for plan, allowed in (("free", 25), ("basic", 150)):
        start_of = f'Tier "{plan}" tillater maks {allowed} kWp per anlegg'
        of_bulk = BULK, {"systems": [large]}, "systems[0].arrays"
        for path, body, parameter in (of_bulk, ("/api/forecast", large, "arrays")):
            asked = await counted.ask(keys_of[plan], path, body)
            assert (asked.status, asked.json["parameter"]) == (403, parameter)
            assert asked.json["error"].startswith(start_of)
            assert left(asked)[0] == int(asked.headers["X-Quota-Limit"])
        by_url = await counted.ask(keys_of[plan], f"/api/forecast?lat=60&lon=10&kwp={allowed + 1}&tilt=30&azimuth=180")
        assert (by_url.json["error"][: len(start_of)], by_url.json["parameter"]) == (start_of, "kwp")
    assert (await counted_bulk(counted, keys_of["pro"], large)).status == 200


async def test_too_many_new_plants_refuse_the_whole_call(counted: Counted) -> None:
    key = await counted.key("basic")
    for batch in range(9):
        systems = [system(f"s{n}", (60 + batch / 1000, 10 + n / 1000)) for n in range(10)]
        assert (await counted_bulk(counted, key, *systems)).status == 200
    assert left(await counted_bulk(counted, key, *towns(8))) == (9_990, 2)
    new = [system(f"n{n}", (61, 10 + n / 1000)) for n in range(3)]
    refused = await counted_bulk(counted, key, *new, *towns(2))
    assert refused.status == 429
    assert refused.json["quota"]["rejected_coords"] == [
        {"latitude": 61.0, "longitude": longitude} for longitude in (10.0, 10.001, 10.002)
    ]
    assert left(refused) == (9_990, 2)
    assert left(await counted_bulk(counted, key, *new[:2], *towns(8))) == (9_989, 0)
    assert left(await counted_bulk(counted, key, *towns(8))) == (9_988, 0)


async def test_daily_takes_a_plan_in_a_body_too(counted: Counted) -> None:
    daily = "Daily stitched forecast requires Basic tier or higher"
    for plan, status in ((None, 403), ("free", 403), ("basic", 200)):
        key = await counted.key(plan) if plan else None
        for path, body in ((BULK, {"systems": [system("a")]}), ("/api/forecast", PLANT)):
            asked = await counted.ask(key, path, {**body, "daily": "true"})
            assert asked.status == status
            assert status == 200 or asked.json["error"] == daily
