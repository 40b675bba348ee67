"""The endpoints: jobs, drawings, the answer at once, limits and passwords."""

import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
import sqlalchemy as sa
from annotated_types import Ge, Le

from api.access import partners
from api.database.tables import job as job_table
from api.jobs.kinds import KINDS
from api.jobs.leases import Leases
from api.jobs.queue import question_of
from api.jobs.worker import Worker
from api.roof import problems
from api.roof.answers import BuildingType, Layout, Status
from api.roof.schemas import RoofRequest, RulesRequest
from catalog.sources.bygningspunkt import kind_of
from infra.simulator.buildings.record import buildings_in
from tests.api.conftest import MovableClock, Start, usual_store
from tests.api.roof.conftest import JOBS, LAYOUT, Roofs, counted, house, point_of, street
from tests.support.horizon import publish_horizon
from tests.support.simulated import Simulated
from tiles.store import open_store


async def test_a_job_goes_from_queued_to_done_and_expires_after_15_minutes(roofs: Roofs) -> None:
    asked = await roofs.ask(**point_of(house("saltak")))
    assert (asked.status, asked.json["status"]) == (202, "queued")
    assert {"jobb_id", "status", "posisjon", "foran", "estimert_sekunder", "ventende_i_koen"} <= asked.json.keys()
    Status.model_validate(asked.json)
    job = asked.json["jobb_id"]
    done = await roofs.done(job)
    Status.model_validate(done)
    assert done["status"] == "done", done
    assert "tegning_url" not in done
    drawn = await roofs.api.ask(f"{JOBS}/{job}/tegning.geojson")
    assert (drawn.status, drawn.headers["Cache-Control"]) == (200, "private, max-age=900")
    assert drawn.headers["X-Moduler"] == str(done["resultat"]["resultat"]["moduler"])
    assert float(drawn.headers["X-Kwp"]) == pytest.approx(done["resultat"]["resultat"]["kwp"])
    assert drawn.headers["X-Data-Origin"] == "simulated"
    assert {"X-Moduler", "X-Kwp"} < set(drawn.headers["Access-Control-Expose-Headers"].split(", "))
    place = done["resultat"]["punkt"]
    name = f"tak_{place['lat']:.5f}_{place['lon']:.5f}.geojson"
    assert drawn.headers["Content-Disposition"] == f'inline; filename="{name}"'
    none = await roofs.api.ask(f"{JOBS}/{job}/tegning.png")
    assert (none.status, none.json["code"]) == (404, "NOT_FOUND")
    again = await roofs.ask(**point_of(house("saltak")))
    assert again.json["jobb_id"] == job, "the same building and parameters are not analysed again"
    anew = await roofs.ask(**point_of(house("saltak")), tving_ny=True)
    assert anew.json["jobb_id"] != job
    other = await roofs.ask(**point_of(house("saltak")), modul_wp=400)
    assert other.json["jobb_id"] not in (job, anew.json["jobb_id"])
    for one in (anew, other):
        await roofs.done(one.json["jobb_id"])
    roofs.clock.moment += timedelta(minutes=16)
    for path in (f"{JOBS}/{job}", f"{JOBS}/{job}/tegning.png"):
        expired = await roofs.api.ask(path)
        assert (expired.status, expired.json["code"]) == (410, "EXPIRED")


async def test_layout_answers_at_once(roofs: Roofs) -> None:
    asked = await roofs.ask(LAYOUT, **point_of(house("flatt")), montering="sor", geojson=False)
    assert asked.status == 200, asked.text
    Layout.model_validate(asked.json)
    assert asked.json["resultat"]["montering"] == "sor"
    assert asked.json["resultat"]["pv_kalkulator"]["mounting"] == "free"
    assert asked.headers["X-Data-Origin"] == "simulated"


async def test_a_field_that_is_misspelt_is_told_in_the_answer(roofs: Roofs) -> None:
    at = point_of(house("flatt"))
    asked = await roofs.ask(LAYOUT, **at, modul_watt=400, geojsn=False)
    assert asked.json["grunnlag"]["advarsler"][-1] == "Ukjente felt er ikke brukt: modul_watt, geojsn."
    assert "modul_watt" in asked.headers["X-Warning"]
    usual = await roofs.ask(LAYOUT, **at)
    assert not any("Ukjente" in one for one in usual.json["grunnlag"]["advarsler"])


async def test_production_is_that_of_pv_calc(roofs: Roofs) -> None:
    at = point_of(house("saltak"))
    found = (await roofs.ask(LAYOUT, **at)).json
    pv, place = found["resultat"]["pv_kalkulator"], found["punkt"]
    where = f"lat={place['lat']}&lon={place['lon']}&arrays={pv['arrays_param']}&mounting={pv['mounting']}"
    calculated = (await roofs.api.good(f"/api/pv/calc?{where}"))["annual"]["e_kwh"]
    assert pv["mounting"] == "building"
    assert pv["arsproduksjon_kwh"] == calculated > 0
    assert "SIMULERT" in pv["arsproduksjon_merknad"]
    assert "snø er ikke trukket fra" in pv["arsproduksjon_merknad"]
    job = await roofs.done((await roofs.ask(**at)).json["jobb_id"])
    assert job["resultat"]["resultat"]["pv_kalkulator"] == pv


async def test_production_is_null_without_a_typical_year(roofs: Roofs) -> None:
    away = buildings_in(231_000, 6_631_000, 231_400, 6_631_400)
    pv = (await roofs.ask(LAYOUT, **point_of(away[0]))).json["resultat"]["pv_kalkulator"]
    assert pv["arrays_param"]
    assert pv["arsproduksjon_kwh"] is None
    assert "tmy_stats" in pv["arsproduksjon_merknad"]


async def test_a_job_that_fails_says_why(roofs: Roofs) -> None:
    failed = await roofs.done((await roofs.ask(**street())).json["jobb_id"])
    Status.model_validate(failed)
    assert (failed["status"], failed["feil"]["status"], failed["feil"]["code"]) == ("failed", 422, "NO_BUILDING")
    drawn = await roofs.api.ask(f"{JOBS}/{failed['jobb_id']}/tegning.png")
    assert (drawn.status, drawn.json["code"]) == (422, "NO_BUILDING")


@pytest.mark.parametrize(
    ("field", "named"),
    [
        ({"regler": {"kantavstand": 1}}, "regler.kantavstand"),
        ({"regler": {"obstacle_clearance_m": {"pipe": 6}}}, "regler.obstacle_clearance_m.pipe"),
        ({"regler": {"obstacle_height_m": {"skorstein": 1}}}, "regler.obstacle_height_m.skorstein"),
        ({"omriss": [[10, 60], [10.001, 60.001], [10.001, 60], [10, 60.001]]}, "omriss"),
        ({"omriss": [[10, 60], [10.001, 60]]}, "omriss"),
        ({"passord": "x" * 201}, "passord kan ha høyst 200 tegn"),
        ({"regler": {"obstacle_clearance_m": {"skorstein": 1}}}, "obstacle_clearance_m.skorstein er ukjent: navnet må"),
        ({"lat": 60.0, "lon": 10.0, "omriss": [[10.01, 60], [10.011, 60], [10.011, 60.001]]}, "omriss"),
    ],
)
async def test_a_field_that_is_wrong_is_named(roofs: Roofs, field: dict[str, Any], named: str) -> None:
    refused = await roofs.ask(**{"lat": 60.0, "lon": 10.0} | field)
    assert (refused.status, refused.json["code"]) == (400, "INVALID_INPUT"), refused.text
    assert named in refused.json["error"]


def outside() -> Iterator[tuple[str, dict[str, Any]]]:
    """Each field with a value below and above its range, or none of its words, and by name."""
    for within, model in (("", RoofRequest), ("regler.", RulesRequest)):
        for name, field in model.model_fields.items():
            values = [one.ge - 0.1 for one in field.metadata if isinstance(one, Ge)]
            values += [one.le + 0.1 for one in field.metadata if isinstance(one, Le)]
            if name not in ("passord", "omriss", "regler", "obstacle_clearance_m", "obstacle_height_m"):
                for value in values or ["?"]:
                    yield f"{within}{name}", {"regler": {name: value}} if within else {name: value}


def test_every_field_of_the_request_is_described() -> None:
    named = [f"{model.__name__}.{name}" for model in (RoofRequest, RulesRequest)
             for name, field in model.model_fields.items() if not field.description]  # fmt: skip
    assert named == []


async def test_every_field_has_a_range(roofs: Roofs) -> None:
    asked = list(outside())
    for named, field in asked:
        refused = await roofs.ask(**{"lat": 60.0, "lon": 10.0} | field)
        assert (refused.status, refused.json["code"]) == (400, "INVALID_INPUT"), (field, refused.text)
        assert named in refused.json["error"]


async def test_the_type_of_a_building_is_that_of_the_register(roofs: Roofs) -> None:
    building = house("saltak")
    at = point_of(building)
    found = await roofs.api.ask(f"/api/roof/bygningstype?lat={at['lat']}&lon={at['lon']}")
    assert found.status == 200, found.text
    BuildingType.model_validate(found.json)
    assert (found.json["bygningsnummer"], found.json["kode"]) == (str(building.number), building.code)
    assert found.json["bygningstype"] == kind_of(building.code)
    away = await roofs.api.ask("/api/roof/bygningstype?lat=56&lon=10")
    assert away.status == 400
    roofs.misbehave("bygningspunkt", mode="error", status=400)
    broken = await roofs.api.ask(f"/api/roof/bygningstype?lat={at['lat']}&lon={at['lon'] + 0.01}")
    assert (broken.status, broken.json["code"]) == (502, "BACKEND_ERROR")


async def test_an_analysis_needs_the_password_of_a_partner(start: Start, kept_service: Simulated) -> None:
    async with counted(start, kept_service) as roofs:
        resources = roofs.api.app.resources
        engine, secret, now = resources.database.engine, resources.secret, roofs.clock.now()
        password = await partners.add(engine, secret, "Takfirma", now)
        at = point_of(house("saltak"))
        for wrong in ({}, {"passord": "x"}, {"passord": ""}):
            for path in (JOBS, LAYOUT):
                refused = await roofs.ask(path, **at, **wrong)
                assert (refused.status, refused.json["code"]) == (401, "PASSWORD_REQUIRED")
                assert ("feil" in refused.json["error"]) == bool(wrong.get("passord"))
        by_body = await roofs.ask(**at, passord=password)
        by_header = await roofs.ask(**at, headers={"X-Partner-Code": password})
        with_empty = await roofs.ask(**at, passord="", headers={"X-Partner-Code": password})
        assert (by_body.status, by_header.status, with_empty.status) == (202, 202, 202)
        assert by_body.json["jobb_id"] == by_header.json["jobb_id"]
        async with engine.connect() as connection:
            content = await connection.scalar(sa.select(job_table.c.input))
        assert password.encode() not in content
        assert "passord" not in orjson.loads(content)["request"]
        early = await roofs.api.ask(f"{JOBS}/{by_body.json['jobb_id']}/tegning.png")
        assert (early.status, early.json["code"]) == (409, "NOT_READY")
        await partners.revoke(engine, "Takfirma", now)
        assert (await roofs.ask(**at, passord=password)).status == 401


async def test_an_address_has_so_many_calls_as_the_settings_say(start: Start, kept_service: Simulated) -> None:
    async with counted(start, kept_service, roof_rates=("100/second", "3/hour")) as roofs:
        answers = [await roofs.ask(address="192.0.2.7", **point_of(house("saltak"))) for _ in range(4)]
        assert [one.status for one in answers] == [401, 401, 401, 429]
        assert answers[3].json["code"] == "RATE_LIMITED"
        assert int(answers[3].headers["Retry-After"]) > 3000


async def test_a_job_that_is_not_done_in_time_fails_with_504(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = MovableClock()
    roofs = Roofs(await start(clock=clock), clock, None)  # type: ignore[arg-type]
    at = point_of(house("saltak"))
    monkeypatch.setattr(problems, "SYNC_S", 0.3)
    late = await roofs.ask(LAYOUT, **at)
    assert (late.status, late.json["code"], late.headers["Retry-After"]) == (504, "TIMEOUT", "10")
    job = (await roofs.ask(**at)).json["jobb_id"]
    clock.moment += timedelta(seconds=121)
    failed = await roofs.done(job)
    assert (failed["feil"]["status"], failed["feil"]["code"]) == (504, "TIMEOUT")
    again = (await roofs.ask(**at)).json
    assert (again["status"], again["jobb_id"] != job) == ("queued", True)


async def test_the_queue_holds_20(start: Start) -> None:
    clock = MovableClock()
    roofs = Roofs(await start(clock=clock), clock, None)  # type: ignore[arg-type]
    at = point_of(house("saltak"))
    answers = [await roofs.ask(**at, modul_wp=300 + n) for n in range(21)]
    assert [one.status for one in answers] == [202] * 20 + [503]
    assert answers[20].json["code"] == "BACKEND_BUSY"
    assert int(answers[20].headers["Retry-After"]) > 0


async def test_a_job_has_the_horizon_of_the_terrain(start: Start, kept_service: Simulated, tmp_path: Path) -> None:
    store = usual_store(tmp_path / "hilly")
    publish_horizon(open_store(str(store)))
    async with counted(start, kept_service, access="open", store_folder=store) as roofs:
        for at in (point_of(house("saltak")), {"lat": 62.0, "lon": 10.0}):
            await roofs.ask(**at)
        async with roofs.api.app.resources.database.engine.connect() as connection:
            contents = await connection.scalars(sa.select(job_table.c.input).order_by(job_table.c.number))
        here, elsewhere = [orjson.loads(one)["far"] for one in contents]
    assert (len(here), elsewhere) == (720, None)
    assert max(here) > 20


async def test_the_job_of_a_killed_worker_is_done_by_another(start: Start, kept_service: Simulated) -> None:
    async with counted(start, kept_service, access="open") as roofs:
        resources, settings = roofs.api.app.resources, roofs.api.app.settings
        job = (await roofs.ask(**point_of(house("saltak")))).json["jobb_id"]
        assert await Leases(resources.database, resources.bell, roofs.clock, KINDS).take() is not None
        assert (await roofs.api.ask(f"{JOBS}/{job}")).json["status"] == "running"
        async with Worker(settings, lapses_s=0.5).lifespan():
            assert (await roofs.done(job))["status"] == "done"


async def test_the_job_of_a_worker_that_stays_away_fails_after_120_s(start: Start, kept_service: Simulated) -> None:
    async with counted(start, kept_service, access="open") as roofs:
        resources = roofs.api.app.resources
        job = (await roofs.ask(**point_of(house("saltak")))).json["jobb_id"]
        await Leases(resources.database, resources.bell, roofs.clock, KINDS).take()
        roofs.clock.moment += timedelta(seconds=121)
        failed = (await roofs.api.ask(f"{JOBS}/{job}")).json
        assert (failed["status"], failed["feil"]["status"], failed["feil"]["code"]) == ("failed", 504, "TIMEOUT")
        drawn = await roofs.api.ask(f"{JOBS}/{job}/tegning.png")
        assert (drawn.status, drawn.json["code"]) == (504, "TIMEOUT")


async def test_ids_that_are_none_or_of_another_kind_are_unknown(start: Start) -> None:
    api = await start()
    other = await api.app.resources.jobs.ask("mail", question_of("mail", 1), b"", b"", after="nothing")
    for job_id in ("0" * 22, other.id, "%00"):
        for path in (f"{JOBS}/{job_id}", f"{JOBS}/{job_id}/tegning.svg"):
            unknown = await api.ask(path)
            assert (unknown.status, unknown.json["code"]) == (404, "NOT_FOUND")


def test_the_process_of_the_api_loads_no_shapely() -> None:
    code = (
        "import sys, api.roof.routes;"
        "print(*({'shapely', 'scipy', 'rasterio', 'pyproj', 'numba', 'cv2', 'ezdxf'} & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.split() == []
