"""Jobs of sites: from 202 to the result and its end, failures, limits."""

import os
import signal
from datetime import timedelta
from pathlib import Path

import pytest

from api.jobs.queue import question_of
from api.terrain import service
from api.terrain.schemas import Queued
from tests.api.terrain.conftest import JOBS, Serve, Sites
from tests.support.worker import job_worker

AS_PDF = "?format=pdf"


async def test_a_job_goes_from_queued_to_done_and_expires_after_15_minutes(sites: Sites) -> None:
    async with sites.busy(hoyde_m=20):
        places = [await sites.ask(path=JOBS, hoyde_m=20 + number) for number in range(2)]
        assert [one.status for one in places] == [202] * 2
        queued = [one.json for one in places]
        last = queued[1]["jobb_id"]
        early = await sites.job(last, AS_PDF)
    for one in queued:
        Queued.model_validate(one)
    states = [(one["status"], one["posisjon"], one["foran"], one["ventende_i_koen"]) for one in queued]
    assert states == [("queued", 1, 0, 1), ("queued", 2, 1, 2)]
    assert queued[0]["estimert_sekunder"] < queued[1]["estimert_sekunder"]
    assert (early.status, early.json["code"]) == (409, "NOT_READY")
    done = await sites.until(last, "done")
    pdf = await sites.job(last, AS_PDF)
    Queued.model_validate(done)
    assert done["resultat"]["hoyde_m"] == 21
    assert (done["posisjon"], done["estimert_sekunder"], done["fremdrift"]) == (0, 0, 1)
    assert pdf.body.startswith(b"%PDF-")
    sites.clock.moment += timedelta(minutes=14)
    assert (await sites.job(last)).status == 200
    sites.clock.moment += timedelta(minutes=2)
    expired = await sites.job(last)
    assert (expired.status, expired.json["code"]) == (410, "EXPIRED")
    again = await sites.ask(path=JOBS, hoyde_m=21)
    assert (again.json["status"], again.json["jobb_id"] != last) == ("queued", True)


async def test_a_job_tells_what_it_does_and_why_it_failed(sites: Sites) -> None:
    async with sites.busy(hoyde_m=30) as job:
        running = (await sites.job(job)).json
        early = await sites.job(job, "?format=geojson")
    failed = await sites.until(job, "failed")
    refused = await sites.job(job, "?format=geojson")
    Queued.model_validate(running)
    shown = {name: running[name] for name in ("status", "fase", "posisjon", "foran", "ventende_i_koen", "fremdrift")}
    assert shown == {
        "status": "running",
        "fase": "leser terrenget",
        "posisjon": 0,
        "foran": 0,
        "ventende_i_koen": 0,
        "fremdrift": 0,
    }
    assert running["estimert_sekunder"] > 0
    assert (early.status, early.json["code"]) == (409, "NOT_READY")
    Queued.model_validate(failed)
    assert (failed["feil"]["status"], failed["feil"]["code"]) == (502, "BACKEND_ERROR")
    assert "resultat" not in failed
    assert (refused.status, refused.json["error"]) == (502, failed["feil"]["error"])


async def test_ids_that_are_none_or_of_another_kind_are_unknown(serve: Serve) -> None:
    sites = await serve()
    jobs = sites.api.app.resources.jobs
    other = await jobs.ask("mail", question_of("mail", 1), b"", b"", after="nothing")
    for job_id in ("0" * 22, other.id, "%00", "..%5C", "x" * 3000):
        unknown = await sites.job(job_id)
        assert (unknown.status, unknown.json["code"]) == (404, "NOT_FOUND")


async def test_without_a_worker_it_is_504_and_the_question_stays_queued(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "WITHIN_S", 0.3)
    sites = await serve()
    late = await sites.ask()
    assert (late.status, late.json["code"], late.headers["Retry-After"]) == (504, "TIMEOUT", "10")
    assert (await sites.ask(path=JOBS)).json["ventende_i_koen"] == 1


async def test_an_address_has_so_many_calls_as_the_settings_say(serve: Serve) -> None:
    sites = await serve(terrain_rates=("100/second", "3/hour"))
    answers = [await sites.ask(path=JOBS, address="192.0.2.7") for _ in range(4)]
    assert [one.status for one in answers] == [202, 202, 202, 429]
    assert answers[0].headers["X-Quota-Remaining"] == "2"
    assert answers[3].json["code"] == "RATE_LIMITED"
    assert int(answers[3].headers["Retry-After"]) > 3000
    assert (await sites.ask(path=JOBS, address="192.0.2.8")).status == 202


@pytest.mark.slow
async def test_fifty_jobs_are_all_done_though_a_worker_is_killed(serve: Serve) -> None:
    sites = await serve()
    settings = sites.api.app.settings
    environment = {"STORE": settings.store, "STATE": str(settings.state), "DATABASE": str(settings.database)}
    environment |= dict.fromkeys(("AR5_URL", "AR50_URL"), "/nowhere.gpkg")
    environment["CLOCK"] = f"{sites.clock.now():%Y-%m-%dT%H:%M:%SZ}!"
    asked = [await sites.ask(path=JOBS, hoyde_m=5 + number) for number in range(50)]
    ids = [one.json["jobb_id"] for one in asked]
    assert len(set(ids)) == 50
    with job_worker(**environment) as first:
        await sites.until(ids[3], "done")
        os.kill(first.pid, signal.SIGKILL)
        with job_worker(**environment):
            done = [await sites.until(job, "done") for job in ids]
    assert [one["resultat"]["hoyde_m"] for one in done] == [5 + number for number in range(50)]
    jobs = await sites.api.app.resources.jobs.listing()
    assert max(job.runs for job in jobs) <= 3
    results = Path(settings.results_address)
    assert {job.id: job.result for job in jobs} == {
        folder.name: f"{folder.name}/{max(run.name for run in folder.iterdir())}" for folder in results.iterdir()
    }
    assert all((results / str(job.result) / "result.json").stat().st_size > 10_000 for job in jobs)
