"""What is kept of bulk answers, and what a kept answer costs all the same."""

import shutil
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from api.access import keys
from api.access.secret import load_secret
from api.database.engine import address, make_async_engine
from tests.api.conftest import Api, Asked, MovableClock, Start
from tests.api.fabricated import CYCLE, DAMAGED_CELL, entry, hydrate, usual_cells, write_index
from tests.api.forecast.conftest import BERGEN, PLANT, SOUTH
from tests.api.forecast.test_bulk import BULK, bulk, system
from tiles.hydrated import POINTS, hydrated_dir

FEW = ("ghi", "temp_air")


async def found(api: Api, *systems: Mapping[str, Any], **more: Any) -> str:
    """Ask, and return whether the answer was kept."""
    asked = await bulk(api, *map(dict, systems or (system("a"),)), **more)
    assert asked.status == 200, asked.text
    return str(asked.headers["X-Service-Cache"])


async def test_workers_share_what_is_kept(start: Start, sunny_state: Path, sunny_store: Path) -> None:
    one, other = [await start(state_folder=sunny_state, store_folder=sunny_store) for _ in range(2)]
    first = await bulk(one, system("shared"))
    again = await bulk(other, system("shared"))
    assert [asked.headers["X-Service-Cache"] for asked in (first, again)] == ["MISS", "HIT"]
    assert again.text == first.text
    for name in ("Content-Type", "X-Data-Origin", "Cache-Control"):
        assert again.headers[name] == first.headers[name]


async def test_what_means_the_same_is_the_same_and_all_else_is_not(sunny: Api) -> None:
    mine = system("means")
    assert await found(sunny, mine) == "MISS"
    same = {**mine, "temp_coeff_pmax": -0.004, "performance_ratio": None, "comment": "ignored"}
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


async def test_another_cycle_or_attempt_is_another_answer(start: Start, tmp_path: Path) -> None:
    store, state, clock = tmp_path / "own", tmp_path / "state", MovableClock()
    first = entry(CYCLE, variables=FEW)
    again = entry(CYCLE, variables=FEW, attempt="20260601T020000-bbbb")
    later = entry(CYCLE + timedelta(hours=1), variables=FEW)
    for number, published in enumerate(([first], [again], [again, later])):
        hydrate(state, published[-1])
        write_index(store, *published)
        api = await start(clock=clock, state_folder=state, store_folder=store)
        assert [await found(api), await found(api)] == ["MISS", "HIT"], number
    clock.moment = CYCLE + timedelta(minutes=30)
    earlier = await start(clock=clock, state_folder=state, store_folder=store)
    assert await found(earlier) == "HIT"  # of the same cycle and attempt as before


async def test_what_is_damaged_is_not_kept(start: Start, tmp_path: Path) -> None:
    made, store = entry(CYCLE, variables=FEW), tmp_path / "own"
    hydrate(tmp_path, made)
    write_index(store, made)
    api = await start(state_folder=tmp_path, store_folder=store)
    assert DAMAGED_CELL in usual_cells()
    damaged, missing, outside = system("d", (65.0, 14.0)), system("m", (70.0, 20.0)), system("o", (1, 1))
    assert [await found(api, damaged), await found(api, damaged)] == ["MISS", "MISS"]
    assert [await found(api, missing, outside) for _ in range(2)] == ["MISS", "HIT"]
    whole = await bulk(api, system("a"))
    hydrated = hydrated_dir(tmp_path, made.path) / POINTS
    with hydrated.open("r+b") as file:
        file.truncate(1000)
    cut = await bulk(api, system("a"))
    assert cut.headers["X-Service-Cache"] == "MISS"
    assert "error" in cut.json["results"]["a"]
    assert "error" not in whole.json["results"]["a"]


async def test_a_damaged_file_is_made_anew(sunny: Api, sunny_state: Path) -> None:
    answers = sunny_state / "answers"
    before = set(answers.iterdir()) if answers.exists() else set()
    first = await bulk(sunny, system("mended"))
    [path] = set(answers.iterdir()) - before
    path.write_bytes(path.read_bytes()[:-5] + b"00000")
    again = await bulk(sunny, system("mended"))
    assert again.headers["X-Service-Cache"] == "MISS"
    assert again.text == first.text
    assert (await bulk(sunny, system("mended"))).headers["X-Service-Cache"] == "HIT"


class Counted:
    """An API that counts."""

    def __init__(self, api: Api, engine: Any, state: Path) -> None:
        self.api, self.engine, self.secret = api, engine, load_secret(None, state)

    async def key(self, plan: str) -> str:
        """Issue a key."""
        return await keys.issue(self.engine, self.secret, f"{plan}@b.no", plan, MovableClock().moment)

    async def bulk(self, key: str | None, *systems: dict[str, Any], **more: Any) -> Asked:
        """Ask for some systems."""
        return await self.post(key, BULK, {"systems": list(systems), **more})

    async def post(self, key: str | None, path: str, body: Any) -> Asked:
        """Ask anything."""
        headers = {"X-API-Key": key} if key else {}
        return await self.api.ask(path, "POST", json=body, headers=headers)


@pytest_asyncio.fixture
async def counted(start: Start, sunny_state: Path, sunny_store: Path, migrated_sqlite: Path, tmp_path: Path) -> Any:
    """An API that counts, on a database of its own."""
    database = f"sqlite:///{shutil.copy(migrated_sqlite, tmp_path / 'counted.sqlite')}"
    api = await start(access="keys", state_folder=sunny_state, store_folder=sunny_store, database=database)
    engine = make_async_engine(address(database, sunny_state))
    yield Counted(api, engine, sunny_state)
    await engine.dispose()


def left(asked: Asked) -> tuple[int, int]:
    """Return how many requests and plants are left."""
    return int(asked.headers["X-Quota-Remaining"]), int(asked.headers["X-Quota-Plants-Remaining"])


def towns(count: int) -> list[dict[str, Any]]:
    """Return systems in as many places, all in the cell of Oslo."""
    return [system(f"s{n}", (59.905 + n / 5000, 10.75)) for n in range(count)]


async def test_a_call_is_one_request_and_a_plant_for_each_answer(counted: Counted) -> None:
    key = await counted.key("pro")
    asked = await counted.bulk(key, *towns(3), system("twice", (59.905, 10.75)), system("outside", (1, 1)))
    assert left(asked) == (99_999, 997)
    asked = await counted.bulk(key, *towns(4), system("sea", (70.0, 20.0)))
    assert left(asked) == (99_998, 996)
    assert (await counted.post(key, "/api/forecast", {**PLANT, "latitude": 59.905})).status == 200
    assert left(await counted.post(key, "/api/forecast", PLANT)) == (99_996, 995)


async def test_a_kept_answer_costs_the_same(counted: Counted) -> None:
    pro, basic = await counted.key("pro"), await counted.key("basic")
    body = [system("cost", BERGEN)]
    miss, hit, other = [await counted.bulk(key, *body) for key in (pro, pro, basic)]
    assert [asked.headers["X-Service-Cache"] for asked in (miss, hit, other)] == ["MISS", "HIT", "HIT"]
    assert [left(asked) for asked in (miss, hit, other)] == [(99_999, 999), (99_998, 999), (9_999, 99)]
    refused = await counted.bulk("sk_live_no", *body)
    assert (refused.status, refused.json) == (401, {"error": "Invalid API key"})


async def test_what_the_plan_allows_comes_before_charge_and_cache(counted: Counted) -> None:
    keys_of = {plan: await counted.key(plan) for plan in ("free", "basic", "pro")}
    assert (await counted.bulk(keys_of["pro"], *towns(11))).status == 200  # which is kept now
    for plan, most in ((None, 1), ("free", 1), ("basic", 10)):
        key = keys_of.get(plan or "")
        asked = await counted.bulk(key, *towns(11))
        tier = plan or "free"
        assert asked.status == 403
        assert asked.json["error"] == f'Tier "{tier}" tillater maks {most} anlegg per kall (oppgitt: 11).'
        assert left(asked)[0] == int(asked.headers["X-Quota-Limit"])
    large = system("large", arrays=[{**SOUTH, "name": f"{n}", "kwp": 30} for n in range(6)])
    for plan, allowed in (("free", 25), ("basic", 150)):
        start_of = f'Tier "{plan}" tillater maks {allowed} kWp per anlegg'
        for path, body in ((BULK, {"systems": [large]}), ("/api/forecast", large)):
            asked = await counted.post(keys_of[plan], path, body)
            assert asked.status == 403
            assert asked.json["error"].startswith(start_of)
            assert left(asked)[0] == int(asked.headers["X-Quota-Limit"])
        extended = await counted.post(keys_of["basic"], "/api/forecast/extended", large)
        assert extended.status == 403
    assert (await counted.bulk(keys_of["pro"], large)).status == 200


async def test_the_limit_itself_is_allowed(counted: Counted) -> None:
    small = [{**SOUTH, "name": f"{n}", "kwp": 0.6} for n in range(41)] + [{**SOUTH, "name": "x", "kwp": 0.4}]
    assert sum(array["kwp"] for array in small) > 25  # by as little as floating point is off
    assert (await counted.post(None, "/api/forecast", {**PLANT, "arrays": small})).status == 200
    more = [*small, {**SOUTH, "name": "y", "kwp": 0.001}]
    refused = await counted.post(None, "/api/forecast", {**PLANT, "arrays": more})
    assert refused.json["error"].startswith('Tier "free" tillater maks 25 kWp per anlegg')


async def test_daily_takes_a_plan_in_a_body_too(counted: Counted) -> None:
    daily = {"error": "Daily stitched forecast requires Basic tier or higher"}
    for plan, status in ((None, 403), ("free", 403), ("basic", 200)):
        key = await counted.key(plan) if plan else None
        for path, body in ((BULK, {"systems": [system("a")]}), ("/api/forecast", PLANT)):
            for flag in (True, 1, "true"):
                asked = await counted.post(key, path, {**body, "daily": flag})
                assert asked.status == status
                assert status == 200 or asked.json == daily


@pytest.mark.parametrize("kept", [False, True])
async def test_too_many_new_plants_refuse_the_whole_call(counted: Counted, kept: bool) -> None:
    key, pro = await counted.key("basic"), await counted.key("pro")
    for batch in range(9):
        systems = [system(f"s{n}", (60 + batch / 1000, 10 + n / 1000)) for n in range(10)]
        assert (await counted.bulk(key, *systems)).status == 200
    assert left(await counted.bulk(key, *towns(8))) == (9_990, 2)
    new = [system(f"n{n}", (61, 10 + n / 1000)) for n in range(3)]
    if kept:
        assert (await counted.bulk(pro, *new)).status == 200
    refused = await counted.bulk(key, *new, *towns(2))
    assert refused.status == 429
    assert refused.json["quota"]["rejected_coords"] == [
        {"latitude": 61.0, "longitude": longitude} for longitude in (10.0, 10.001, 10.002)
    ]
    assert left(refused) == (9_990, 2)
    assert left(await counted.bulk(key, *new[:2], *towns(8))) == (9_989, 0)
    assert left(await counted.bulk(key, *towns(8))) == (9_988, 0)


async def test_bad_bodies_cost_nothing(counted: Counted) -> None:
    key = await counted.key("pro")
    for path, body in ((BULK, {}), (BULK, {"systems": [system("a"), system("a")]}), ("/api/forecast", {})):
        asked = await counted.post(key, path, body)
        assert (asked.status, left(asked)) == (400, (100_000, 1000))
    outside = await counted.post(key, "/api/forecast", {**PLANT, "latitude": 1})
    assert left(outside) == (100_000, 1000)
    assert left(await counted.bulk(key, system("a", (1, 1)))) == (99_999, 1000)
