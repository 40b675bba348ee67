"""`snow` in `POST /api/forecast/bulk`: each system by its own municipality, and answers that are kept apart."""

from pathlib import Path

from tests.api.conftest import Api, require_documented
from tests.api.fabricated import entry
from tests.api.forecast.conftest import BERGEN, TRONDHEIM, Serve
from tests.api.forecast.snow.conftest import Ask
from tests.api.forecast.test_bulk import BULK, bulk, system
from tests.support.snow_factors import NVE, publish_factors
from tiles.store import open_store

FAR = (65.0, 20.0)  # zero sun, 300 km from Trondheim


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


async def test_as_the_document_says(snowy: Api) -> None:
    far, outside = system("far", FAR), system("outside", (1, 1))
    answers = [await bulk(snowy, *systems, snow=True) for systems in ([system("a"), far], [outside], [far])]
    await require_documented(snowy, f"POST {BULK}", *answers)


async def test_made_up_snow_makes_the_answer_made_up(serve: Serve, tmp_path: Path) -> None:
    publish_factors(open_store(str(tmp_path / "own")))
    api = await serve(entry(variables=("ghi", "temp_air"), data_origin="live"))
    outside, far = system("outside", (1, 1)), system("far", FAR)
    for systems, snow, origin in (
        ([system("a")], False, "live"),
        ([system("a"), outside, far], True, "simulated"),
        ([outside, far], True, "live"),
    ):
        for _ in range(2):  # kept the second time
            asked = await bulk(api, *systems, snow=snow)
            assert asked.headers["X-Data-Origin"] == asked.json["data_origin"] == origin
