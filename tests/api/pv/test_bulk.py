"""`POST /api/pv/calc/bulk`: each plant as `GET /api/pv/calc` has it, each error in the result that it is of."""

from typing import Any

import pytest

from tests.api.conftest import Api, Asked, require_documented
from tests.api.pv.conftest import production
from tests.api.tmy.test_errors import assert_refused
from tests.support.tmy import NO_HOURS, NOT_BUILT, OPEN_SEA, OSLO, QUAY, TROMSO
from tiles.grid import NORWAY3KM

PATH = "/api/pv/calc/bulk"
SOUTH = {"kwp": 5.0, "tilt_deg": 35, "azimuth_deg": 180}


def plant(name: str = "plant", place: tuple[float, float] = OSLO, **more: object) -> dict[str, Any]:
    """A plant as a body lists it."""
    return {"id": name, "latitude": place[0], "longitude": place[1], "arrays": [SOUTH], **more}


async def ask(api: Api, *systems: object, **headers: str) -> Asked:
    """Ask for many plants."""
    return await api.ask(PATH, "POST", json={"systems": systems}, headers=headers)


async def test_each_plant_is_answered_as_get_answers_it(api: Api) -> None:
    east_and_north = [
        {"kwp": 5.0, "tilt_deg": 35, "azimuth_deg": 90, "name": "barn"},
        {"kwp": 3.5, "tilt_deg": 20.5, "azimuth_deg": 0},
        {"kwp": 1, "tilt_deg": 90, "azimuth_deg": 225},
    ]
    limited = {"confidence": "p90", "loss": 9.5, "maxpower": 4, "horizon": 0, "albedo": 0.4}
    snowy = {"pvtechchoice": "CdTe", "mountingplace": "building", "snowloss": True, "snowmounting": "flat"}
    systems = [
        plant("plain"),
        plant("three", arrays=east_and_north, **limited),
        plant("snowy", TROMSO, **snowy),
    ]
    expected = {
        "plain": await production(api, arrays="5:35:0"),
        "three": await production(api, arrays="5:35:-90,3.5:20.5:-180,1:90:45", **limited),
        "snowy": await production(api, TROMSO, arrays="5:35:0", **snowy | {"snowloss": 1}),
    }
    asked = await ask(api, *systems)
    assert (asked.status, asked.headers["X-Data-Origin"]) == (200, "simulated")
    assert list(asked.json["results"]) == ["plain", "three", "snowy"]
    for name, result in asked.json["results"].items():
        assert list(result) == ["tmy", "arrays", "monthly", "annual", "side_by_side", "warnings"]
        assert result == {part: expected[name][part] for part in result}, name


WRONG: dict[str, tuple[dict[str, Any], str, str | None]] = {
    "no surface": (plant(arrays=[]), "INVALID_INPUT", "arrays"),
    "too steep": (plant(arrays=[SOUTH, {**SOUTH, "tilt_deg": 91}]), "INVALID_INPUT", "arrays[1].tilt_deg"),
    "latitude as text": (plant(latitude="59.91"), "INVALID_INPUT", "latitude"),
    "no longitude": ({"latitude": 60, "arrays": [SOUTH]}, "INVALID_INPUT", "longitude"),
    "no such year": (plant(confidence="mean"), "INVALID_INPUT", "confidence"),
    "abroad": (plant(place=(48.1, 11.6)), "INVALID_INPUT", "latitude"),
    "at sea": (plant(place=OPEN_SEA), "NO_LAND", None),
    "not built": (plant(place=NOT_BUILT), "NOT_BUILT", None),
    "no hours": (plant(place=NORWAY3KM.centre(NO_HOURS)), "NOT_BUILT", None),
    "no snow": (plant(place=QUAY, snowloss=True), "UNAVAILABLE", "snowloss"),
}


async def test_a_wrong_plant_has_its_error_and_the_others_are_answered(api: Api) -> None:
    systems = [{**system, "id": name} for name, (system, *_) in WRONG.items()]
    asked = await ask(api, *systems, plant("right"))
    answer = asked.json
    assert list(answer["results"]) == [*WRONG, "right"]
    for name, (_, code, parameter) in WRONG.items():
        error = answer["results"][name]
        assert (error["code"], error.get("parameter")) == (code, parameter), name
        assert ("build" in error, "nearest" in error) == (code == "NOT_BUILT",) * 2
    assert answer["results"]["right"]["annual"] == (await production(api, peakpower=5))["annual"]
    await require_documented(api, f"POST {PATH}", asked)


async def test_errors_of_plants_are_in_the_language_that_is_asked_for(api: Api) -> None:
    for language, words in (("en", "at least 57"), ("nb", "minst 57"), ("en-GB, nb;q=0.5", "at least 57")):
        asked = await ask(api, plant("abroad", (48.1, 11.6)), **{"Accept-Language": language})
        assert words in asked.json["results"]["abroad"]["error"]


@pytest.mark.parametrize(
    ("systems", "parameter", "words"),
    [
        ([plant("a"), plant("b"), plant("a")], "systems[2].id", "er brukt før"),
        ([plant("a"), {**plant(), "id": 7, "loss": 99}], "systems[1].id", "tekst"),
        ([{"latitude": 60}], "systems[0].id", "mangler"),
        (["a"], "systems[0]", "objekt"),
        ([plant(str(i)) for i in range(51)], "systems", "høyst 50"),
        ([], "systems", "minst 1"),
    ],
)
async def test_calls_that_are_refused_as_a_whole(api: Api, systems: list[object], parameter: str, words: str) -> None:
    asked = await ask(api, *systems)
    assert_refused(asked, 400, words)
    assert asked.json["parameter"] == parameter
