"""`snow` in `POST /api/forecast/bulk`: each system by its own municipality, and answers that are kept apart."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np

from api.forecast.bulk.models import Bulk
from tests.api.conftest import Api, MovableClock, Start
from tests.api.fabricated import CYCLE, HOURS, OSLO_CELL, entry, hydrate, series, write_index
from tests.api.forecast.conftest import BERGEN, PLANT, TRONDHEIM
from tests.api.forecast.snow.conftest import Ask
from tests.api.forecast.test_bulk import bulk, system
from tests.support.snow_factors import NVE, made_up, publish_factors
from tiles.store import open_store

FAR = (65.0, 20.0)  # zero sun, 300 km from Trondheim
FEW = ("ghi", "temp_air")
NOTHING_SAID = {"snow_applied": False, "reason": "snow_blob_unavailable"}


async def test_results_are_those_of_single_calls(snowy: Api, ask: Ask) -> None:
    places = {"oslo": (59.91, 10.75), "bergen": BERGEN, "trondheim": TRONDHEIM}
    for layout in ("rows", "columns"):
        body = (await bulk(snowy, *(system(name, at) for name, at in places.items()), snow=True, layout=layout)).json
        for name, (lat, lon) in places.items():
            single = (await ask(latitude=lat, longitude=lon, layout=layout)).json
            result, said = body["results"][name], body["snow"]["systems"][name]
            assert result.pop("pv_system").items() <= single["pv_system"].items()
            assert result == {key: single[key] for key in result}
            assert said == {key: single["snow"][key] for key in said}
            assert said.keys() | body["snow"].keys() - {"systems"} == single["snow"].keys() - {"age_hours"}
    kommuner = [said["kommune"] for said in body["snow"]["systems"].values()]
    assert kommuner == ["Oslo", "Bergen", "Trondheim"]
    energy = [result["pv_timeseries"]["total_W"][12] for result in body["results"].values()]
    assert len(set(energy)) == 3


async def test_what_is_said_of_all(snowy: Api) -> None:
    said = (await bulk(snowy, system("a"), system("far", FAR), system("outside", (1, 1)), snow=1)).json["snow"]
    assert list(said) == [
        "snow_applied", "source", "issued_utc", "data_origin", "geometry_note", "note", "systems",
    ]  # fmt: skip
    assert (said["snow_applied"], said["source"], said["issued_utc"]) == (True, NVE, "2026-05-31T06:00:00Z")
    assert list(said["systems"]) == ["a", "far"]
    assert said["systems"]["far"] == {
        "snow_applied": False,
        "reason": "no_kommune_near",
        "kommune": "Trondheim",
        "kommune_number": "5001",
        "kommune_by": "nearest",
        "kommune_distance_km": said["systems"]["far"]["kommune_distance_km"],
    }
    assert 400 < said["systems"]["far"]["kommune_distance_km"] < 600


async def test_where_it_is_applied_to_none(snowy: Api) -> None:
    far = (await bulk(snowy, system("far", FAR), snow=True)).json["snow"]
    assert (far["snow_applied"], far["reason"]) == (False, "no_kommune_near")
    nobody = (await bulk(snowy, system("outside", (1, 1)), snow=True)).json["snow"]
    assert (nobody["snow_applied"], nobody["reason"], nobody["systems"]) == (False, "no_production", {})
    plain = (await bulk(snowy, system("a"))).json["snow"]
    assert plain == {"snow_applied": False, "reason": "not_requested"}


async def test_as_the_document_says(snowy: Api) -> None:
    document = (await snowy.ask("/openapi.json")).json
    success = document["paths"]["/api/forecast/bulk"]["post"]["responses"]["200"]
    schema = {**success["content"]["application/json"]["schema"], "components": document["components"]}
    for systems in ([system("a"), system("far", FAR)], [system("outside", (1, 1))], [system("far", FAR)]):
        asked = await bulk(snowy, *systems, snow=True)
        jsonschema.validate(asked.json, schema)
        Bulk.model_validate_json(asked.text, strict=True)


async def test_kept_answers_do_not_mix(start: Start, tmp_path: Path) -> None:
    made, store, state = entry(CYCLE, variables=FEW), tmp_path / "own", tmp_path / "state"
    hydrate(state, made)
    write_index(store, made)
    clock = MovableClock()

    async def asked(snow: bool, *systems: dict[str, Any]) -> tuple[str, Any]:
        answer = await bulk(api, *(systems or (system("a"),)), snow=snow)
        return answer.headers["X-Service-Cache"], answer.json

    api = await start(clock=clock, state_folder=state, store_folder=store)
    plain = (await asked(False))[1]["results"]
    before = await asked(True)
    assert before[1]["snow"] == NOTHING_SAID
    assert before[1]["results"] == plain
    assert (await asked(True))[0] == "HIT"

    # of two attempts of one day, each has its own answers
    bodies = []
    for level in (1.0, 0.5):
        publish_factors(open_store(str(store)), table=made_up(3) * level)
        api = await start(clock=clock, state_folder=state, store_folder=store)
        first, again = await asked(True), await asked(True)
        assert [first[0], again[0]] == ["MISS", "HIT"]
        assert again[1] == first[1]
        assert first[1]["snow"]["snow_applied"] is True
        bodies.append(first[1]["results"]["a"]["pv_system"]["total_production_kwh"])
    assert abs(bodies[1] / bodies[0] - 0.5) < 0.01
    assert (await asked(False)) == ("HIT", {**before[1], "snow": {"snow_applied": False, "reason": "not_requested"}})


async def test_what_has_expired_is_not_in_kept_answers(start: Start, sunny_state: Path, sunny_store: Path) -> None:
    issued = datetime(2026, 5, 30, 15, tzinfo=UTC)
    publish_factors(open_store(str(sunny_store)), issued)
    clock = MovableClock(issued + timedelta(hours=36))
    api = await start(clock=clock, state_folder=sunny_state, store_folder=sunny_store)
    applied = (await bulk(api, system("expiring"), snow=True)).json
    assert applied["snow"]["snow_applied"] is True
    clock.moment += timedelta(seconds=1)
    late = await bulk(api, system("expiring"), snow=True)
    assert late.headers["X-Service-Cache"] == "MISS"
    assert late.json["snow"] == {
        "snow_applied": False, "reason": "snow_data_stale", "issued_utc": "2026-05-30T15:00:00Z",
    }  # fmt: skip
    assert late.json["results"] == (await bulk(api, system("expiring"))).json["results"] != applied["results"]


async def test_made_up_snow_makes_the_answer_made_up(start: Start, tmp_path: Path) -> None:
    live, store = entry(CYCLE, variables=FEW, data_origin="live"), tmp_path / "own"
    hydrate(tmp_path / "state", live, {OSLO_CELL: series()})
    write_index(store, live)
    publish_factors(open_store(str(store)))
    api = await start(state_folder=tmp_path / "state", store_folder=store)
    outside, far = system("outside", (1, 1)), system("far", FAR)
    for systems, snow, origin in (
        ([system("a")], False, "live"),
        ([system("a"), outside, far], True, "simulated"),
        ([outside, far], True, "live"),
    ):
        for _ in range(2):  # kept the second time
            asked = await bulk(api, *systems, snow=snow)
            assert asked.headers["X-Data-Origin"] == asked.json["data_origin"] == origin


async def test_daily_begins_at_midnight_with_yesterday_s_factor(start: Start, tmp_path: Path) -> None:
    cycle = datetime(2026, 6, 1, 13, tzinfo=UTC)
    day, forecast = (
        entry(cycle, product=name, variables=FEW, hours_before=before)
        for name, before in (("day", 13), ("forecast", 0))
    )
    whole = np.resize(series(6000), 13 + HOURS)
    hydrate(tmp_path, day, {OSLO_CELL: whole})
    hydrate(tmp_path, forecast, {OSLO_CELL: whole[13:]})
    write_index(tmp_path / "own", forecast)
    write_index(tmp_path / "own", day, product="day")
    # only of the day that ends at 06 UTC of the first of June nothing is left
    table = made_up(3) * 0 + 1
    table[:, :, 1] = 0.0
    publish_factors(open_store(str(tmp_path / "own")), table=table)
    clock = MovableClock(cycle + timedelta(minutes=40))
    api = await start(clock=clock, state_folder=tmp_path, store_folder=tmp_path / "own")
    single = {**PLANT, "daily": True}
    plain = (await api.ask("/api/forecast", "POST", json=single)).json
    snowy = (await api.ask("/api/forecast", "POST", json={**single, "snow": True})).json
    assert plain["data_mode"] == snowy["data_mode"] == "v23b_daily"
    assert snowy["snow"]["dates"][0] == "2026-05-31"
    rows = list(zip(plain["pv_timeseries"], snowy["pv_timeseries"], strict=True))
    assert rows[0][1]["timestamp"] == "2026-06-01T00:00:00Z"
    assert [after["total_W"] for _, after in rows[:6]] == [0.0] * 6 != [before["total_W"] for before, _ in rows[:6]]
    assert all(before == after for before, after in rows[6:])
    kwh = round(sum(row["total_kWh"] for _, row in rows), 4)
    assert snowy["pv_system"]["total_production_kwh"] == kwh < plain["pv_system"]["total_production_kwh"]
    many = (await bulk(api, system("a"), daily=True, snow=True)).json["results"]["a"]
    assert many["pv_timeseries"] == snowy["pv_timeseries"]
