"""An authority that fails is left alone, and what is kept answers meanwhile, though it be old."""

import asyncio
import threading
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from api.snow.series import centre_of
from catalog.snow_cells import Fetched, SnowCells
from catalog.snow_products import CellProduct
from catalog.sources.http import Deadline
from catalog.sources.nve_gts import Point
from tests.api.conftest import Api, Start
from tests.api.snow.conftest import DAYS, MONTHS, MORNING, Authority, Later, asking, days, months
from tests.api.snow.test_days import assert_refused_by_the_authority
from tests.support.tmy import OSLO, OSLO_CELL, QUAY


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


async def test_from_1_september_on_the_old_history_answers_where_the_new_cannot_be_fetched(
    api: Api, authority: Authority, later: Later
) -> None:
    authority.clock.moment = datetime(2026, 8, 30, 12, tzinfo=MORNING.tzinfo)
    before = await api.ask(asking(MONTHS))
    authority.misbehave(mode="error", status=503)
    authority.clock.moment += timedelta(days=2)
    old = await api.ask(asking(MONTHS))
    plant = await api.ask(f"/api/pv/calc?lat={OSLO[0]}&lon={OSLO[1]}&snowloss=1")
    for asked in (old, plant):
        assert asked.status == 200, asked.text
        assert "The snow series ends on 2025-08-31: newer years cannot be fetched now." in asked.json["warnings"]
    assert old.json["monthly"] == before.json["monthly"]
    assert not any("newer years" in told for told in before.json["warnings"])
    assert old.headers["ETag"] != before.headers["ETag"]
    assert_refused_by_the_authority(await api.ask(asking(MONTHS, QUAY)))
    authority.behave()
    later.by(301)
    new = await months(api)
    assert "1957-09-01 to 2026-08-31" in new["method"]["data"]
    assert not any("newer years" in told for told in new["warnings"])


async def test_the_newest_year_is_asked_for_at_07_utc(api: Api, authority: Authority) -> None:
    authority.clock.moment = datetime(2026, 9, 1, 0, 30, tzinfo=MORNING.tzinfo)
    assert "to 2025-08-31" in (await months(api))["method"]["data"]
    authority.clock.moment = datetime(2026, 9, 1, 7, tzinfo=MORNING.tzinfo)
    assert "to 2026-08-31" in (await months(api))["method"]["data"]


@pytest.mark.parametrize(
    ("fault", "first", "rest"),
    [
        ({"mode": "error", "status": 429, "retry_after": 240}, 240, 240),
        ({"mode": "error", "status": 429, "retry_after": 9000}, 3600, 3600),
        ({"mode": "error", "status": 500}, 60, 15),
    ],
)
async def test_an_authority_that_fails_is_left_alone(
    api: Api, authority: Authority, later: Later, fault: dict[str, Any], first: int, rest: int
) -> None:
    await days(api)
    authority.misbehave(**fault)
    failed = await api.ask(asking(DAYS, QUAY))
    assert_refused_by_the_authority(failed)
    assert int(failed.headers["Retry-After"]) == first
    authority.behave()
    assert (await days(api, angle=50))["warnings"], "what is kept waits for nothing"
    for path in (MONTHS, DAYS):
        spared = await api.ask(asking(path, QUAY))
        assert_refused_by_the_authority(spared)
        assert rest - 10 < int(spared.headers["Retry-After"]) <= rest
    later.by(rest)
    assert (await days(api, QUAY))["forecast_days_available"] == 9


async def test_while_it_is_left_alone_an_old_outlook_answers(api: Api, authority: Authority) -> None:
    await days(api)
    authority.clock.moment += timedelta(days=1)
    authority.misbehave(mode="error", status=500)
    assert_refused_by_the_authority(await api.ask(asking(DAYS, QUAY)))
    authority.behave()
    assert (await days(api))["issued_utc"] == "2026-12-10T06:00:00Z"


async def test_who_has_an_older_outlook_spares_an_authority_that_failed_for_five_minutes(
    api: Api, authority: Authority, later: Later
) -> None:
    await days(api)
    authority.clock.moment += timedelta(days=1)
    authority.misbehave(mode="error", status=500)
    assert (await days(api))["issued_utc"] == "2026-12-10T06:00:00Z"
    authority.behave()
    later.by(290)
    assert (await days(api, QUAY))["issued_utc"] == "2026-12-11T06:00:00Z", "who has nothing asks after 15 s"
    assert (await days(api, angle=50))["issued_utc"] == "2026-12-10T06:00:00Z"
    later.by(11)
    assert (await days(api, angle=60))["issued_utc"] == "2026-12-11T06:00:00Z"


async def test_that_there_is_no_cell_has_nobody_spare_the_authority(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    fetch = SnowCells.fetch

    def none_in_oslo(cells: SnowCells, of: CellProduct, points: list[Point], deadline: Deadline) -> Fetched:
        none = points == [centre_of(OSLO_CELL)]
        return Fetched(dict.fromkeys(points), None) if none else fetch(cells, of, points, deadline)

    monkeypatch.setattr(SnowCells, "fetch", none_in_oslo)
    assert (await api.ask(asking(DAYS))).status == 502
    assert (await api.ask(asking(DAYS, QUAY))).status == 200


async def test_two_at_most_are_asking(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    asking_now, most, counting = 0, 0, threading.Lock()

    def slow(_: SnowCells, __: object, points: list[Point], ___: object) -> Fetched:
        nonlocal asking_now, most
        with counting:
            asking_now += 1
            most = max(most, asking_now)
        time.sleep(0.2)
        with counting:
            asking_now -= 1
        return Fetched(dict.fromkeys(points), None)

    monkeypatch.setattr(SnowCells, "fetch", slow)
    await asyncio.gather(*(api.ask(asking(DAYS, angle=angle)) for angle in range(5)))
    assert most == 2


async def test_an_outlook_that_ends_before_the_day_that_runs_is_none(api: Api, authority: Authority) -> None:
    await days(api)
    authority.misbehave(mode="error", status=503)
    authority.clock.moment = datetime(2026, 12, 19, 5, 59, tzinfo=MORNING.tzinfo)
    assert (await days(api))["forecast_days_available"] == 1
    authority.clock.moment += timedelta(minutes=1)
    asked = await api.ask(asking(DAYS))
    assert asked.status == 502
    assert "ingen verdier" in asked.json["error"]
