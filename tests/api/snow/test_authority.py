"""Cells that are not published: the authority is asked for them, and an answer fails where it and all else does."""

import asyncio
import time
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from api.snow.series import centre_of
from catalog.snow_cells import Fetched, SnowCells
from catalog.snow_products import HISTORY, OUTLOOK
from catalog.sources.nve_gts import Point
from tests.api.conftest import NOBODY, Api, MovableClock, Start
from tests.api.snow.conftest import DAYS, MONTHS, MORNING, TODAY, Authority, Later, asking, days, months
from tests.api.snow.test_days import assert_refused_by_the_authority
from tests.support import snow as made_up
from tests.support.tmy import OSLO, OSLO_CELL, QUAY, TROMSO
from tiles.store import open_store

OF_A_CELL = "/nve_gts/api/MultiPointTimeSeries/*"


@pytest_asyncio.fixture
async def api(start: Start, bare: Path, authority: Authority, tmp_path: Path) -> Api:
    """An application without any snow of its own."""
    return await start(
        store_folder=bare, state_folder=tmp_path / "state", clock=authority.clock, nve_gts_url=authority.url
    )


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail soon where nothing comes; a busy machine has time for its first simulated winters."""
    monkeypatch.setattr("api.upstream.WITHIN_S", 28.0)
    monkeypatch.setattr("catalog.sources.http.FIRST_WAIT_S", 0.01)


async def test_a_cell_is_fetched_and_says_so(api: Api) -> None:
    answer = await months(api)
    assert [month["n_years"] for month in answer["monthly"]] == 8 * [36] + 4 * [35]
    assert max(month["snow_loss_pct_mean"] for month in answer["monthly"]) > 1
    assert any("fetched from the snow authority on demand" in told for told in answer["warnings"])
    assert "on demand, simulated: nve_gts (none: simulated data; SIMULATED by Solflis" in answer["method"]["data"]
    assert "1957-09-01 to 2026-08-31" in answer["method"]["data"]
    cell = answer["inputs"]["cell"]
    assert cell["altitude_m"] is not None
    assert cell["snow_cell_offset_m"] <= 5000


async def test_the_outlook_of_a_cell_is_fetched(api: Api) -> None:
    answer = await days(api)
    dates = [str(TODAY + timedelta(i)) for i in range(-1, 9)]
    assert [day["date"] for day in answer["days"]] == dates
    assert [day["is_forecast"] for day in answer["days"]] == [False] + [True] * 9
    assert (answer["snow_year_start"], answer["issued_utc"]) == ("2026-09-01", "2026-12-10T06:00:00Z")
    assert (answer["spinup_days"], answer["forecast_days_available"]) == (99, 9)


@pytest.mark.parametrize("path", [MONTHS, DAYS])
async def test_a_cell_that_is_kept_answers_without_the_authority(
    start: Start, api: Api, bare: Path, authority: Authority, tmp_path: Path, path: str
) -> None:
    first = await api.ask(asking(path))
    assert first.status == 200, first.text
    authority.misbehave(mode="error", status=503)
    other = await start(
        store_folder=bare, state_folder=tmp_path / "state", clock=authority.clock, nve_gts_url=authority.url
    )
    steeper = await other.ask(asking(path, angle=50))
    assert steeper.status == 200, steeper.text
    assert steeper.headers["X-Snowsoil-Cache" if path == MONTHS else "X-Snow-Outlook-Cache"] == "MISS"
    same = await other.ask(asking(path))
    assert (same.text, same.headers["ETag"]) == (first.text, first.headers["ETag"])
    assert_refused_by_the_authority(await other.ask(asking(path, QUAY)))


@pytest.mark.parametrize("path", [MONTHS, DAYS])
async def test_a_cell_that_is_kept_waits_for_no_authority_that_hangs(
    start: Start, api: Api, bare: Path, authority: Authority, tmp_path: Path, path: str
) -> None:
    first = await api.ask(asking(path))
    authority.misbehave(mode="slow", seconds=4)
    other = await start(
        store_folder=bare, state_folder=tmp_path / "state", clock=authority.clock, nve_gts_url=authority.url
    )
    tromso = [asyncio.create_task(other.ask(asking(path, TROMSO, angle=i))) for i in range(10)]
    begun = time.monotonic()
    assert (await other.ask(asking(path))).text == first.text
    assert (await other.ask(asking(path, angle=50))).status == 200
    assert time.monotonic() - begun < 3.5
    assert not any(task.done() for task in tromso)
    for task in tromso:
        task.cancel()
    await asyncio.gather(*tromso, return_exceptions=True)


FAULTS = [
    {"mode": "error", "status": 500},
    {"mode": "error", "status": 429, "retry_after": 240},
    {"mode": "error_body", "status": 200},
    {"mode": "error_body", "status": 400},
    {"mode": "error_body", "status": 500},
    {"mode": "garbage"},
    {"mode": "empty"},
    {"mode": "reset"},
    {"mode": "slow", "seconds": 30},
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: "-".join(map(str, fault.values())))
async def test_the_authority_fails(
    api: Api, authority: Authority, later: Later, monkeypatch: pytest.MonkeyPatch, fault: dict[str, Any]
) -> None:
    if fault["mode"] == "slow":
        monkeypatch.setattr("api.upstream.WITHIN_S", 0.5)
    authority.misbehave(**fault)
    for path in (MONTHS, DAYS):
        assert_refused_by_the_authority(await api.ask(asking(path)))
        later.by(3600)
    authority.behave()
    monkeypatch.setattr("api.upstream.WITHIN_S", 28.0)
    asked = await api.ask(asking(MONTHS))
    deadline = time.monotonic() + 30
    # Who hung is noted as failing only when it is given up, which may be after the answer.
    while fault["mode"] == "slow" and asked.status == 502 and time.monotonic() < deadline:
        later.by(3600)
        asked = await api.ask(asking(MONTHS))
    assert asked.status == 200


@pytest.mark.parametrize("path", [MONTHS, DAYS])
async def test_nobody_listens(start: Start, bare: Path, tmp_path: Path, path: str) -> None:
    api = await start(store_folder=bare, state_folder=tmp_path, clock=MovableClock(MORNING), nve_gts_url=NOBODY)
    asked = await api.ask(asking(path))
    assert_refused_by_the_authority(asked)
    assert "127.0.0.1" not in asked.text
    told = (await api.ask("/openapi.json")).json["paths"][path]["get"]["responses"]["502"]
    examples = told["content"]["application/json"]["examples"].values()
    assert asked.json["error"] in [example["value"]["error"] for example in examples]


async def test_all_missing(api: Api, authority: Authority, later: Later) -> None:
    authority.misbehave(mode="missing")
    for path in (MONTHS, DAYS):
        asked = await api.ask(asking(path))
        assert asked.status == 502
        assert asked.headers["Retry-After"] == "60"
        assert "NVE" in asked.json["error"]
        later.by(15)
    authority.behave()
    assert (await api.ask(asking(MONTHS))).status == 200, "a fault of the moment is no lack of cells"


async def test_centimetres_are_the_same_answer(
    start: Start, api: Api, bare: Path, authority: Authority, tmp_path: Path
) -> None:
    in_mm = await months(api)
    authority.misbehave(OF_A_CELL, mode="centimetres")
    other = await start(
        store_folder=bare,
        state_folder=tmp_path / "another",
        clock=authority.clock,
        nve_gts_url=authority.url,
        database=f"sqlite:///{tmp_path / 'another.sqlite'}",
    )
    in_cm = await months(other)
    for one, two in zip(in_mm["monthly"], in_cm["monthly"], strict=True):
        assert one["snow_loss_pct_mean"] == pytest.approx(two["snow_loss_pct_mean"], abs=1.0)


async def test_a_series_that_ends_early(api: Api, authority: Authority) -> None:
    await days(api)  # which cell it is, is known from then on
    authority.misbehave(OF_A_CELL, mode="short")
    answer = await months(api)
    assert [month["n_years"] for month in answer["monthly"]] == 7 * [36] + [35] * 5


async def test_what_is_published_needs_no_authority(start: Start, snowy: Path, tmp_path: Path) -> None:
    api = await start(store_folder=snowy, state_folder=tmp_path, clock=MovableClock(MORNING), nve_gts_url=NOBODY)
    for path in (MONTHS, DAYS):
        assert (await api.ask(asking(path))).status == 200
        assert_refused_by_the_authority(await api.ask(asking(path, QUAY)))


async def test_a_cell_that_the_version_does_not_hold_is_fetched(
    start: Start, own_bare: Path, authority: Authority, tmp_path: Path
) -> None:
    store = open_store(str(own_bare))
    made_up.publish_history(store, cells=[OSLO_CELL])
    made_up.publish_outlook(store, TODAY, cells=[OSLO_CELL])
    api = await start(
        store_folder=own_bare, state_folder=tmp_path / "state", clock=authority.clock, nve_gts_url=authority.url
    )
    for ask in (months, days):
        fetched, published = await ask(api, QUAY), await ask(api, OSLO)
        assert any("on demand" in told for told in fetched["warnings"])
        assert not any("on demand" in told for told in published["warnings"])


async def test_a_cell_answers_alike_published_and_fetched(
    start: Start, api: Api, own_bare: Path, authority: Authority, tmp_path: Path
) -> None:
    folder = tmp_path / "state" / "readthrough" / "snow"
    cells = SnowCells(authority.url, "test", folder, authority.clock, (HISTORY, OUTLOOK))
    fetched = await months(api), await days(api)
    centre = centre_of(OSLO_CELL)
    history, season = (cells.kept(of, [centre])[centre] for of in (HISTORY, OUTLOOK))

    def of(numbers: made_up.Days, _: tuple[int, int]) -> made_up.Values:
        cell = history if numbers.size > 1000 else season
        assert cell is not None
        assert (cell.first, cell.values["swe"].size) == (numbers[0], numbers.size)
        return {name: cell.values[name] for name in made_up.SERIES}

    store = open_store(str(own_bare))
    made_up.publish_history(store, "1957-2026", of, [OSLO_CELL], last=date(2026, 8, 31))
    made_up.publish_outlook(store, TODAY, of, [OSLO_CELL])
    other = await start(store_folder=own_bare, state_folder=tmp_path / "state", clock=authority.clock)
    published = await months(other), await days(other)
    assert "published as snow_history" in published[0]["method"]["data"]
    for one, two in zip(fetched[0]["monthly"], published[0]["monthly"], strict=True):
        assert one == two
    assert fetched[1]["days"] == published[1]["days"]
    for name in ("issued_utc", "snow_year_start", "spinup_days", "forecast_days_available", "lat", "lon", "cell_id"):
        assert fetched[1][name] == published[1][name]


async def test_the_next_day_it_is_asked_anew_and_an_old_outlook_is_better_than_none(
    api: Api, authority: Authority
) -> None:
    first = await days(api)
    authority.clock.moment += timedelta(days=1)
    second = await days(api)
    assert second["issued_utc"] == "2026-12-11T06:00:00Z"
    assert second["days"][0]["date"] == first["days"][1]["date"]
    authority.misbehave(mode="error", status=503)
    authority.clock.moment += timedelta(days=1)
    third = await days(api)
    assert third["issued_utc"] == second["issued_utc"]
    assert [day["date"] for day in third["days"]] == [day["date"] for day in second["days"]]
    assert third["forecast_days_available"] == 8
    authority.clock.moment = datetime(2026, 12, 13, tzinfo=MORNING.tzinfo)
    fourth = await days(api)
    assert any("after 2026-12-10 is an old forecast" in told for told in fourth["warnings"])


async def test_the_sea_has_no_snow_cells(
    start: Start, bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    def none(_: SnowCells, __: object, points: list[Point], ___: object) -> Fetched:
        return Fetched(dict.fromkeys(points), None)

    monkeypatch.setattr(SnowCells, "fetch", none)
    api = await start(store_folder=bare, state_folder=tmp_path, clock=MovableClock(MORNING))
    for path in (MONTHS, DAYS):
        asked = await api.ask(asking(path))
        assert asked.status == 502
        assert "ingen celle med snødata innen 5 km" in asked.json["error"]
