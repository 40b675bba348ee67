"""Level 3 when something is away: the worker, heights, the typical year, results, the mail server."""

import asyncio
import re
import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from api.horizon import problems
from api.horizon.precise import service as of_precise
from tests.api.horizon.precise.conftest import Panels, Serve


async def test_after_the_deadline_the_job_goes_on_and_the_same_question_finds_it(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    panels = await serve()
    monkeypatch.setattr(of_precise, "WITHIN_S", 1.0)
    while not await jobs_of(panels):  # nothing is queued before heights are there
        early = await panels.ask()
        assert (early.status, early.json["code"]) == (504, "BACKEND_TIMEOUT")
    late = await panels.ask()
    assert (late.json["error"], late.headers["Retry-After"]) == (problems.JOB_GOES_ON.nb, "10")
    monkeypatch.undo()
    async with panels.worker().lifespan():
        assert (await panels.ask()).status == 200
    assert len(await jobs_of(panels)) == 1


async def jobs_of(panels: Panels) -> list[str]:
    return [job.state for job in await panels.api.app.resources.jobs.listing()]


@pytest.mark.slow
async def test_heights_that_cannot_be_had_are_told_before_anything_is_queued(serve: Serve) -> None:
    panels = await serve(kartverket_wcs_url="http://127.0.0.1:9")
    asked = await panels.ask()
    assert (asked.status, asked.json["code"]) == (502, "BACKEND_ERROR")
    assert await jobs_of(panels) == []


async def test_a_typical_year_that_goes_in_the_middle_changes_nothing(
    serve: Serve, full_store: Path, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    shutil.copytree(full_store, store, symlinks=True)
    panels = await serve(store_folder=store)
    answer = asyncio.create_task(panels.ask())
    while await jobs_of(panels) != ["queued"]:
        await asyncio.sleep(0.02)
    for product in ("ens_tmy30", "tmy_stats", "horizon"):
        (store / product).rename(store / f"{product}.gone")
    async with panels.worker().lifespan():
        assert (await answer).status == 200


async def test_a_result_that_is_gone_is_made_anew(panels: Panels) -> None:
    first = (await panels.ask(panel_tilt_deg=41)).json
    shutil.rmtree(panels.state / "results" / first["job_id"])
    assert (await panels.open(first["pdf_url"])).status == 410
    assert (await panels.ask(panel_tilt_deg=41)).status == 502
    second = await panels.ask(panel_tilt_deg=41)
    assert second.status == 200
    assert second.json["job_id"] != first["job_id"]


async def test_links_are_mailed_once_when_the_job_is_done(panels: Panels) -> None:
    told = [(await panels.ask(email=f"{who}@example.com", language="en")).json for who in ("kari", "kari", "ola")]
    assert told[0]["mail"] == "queued"
    outbox = panels.state / "outbox"
    while not (outbox.exists() and len(list(outbox.iterdir())) >= 2):
        await asyncio.sleep(0.05)
    mails = [mail.read_text(encoding="utf-8") for mail in outbox.iterdir()]
    assert sorted(re.findall("^To: .*", "".join(mails), re.MULTILINE)) == [
        "To: kari@example.com",
        "To: ola@example.com",
    ]
    for text in mails:
        assert told[0]["pdf_url"] in text
        assert told[0]["csv_url"] in text
        assert "SIMULATED DATA" in text
    again = {"email": "kari@example.com", "language": "en"}
    while {"queued", "running"} & set(await jobs_of(panels)):
        await asyncio.sleep(0.05)
    assert (await panels.ask(**again)).json["mail"] == "sent"
    panels.clock.moment += timedelta(days=1)
    assert (await panels.ask(**again)).json["mail"] == "queued", "a new day, a new mail"


async def test_mails_are_limited_as_those_of_registration(serve: Serve) -> None:
    panels = await serve()
    asked = [await panels.ask(email="kari@example.com", lat=60.5, lon=5.0 + i) for i in range(13)]
    assert {one.status for one in asked[:12]} == {404}
    assert asked[12].status == 429
    assert "`email`" in asked[12].json["error"]
