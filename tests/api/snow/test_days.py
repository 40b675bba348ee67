"""`GET /api/snow/outlook`: which days it lists, what it says of them, and in short."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kernels.snow.cover import SnowWeather, cover
from kernels.snow.panel import Panel
from tests.api.conftest import Api, MovableClock, Start
from tests.api.snow.conftest import DAYS, MORNING, TODAY, asking, days
from tests.api.snow.test_months import QUANTITIES, light_in_oslo, stored
from tests.support import snow as made_up
from tests.support.tmy import OSLO, OSLO_CELL, TROMSO
from tiles.grid import NORWAY3KM, Cell
from tiles.store import open_store

SEASON = made_up.days_of(date(2026, 9, 1), TODAY + timedelta(8))


@pytest.mark.parametrize(
    ("asked", "panel", "azimuth"),
    [
        ({}, Panel(30.0), 180.0),
        ({"angle": 20, "aspect": 90, "mounting": "flat", "height_mm": 100, "lossmode": "strings"},
         Panel(20.0, "flat", 100.0, 3, "strings"), 270.0),
        ({"mounting": "rack", "burial_mm": 250}, Panel(30.0, "rack", burial_mm=250.0), 180.0),
    ],
)  # fmt: skip
async def test_what_it_says_is_what_the_kernels_say_of_the_tile(
    api: Api, asked: dict[str, object], panel: Panel, azimuth: float
) -> None:
    answer = await days(api, **asked)
    values = made_up.weather(SEASON, OSLO_CELL)
    weather = SnowWeather(**{name: stored("snow_outlook", name, values[name]) for name in QUANTITIES})
    expected = cover(SEASON, weather, light_in_oslo(panel.tilt, azimuth), panel, NORWAY3KM.centre(OSLO_CELL)[1])
    told = {name: np.array([day[name] for day in answer["days"]]) for name in answer["days"][0]}
    np.testing.assert_allclose(told["coverage"], expected.coverage[-10:], atol=0.0006)
    np.testing.assert_allclose(told["loss_pct"], 100 * expected.loss[-10:], atol=0.06)
    for name, of in (("snow_depth_mm", "snow_depth"), ("new_snow_mm", "new_snow"), ("temp_c", "temp_air")):
        np.testing.assert_allclose(told[name].astype(float), values[of][-10:], atol=0.051)
    assert 0 < told["coverage"].max() <= 1


async def test_ten_days_on_a_fresh_morning(api: Api) -> None:
    answer = await days(api)
    dates = [str(TODAY + timedelta(i)) for i in range(-1, 9)]
    assert [day["date"] for day in answer["days"]] == dates
    assert [day["is_forecast"] for day in answer["days"]] == [False] + [True] * 9
    assert not any(day["data_missing"] for day in answer["days"])
    assert answer["forecast_days_available"] == 9
    assert (answer["snow_year_start"], answer["spinup_days"]) == ("2026-09-01", 99)
    assert answer["issued_utc"] == "2026-12-10T06:00:00Z"
    assert answer["cell_id"] == "N3-066-112"
    assert (answer["lat"], answer["lon"]) == tuple(round(x, 5) for x in NORWAY3KM.centre(OSLO_CELL))
    assert answer["elevation_m"] == 112.0
    assert answer["query"]["lat"], answer["query"]["lon"] == OSLO
    assert answer["query"]["cell_distance_km"] < 3
    assert answer["system"] == {
        "angle_deg": 30.0,
        "aspect_deg": 0.0,
        "mounting": "roof",
        "height_mm": 300.0,
        "burial_mm": None,
        "loss_mode": "linear",
    }
    assert answer["method"]["horizon"].startswith("applied: horizon 2026-05-01T00")
    assert "06 UTC of that date" in answer["method"]["data"]


@pytest.mark.parametrize("count", [1, 3, 9])
async def test_fewer_days_begin_with_the_one_that_runs(api: Api, count: int) -> None:
    answer = await days(api, days=count)
    assert [day["date"] for day in answer["days"]] == [str(TODAY + timedelta(i)) for i in range(count)]
    assert answer["spinup_days"] == 100
    assert answer["forecast_days_available"] == 9
    assert answer["days"] == (await days(api))["days"][1 : count + 1]


async def test_headers(api: Api) -> None:
    asked = await api.ask(asking(DAYS, aspect=1))
    assert asked.headers["Cache-Control"] == "public, max-age=3600"
    assert asked.headers["X-Snow-Outlook-Cache"] == "MISS"
    assert asked.headers["X-Tmy-Cell"] == "N3-066-112"
    assert asked.headers["X-Data-Origin"] == "simulated"
    again = await api.ask(asking(DAYS, aspect=1), headers={"If-None-Match": asked.headers["ETag"]})
    assert (again.status, again.text) == (304, "")


async def test_a_day_begins_at_06_utc(start: Start, snowy: Path, tmp_path: Path) -> None:
    clock = MovableClock(datetime(2026, 12, 11, 5, 59, tzinfo=UTC))
    api = await start(store_folder=snowy, state_folder=tmp_path, clock=clock)
    before = await api.ask(asking(DAYS, days=2))
    assert [day["date"] for day in before.json["days"]] == ["2026-12-10", "2026-12-11"]
    assert before.json["forecast_days_available"] == 9
    clock.moment += timedelta(minutes=1)
    after = await api.ask(asking(DAYS, days=2))
    assert [day["date"] for day in after.json["days"]] == ["2026-12-11", "2026-12-12"]
    assert after.json["forecast_days_available"] == 8
    assert after.headers["X-Snow-Outlook-Cache"] == "MISS"
    assert after.headers["ETag"] != before.headers["ETag"]


async def test_an_old_outlook_says_so_and_ends(start: Start, snowy: Path, tmp_path: Path) -> None:
    clock = MovableClock(datetime(2026, 12, 11, 17, 59, tzinfo=UTC))
    api = await start(store_folder=snowy, state_folder=tmp_path, clock=clock)
    assert not [told for told in (await days(api))["warnings"] if "old forecast" in told]
    clock.moment = datetime(2026, 12, 13, 12, tzinfo=UTC)
    old = await days(api)
    assert [told for told in old["warnings"] if "after 2026-12-09 is an old forecast" in told]
    assert [day["date"] for day in old["days"]] == [str(TODAY + timedelta(i)) for i in range(-1, 9)]
    assert [day["is_forecast"] for day in old["days"]] == [False] + [True] * 9
    assert old["forecast_days_available"] == 6
    assert old["summary"]["clears_on"] is None or old["summary"]["clears_on"] >= "2026-12-13"
    clock.moment = datetime(2026, 12, 14, 6, 0, 1, tzinfo=UTC)  # nobody could be asked in its place
    assert (await api.ask(asking(DAYS))).status == 502


def falling_on(*snow: date, cold: float = -12.0, gone: date | None = None) -> made_up.Weather:
    """A frost that keeps all snow where it fell, but for a thaw."""

    def of(numbers: made_up.Days, _: Cell) -> made_up.Values:
        falls = np.isin(numbers, [made_up.number(day) for day in snow])
        thaw = numbers >= (made_up.number(gone) if gone else numbers[-1] + 1)
        return made_up.from_new_snow(np.where(falls, 300.0, 0.0), np.where(thaw, 15.0, cold))

    return of


async def outlook(
    start: Start, store: Path, state: Path, of: made_up.Weather, issued: date = TODAY, **asked: Any
) -> Any:
    """The answer about a season that is made for the test, on the steepest roof that snow stays on in the frost."""
    made_up.publish_outlook(open_store(str(store)), issued, of)
    moment = datetime(issued.year, issued.month, issued.day, 9, 30, tzinfo=UTC)
    api = await start(store_folder=store, state_folder=state, clock=MovableClock(moment))
    return await days(api, **{"angle": 0, **asked})


async def test_in_short(start: Start, own_bare: Path, tmp_path: Path) -> None:
    of = falling_on(TODAY - timedelta(3), gone=TODAY + timedelta(4))
    answer = await outlook(start, own_bare, tmp_path, of)
    told = {day["date"]: day["coverage"] for day in answer["days"]}
    assert [told[str(TODAY + timedelta(i))] for i in range(-1, 9)] == [1.0] * 5 + [0.0] * 5
    assert answer["summary"] == {
        "snow_on_panel_today": True,
        "days_with_snow": 5,
        "max_loss_pct": 100.0,
        "clears_on": str(TODAY + timedelta(4)),
    }


async def test_it_stays_covered(start: Start, own_bare: Path, tmp_path: Path) -> None:
    answer = await outlook(start, own_bare, tmp_path, falling_on(TODAY - timedelta(40)))
    assert answer["summary"]["clears_on"] is None
    assert answer["summary"]["days_with_snow"] == 10


async def test_bare_today_and_covered_tomorrow(start: Start, own_bare: Path, tmp_path: Path) -> None:
    answer = await outlook(start, own_bare, tmp_path, falling_on(TODAY + timedelta(1)))
    assert answer["summary"] == {
        "snow_on_panel_today": False,
        "days_with_snow": 8,
        "max_loss_pct": 100.0,
        "clears_on": str(TODAY),
    }


async def test_missing_days_change_nothing_and_are_no_empty_ones(start: Start, own_bare: Path, tmp_path: Path) -> None:
    whole = falling_on(TODAY + timedelta(3))

    def with_gaps(numbers: made_up.Days, cell: Cell) -> made_up.Values:
        values = {name: of.copy() for name, of in whole(numbers, cell).items()}
        today = made_up.number(TODAY) - int(numbers[0])
        for i in (today, today + 5):
            values["temp_air"][i] = np.nan
        values["snow_depth"][today] = np.nan
        return values

    answer = await outlook(start, own_bare, tmp_path, with_gaps)
    by_date = {day["date"]: day for day in answer["days"]}
    today = by_date[str(TODAY)]
    assert (today["data_missing"], today["coverage"], today["temp_c"], today["snow_depth_mm"]) == (True, 0, None, None)
    assert today["new_snow_mm"] == 0
    later = by_date[str(TODAY + timedelta(5))]
    assert (later["data_missing"], later["coverage"], later["loss_pct"]) == (True, 1, 100)
    assert sum(day["data_missing"] for day in answer["days"]) == 2
    assert answer["summary"]["clears_on"] == str(TODAY + timedelta(1))


async def test_nothing_is_known(start: Start, own_bare: Path, tmp_path: Path) -> None:
    made_up.publish_outlook(open_store(str(own_bare)), TODAY, made_up.missing_since(TODAY - timedelta(1)))
    api = await start(store_folder=own_bare, state_folder=tmp_path, clock=MovableClock(MORNING))
    asked = await api.ask(asking(DAYS))
    assert asked.status == 502
    assert "ingen verdier" in asked.json["error"]


async def test_forecast_days_without_data_are_not_available(start: Start, own_bare: Path, tmp_path: Path) -> None:
    answer = await outlook(start, own_bare, tmp_path, made_up.missing_since(TODAY + timedelta(3)))
    assert answer["forecast_days_available"] == 3
    assert not any("are missing" in told for told in answer["warnings"])


async def test_days_of_the_season_that_are_missing_are_told(start: Start, own_bare: Path, tmp_path: Path) -> None:
    def of(numbers: made_up.Days, cell: Cell) -> made_up.Values:
        gone = (numbers >= made_up.number(date(2026, 10, 1))) & (numbers < made_up.number(date(2026, 10, 13)))
        return {name: np.where(gone, np.nan, known) for name, known in made_up.weather(numbers, cell).items()}

    answer = await outlook(start, own_bare, tmp_path, of)
    assert answer["warnings"][0] == (
        "12 of the 99 days of the season before 2026-12-09 are missing: what lies on the modules may be more."
    )


async def test_bare_today_and_covered_yesterday(start: Start, own_bare: Path, tmp_path: Path) -> None:
    answer = await outlook(start, own_bare, tmp_path, falling_on(TODAY - timedelta(3), gone=TODAY))
    assert [day["coverage"] for day in answer["days"]] == [1] + 9 * [0]
    assert answer["summary"]["snow_on_panel_today"] is False
    assert answer["summary"]["clears_on"] == str(TODAY)


async def test_hours_are_those_of_the_place(start: Start, own_bare: Path, tmp_path: Path) -> None:
    """Where the warmest hour is one of Greenwich, another part of the snow slides."""
    of, panel = falling_on(TODAY - timedelta(2), cold=-5.5), Panel(30.0)
    answer = await outlook(start, own_bare, tmp_path, of, angle=30)
    values = of(SEASON, OSLO_CELL)
    weather = SnowWeather(**{name: stored("snow_outlook", name, values[name]) for name in QUANTITIES})
    here, greenwich = (
        cover(SEASON, weather, light_in_oslo(30.0, 180.0), panel, lon).coverage[-10:]
        for lon in (NORWAY3KM.centre(OSLO_CELL)[1], 0.0)
    )
    assert np.abs(here - greenwich).max() > 0.01
    np.testing.assert_allclose([day["coverage"] for day in answer["days"]], here, atol=0.0006)


async def test_the_first_day_of_a_season(start: Start, own_bare: Path, tmp_path: Path) -> None:
    answer = await outlook(start, own_bare, tmp_path, falling_on(date(2026, 9, 3)), issued=date(2026, 9, 1))
    assert [day["date"] for day in answer["days"]] == [f"2026-09-0{i}" for i in range(1, 10)]
    assert all(day["is_forecast"] for day in answer["days"])
    assert (answer["spinup_days"], answer["forecast_days_available"]) == (0, 9)
    assert answer["snow_year_start"] == "2026-09-01"
    assert answer["summary"]["clears_on"] == "2026-09-01"


async def test_the_last_day_of_a_season(start: Start, own_bare: Path, tmp_path: Path) -> None:
    answer = await outlook(start, own_bare, tmp_path, falling_on(date(2026, 8, 30)), issued=date(2026, 8, 31))
    assert (answer["snow_year_start"], answer["spinup_days"]) == ("2025-09-01", 363)
    assert answer["days"][-1]["date"] == "2026-09-08"


async def test_polar_night(start: Start, snowy: Path, tmp_path: Path) -> None:
    api = await start(store_folder=snowy, state_folder=tmp_path, clock=MovableClock(MORNING))
    answer = await days(api, TROMSO, angle=0)
    assert max(day["coverage"] for day in answer["days"]) > 0
    assert {day["loss_pct"] for day in answer["days"]} == {0}
    assert answer["summary"]["max_loss_pct"] == 0
    assert answer["summary"]["days_with_snow"] > 0
    assert answer["method"]["horizon"] == "not applied: no horizon is built for this position yet"


async def test_burial(api: Api) -> None:
    depth = min(day["snow_depth_mm"] for day in (await days(api))["days"])
    assert depth > 0
    assert {day["coverage"] for day in (await days(api, burial_mm=depth - 1))["days"]} == {1}
    assert 0 in {day["coverage"] for day in (await days(api, burial_mm=10_000))["days"]}
    assert (await days(api, burial_mm=100))["system"]["burial_mm"] == 100


async def test_what_nobody_declared_is_said(api: Api) -> None:
    answer = await days(api, strings=3)
    assert answer["warnings"][0] == "Unknown parameters were ignored: strings."


async def test_a_damaged_number_of_days_is_not_served(start: Start, own_bare: Path, tmp_path: Path) -> None:
    """A version that says other days than it holds is passed over."""
    made_up.publish_outlook(open_store(str(own_bare)), TODAY)
    [manifest] = own_bare.glob("snow_outlook/*/*.manifest.json")
    text = manifest.read_text()
    assert "2026-12-18" in text
    manifest.write_text(text.replace("2026-12-18", "2026-12-17"))
    api = await start(store_folder=own_bare, state_folder=tmp_path, clock=MovableClock(MORNING))
    assert_refused_by_the_authority(await api.ask(asking(DAYS)))


def assert_refused_by_the_authority(asked: Any) -> None:
    """Hold an answer to what is said where the authority cannot be asked."""
    assert asked.status == 502, asked.text
    assert list(asked.json) == ["error"]
    assert "NVE" in asked.json["error"]
    assert int(asked.headers["Retry-After"]) > 0
