"""`POST /api/tmy/lead`: what is stored, what is refused, and what nobody reads in a log."""

import asyncio
import io
from typing import Any

import pytest
import sqlalchemy as sa

from api.database.engine import address, make_engine
from api.database.tables import lead
from api.tmy import routes
from tests.api.conftest import HALF_PAST_TWO, Api, Asked, Start

LEAD = {
    "company": "Sol AS",
    "name": "Kari Nordmann",
    "email": "Kari@Example.com",
    "lat": 59.91,
    "lon": 10.75,
    "license_accepted": True,
}
MORE = {"phone": "+47 12 34 56 78", "address": "Storgata 1, Oslo", "product": "ens_tmy30", "format": "pvsyst"}


async def send(api: Api, body: Any) -> Asked:
    """Send a form."""
    return await api.ask("/api/tmy/lead", "POST", json=body)


async def test_it_is_stored(start: Start, database_url: str, tmp_path: Any) -> None:
    log = io.StringIO()
    api = await start(database=database_url, access_log=log)
    first, second = await send(api, LEAD), await send(api, {**LEAD, **MORE, "utm": "ignored"})
    assert (first.status, second.status) == (200, 200)
    numbers = [first.json["id"], second.json["id"]]
    stored = {"ok": True, "stored": True, "license_version": "tmy-v1-2026-09-30"}
    assert [first.json, second.json] == [{**stored, "id": number} for number in numbers]
    assert numbers[0] != numbers[1]
    assert first.headers["Cache-Control"] == "no-store"
    assert first.headers["Access-Control-Allow-Origin"] == "*"
    engine = make_engine(address(database_url, tmp_path))
    with engine.connect() as connection:
        rows = [dict(row) for row in connection.execute(sa.select(lead).order_by(lead.c.id)).mappings()]
    engine.dispose()
    site = {"company": "Sol AS", "name": "Kari Nordmann", "email": "Kari@example.com", "lat": 59.91, "lon": 10.75}
    said = {**site, "created_at": HALF_PAST_TWO, "license_version": "tmy-v1-2026-09-30"}
    assert rows == [{**said, **dict.fromkeys(MORE), "id": numbers[0]}, {**said, **MORE, "id": numbers[1]}]
    async with asyncio.timeout(10):
        while "/api/tmy/lead" not in (told := log.getvalue()):  # lines are written together, some times a second
            await asyncio.sleep(0.02)
    assert not [word for word in ("Kari", "Sol AS", "59.91", "Storgata") if word in told]


@pytest.mark.parametrize("name", list(LEAD))
async def test_a_field_is_missing(start: Start, name: str) -> None:
    asked = await send(await start(), {key: value for key, value in LEAD.items() if key != name})
    assert (asked.status, asked.json) == (400, {"error": f"Feltet {name} mangler."})


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("license_accepted", False, "lisensen må godtas"),
        ("license_accepted", "true", "lisensen må godtas"),
        ("license_accepted", 1, "lisensen må godtas"),
        ("email", "kari", "gyldig e-postadresse"),
        ("email", 7, "gyldig e-postadresse"),
        ("company", "  ", "bare mellomrom"),
        ("company", "x" * 101, "høyst 100 tegn"),
        ("name", "a\nb", "tegn som ikke er tillatt"),
        ("lat", "59.9", "må være et tall"),
        ("lat", 72, "høyst 71.5"),
        ("lon", 3, "minst 4"),
        ("product", "tmy", "ens_tmy30, reanalysis_tmy30, reanalysis_tmy18, solarmodel_tmy30"),
        ("format", "xlsx", "epw"),
        ("phone", 12, "må være tekst"),
    ],
)
async def test_a_field_that_is_wrong(start: Start, name: str, value: Any, text: str) -> None:
    asked = await send(await start(), {**LEAD, name: value})
    assert asked.status == 400
    assert f"Feltet {name} " in asked.json["error"]
    assert text in asked.json["error"]


async def test_no_json_gets_an_example(start: Start) -> None:
    asked = await (await start()).ask("/api/tmy/lead", "POST", data=b"{", headers={"Content-Type": "application/json"})
    assert (asked.status, asked.json["example"]["license_accepted"]) == (400, True)


async def test_so_many_a_day_for_an_address(start: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    assert routes.LEADS == ("200/day",)
    monkeypatch.setattr(routes, "LEADS", ("3/day",))
    api = await start(state_folder=tmp_path / "own", access="keys")
    assert [(await send(api, LEAD)).status for _ in range(4)] == [200, 200, 200, 429]
    asked = await send(api, LEAD)
    assert int(asked.headers["Retry-After"]) > 3600
    elsewhere = await api.ask("/api/tmy/lead", "POST", json=LEAD, headers={"X-Forwarded-For": "198.51.100.9"})
    assert elsewhere.status == 200


async def test_the_database_is_away(start: Start, tmp_path: Any) -> None:
    api = await start(database=f"postgresql://nobody@/solflis?host={tmp_path}")
    asked = await send(api, LEAD)
    assert asked.status == 503
    assert "Retry-After" in asked.headers


async def test_it_is_told_of_in_the_document(start: Start) -> None:
    document = (await (await start()).ask("/openapi.json")).json
    operation = document["paths"]["/api/tmy/lead"]["post"]
    assert set(operation["responses"]) == {"200", "400", "408", "413", "415", "429", "503"}
    schema = document["components"]["schemas"][
        operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rsplit("/", 1)[-1]
    ]
    assert set(schema["required"]) == set(LEAD)
    assert schema["properties"]["license_accepted"]["const"] is True
