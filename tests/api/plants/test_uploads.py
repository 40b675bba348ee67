"""Uploaded files: read in a job, confirmed, rejected, expired; forms and limits."""

import asyncio
import threading
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from aiohttp import FormData

from api.data.plants import measurements
from api.database.tables import job
from api.plants import problems
from api.plants.answers import PlantDetails, UploadAnswer
from tests.api.plants.conftest import Service
from tests.support.plant_uploads import rows_of

of_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


async def calibrations(service: Service) -> int:
    async with service.api.app.resources.database.engine.connect() as connection:
        counted = sa.select(sa.func.count()).select_from(job).where(job.c.kind == "plant_calibration")
        return await connection.scalar(counted) or 0


async def test_an_upload_waits_until_it_is_confirmed_once(service: Service) -> None:
    plant = await service.kari.register()
    upload = await service.kari.upload(plant, rows_of(1, 2, 3), "?filnavn=juni.csv&korriger=false")
    UploadAnswer.model_validate(upload)
    assert (upload["status"], upload["lagt_inn_automatisk"]) == ("venter", False)
    assert upload["utloper"] == "2026-07-15T12:00:00Z"
    assert upload["tolkning"]["beskrivelse"] == "juni.csv: kWh, UTC!", "not corrected"
    assert (await service.kari.data(plant))["timer"] == 0
    path = f"/{plant}/produksjon/{upload['opplasting_id']}"
    assert (await service.kari.ask(path)).json == upload
    confirmed = await service.kari.post(f"{path}/bekreft")
    UploadAnswer.model_validate(confirmed.json)
    assert (confirmed.status, confirmed.json["status"]) == (200, "bekreftet")
    assert (confirmed.json["lagret"], confirmed.json["erstattet"]) == (3, 0)
    assert (await service.kari.post(f"{path}/bekreft")).json == confirmed.json
    expected = {"timer": 3, "fra": "2026-06-01T10:00:00Z", "til": "2026-06-01T12:00:00Z", "kwh_totalt": 6.0}
    assert await service.kari.data(plant) == expected
    assert await calibrations(service) == 1
    shown = PlantDetails.model_validate((await service.kari.ask(f"/{plant}")).json)
    assert [one.opplasting_id for one in shown.opplastinger] == [upload["opplasting_id"]]
    assert (shown.opplastinger[0].status, shown.opplastinger[0].timer) == ("bekreftet", 3)


@of_sqlite
async def test_a_file_with_known_headings_is_stored_without_asking(service: Service) -> None:
    plant = await service.kari.register()
    first = await service.kari.upload(plant, rows_of(1, 2), "?bekreft=true")
    assert (first["status"], first["lagret"], first["lagt_inn_automatisk"]) == ("bekreftet", 2, False)
    again = await service.kari.upload(plant, rows_of(5, day="2026-06-02"))
    assert (again["status"], again["lagt_inn_automatisk"], again["tolkning"]["kilde"]) == (
        "bekreftet",
        True,
        "lagret tolkning",
    )
    warned = await service.kari.upload(plant, rows_of(5, day="2026-06-03", words="varsel"))
    assert warned["status"] == "venter"
    assert (await service.kari.data(plant))["timer"] == 3
    other = await service.kari.register()
    assert (await service.kari.upload(other, rows_of(5)))["status"] == "venter", "of this plant alone"


async def test_of_uploads_that_overlap_the_later_holds(service: Service) -> None:
    plant = await service.kari.register()
    await service.kari.upload(plant, rows_of(1, 2, 3), "?bekreft=true")
    later = await service.kari.upload(plant, rows_of(10, 20, words="varsel"), "?bekreft=true")
    assert (later["status"], later["lagret"], later["erstattet"]) == ("bekreftet", 2, 2)
    assert (await service.kari.data(plant))["kwh_totalt"] == 33.0


async def test_two_uploads_and_their_confirmations_at_once_lose_nothing(service: Service) -> None:
    plant = await service.kari.register()
    days = [f"2026-06-0{number}" for number in range(1, 5)]
    sent = await asyncio.gather(*(service.kari.upload(plant, rows_of(1, 2, day=day)) for day in days))
    assert len({upload["opplasting_id"] for upload in sent}) == 4
    paths = [f"/{plant}/produksjon/{upload['opplasting_id']}/bekreft" for upload in sent]
    confirmed = await asyncio.gather(*(service.kari.post(path) for path in paths * 2))
    assert [one.status for one in confirmed] == [200] * 8
    assert [one.json["lagret"] for one in confirmed] == [2] * 8
    assert (await service.kari.data(plant))["timer"] == 8


async def test_an_upload_whose_check_failed_cannot_be_confirmed(service: Service) -> None:
    plant = await service.kari.register()
    upload = await service.kari.upload(plant, rows_of(1, words="feil"), "?bekreft=true")
    assert (upload["status"], upload["kontroll"]["status"]) == ("venter", "feil")
    refused = await service.kari.post(f"/{plant}/produksjon/{upload['opplasting_id']}/bekreft")
    assert (refused.status, refused.json["code"]) == (409, "FAILED_CHECKS")
    assert (await service.kari.data(plant))["timer"] == 0


async def test_what_was_rejected_or_has_expired_is_not_confirmed(service: Service) -> None:
    plant = await service.kari.register()
    rejected, late, confirmed = [await service.kari.upload(plant, rows_of(1)) for _ in range(3)]
    paths = [f"/{plant}/produksjon/{one['opplasting_id']}" for one in (rejected, late, confirmed)]
    for _ in range(2):
        answer = await service.kari.post(f"{paths[0]}/avvis")
        assert (answer.status, answer.json["status"]) == (200, "avvist")
    assert (await service.kari.post(f"{paths[2]}/bekreft")).status == 200
    service.clock.moment += timedelta(days=14)
    assert (await service.kari.ask(paths[1])).json["status"] == "utlopt"
    for path, action, word in (
        (paths[0], "bekreft", "avvist"),
        (paths[1], "bekreft", "utløpt"),
        (paths[1], "avvis", "utløpt"),
        (paths[2], "avvis", "bekreftet"),
    ):
        refused = await service.kari.post(f"{path}/{action}")
        assert (refused.status, refused.json["code"]) == (409, "NOT_WAITING"), (action, word)
        assert word in refused.json["error"]
    assert (await service.kari.data(plant))["timer"] == 1


@of_sqlite
async def test_after_the_deletion_of_a_plant_its_uploads_are_unknown(service: Service) -> None:
    plant = await service.kari.register()
    upload = await service.kari.upload(plant, rows_of(1))
    path = f"/{plant}/produksjon/{upload['opplasting_id']}"
    assert (await service.ola.ask(path)).status == 404
    other = await service.kari.register()
    mixed = await service.kari.ask(f"/{other}/produksjon/{upload['opplasting_id']}")
    assert (mixed.status, mixed.json["code"]) == (404, "NOT_FOUND")
    await service.kari.ask(f"/{plant}", "DELETE")
    for method, rest in (("GET", ""), ("POST", "/bekreft"), ("POST", "/avvis")):
        assert (await service.kari.ask(path + rest, method)).status == 404


async def test_a_plant_that_is_deleted_while_its_file_is_read_is_404(service: Service) -> None:
    plant = await service.kari.register()
    sent = asyncio.create_task(service.kari.post(f"/{plant}/produksjon", data=rows_of(1, words="sakte")))
    async with service.api.app.resources.database.engine.connect() as connection:
        while await connection.scalar(sa.select(job.c.state).where(job.c.kind == "plant_upload")) != "running":
            await connection.rollback()
            await asyncio.sleep(0.02)
    assert (await service.kari.ask(f"/{plant}", "DELETE")).status == 200
    assert (await sent).status == 404


@of_sqlite
async def test_a_file_that_cannot_be_interpreted_is_422(service: Service) -> None:
    plant = await service.kari.register()
    refused = await service.kari.post(f"/{plant}/produksjon", data=rows_of(1, words="dager"))
    assert (refused.status, refused.json["code"]) == (422, "NOT_INTERPRETED")
    assert "hele dager" in refused.json["error"]


@of_sqlite
async def test_a_form_brings_file_name_and_answers(service: Service) -> None:
    plant = await service.kari.register()

    async def send(query: str = "", **fields: str) -> Any:
        form = FormData(fields, quote_fields=False)
        form.add_field("fil", rows_of(1), filename="målt juni.csv", content_type="text/csv")
        return await service.kari.post(f"/{plant}/produksjon{query}", data=form)

    sent = await send(enhet="W", tidssone="+01:00", annet="x")
    assert sent.status == 201, sent.text
    assert sent.json["tolkning"]["beskrivelse"] == "målt juni.csv: W, +01:00"
    assert sent.json["warnings"] == ["Unknown fields were ignored: annet."]
    both = await send("?enhet=kW&tidssone=+02:00&filnavn=juni.csv", enhet="W")
    assert both.json["tolkning"]["beskrivelse"] == "juni.csv: kW, +02:00", "the query counts first"
    odd = await send("?guidance=x", guidance="x")
    assert odd.json["warnings"] == [f"Unknown {what} were ignored: guidance." for what in ("parameters", "fields")]
    for query, fields, named in (
        ("", {"enhet": "hk"}, "enhet"),
        ("?tidssone=Mars", {}, "tidssone"),
        ("?stempel=midt", {}, "stempel"),
        ("?bekreft=kanskje", {}, "bekreft"),
    ):
        refused = await send(query, **fields)
        assert (refused.status, refused.json["parameter"]) == (400, named), refused.text


@of_sqlite
async def test_files_and_forms_that_are_refused(idle: Service) -> None:
    plant = await idle.kari.register()
    path = f"/{plant}/produksjon"
    large = b"x" * 10_000_001
    form = FormData()
    form.add_field("fil", large, filename="stor.csv")
    other = FormData(default_to_multipart=True)
    other.add_field("file", b"1", filename="x.csv")
    empty_file = FormData()
    empty_file.add_field("fil", b"", filename="x.csv")
    media = {"Content-Type": "multipart/form-data; boundary=x"}
    for status, code, options in (
        (413, "TOO_LARGE", {"data": large}),
        (413, "TOO_LARGE", {"data": form}),
        (422, "UNREADABLE", {"data": b""}),
        (422, "UNREADABLE", {"data": other}),
        (422, "UNREADABLE", {"data": empty_file}),
        (422, "UNREADABLE", {"data": b"--y\r\n", "headers": media}),
        (422, "UNREADABLE", {"data": b"", "headers": media}),
        (422, "UNREADABLE", {"data": b"1", "headers": {"Content-Type": "multipart/form-data"}}),
    ):
        refused = await idle.kari.post(path, **options)
        assert (refused.status, refused.json["code"]) == (status, code), refused.text


@of_sqlite
async def test_a_file_may_have_any_name(service: Service) -> None:
    plant = await service.kari.register()
    media = {"Content-Type": "multipart/form-data; boundary=x"}
    for name in (b"m\xe5lt.csv", b"\xf0\x9f\x8c\x9e.csv", b"\xed\xa0\x80.csv", b"x" * 4000):
        head = b'--x\r\nContent-Disposition: form-data; name="fil"; filename="' + name + b'"\r\n\r\n'
        form = head + rows_of(1) + b"\r\n--x--\r\n"
        sent = await service.kari.post(f"/{plant}/produksjon?kolonne=%F2%AD%BA%96%ff", data=form, headers=media)
        assert sent.status == 201, (name, sent.text)


@of_sqlite
async def test_the_largest_file_is_taken(service: Service) -> None:
    plant = await service.kari.register()
    file = rows_of(1) + b"\n"
    file += b"x" * (10_000_000 - len(file))
    form = FormData()
    form.add_field("fil", file, filename="stor.csv")
    for body in (file, form):
        sent = await service.kari.post(f"/{plant}/produksjon", data=body)
        assert sent.status == 201, sent.text


@of_sqlite
async def test_a_file_that_is_not_read_in_time_is_504(idle: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(problems, "WITHIN_S", 0.2)
    plant = await idle.kari.register()
    late = await idle.kari.post(f"/{plant}/produksjon", data=rows_of(1))
    assert (late.status, late.json["code"], late.headers["Retry-After"]) == (504, "TIMEOUT", "10")
    assert late.json["opplasting_id"].startswith("opp_")
    early = await idle.kari.ask(f"/{plant}/produksjon/{late.json['opplasting_id']}")
    assert early.status == 404


@of_sqlite
async def test_the_queue_of_files_is_bounded(idle: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(problems, "WITHIN_S", 0.2)
    plant = await idle.kari.register()
    sent = await asyncio.gather(*(idle.kari.post(f"/{plant}/produksjon", data=rows_of(1)) for _ in range(21)))
    assert sorted(one.status for one in sent) == [503] + [504] * 20


@of_sqlite
async def test_hours_of_years_are_packed_beside_the_event_loop(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = []

    def noted(function: Any) -> Any:
        def call(*args: Any) -> Any:
            threads.append(threading.current_thread())
            return function(*args)

        return call

    plant = await service.kari.register()
    upload = await service.kari.upload(plant, rows_of(1, 2))
    for name in ("put", "unpack"):
        monkeypatch.setattr(measurements, name, noted(getattr(measurements, name)))
    path = f"/{plant}/produksjon/{upload['opplasting_id']}"
    assert (await service.kari.post(f"{path}/bekreft")).status == 200
    assert (await service.kari.post(f"/{plant}/maalinger", json={"verdier": [["2026-06-02T10:00Z", 1]]})).status == 201
    assert len(threads) == 3
    assert threading.current_thread() not in threads


@of_sqlite
async def test_the_picture_of_an_upload_is_kept_by_nobody(service: Service) -> None:
    plant = await service.kari.register()
    upload = await service.kari.upload(plant, rows_of(1, 2, 3))
    picture = await service.kari.ask(f"/{plant}/produksjon/{upload['opplasting_id']}?format=png")
    assert (picture.status, picture.headers["Cache-Control"]) == (200, "no-store")
    bodies = service.api.app.resources.machinery.bodies
    assert bodies.nbytes == 0
