"""`daily=true`: the stitched day, before and after midnight, and what is answered where there is none."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio

from tests.api.conftest import Api, MovableClock, Start
from tests.api.fabricated import HOURS, OSLO_CELL, SCALE, entry, hydrate, series, write_index

CYCLE = datetime(2026, 6, 1, 13, tzinfo=UTC)
OSLO = "/api/forecast?lat=59.91&lon=10.75"
DAILY = f"{OSLO}&daily=true"
WHOLE = np.concatenate([np.arange(100, 113, dtype="<u2"), series()])
DAY = entry(CYCLE, product="day", variables=("ghi",), hours_before=13)
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
    assert (await api.ask(f"{DAILY}&model=v1")).json["data_mode"] == "v23b_daily"


async def test_without_a_day_the_ordinary_series_answers_and_says_so(
    start: Start, clock: MovableClock, tmp_path: Path
) -> None:
    write_index(tmp_path / "bare", FORECAST)
    api = await start(clock=clock, store_folder=tmp_path / "bare")
    for way in ("", "&model=v1"):
        body = (await api.ask(DAILY + way)).json
        assert (body["data_mode"], body["model"]) == ("v23b", "production_v2_3b")
        assert body["ghi_timeseries"][0]["timestamp"] == "2026-06-01T13:00:00Z"


async def test_a_day_that_is_too_old_is_not_served(start: Start, clock: MovableClock, store: Path, state: Path) -> None:
    later = entry(CYCLE + timedelta(hours=12))
    hydrate(state, later)
    write_index(store, FORECAST, later)
    clock.moment = CYCLE + timedelta(hours=12, minutes=1)
    api = await start(clock=clock)
    body = (await api.ask(DAILY)).json
    assert (body["data_mode"], body["cycle_time"]) == ("v23b", "2026-06-02T01:00:00Z")


@pytest.mark.parametrize("night", ["2026-03-29", "2026-10-25"])
async def test_midnight_is_utc_on_both_nights_of_summer_time(
    start: Start, tmp_path: Path, night: str, hydrated: Callable[..., Path]
) -> None:
    cycle = datetime.fromisoformat(f"{night}T01:00:00Z")
    made = entry(cycle, product="day", variables=("ghi",), hours_before=1)
    state = hydrated(made)
    write_index(tmp_path / "night", made, product="day")
    api = await start(clock=MovableClock(cycle), state_folder=state, store_folder=tmp_path / "night")
    stamps = [row["timestamp"] for row in (await api.ask(DAILY)).json["ghi_timeseries"]]
    assert stamps[0] == f"{night}T00:00:00Z"
    moments = [datetime.fromisoformat(stamp) for stamp in stamps]
    assert {b - a for a, b in pairwise(moments)} == {timedelta(hours=1)}


@pytest.fixture
def hydrated(tmp_path: Path) -> Callable[..., Path]:
    def make(made) -> Path:
        hydrate(tmp_path / "night state", made, {OSLO_CELL: np.ones(HOURS + 1, "<u2")})
        return tmp_path / "night state"

    return make
