"""`GET /api/snow/outlook`: which days it lists, what it says of them, and in short."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kernels.snow.cover import cover
from kernels.snow.days import SnowWeather
from kernels.snow.panel import Panel
from tests.api.conftest import Api, MovableClock, Start
from tests.api.snow.conftest import DAYS, MORNING, TODAY, asking, assert_refused_by_the_authority, days
from tests.api.snow.test_months import QUANTITIES, light_in_oslo, stored
from tests.support import snow as made_up
from tests.support.tmy import OSLO, OSLO_CELL, TROMSO
from tiles.grid import NORWAY3KM, Cell
from tiles.store import open_store

SEASON = made_up.days_of(date(2026, 9, 1), TODAY + timedelta(8))
AHEAD = [str(TODAY + timedelta(i)) for i in range(9)]


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
    np.testing.assert_allclose(told["coverage"], expected.coverage[-9:], atol=0.0006)
    np.testing.assert_allclose(told["loss_pct"], 100 * expected.loss[-9:], atol=0.06)
    for name, of in (("snow_depth_mm", "snow_depth"), ("new_snow_mm", "new_snow"), ("temp_c", "temp_air")):
        np.testing.assert_allclose(told[name].astype(float), values[of][-9:], atol=0.051)
    assert 0 < told["coverage"].max() <= 1


async def test_the_window_is_today_and_the_nine_days_that_are_forecast(api: Api) -> None:
    """On a fresh morning the days to yesterday are observed."""
    asked = await api.ask(asking(DAYS))
    answer = asked.json
    assert all(day["is_forecast"] and not day["data_missing"] for day in answer["days"])
    expected = {
        "cell_id": "N3-066-112",
        "elevation_m": 112.0,
        "issued_utc": "2026-12-10T06:00:00Z",
        "snow_year_start": "2026-09-01",
        "spinup_days": 100,
        "forecast_days_available": 9,
        "system": {
            "angle_deg": 30.0,
            "aspect_deg": 0.0,
            "mounting": "roof",
            "height_mm": 300.0,
            "burial_mm": None,
            "loss_mode": "linear",
            "n_strings": 3,
        },
    }
    assert {name: answer[name] for name in expected} == expected
    assert (answer["lat"], answer["lon"]) == tuple(round(x, 5) for x in NORWAY3KM.centre(OSLO_CELL))
    assert answer["method"]["horizon"].startswith("applied: horizon 2026-05-01T00")
    headers = {"Cache-Control": "public, max-age=3600", "X-Tmy-Cell": "N3-066-112", "X-Data-Origin": "simulated"}
    assert {name: asked.headers[name] for name in headers} == headers
    again = await api.ask(asking(DAYS), headers={"If-None-Match": asked.headers["ETag"]})
    assert (again.status, again.text) == (304, "")


@pytest.mark.parametrize("count", [1, 3, 9, 10])
async def test_the_window_begins_today_whatever_days_is(api: Api, count: int) -> None:
    answer = await days(api, days=count)
    assert [day["date"] for day in answer["days"]] == AHEAD[:count]
    assert answer["days"] == (await days(api))["days"][:count]


async def test_a_day_begins_at_06_utc(start: Start, snowy: Path, tmp_path: Path) -> None:
    clock = MovableClock(datetime(2026, 12, 11, 5, 59, tzinfo=UTC))
    api = await start(store_folder=snowy, state_folder=tmp_path, clock=clock)
    before = await api.ask(asking(DAYS))
    clock.moment += timedelta(minutes=1)
    after = await api.ask(asking(DAYS))
    assert [day["date"] for day in before.json["days"]] == AHEAD
    assert [day["date"] for day in after.json["days"]] == AHEAD[1:]
    assert [asked.json["forecast_days_available"] for asked in (before, after)] == [9, 8]
    assert [asked.headers["X-Snow-Outlook-Cache"] for asked in (before, after)] == ["MISS", "MISS"]


async def test_an_old_outlook_says_so_and_ends(start: Start, snowy: Path, tmp_path: Path) -> None:
    clock = MovableClock(datetime(2026, 12, 11, 17, 59, tzinfo=UTC))
    api = await start(store_folder=snowy, state_folder=tmp_path, clock=clock)
    said = "Newer snow data are missing: what is said of days after 2026-12-09 is an old forecast."
    assert said not in (await days(api))["warnings"]
    clock.moment += timedelta(minutes=2)
    assert said in (await days(api))["warnings"]
    clock.moment = datetime(2026, 12, 14, 6, 0, 1, tzinfo=UTC)
    assert_refused_by_the_authority(await api.ask(asking(DAYS)))


def falling_on(*snow: date, cold: float = -12.0, gone: date | None = None) -> made_up.Weather:
    """A frost that keeps all snow where it fell, but for a thaw."""

    def of(numbers: made_up.Days, _: Cell) -> made_up.Values:
        falls = np.isin(numbers, [made_up.number(day) for day in snow])
        thaw = numbers >= (made_up.number(gone) if gone else numbers[-1] + 1)
        return made_up.from_new_snow(np.where(falls, 300.0, 0.0), np.where(thaw, 15.0, cold))

    return of


async def outlook(
    start: Start, store: Path, state: Path, of: made_up.Weather, issued: date = TODAY, place: Any = OSLO, **asked: Any
) -> Any:
    """The answer about a season that is made for the test, on the steepest roof that snow stays on in the frost."""
    made_up.publish_outlook(open_store(str(store)), issued, of)
    moment = datetime(issued.year, issued.month, issued.day, 9, 30, tzinfo=UTC)
    api = await start(store_folder=store, state_folder=state, clock=MovableClock(moment))
    return await days(api, place, **{"angle": 0, **asked})


@pytest.mark.parametrize(
    ("snow", "gone", "covered", "clears_on"),
    [
        pytest.param(-3, 4, range(4), 4, id="a thaw"),
        pytest.param(-40, None, range(9), None, id="it stays"),
        pytest.param(1, None, range(1, 9), None, id="bare today, covered for good from tomorrow"),
        pytest.param(1, 4, range(1, 4), None, id="bare today, covered tomorrow, a thaw"),
        pytest.param(-3, 0, (), 0, id="covered yesterday"),
    ],
)
async def test_the_days_in_short(
    start: Start, own_bare: Path, tmp_path: Path, snow: int, gone: int | None, covered: Any, clears_on: int | None
) -> None:
    thaw = None if gone is None else TODAY + timedelta(gone)
    answer = await outlook(start, own_bare, tmp_path, falling_on(TODAY + timedelta(snow), gone=thaw))
    assert [day["coverage"] for day in answer["days"]] == [float(i in covered) for i in range(9)]
    assert answer["summary"] == {
        "snow_on_panel_today": 0 in covered,
        "days_with_snow": len(covered),
        "max_loss_pct": 100.0 if covered else 0.0,
        "clears_on": None if clears_on is None else AHEAD[clears_on],
    }


async def test_missing_days_change_nothing_and_are_no_empty_ones(start: Start, own_bare: Path, tmp_path: Path) -> None:
    whole = falling_on(TODAY - timedelta(3), gone=TODAY + timedelta(2))

    def with_gaps(numbers: made_up.Days, cell: Cell) -> made_up.Values:
        values = {name: of.copy() for name, of in whole(numbers, cell).items()}
        today = made_up.number(TODAY) - int(numbers[0])
        for i in (today, today + 2, *range(30, 42)):
            values["temp_air"][i] = np.nan
        values["snow_depth"][today] = np.nan
        return values

    answer = await outlook(start, own_bare, tmp_path, with_gaps)
    assert [i for i, day in enumerate(answer["days"]) if day["data_missing"]] == [0, 2]
    today = answer["days"][0]
    assert (today["coverage"], today["temp_c"], today["snow_depth_mm"], today["new_snow_mm"]) == (1, None, None, 0)
    assert answer["summary"]["clears_on"] == AHEAD[3]
    assert answer["forecast_days_available"] == 7
    assert answer["warnings"][0] == (
        "12 of the 100 days of the season before 2026-12-10 are missing: what lies on the modules may be more."
    )


async def test_an_authority_that_observes_today_forecasts_nine_days(
    start: Start, own_bare: Path, tmp_path: Path
) -> None:
    made_up.publish_outlook(open_store(str(own_bare)), TODAY, observed_until=TODAY)
    api = await start(store_folder=own_bare, state_folder=tmp_path, clock=MovableClock(MORNING))
    answer = await days(api)
    assert [day["date"] for day in answer["days"]] == [str(TODAY + timedelta(i)) for i in range(10)]
    assert [day["is_forecast"] for day in answer["days"]] == [False] + 9 * [True]
    assert answer["forecast_days_available"] == 9


@pytest.mark.parametrize(
    ("issued", "since", "spinup"), [("2026-09-01", "2026-09-01", 0), ("2026-08-31", "2025-09-01", 364)]
)
async def test_a_season_is_from_september_to_august(
    start: Start, own_bare: Path, tmp_path: Path, issued: str, since: str, spinup: int
) -> None:
    day = date.fromisoformat(issued)
    answer = await outlook(start, own_bare, tmp_path, falling_on(day + timedelta(2)), issued=day)
    assert (answer["snow_year_start"], answer["spinup_days"]) == (since, spinup)
    assert [one["date"] for one in answer["days"]] == [str(day + timedelta(i)) for i in range(9)]


async def test_the_loss_is_null_from_the_day_on_that_the_sun_stays_away(
    start: Start, own_bare: Path, tmp_path: Path
) -> None:
    """At 69.65 N its centre does not rise where its declination is below -20.35 degrees: from 23 November on."""
    for issued, lit in ((date(2026, 11, 19), 4), (TODAY, 0)):
        snowy = falling_on(issued - timedelta(3))
        answer = await outlook(start, own_bare, tmp_path, snowy, issued, TROMSO)
        assert [day["loss_pct"] for day in answer["days"]] == [100.0] * lit + [None] * (9 - lit)
        assert answer["summary"]["max_loss_pct"] == (100 if lit else None)
        assert answer["method"]["horizon"] == "not applied: no horizon is built for this position yet"


async def test_strings_are_taken_and_told_with_lossmode_strings(start: Start, own_bare: Path, tmp_path: Path) -> None:
    made_up.publish_outlook(open_store(str(own_bare)), TODAY, falling_on(TODAY - timedelta(2), cold=-5.5))
    api = await start(store_folder=own_bare, state_folder=tmp_path, clock=MovableClock(MORNING))
    one, six = [await days(api, lossmode="strings", strings=strings) for strings in (1, 6)]
    for answer, strings in ((one, 1), (six, 6)):
        assert answer["system"]["n_strings"] == strings
        assert f"a string that is partly covered gives nothing ({strings} in height)" in answer["method"]["model"]
        assert not any("Ignored" in told for told in answer["warnings"])
    losses = [[day["loss_pct"] for day in answer["days"]] for answer in (one, six)]
    assert all(a >= b for a, b in zip(*losses, strict=True))
    assert losses[0] != losses[1]
