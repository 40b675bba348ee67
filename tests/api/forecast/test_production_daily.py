"""Production from midnight on: `daily` in bodies."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from tests.api.conftest import Api, Asked, MovableClock, Start
from tests.api.fabricated import HOURS, OSLO_CELL, SCALE, entry, hydrate, series, write_index
from tests.api.forecast.conftest import PLANT
from tests.api.forecast.test_bulk import bulk, system

CYCLE = datetime(2026, 6, 1, 13, tzinfo=UTC)
# By the hour of the day: the cycle's own series begins at 13 UTC.
WHOLE = np.resize(series(6000), 13 + HOURS)
NAMES = ("ghi", "temp_air")
DAY = entry(CYCLE, product="day", variables=NAMES, hours_before=13)
FORECAST = entry(CYCLE, variables=NAMES)


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state folder with a cycle and its day."""
    folder = tmp_path_factory.mktemp("days")
    hydrate(folder, FORECAST, {OSLO_CELL: WHOLE[13:]})
    hydrate(folder, DAY, {OSLO_CELL: WHOLE})
    return folder


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """A store in which both are published."""
    write_index(tmp_path / "own", FORECAST)
    write_index(tmp_path / "own", DAY, product="day")
    return tmp_path / "own"


async def ask(api: Api, **more: object) -> Asked:
    """Ask for the usual plant's day."""
    return await api.ask("/api/forecast", "POST", json={**PLANT, "daily": True, **more})


async def test_sums_begin_at_midnight_before_and_after_it(start: Start, days: Path, published: Path) -> None:
    clock = MovableClock(CYCLE + timedelta(minutes=40))
    api = await start(clock=clock, state_folder=days, store_folder=published)
    plain = (await ask(api, daily=False)).json
    sums = []
    for moment, skipped in ((clock.moment, 0), (datetime(2026, 6, 2, 0, 20, tzinfo=UTC), 24)):
        clock.moment = moment
        body = (await ask(api)).json
        rows = body["pv_timeseries"]
        assert body["data_mode"] == "v23b_daily"
        assert rows[0]["hour"] == 0
        assert rows[0]["timestamp"] == f"{moment:%Y-%m-%d}T00:00:00Z"
        assert [row["ghi_wm2"] for row in rows] == np.round(WHOLE[skipped:] * SCALE, 1).tolist()
        by_time = {row["timestamp"]: row["total_W"] for row in rows}
        both = [row for row in plain["pv_timeseries"] if row["timestamp"] in by_time]
        assert len(both) >= 55
        # The same hour is the same sun: the row an hour is in says nothing.
        assert len([row for row in both if row["total_W"] > 500]) > 20
        for row in both:
            assert by_time[row["timestamp"]] == pytest.approx(row["total_W"], rel=0.05, abs=1)
        sums.append(body["pv_system"]["total_production_kwh"])
        assert sums[-1] == round(sum(row["total_kWh"] for row in rows), 4)
    assert sums[0] > sums[1] + 10


async def test_bulk_keeps_the_days_apart(start: Start, days: Path, published: Path) -> None:
    clock = MovableClock(datetime(2026, 6, 1, 23, 59, tzinfo=UTC))
    api = await start(clock=clock, state_folder=days, store_folder=published)
    before = await bulk(api, system("a"), daily=True)
    clock.moment += timedelta(minutes=1)
    after = await bulk(api, system("a"), daily=True)
    assert [asked.json["data_mode"] for asked in (before, after)] == ["v23b_daily"] * 2
    assert [asked.headers["X-Service-Cache"] for asked in (before, after)] == ["MISS"] * 2
    starts = [asked.json["results"]["a"]["pv_timeseries"][0]["timestamp"] for asked in (before, after)]
    assert starts == ["2026-06-01T00:00:00Z", "2026-06-02T00:00:00Z"]
    assert (await bulk(api, system("a"), daily=True)).headers["X-Service-Cache"] == "HIT"


async def test_where_there_is_no_day_the_mode_says_so(start: Start, days: Path, published: Path) -> None:
    (published / "day" / "index.json").unlink()
    api = await start(clock=MovableClock(CYCLE + timedelta(minutes=40)), state_folder=days, store_folder=published)
    assert (await ask(api)).json["data_mode"] == "v23b"
    assert (await bulk(api, system("a"), daily=True)).json["data_mode"] == "v23b"
