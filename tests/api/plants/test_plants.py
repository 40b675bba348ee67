"""Registration, listing, showing and deleting of plants."""

from datetime import timedelta
from typing import Any

import pytest

from api.plants import service as plants_module
from api.plants.answers import Deleted, PlantAnswer, PlantDetails, Plants
from tests.api.plants.conftest import BODY, NOON, Service, StartService

of_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


async def test_a_plant_is_registered_shown_and_listed(idle: Service) -> None:
    made = await idle.kari.post("", json=BODY | {"navn": "Hytta æøå", "ytelsesfaktor": 0.9, "privat": True})
    assert made.status == 201, made.text
    plant = PlantAnswer.model_validate(made.json)
    assert plant.id.startswith("anl_")
    assert len(plant.id) == 26
    assert (plant.navn, plant.ytelsesfaktor, plant.privat) == ("Hytta æøå", 0.9, True)
    assert (plant.latitude, plant.longitude) == (59.9139, 10.7522)
    assert made.json["flater"] == [{"name": "tak", "kwp": 10.0, "tilt_deg": 35.0, "azimuth_deg": 180.0}]
    assert plant.samtykke.model_dump() == {"tid": "2026-07-01T12:00:00Z", "versjon": "2026-09", "datatolkning": False}
    shown = await idle.kari.ask(f"/{plant.id}")
    assert shown.status == 200
    assert shown.headers["Cache-Control"] == "no-store"
    found = PlantDetails.model_validate(shown.json)
    assert found.data.model_dump() == {"timer": 0, "fra": None, "til": None, "kwh_totalt": 0.0}
    assert (found.kalibrering.brukt, found.opplastinger) == (False, [])
    second = await idle.kari.register(navn="Nummer to")
    listed = Plants.model_validate((await idle.kari.ask()).json)
    assert [one.id for one in listed.anlegg] == [plant.id, second]


@of_sqlite
async def test_defaults_and_aliases_of_a_registration(idle: Service) -> None:
    short = {"lat": 60.0, "lon": 11.0, "arrays": BODY["flater"], "samtykke": True, "samtykke_datatolkning": True}
    made = await idle.kari.post("", json=short)
    assert made.status == 201, made.text
    assert (made.json["latitude"], made.json["longitude"], made.json["kwp"]) == (60.0, 11.0, 10.0)
    assert (made.json["navn"], made.json["ytelsesfaktor"], made.json["privat"]) == ("Mitt anlegg", 0.85, False)
    assert made.json["samtykke"]["datatolkning"] is True
    assert "warnings" not in made.json
    odd = await idle.kari.post("", json=BODY | {"farge": "rød"})
    assert odd.json["warnings"] == ["Unknown fields were ignored: farge."]


def without(*names: str) -> dict[str, Any]:
    return {name: value for name, value in BODY.items() if name not in names}


def surface(**fields: Any) -> dict[str, Any]:
    return BODY | {"flater": [BODY["flater"][0] | fields]}


@of_sqlite
@pytest.mark.parametrize(
    ("body", "code", "named"),
    [
        (without("samtykke"), "CONSENT_REQUIRED", "samtykke"),
        (BODY | {"samtykke": False}, "CONSENT_REQUIRED", "samtykke"),
        (BODY | {"samtykke": "true"}, "CONSENT_REQUIRED", "samtykke"),
        ({}, "CONSENT_REQUIRED", "samtykke"),
        (without("latitude"), "COORDINATES", "latitude"),
        (without("longitude"), "COORDINATES", "longitude"),
        (BODY | {"longitude": None}, "COORDINATES", "longitude"),
        (without("flater"), "ARRAYS", "flater"),
        (BODY | {"flater": []}, "ARRAYS", "flater"),
        (BODY | {"latitude": 40.0}, "INVALID_INPUT", "latitude"),
        (BODY | {"longitude": "10"}, "INVALID_INPUT", "longitude"),
        (BODY | {"flater": {}}, "ARRAYS", "flater"),
        (BODY | {"flater": BODY["flater"] * 2}, "INVALID_INPUT", "flater[1].name"),
        (BODY | {"flater": [BODY["flater"][0] | {"name": f"{n}"} for n in range(51)]}, "INVALID_INPUT", "flater"),
        (surface(tilt_deg=91), "INVALID_INPUT", "flater[0].tilt_deg"),
        (surface(azimuth_deg=-1), "INVALID_INPUT", "flater[0].azimuth_deg"),
        (surface(kwp=0), "INVALID_INPUT", "flater[0].kwp"),
        (surface(name="total"), "INVALID_INPUT", "flater[0].name"),
        (BODY | {"ytelsesfaktor": 0.49}, "INVALID_INPUT", "ytelsesfaktor"),
        (BODY | {"navn": "x" * 101}, "INVALID_INPUT", "navn"),
        (BODY | {"navn": "a\0b"}, "INVALID_INPUT", "navn"),
    ],
)
async def test_what_is_wrong_with_a_registration_is_named(idle: Service, body: Any, code: str, named: str) -> None:
    refused = await idle.kari.post("", json=body)
    assert (refused.status, refused.json["code"], refused.json["parameter"]) == (400, code, named), refused.text
    assert (await idle.kari.ask()).json == {"anlegg": []}


async def test_plants_of_others_are_unknown(idle: Service) -> None:
    plant = await idle.kari.register()
    paths = [("GET", ""), ("DELETE", ""), ("POST", "/maalinger"), ("POST", "/produksjon")]
    upload = "/produksjon/opp_" + "x" * 22
    paths += [("GET", upload), ("POST", f"{upload}/bekreft"), ("POST", f"{upload}/avvis")]
    for owner, plants in ((idle.ola, [plant]), (idle.kari, ["anl_" + "0" * 22, "anl_x", "%00", "%F0%9F%8C%9E" * 8])):
        for one in plants:
            for method, rest in paths:
                json = {"verdier": [["2026-06-01T10:00:00Z", 1]]} if rest == "/maalinger" else None
                data = b"x" if rest == "/produksjon" else None
                refused = await owner.ask(f"/{one}{rest}", method, json=json, data=data)
                assert (refused.status, refused.json["code"]) == (404, "NOT_FOUND"), (method, one, rest)
    assert (await idle.ola.ask()).json == {"anlegg": []}
    assert (await idle.kari.ask(f"/{plant}")).status == 200


@of_sqlite
async def test_a_deleted_plant_is_gone_at_once(idle: Service) -> None:
    plant, other = await idle.kari.register(), await idle.kari.register()
    deleted = await idle.kari.ask(f"/{plant}", "DELETE")
    assert deleted.status == 200
    assert Deleted.model_validate(deleted.json).id == plant
    assert (await idle.kari.ask(f"/{plant}")).status == 404
    assert (await idle.kari.ask(f"/{plant}", "DELETE")).status == 404
    assert [one["id"] for one in (await idle.kari.ask()).json["anlegg"]] == [other]


@of_sqlite
async def test_an_account_has_only_so_many_plants(idle: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plants_module.problems, "MAX_PLANTS", 1)
    await idle.kari.register()
    refused = await idle.kari.post("", json=BODY)
    assert (refused.status, refused.json["code"]) == (409, "TOO_MANY_PLANTS")
    await idle.ola.register()


@of_sqlite
async def test_key_and_code_come_before_everything_else(idle: Service) -> None:
    for method, path in (("POST", ""), ("GET", ""), ("GET", "/anl_x"), ("DELETE", "/anl_x")):
        nobody = await idle.api.ask(f"/api/anlegg{path}", method)
        assert (nobody.status, nobody.json["code"]) == (401, "API_KEY_REQUIRED")
        assert nobody.headers["WWW-Authenticate"] == "Bearer"
        wrong = await idle.kari.ask(path, method, headers={"X-API-Key": "sk_live_x"})
        assert (wrong.status, wrong.json["error"]) == (401, "Invalid API key")
        beta = await idle.kari.ask(path, method, headers={"X-Anlegg-Beta": "wrong"})
        assert (beta.status, beta.json["code"]) == (403, "BETA")


@of_sqlite
async def test_an_open_service_has_plants_of_everybody(start_service: StartService, database_url: str) -> None:
    service = await start_service(database_url, worker=False, access="open")
    plant = await service.kari.register()
    assert [one["id"] for one in (await service.api.ask("/api/anlegg")).json["anlegg"]] == [plant]


@of_sqlite
async def test_uses_are_noted_by_the_day(idle: Service) -> None:
    plant = await idle.kari.register()

    async def used() -> str:
        return str((await idle.kari.ask(f"/{plant}")).json["sist_brukt"])

    for later, noted in ((timedelta(hours=23), NOON), (timedelta(days=2), NOON + timedelta(days=2))):
        idle.clock.moment = NOON + later
        sent = await idle.kari.post(f"/{plant}/maalinger", json={"verdier": [["2026-06-01T10:00:00Z", 1]]})
        assert sent.status == 201
        assert await used() == f"{noted:%Y-%m-%dT%H:%M:%SZ}"
