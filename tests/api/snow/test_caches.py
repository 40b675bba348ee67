"""What was answered is kept for all workers of a machine, and never answers anything else."""

import os
import time
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from tests.api.conftest import Asked, MovableClock, Start
from tests.api.snow.conftest import DAYS, MONTHS, MORNING, TODAY, asking
from tests.support import snow as made_up
from tests.support import tmy
from tests.support.horizon import publish_horizon
from tests.support.tmy import OSLO, TROMSO
from tiles.store import open_store

HEADERS = {MONTHS: "X-Snowsoil-Cache", DAYS: "X-Snow-Outlook-Cache"}
FOLDERS = {MONTHS: "snowsoil", DAYS: "snow_outlook"}
LONGEST_S = {MONTHS: 7 * 86_400, DAYS: 3600}
BOTH = pytest.mark.parametrize("path", [MONTHS, DAYS])


def known(asked: Asked, path: str) -> str:
    """Whether an answer says that it was known."""
    assert asked.status == 200, asked.text
    return str(asked.headers[HEADERS[path]])


@BOTH
async def test_a_second_worker_finds_it(start: Start, snowy: Path, tmp_path: Path, path: str) -> None:
    one = await start(store_folder=snowy, state_folder=tmp_path, clock=MovableClock(MORNING))
    two = await start(store_folder=snowy, state_folder=tmp_path, clock=MovableClock(MORNING))
    first, second = await one.ask(asking(path)), await two.ask(asking(path))
    assert (known(first, path), known(second, path)) == ("MISS", "HIT")
    assert first.text == second.text
    for name in ("ETag", "X-Data-Origin", "X-Tmy-Cell", "X-Tmy-Cell-Distance-Km", "Content-Type", "Cache-Control"):
        assert first.headers[name] == second.headers[name]
    assert second.headers["X-Data-Origin"] == "simulated"
    files = list((tmp_path / FOLDERS[path]).iterdir())
    assert len(files) == 1


MORE = {
    MONTHS: [{}, {"angle": 31}, {"aspect": 1}, {"mounting": "rack"}, {"mounting": "flat"}, {"height_mm": 1},
             {"strings": 2}, {"lossmode": "strings"}, {"start": 1992}, {"soiling": 2}, {"format": "csv"}, {"more": 1}],
    DAYS: [{}, {"angle": 31}, {"aspect": 1}, {"mounting": "rack"}, {"height_mm": 1}, {"lossmode": "strings"},
           {"burial_mm": 100}, {"days": 3}, {"more": 1}],
}  # fmt: skip


@BOTH
async def test_every_other_question_has_an_answer_of_its_own(
    start: Start, snowy: Path, tmp_path: Path, path: str
) -> None:
    api = await start(store_folder=snowy, state_folder=tmp_path, clock=MovableClock(MORNING))
    questions = [asking(path, place, **more) for place in (OSLO, (59.9101, 10.75), TROMSO) for more in MORE[path]]
    first = [await api.ask(question) for question in questions]
    assert {known(asked, path) for asked in first} == {"MISS"}
    assert len({asked.headers["ETag"] for asked in first}) == len(questions)
    again = [await api.ask(question) for question in questions]
    assert {known(asked, path) for asked in again} == {"HIT"}
    assert [asked.text for asked in again] == [asked.text for asked in first]


@BOTH
async def test_it_is_kept_no_longer(start: Start, snowy: Path, tmp_path: Path, path: str) -> None:
    api = await start(store_folder=snowy, state_folder=tmp_path, clock=MovableClock(MORNING))
    await api.ask(asking(path))
    [file] = (tmp_path / FOLDERS[path]).iterdir()
    for age, expected in ((LONGEST_S[path] - 60, "HIT"), (LONGEST_S[path] + 1, "MISS")):
        os.utime(file, (time.time() - age,) * 2)
        assert known(await api.ask(asking(path)), path) == expected


@BOTH
async def test_what_is_damaged_is_made_anew(start: Start, snowy: Path, tmp_path: Path, path: str) -> None:
    api = await start(store_folder=snowy, state_folder=tmp_path, clock=MovableClock(MORNING))
    first = await api.ask(asking(path))
    [file] = (tmp_path / FOLDERS[path]).iterdir()
    file.write_bytes(file.read_bytes()[:-1])
    again = await api.ask(asking(path))
    assert (known(again, path), again.text) == ("MISS", first.text)


@BOTH
@pytest.mark.parametrize("new", ["snow", "year", "statistics", "horizon"])
async def test_what_is_published_anew_is_seen(start: Start, own: Path, tmp_path: Path, path: str, new: str) -> None:
    api = await start(store_folder=own, state_folder=tmp_path / "state", clock=MovableClock(MORNING))
    before = await api.ask(asking(path))
    store = open_store(str(own))
    if new == "snow":
        made_up.publish_history(store, "1957-2026", last=date(2026, 8, 31))
        made_up.publish_outlook(store, TODAY)
    elif new == "year":
        tmy.publish_year(store, "ens_tmy30", "1991-2026")
    elif new == "statistics":
        tmy.publish_stats(store, "1991-2026")
    else:
        publish_horizon(store, "2026-05-02T00", higher=10)
    tag = before.headers["ETag"]
    after = await api.until(asking(path), lambda asked: asked.headers.get("ETag", tag) != tag)
    assert known(after, path) == "MISS"


@pytest.mark.parametrize("new", ["year", "horizon"])
async def test_a_new_light_changes_the_numbers(
    start: Start, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, new: str
) -> None:
    api = await start(store_folder=own, state_folder=tmp_path / "state", clock=MovableClock(MORNING))
    before = await api.ask(asking(MONTHS))
    if new == "year":
        hours = tmy.hours_of
        dim = dict.fromkeys(("ghi", "dni", "dhi"), 0.7)
        monkeypatch.setattr(
            tmy, "hours_of", lambda *of: {name: known * dim.get(name, 1) for name, known in hours(*of).items()}
        )
        tmy.publish_year(open_store(str(own)), "ens_tmy30", "1991-2026")
    else:
        publish_horizon(open_store(str(own)), "2026-05-02T00", higher=10)
    tag = before.headers["ETag"]
    after = await api.until(asking(MONTHS), lambda asked: asked.headers.get("ETag", tag) != tag)
    poa = [asked.json["annual"]["poa_kwh_m2"] for asked in (before, after)]
    assert poa[1] < 0.97 * poa[0]
    assert after.json["monthly"] != before.json["monthly"]


async def test_an_answer_that_has_become_old_says_so(start: Start, snowy: Path, tmp_path: Path) -> None:
    """On one day that runs, and from one version."""
    clock = MovableClock(datetime(2026, 12, 11, 17, 59, tzinfo=UTC))
    api = await start(store_folder=snowy, state_folder=tmp_path, clock=clock)
    before = await api.ask(asking(DAYS))
    clock.moment += timedelta(minutes=2)
    after = await api.ask(asking(DAYS), headers={"If-None-Match": before.headers["ETag"]})
    assert known(after, DAYS) == "MISS"
    assert [any("old forecast" in told for told in asked.json["warnings"]) for asked in (before, after)] == [
        False,
        True,
    ]


async def test_whether_data_are_simulated_is_told_of_a_known_answer_too(
    start: Start, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of live typical years without a horizon, live snow is a live answer, and simulated snow is none."""
    provenance = tmy.provenance
    monkeypatch.setattr(tmy, "provenance", lambda *of: {**provenance(*of), "data_origin": "live"})
    store = open_store(str(own))
    for product in ("ens_tmy30", "tmy_stats", "horizon", "snow_history", "snow_outlook"):
        for folder in (own / product,):
            for one in sorted(folder.rglob("*"), reverse=True):
                one.unlink() if one.is_file() else one.rmdir()
    tmy.publish_stats(store)
    tmy.publish_year(store, "ens_tmy30")
    made_up.publish_history(store, data_origin="live")
    made_up.publish_outlook(store, TODAY)
    api = await start(store_folder=own, state_folder=tmp_path / "state", clock=MovableClock(MORNING))
    for path, origin in ((MONTHS, "live"), (DAYS, "simulated")):
        for expected in ("MISS", "HIT"):
            asked = await api.ask(asking(path))
            assert known(asked, path) == expected
            assert asked.headers["X-Data-Origin"] == origin
            assert any("simulated" in told for told in asked.json["warnings"]) == (origin == "simulated")


async def test_a_new_day_has_an_answer_of_its_own(start: Start, snowy: Path, tmp_path: Path) -> None:
    clock = MovableClock(MORNING)
    api = await start(store_folder=snowy, state_folder=tmp_path, clock=clock)
    first = await api.ask(asking(DAYS))
    clock.moment += timedelta(hours=5)
    assert known(await api.ask(asking(DAYS)), DAYS) == "HIT"
    clock.moment += timedelta(hours=18)
    later = await api.ask(asking(DAYS))
    assert known(later, DAYS) == "MISS"
    assert later.headers["ETag"] != first.headers["ETag"]


@BOTH
async def test_who_has_it_makes_nobody_work(start: Start, snowy: Path, tmp_path: Path, path: str) -> None:
    api = await start(store_folder=snowy, state_folder=tmp_path / "one", clock=MovableClock(MORNING))
    tag = (await api.ask(asking(path))).headers["ETag"]
    for file in (tmp_path / "one" / FOLDERS[path]).iterdir():
        file.unlink()
    again = await api.ask(asking(path), headers={"If-None-Match": tag})
    assert again.status == 304
    assert HEADERS[path] not in again.headers
    assert not list((tmp_path / "one" / FOLDERS[path]).iterdir())
