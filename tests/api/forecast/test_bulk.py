"""`POST /api/forecast/bulk`: what it answers, and what it refuses."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import orjson
import pytest

from api.forecast import problems
from api.forecast.rows import as_columns
from tests.api.conftest import Api, Asked, MovableClock, Start, require_documented
from tests.api.fabricated import CYCLE, OSLO_CELL, SCALE, entry, hydrate, series, write_index
from tests.api.forecast.conftest import BERGEN, SOUTH, TRONDHEIM, WEST, Post

BULK = "/api/forecast/bulk"
OUTSIDE = "Location outside Norway coverage (57-72N, 4-32E)"


def system(identity: Any, place: tuple[float, float] = (59.91, 10.75), **more: Any) -> dict[str, Any]:
    """One system of a call."""
    return {"id": identity, "latitude": place[0], "longitude": place[1], "arrays": [SOUTH, WEST], **more}


async def bulk(api: Api, *systems: dict[str, Any], **more: Any) -> Asked:
    """Ask for some systems."""
    return await api.ask(BULK, "POST", json={"systems": list(systems), **more})


async def test_results_are_those_of_single_calls(sunny: Api, post: Post) -> None:
    places = {"oslo": (59.91, 10.75), "bergen": BERGEN, "Ås, nr. 2 🌞": TRONDHEIM}
    asked = await bulk(sunny, *(system(name, place) for name, place in places.items()))
    body = asked.json
    assert list(body) == ["cycle_time", "data_mode", "data_origin", "snow", "results"]
    assert (body["cycle_time"], body["data_mode"]) == ("2026-06-01T00:00:00Z", "v23b")
    assert list(body["results"]) == list(places)
    for name, place in places.items():
        single = (await post(latitude=place[0], longitude=place[1])).json
        result = body["results"][name]
        assert list(result) == ["latitude", "longitude", "ghi_timeseries", "pv_timeseries", "pv_system"]
        assert list(result["pv_system"]) == ["total_kwp", "peak_power_w", "total_production_kwh"]
        assert result.pop("pv_system").items() <= single["pv_system"].items()
        assert result == {key: single[key] for key in result}
        assert max(row["total_W"] for row in result["pv_timeseries"]) > 1000


async def test_a_system_s_own_values_come_before_the_call_s(sunny: Api, post: Post) -> None:
    call, own = {"performance_ratio": 0.7}, {"performance_ratio": 0.5, "temp_coeff_pmax": -0.01}
    systems = system("a"), system("b", **own), system("c", performance_ratio=None)
    results = (await bulk(sunny, *systems, **call)).json["results"]
    singles = [(await post(**more)).json["pv_timeseries"] for more in (call, own, call)]
    assert [results[name]["pv_timeseries"] for name in "abc"] == singles


async def test_what_is_wrong_with_one_leaves_the_others_be(sunny: Api) -> None:
    places = {"south": (56.9, 10), "oslo": (59.91, 10.75), "sea": (70, 20), "odd": (65, 14), "far": (60, -1e308)}
    asked = await bulk(sunny, *(system(name, place) for name, place in places.items()))
    results = asked.json["results"]
    assert asked.status == 200
    assert list(results) == list(places)
    for name, parameter in (("south", "latitude"), ("far", "longitude")):
        assert results[name] == {"error": OUTSIDE, "code": "INVALID_INPUT", "parameter": parameter}
    assert results["sea"] == problems.NO_CELL().body()
    assert results["odd"] == problems.DAMAGED_CELL().body()
    assert len(results["oslo"]["pv_timeseries"]) == 66


async def test_v1_snow_and_columns(sunny: Api) -> None:
    rows = await bulk(sunny, system("a"), model="v1", snow=True)
    assert rows.json["data_mode"] == "v1"
    assert rows.headers["Sunset"]
    assert rows.json["snow"] == {"snow_applied": False, "reason": "snow_blob_unavailable"}
    result = rows.json["results"]["a"]
    assert [row["ghi_wm2"] for row in result["ghi_timeseries"]] == np.round(series() // 2 * SCALE, 1).tolist()
    columns = await bulk(sunny, system("a"), model="v1", snow=1, layout="columns")
    for name in ("ghi_timeseries", "pv_timeseries"):
        assert columns.json["results"]["a"][name] == as_columns(result[name])
    assert (await bulk(sunny, system("a"))).json["snow"] == {"snow_applied": False, "reason": "not_requested"}


WRONG: list[tuple[Any, str]] = [
    ({"systems": []}, "Feltet systems må ha minst 1 verdier."),
    ({"systems": [system(f"{n}") for n in range(51)]}, "Feltet systems kan ha høyst 50 verdier."),
    ({"systems": [system("a"), {k: v for k, v in system("b").items() if k != "id"}]}, "Feltet systems[1].id mangler."),
    ({"systems": [system("a"), system("b"), system("a")]}, "Feltet systems[2].id er brukt før i samme kall."),
    ({"systems": [system("Ås"), system("A\u030as")]}, "Feltet systems[1].id er brukt før i samme kall."),
    ({"systems": [system("x" * 10_000)]}, "Feltet systems[0].id kan ha høyst 100 tegn."),
    ({"systems": [system("\n")]}, "Feltet systems[0].id har tegn som ikke er tillatt, eller bare mellomrom."),
    ({"systems": [system("a")], "performance_ratio": "x"}, "Feltet performance_ratio må være et tall."),
]


async def test_each_refusal_has_its_sentence(sunny: Api) -> None:
    for body, error in WRONG:
        asked = await sunny.ask(BULK, "POST", json=body)
        assert (asked.status, asked.json["error"]) == (400, error), body


FAULTY: list[tuple[dict[str, Any], str, str]] = [
    ({"arrays": []}, "Feltet arrays må ha minst 1 verdier.", "arrays"),
    ({"latitude": "60"}, "Feltet latitude må være et tall.", "latitude"),
    ({"arrays": [SOUTH, SOUTH]}, "Feltet arrays[1].name er brukt før i samme liste.", "arrays[1].name"),
    ({"arrays": [{**SOUTH, "tilt_deg": 91}]}, "Feltet arrays[0].tilt_deg må være høyst 90.", "arrays[0].tilt_deg"),
    ({"performance_ratio": 2}, "Feltet performance_ratio må være høyst 1.", "performance_ratio"),
]


async def test_a_field_that_is_wrong_in_one_system_leaves_the_others_be(sunny: Api) -> None:
    wrong = [system(f"w{n}", **fields) for n, (fields, *_) in enumerate(FAULTY)]
    asked = await bulk(sunny, system("first"), *wrong, system("last"))
    assert asked.status == 200
    results = asked.json["results"]
    assert list(results) == ["first", *(one["id"] for one in wrong), "last"]
    for n, (_, error, parameter) in enumerate(FAULTY):
        assert results[f"w{n}"] == {"error": error, "code": "INVALID_INPUT", "parameter": parameter}
    assert results["first"] == results["last"] == (await bulk(sunny, system("a"))).json["results"]["a"]
    english = await sunny.ask(BULK, "POST", json={"systems": wrong}, headers={"Accept-Language": "en"})
    assert english.json["results"]["w1"]["error"] == "The field latitude must be a number."


async def test_names_that_would_make_an_answer_of_many_megabytes(sunny: Api) -> None:
    """Each byte of a name comes back with every hour: a body of a megabyte would be answered with ninety."""
    for name, count, status in (("🌞" * 98, 40, 413), ("", 50, 200)):
        arrays = [{**SOUTH, "name": f"{n:02}{name}"} for n in range(count)]
        body = orjson.dumps({"systems": [system(f"s{n}", arrays=arrays) for n in range(50)]})
        assert len(body) < 1_000_000
        asked = await sunny.ask(BULK, "POST", data=body, headers={"Content-Type": "application/json"})
        assert asked.status == status


async def test_answers_are_as_the_document_says(sunny: Api) -> None:
    both = system("a"), system("b", (1, 1))
    answers = await bulk(sunny, *both), await bulk(sunny, *both, layout="columns", snow=True)
    validate = await require_documented(sunny, f"POST {BULK}", *answers)
    with pytest.raises(jsonschema.ValidationError):
        validate({**answers[0].json, "results": {"a": {}}})


async def test_it_may_be_kept_until_the_next_full_hour(start: Start, sunny_state: Path, sunny_store: Path) -> None:
    clock = MovableClock()
    api = await start(clock=clock, state_folder=sunny_state, store_folder=sunny_store)
    for minutes, seconds in ((30, 1800), (0, 3600), (59, 60)):
        clock.moment = CYCLE + timedelta(hours=2, minutes=minutes)
        asked = await bulk(api, system("a"))
        assert asked.headers["Cache-Control"] == f"public, max-age={seconds}"
        assert asked.headers["X-Data-Origin"] == "simulated"


async def test_a_cycle_published_meanwhile_is_not_mixed_in(
    start: Start, sunny_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = (entry(CYCLE + timedelta(hours=h), variables=("ghi", "ghi_v1", "temp_air")) for h in (0, 1))
    for made, peak in ((old, 5000), (new, 8000)):
        hydrate(tmp_path, made, {OSLO_CELL: series(peak)})
    api = await start(state_folder=tmp_path, store_folder=sunny_store)
    before = await bulk(api, system("first"), system("last"))
    gate = api.app.machinery.gate
    charge = gate.charge

    async def publish_then_charge(*arguments: Any) -> None:
        await charge(*arguments)
        write_index(sunny_store, old, new)
        new_one = "2026-06-01T01:00:00Z"
        await api.until("/api/forecast/latest", lambda asked: asked.json["cycle_time"] == new_one)

    monkeypatch.setattr(gate, "charge", publish_then_charge)
    during = await bulk(api, system("first"), system("last"), snow=1)
    monkeypatch.undo()
    assert during.headers["X-Service-Cache"] == "MISS"
    assert {**during.json, "snow": None} == {**before.json, "snow": None}
    after = await bulk(api, system("first"), system("last"))
    assert after.headers["X-Service-Cache"] == "MISS"
    first, last = after.json["results"].values()
    assert first == last != before.json["results"]["first"]
