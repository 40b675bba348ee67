"""Level 3 when something is away: the worker, heights, the typical year, results, the mail server."""

import asyncio
import shutil
from pathlib import Path

import pytest

from api.horizon.precise import service as of_precise
from tests.api.horizon.precise.conftest import Panels, Serve
from tests.support.mailbox import mail_server


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_precise, "WITHIN_S", 2.0)


async def test_after_the_deadline_the_job_goes_on_and_the_same_question_finds_it(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    panels = await serve()
    monkeypatch.setattr(of_precise, "WITHIN_S", 2.0)
    late = await panels.ask()
    assert (late.status, late.json["code"], late.headers["Retry-After"]) == (504, "BACKEND_TIMEOUT", "10")
    monkeypatch.undo()
    async with panels.worker().lifespan():
        assert (await panels.ask()).status == 200
    assert len(await jobs_of(panels)) == 1


async def jobs_of(panels: Panels) -> list[str]:
    return [job.state for job in await panels.api.app.resources.jobs.listing()]


async def test_heights_that_cannot_be_had_are_told_before_anything_is_queued(serve: Serve) -> None:
    panels = await serve(kartverket_wcs_url="http://127.0.0.1:9")
    asked = await panels.ask()
    assert (asked.status, asked.json["code"]) == (502, "BACKEND_ERROR")
    assert await jobs_of(panels) == []


@pytest.mark.usefixtures("impatient")
async def test_a_typical_year_that_goes_in_the_middle_changes_nothing(
    serve: Serve, full_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "store"
    shutil.copytree(full_store, store, symlinks=True)
    panels = await serve(store_folder=store)
    assert (await panels.ask()).status == 504
    for product in ("ens_tmy30", "tmy_stats", "horizon"):
        (store / product).rename(store / f"{product}.gone")
    async with panels.worker().lifespan():
        while await jobs_of(panels) != ["done"]:
            await asyncio.sleep(0.05)


async def test_a_result_that_is_gone_is_made_anew(serve: Serve, tmp_path: Path) -> None:
    panels = await serve(worker=True)
    first = (await panels.ask()).json
    shutil.rmtree(tmp_path / "state" / "results" / first["job_id"])
    assert (await panels.open(first["pdf_url"])).status == 410
    assert (await panels.ask()).status == 502
    second = await panels.ask()
    assert second.status == 200
    assert second.json["job_id"] != first["job_id"]


async def test_links_are_mailed_when_the_job_is_done(serve: Serve, tmp_path: Path) -> None:
    panels = await serve(worker=True)
    told = (await panels.ask(email="kari@example.com", language="en")).json
    outbox = tmp_path / "state" / "outbox"
    while not (outbox.exists() and list(outbox.iterdir())):
        await asyncio.sleep(0.05)
    [mail] = outbox.iterdir()
    text = mail.read_text(encoding="utf-8")
    assert "To: kari@example.com" in text
    assert told["pdf_url"] in text
    assert told["csv_url"] in text


async def test_a_mail_server_that_is_away_costs_no_answer_and_is_tried_again(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    with mail_server() as away:
        pass
    server = {"smtp": f"smtp://127.0.0.1:{away.port}", "mail_from": "solflis@example.com"}
    panels = await serve(worker=True, **server)
    assert (await panels.ask(email="kari@example.com")).status == 200
    jobs = panels.api.app.resources.jobs
    while (mail := next(job for job in await jobs.listing() if job.kind == "mail")).runs == 0 or mail.state != "queued":
        await asyncio.sleep(0.05)


async def test_mails_are_limited_as_those_of_registration(serve: Serve) -> None:
    panels = await serve()
    asked = [await panels.ask(email="kari@example.com", lat=60.5, lon=5.0 + i) for i in range(13)]
    assert {one.status for one in asked[:12]} == {404}
    assert asked[12].status == 429
