"""`GET /api/production/now`: the hour that runs, sums, the day after midnight, and what is not answered."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from api.core.settings import INSTALLED_POWER
from api.production.counties import open_counties
from api.production.installed import read_installed
from tests.api.conftest import Api, Asked, MovableClock, Start, damage, frozen, require_documented
from tests.support.county_now import made_up, publish_counties
from tests.support.tiles import CYCLE
from tiles.chunked import ChunkedTile
from tiles.products.county_now import COUNTIES, PRODUCT
from tiles.store import Store, open_store

PATH = "/api/production/now"
MORNING = CYCLE + timedelta(hours=9, minutes=20)
EVENING = CYCLE + timedelta(hours=23)


@pytest.fixture
def tiles(store: Path) -> Store:
    return open_store(str(store))


@pytest.fixture
def at(start: Start) -> Callable[..., Any]:
    """Asks an application of its own at a moment."""

    async def asking(moment: datetime, **settings: Any) -> tuple[Api, Asked]:
        api = await start(clock=frozen(moment), **settings)
        return api, await api.ask(PATH)

    return asking


def power_mw(hour: int, county: int) -> float:
    """Return the published power of an hour after midnight times the installed power, in hundredths of a MW."""
    installed = read_installed(INSTALLED_POWER).counties[f"{county:02d}"].mw
    of = PRODUCT.variable("specific_power")
    specific = of.unpack(of.pack(made_up(90)))[hour, list(COUNTIES).index(county)]
    return round(specific * installed / 1000, 2)


async def test_the_hour_that_runs_its_day_and_all_counties(tiles: Store, at: Callable[..., Any]) -> None:
    publish_counties(tiles, CYCLE + timedelta(hours=8))
    api, asked = await at(MORNING)
    body = asked.json
    assert (body["time"], body["date"]) == ("2026-06-01T09:00:00Z", "2026-06-01")
    assert (body["cycle_time"], body["model"]) == ("2026-06-01T08:00:00Z", "production_v2_3b")
    counties = body["counties"]
    assert [one["number"] for one in counties] == sorted(one["number"] for one in counties)
    assert [int(one["number"]) for one in counties] == list(COUNTIES)
    assert [one["name"] for one in counties] == list(COUNTIES.values())
    for one in counties:
        number = int(one["number"])
        assert one["power_mw"] == pytest.approx(power_mw(9, number), abs=0.011)
        day = sum(power_mw(hour, number) for hour in range(24))
        assert one["energy_today_mwh"] == pytest.approx(day, abs=0.1)
    assert counties[0]["ghi_w_m2"] == pytest.approx(1.25 * made_up(10)[9, 0], abs=0.051)
    await require_documented(api, f"GET {PATH}", asked)


async def test_every_sum_is_that_of_what_is_printed(tiles: Store, at: Callable[..., Any]) -> None:
    publish_counties(tiles, CYCLE + timedelta(hours=8))
    body = (await at(MORNING))[1].json
    now, counties, curve = body["now"], body["counties"], [one["power_mw"] for one in body["curve"]]
    assert now["power_mw"] == pytest.approx(sum(one["power_mw"] for one in counties))
    assert now["power_mw"] == curve[9]
    assert now["installed_mw"] == pytest.approx(sum(one["installed_mw"] for one in counties)) == 1000
    assert now["share_pct"] == pytest.approx(100 * now["power_mw"] / now["installed_mw"], abs=0.051)
    assert body["today"]["energy_mwh"] == pytest.approx(sum(curve))
    assert body["today"]["energy_mwh"] == pytest.approx(sum(one["energy_today_mwh"] for one in counties))
    assert body["today"]["energy_so_far_mwh"] == pytest.approx(sum(curve[:9]))


async def test_the_curve_is_the_utc_day_and_peaks_at_noon(tiles: Store, at: Callable[..., Any]) -> None:
    publish_counties(tiles, CYCLE + timedelta(hours=8))
    curve = (await at(MORNING))[1].json["curve"]
    assert [one["time"] for one in curve] == [f"2026-06-01T{hour:02d}:00:00Z" for hour in range(24)]
    assert max(curve, key=lambda one: one["power_mw"])["time"] == "2026-06-01T11:00:00Z"
    assert [one["power_mw"] for one in curve[:4]] == [0] * 4


async def test_after_midnight_the_evening_s_cycle_answers_of_the_new_day(tiles: Store, at: Callable[..., Any]) -> None:
    publish_counties(tiles, EVENING, ahead=59)
    _, before = await at(EVENING + timedelta(minutes=59))
    _, after = await at(EVENING + timedelta(hours=12))
    assert (before.json["date"], after.json["date"]) == ("2026-06-01", "2026-06-02")
    assert after.json["time"] == "2026-06-02T11:00:00Z"
    # the made-up second day has more light
    assert after.json["now"]["power_mw"] == pytest.approx(sum(power_mw(35, n) for n in COUNTIES), abs=0.2)
    assert after.json["now"]["power_mw"] > before.json["curve"][11]["power_mw"]
    assert before.json["now"]["power_mw"] == 0
    assert before.json["today"]["energy_so_far_mwh"] == before.json["today"]["energy_mwh"]
    assert after.json["cycle_time"] == "2026-06-01T23:00:00Z"
    assert any("more than 3 hours" in text for text in after.json["warnings"])
    assert not any("more than 3 hours" in text for text in before.json["warnings"])


def test_a_day_counts_only_where_all_its_hours_are_there(tiles: Store) -> None:
    entry = publish_counties(tiles, EVENING, ahead=59)
    hours = open_counties(entry, ChunkedTile(tiles, PRODUCT, entry.manifest))
    assert len(hours.ghi) == 82
    days = [CYCLE + timedelta(days=day) for day in (-1, 0, 1, 2, 3)]
    assert [hours.row_of_day(day) for day in days] == [None, 0, 24, 48, None]


def test_a_version_of_other_counties_is_not_opened(tiles: Store) -> None:
    entry = publish_counties(tiles, CYCLE + timedelta(hours=8))
    tile = ChunkedTile(tiles, PRODUCT, entry.manifest)
    tile.manifest.provenance["counties"] = [[54, "Troms og Finnmark", 2, 9]]
    with pytest.raises(ValueError, match="other counties than those of 2024: build it anew"):
        open_counties(entry, tile)


async def test_what_is_too_old_is_no_answer(tiles: Store, at: Callable[..., Any]) -> None:
    publish_counties(tiles, CYCLE)
    _, young = await at(CYCLE + timedelta(hours=12))
    assert young.status == 200
    api, old = await at(CYCLE + timedelta(hours=12, minutes=1))
    assert (old.status, old.json["code"], old.headers["Retry-After"]) == (503, "UNAVAILABLE", "120")
    assert "2026-06-01 00 UTC" in old.json["error"]
    english = await api.ask(PATH, headers={"Accept-Language": "en"})
    assert english.json["error"].startswith("Production now is not available")


async def test_nothing_published_names_what_to_build(at: Callable[..., Any]) -> None:
    _, asked = await at(MORNING)
    assert (asked.status, asked.json["code"]) == (503, "NOT_BUILT")
    assert asked.json["build"] == "solflis build county_now"


async def test_what_is_damaged_is_no_answer(tiles: Store, store: Path, at: Callable[..., Any]) -> None:
    publish_counties(tiles, CYCLE + timedelta(hours=8))
    damage(store, "county_now", "specific_power")
    _, asked = await at(MORNING)
    assert (asked.status, asked.json["code"]) == (503, "DAMAGED")


async def test_it_is_kept_until_the_hour_ends(tiles: Store, start: Start) -> None:
    publish_counties(tiles, CYCLE + timedelta(hours=8))
    clock = MovableClock(MORNING)
    api = await start(clock=clock)
    first = await api.ask(PATH)
    assert first.headers["Cache-Control"] == "public, max-age=2400"
    assert first.headers["X-Data-Origin"] == "simulated"
    tag = {"If-None-Match": first.headers["ETag"]}
    assert (await api.ask(PATH, headers=tag)).status == 304
    clock.moment = MORNING + timedelta(minutes=39)
    same = await api.ask(PATH, headers=tag)
    assert (same.status, same.headers["Cache-Control"]) == (304, "public, max-age=60")
    clock.moment = MORNING + timedelta(minutes=40)
    assert (await api.ask(PATH, headers=tag)).json["time"] == "2026-06-01T10:00:00Z"
    publish_counties(tiles, CYCLE + timedelta(hours=9))
    await api.until(PATH, lambda asked: asked.json["cycle_time"] == "2026-06-01T09:00:00Z")


async def test_it_needs_no_key_and_no_quota(tiles: Store, at: Callable[..., Any]) -> None:
    publish_counties(tiles, CYCLE + timedelta(hours=8))
    api, asked = await at(MORNING, access="keys")
    assert {(await api.ask(PATH)).status for _ in range(30)} == {200}
    assert not any(name.lower().startswith("x-quota") for name in asked.headers)


async def test_warnings_say_what_is_an_example_and_what_is_simulated(
    tiles: Store, at: Callable[..., Any], tmp_path: Path
) -> None:
    publish_counties(tiles, CYCLE + timedelta(hours=8))
    body = (await at(MORNING))[1].json
    assert body["installed"]["example"] is True
    assert body["data_origin"] == "simulated"
    assert [text.split(":")[0].split(" is ")[1][:10] for text in body["warnings"]] == ["an example", "simulated"]
    own = tmp_path / "own.toml"
    text = INSTALLED_POWER.read_text(encoding="utf-8").replace("example = true", "")
    own.write_text(
        text.replace('"example of Solflis, no statistics"', '"The register"').replace("mw = 60 }", "mw = 0 }")
    )
    publish_counties(tiles, CYCLE + timedelta(hours=9), data_origin="live")
    body = (await at(MORNING + timedelta(hours=1), installed_power=own))[1].json
    assert body["warnings"] == []
    assert body["installed"] == {"source": "The register", "date": "2026-01-01", "example": False}
    assert (body["counties"][0]["installed_mw"], body["counties"][0]["power_mw"]) == (0, 0)
    assert body["now"]["installed_mw"] == 880


async def test_polar_night_is_nought(tiles: Store, at: Callable[..., Any]) -> None:
    publish_counties(tiles, datetime(2026, 6, 1, 1, tzinfo=UTC))
    body = (await at(CYCLE + timedelta(hours=1, minutes=30)))[1].json
    assert body["now"] == {"power_mw": 0.0, "installed_mw": 1000.0, "share_pct": 0.0}
