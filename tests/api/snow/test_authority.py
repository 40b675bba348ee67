"""Cells that are not published: the authority is asked for them, and an answer fails where it and all else does."""

from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from catalog.snow_cells import Fetched, SnowCells
from catalog.snow_products import HISTORY, OUTLOOK, CellProduct
from catalog.sources.http import Deadline
from catalog.sources.nve_gts import Point
from tests.api.conftest import Api, Start
from tests.api.snow.conftest import (
    DAYS,
    MONTHS,
    MORNING,
    TODAY,
    Later,
    asking,
    assert_refused_by_the_authority,
    days,
    months,
)  # fmt: skip
from tests.support import snow as made_up
from tests.support.simulated import Simulated
from tests.support.tmy import OSLO, OSLO_CELL, QUAY
from tiles.grid import NORWAY3KM
from tiles.store import open_store


async def test_a_cell_is_fetched_and_says_so(snowless: Api) -> None:
    answer = await months(snowless)
    assert [month["n_years"] for month in answer["monthly"]] == 8 * [36] + 4 * [35]
    assert max(month["snow_loss_pct_mean"] for month in answer["monthly"]) > 1
    assert any("fetched from the snow authority on demand" in told for told in answer["warnings"])
    assert "on demand, simulated: nve_gts (none: simulated data; SIMULATED by Solflis" in answer["method"]["data"]
    assert "1957-09-01 to 2026-08-31" in answer["method"]["data"]
    cell = answer["inputs"]["cell"]
    assert cell["altitude_m"] is not None
    assert cell["snow_cell_offset_m"] <= 5000


async def test_the_outlook_of_a_cell_is_fetched(snowless: Api) -> None:
    answer = await days(snowless)
    assert [day["date"] for day in answer["days"]] == [str(TODAY + timedelta(i)) for i in range(9)]
    assert all(day["is_forecast"] for day in answer["days"])
    assert (answer["snow_year_start"], answer["issued_utc"]) == ("2026-09-01", "2026-12-10T06:00:00Z")
    assert (answer["spinup_days"], answer["forecast_days_available"]) == (100, 9)


@pytest.mark.parametrize("path", [MONTHS, DAYS])
async def test_a_cell_that_is_kept_answers_without_the_authority(
    start: Start, snowless: Api, bare: Path, authority: Simulated, tmp_path: Path, path: str
) -> None:
    first = await snowless.ask(asking(path))
    assert first.status == 200, first.text
    authority.misbehave(mode="error", status=503)
    other = await start(
        store_folder=bare, state_folder=tmp_path / "state", clock=authority.clock, nve_gts_url=authority.url
    )
    cache = "X-Snowsoil-Cache" if path == MONTHS else "X-Snow-Outlook-Cache"
    steeper = await other.ask(asking(path, angle=50))
    assert (steeper.status, steeper.headers[cache]) == (200, "MISS")
    same = await other.ask(asking(path))
    assert (same.text, same.headers["ETag"], same.headers[cache]) == (first.text, first.headers["ETag"], "HIT")
    assert_refused_by_the_authority(await other.ask(asking(path, QUAY)))


SLOW = pytest.mark.slow
FAULTS = [
    pytest.param({"mode": "error", "status": 500}, id="error"),
    pytest.param({"mode": "error_body", "status": 200}, id="error in a body"),
    pytest.param({"mode": "error", "status": 429, "retry_after": 240}, id="throttled", marks=SLOW),
    pytest.param({"mode": "garbage"}, id="garbage", marks=SLOW),
    pytest.param({"mode": "reset"}, id="reset", marks=SLOW),
]


@pytest.mark.parametrize("fault", FAULTS)
async def test_the_authority_fails(snowless: Api, authority: Simulated, later: Later, fault: dict[str, Any]) -> None:
    authority.misbehave(**fault)
    for path in (MONTHS, DAYS):
        assert_refused_by_the_authority(await snowless.ask(asking(path)))
        later.by(3600)
    authority.behave()
    assert (await snowless.ask(asking(MONTHS))).status == 200


@pytest.mark.parametrize("path", [MONTHS, DAYS])
async def test_nobody_listens_where_the_authority_was(api: Api, path: str) -> None:
    refused = await api.ask(asking(path, QUAY))
    assert_refused_by_the_authority(refused)
    assert "127.0.0.1" not in refused.text


async def test_a_cell_answers_alike_published_and_fetched(
    start: Start, snowless: Api, own_bare: Path, authority: Simulated, tmp_path: Path
) -> None:
    folder = tmp_path / "state" / "readthrough" / "snow"
    cells = SnowCells(authority.url, "test", folder, authority.clock, (HISTORY, OUTLOOK))
    fetched = await months(snowless), await days(snowless)
    centre = NORWAY3KM.middle(OSLO_CELL)
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
    snowless: Api, authority: Simulated
) -> None:
    api = snowless
    first = await days(api)
    authority.clock.moment += timedelta(days=1)
    second = await days(api)
    assert second["issued_utc"] == "2026-12-11T06:00:00Z"
    assert second["days"][0]["date"] == first["days"][1]["date"]
    authority.misbehave(mode="error", status=503)
    authority.clock.moment += timedelta(days=1)
    third = await days(api)
    assert third["issued_utc"] == second["issued_utc"]
    assert third["days"][0]["date"] == second["days"][1]["date"]
    assert third["forecast_days_available"] == 8


async def test_where_there_are_no_snow_cells_nobody_is_spared(snowless: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    fetch = SnowCells.fetch

    def none_in_oslo(cells: SnowCells, of: CellProduct, points: list[Point], deadline: Deadline) -> Fetched:
        none = points == [NORWAY3KM.middle(OSLO_CELL)]
        return Fetched(dict.fromkeys(points), None) if none else fetch(cells, of, points, deadline)

    monkeypatch.setattr(SnowCells, "fetch", none_in_oslo)
    for path in (MONTHS, DAYS):
        asked = await snowless.ask(asking(path))
        assert (asked.status, asked.json["code"]) == (502, "NO_LAND")
        assert "ingen celle med snødata innen 5 km" in asked.json["error"]
        assert (await snowless.ask(asking(path, QUAY))).status == 200


async def test_from_1_september_on_the_old_history_answers_where_the_new_cannot_be_fetched(
    snowless: Api, authority: Simulated, later: Later
) -> None:
    authority.clock.moment = datetime(2026, 8, 30, 12, tzinfo=MORNING.tzinfo)
    before = await snowless.ask(asking(MONTHS))
    authority.misbehave(mode="error", status=503)
    authority.clock.moment += timedelta(days=2)
    old = await snowless.ask(asking(MONTHS))
    plant = await snowless.ask(f"/api/pv/calc?lat={OSLO[0]}&lon={OSLO[1]}&snowloss=1")
    for asked in (old, plant):
        assert asked.status == 200, asked.text
        assert "The snow series ends on 2025-08-31: newer years cannot be fetched now." in asked.json["warnings"]
    assert old.json["monthly"] == before.json["monthly"]
    assert not any("newer years" in told for told in before.json["warnings"])
    assert old.headers["ETag"] != before.headers["ETag"]
    assert_refused_by_the_authority(await snowless.ask(asking(MONTHS, QUAY)))
    authority.behave()
    later.by(301)
    new = await months(snowless)
    assert "1957-09-01 to 2026-08-31" in new["method"]["data"]
    assert not any("newer years" in told for told in new["warnings"])
