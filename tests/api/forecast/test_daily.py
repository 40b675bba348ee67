"""`daily=true`: the stitched day, before and after midnight, and what is answered where there is none."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio

from tests.api.conftest import Api, MovableClock, Start
from tests.api.fabricated import HOURS, OSLO_CELL, SCALE, entry, hydrate, series, write_index
from tests.api.forecast.test_bulk import bulk, system

CYCLE = datetime(2026, 6, 1, 13, tzinfo=UTC)
OSLO = "/api/forecast?lat=59.91&lon=10.75"
DAILY = f"{OSLO}&daily=true"
WHOLE = np.concatenate([np.arange(100, 113, dtype="<u2"), series()])
DAY = entry(CYCLE, product="day", variables=("ghi", "temp_air"), hours_before=13)
FORECAST = entry(CYCLE)


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("state")
    hydrate(folder, FORECAST)
    hydrate(folder, DAY, {OSLO_CELL: WHOLE})
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Path:
    write_index(tmp_path / "tiles", FORECAST)
    write_index(tmp_path / "tiles", DAY, product="day")
    return tmp_path / "tiles"


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock(CYCLE + timedelta(minutes=40))


@pytest_asyncio.fixture
async def api(start: Start, clock: MovableClock) -> Api:
    return await start(clock=clock)


async def test_the_series_starts_at_midnight_and_says_so(api: Api) -> None:
    body = (await api.ask(DAILY)).json
    rows = body["ghi_timeseries"]
    assert (body["data_mode"], body["model"]) == ("v23b_daily", "production_v2_3b")
    assert body["cycle_time"] == "2026-06-01T13:00:00Z"
    assert len(rows) == 13 + HOURS
    assert [row["hour"] for row in rows] == list(range(len(rows)))
    assert (rows[0]["timestamp"], rows[13]["timestamp"]) == ("2026-06-01T00:00:00Z", "2026-06-01T13:00:00Z")
    assert [row["ghi_wm2"] for row in rows] == np.round(WHOLE * SCALE, 1).tolist()
    assert body["daily_ghi_kwh_m2"] == pytest.approx(WHOLE.sum() * SCALE / 1000, abs=5e-4)


async def test_after_midnight_the_day_comes_from_the_evening_before(api: Api, clock: MovableClock) -> None:
    clock.moment = datetime(2026, 6, 2, 0, 20, tzinfo=UTC)
    body = (await api.ask(DAILY)).json
    rows = body["ghi_timeseries"]
    assert body["data_mode"] == "v23b_daily"
    assert (rows[0]["hour"], rows[0]["timestamp"]) == (0, "2026-06-02T00:00:00Z")
    assert [row["ghi_wm2"] for row in rows] == np.round(WHOLE[24:] * SCALE, 1).tolist()
    assert body["peak_ghi_wm2"] == round(WHOLE[24:].max() * SCALE, 1)


async def test_the_etag_changes_at_midnight(api: Api, clock: MovableClock) -> None:
    before = (await api.ask(DAILY)).headers["ETag"]
    assert before != (await api.ask(OSLO)).headers["ETag"]
    clock.moment = datetime(2026, 6, 2, tzinfo=UTC)
    again = await api.ask(DAILY, headers={"If-None-Match": before})
    assert again.status == 200
    assert (await api.ask(DAILY, headers={"If-None-Match": again.headers["ETag"]})).status == 304


async def test_the_day_is_of_v23b_whatever_the_model(api: Api) -> None:
    body = (await api.ask(f"{DAILY}&model=v1")).json
    assert body["data_mode"] == "v23b_daily"
    assert body["warnings"] == ["The choice of v1 was ignored: v23b_daily answers."]


async def test_without_a_day_the_ordinary_series_answers_and_says_so(
    start: Start, clock: MovableClock, tmp_path: Path
) -> None:
    write_index(tmp_path / "bare", FORECAST)
    api = await start(clock=clock, store_folder=tmp_path / "bare")
    body = (await api.ask(f"{DAILY}&model=v1")).json
    assert (body["data_mode"], body["model"]) == ("v23b", "production_v2_3b")
    assert body["warnings"] == ["The choice of v1 was ignored: v23b answers."]
    assert body["ghi_timeseries"][0]["timestamp"] == "2026-06-01T13:00:00Z"


async def test_a_day_that_is_too_old_is_not_served(start: Start, clock: MovableClock, store: Path, state: Path) -> None:
    later = entry(CYCLE + timedelta(hours=12))
    hydrate(state, later)
    write_index(store, FORECAST, later)
    clock.moment = CYCLE + timedelta(hours=12, minutes=1)
    api = await start(clock=clock)
    body = (await api.ask(DAILY)).json
    assert (body["data_mode"], body["cycle_time"]) == ("v23b", "2026-06-02T01:00:00Z")


async def test_bulk_keeps_the_days_apart(api: Api, clock: MovableClock) -> None:
    clock.moment = datetime(2026, 6, 1, 23, 59, tzinfo=UTC)
    before = await bulk(api, system("a"), daily=True)
    clock.moment += timedelta(minutes=1)
    after = [await bulk(api, system("a"), daily=True) for _ in range(2)]
    assert [asked.json["data_mode"] for asked in (before, *after)] == ["v23b_daily"] * 3
    assert [asked.headers["X-Service-Cache"] for asked in (before, *after)] == ["MISS", "MISS", "HIT"]
    starts = [asked.json["results"]["a"]["pv_timeseries"][0]["timestamp"] for asked in (before, *after[:1])]
    assert starts == ["2026-06-01T00:00:00Z", "2026-06-02T00:00:00Z"]
