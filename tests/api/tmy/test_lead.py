"""`POST /api/tmy/lead`: what is stored, what is refused, and what nobody reads in a log."""

import asyncio
import csv
import io
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from api.database.engine import address, make_engine
from api.database.tables import lead
from infra.cli import main
from tests.api.conftest import HALF_PAST_TWO, Api, Asked, Start
from tests.support.waiting import until
from tiles.clock import iso

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
    stored = {"ok": True, "stored": True, "license_version": ""}
    told = {"warnings": ["Unknown fields were ignored: utm."]}
    assert (first.json, second.json) == ({**stored, "id": numbers[0]}, {**stored, "id": numbers[1], **told})
    assert numbers[0] != numbers[1]
    assert first.headers["Cache-Control"] == "no-store"
    assert first.headers["Access-Control-Allow-Origin"] == "*"
    engine = make_engine(address(database_url, tmp_path))
    with engine.connect() as connection:
        rows = [dict(row) for row in connection.execute(sa.select(lead).order_by(lead.c.id)).mappings()]
    engine.dispose()
    site = {"company": "Sol AS", "name": "Kari Nordmann", "email": "Kari@example.com", "lat": 59.91, "lon": 10.75}
    said = {**site, "created_at": HALF_PAST_TWO, "license_version": ""}
    assert rows == [{**said, **dict.fromkeys(MORE), "id": numbers[0]}, {**said, **MORE, "id": numbers[1]}]
    await until(lambda: "/api/tmy/lead" in log.getvalue())  # lines are written together, some times a second
    assert not [word for word in ("Kari", "Sol AS", "59.91", "Storgata") if word in log.getvalue()]


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        *((name, ..., "mangler") for name in LEAD),
        ("license_accepted", False, "lisensen må godtas"),
        ("license_accepted", "true", "lisensen må godtas"),
        ("email", "kari", "gyldig e-postadresse"),
        ("company", "x" * 101, "høyst 100 tegn"),
        ("name", "\n ", "tegn som ikke er tillatt"),
        ("lat", "59.9", "må være et tall"),
        ("lat", 72, "høyst 71.5"),
        ("product", "tmy", "ens_tmy30, reanalysis_tmy30, reanalysis_tmy18, solarmodel_tmy30"),
        ("format", "xlsx", "epw"),
        ("phone", 12, "må være tekst"),
    ],
)
async def test_a_field_that_is_wrong(start: Start, name: str, value: Any, text: str) -> None:
    body = {**LEAD, name: value}
    asked = await send(await start(), {key: given for key, given in body.items() if given is not ...})
    assert (asked.status, asked.json["parameter"]) == (400, name)
    assert f"Feltet {name} " in asked.json["error"]
    assert text in asked.json["error"]


async def test_characters_that_are_not_seen_are_not_stored_and_no_cell_of_the_export_runs(
    start: Start, database_url: str, tmp_path: Path
) -> None:
    state = tmp_path / "own"
    api = await start(database=database_url, state_folder=state)
    names = {"company": "=cmd|' /C calc'!A0; =1", "name": "Kari\u202e \u2066No\x07rd\u200bmann", "phone": "@SUM(A1)"}
    assert (await send(api, {**LEAD, **names})).status == 200
    form = (await api.ask("/openapi.json")).json["components"]["schemas"]["Lead"]
    for hidden in ("\u00ad", "\u202e", "\u200f\u2069\x07", "a" * 100 + "\u00ad"):
        assert (await send(api, {**LEAD, "company": hidden})).status == 400
        assert not jsonschema.Draft202012Validator(form).is_valid({**LEAD, "company": hidden})
    environment = {"SOLFLIS_STATE": str(state), "SOLFLIS_DATABASE": database_url}
    exported = await asyncio.to_thread(CliRunner().invoke, main, ["leads", "export"], env=environment)
    assert exported.exit_code == 0, exported.stderr
    [row] = csv.DictReader(io.StringIO(exported.stdout))
    assert [row[name] for name in names] == ["'=cmd|' /C calc'!A0;' =1", "Kari No rdmann", "'@SUM(A1)"]
    assert (row["email"], float(row["lat"]), row["product"]) == ("Kari@example.com", 59.91, "")
    assert row["created_at"] == iso(HALF_PAST_TWO)


async def test_the_database_is_away(start: Start, tmp_path: Any) -> None:
    api = await start(database=f"postgresql://nobody@/solflis?host={tmp_path}")
    asked = await send(api, LEAD)
    assert asked.status == 503
    assert "Retry-After" in asked.headers
