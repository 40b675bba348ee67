"""What a morning asks for and takes over from the mornings before; an authority that fails or lacks something."""

import shutil
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catalog.sources.errors import SourceError
from catalog.versions import read_index
from dags.areas import Area
from dags.build.borders import municipality_borders
from dags.build.snow import snow_daily
from dags.build.snow.season import Season
from tests.support.context import context_of
from tests.support.snow_authority import URL, Days, FakeAuthority, day, no_snow, said_of
from tests.support.snow_morning import BERGEN_CELL, CLOCK, OSLO_AREA, by_day, factors, outlook
from tests.support.tmy import OSLO_CELL
from tiles.clock import Clock
from tiles.grid import NORWAY3KM
from tiles.store import Store


def test_a_season_is_asked_for_once_and_published(store: Store, fake: FakeAuthority, build: Any) -> None:
    fake.values = by_day()
    said = build()
    assert fake.asked_days() == {(date(2026, 9, 1), date(2026, 12, 1))}
    assert len(fake.calls) == 1
    data = outlook(store)
    assert data.time.values[[0, -1]].astype("datetime64[D]").astype(str).tolist() == ["2026-09-01", "2026-12-01"]
    held = np.isfinite(data.snow_row.values)
    assert held[OSLO_CELL]
    assert 25 <= np.count_nonzero(held) <= 38
    oslo = data.isel(y=OSLO_CELL[0], x=OSLO_CELL[1]).load()
    np.testing.assert_allclose(oslo.swe, np.arange(92))
    np.testing.assert_allclose(oslo.temp_air, np.arange(92) / 10, atol=0.01)
    assert (float(oslo.altitude), float(oslo.snow_row), float(oslo.snow_column)) == (120, 199, 337)
    assert "snow_daily: 0 requests to nve_gts" in said  # this one is not asked by HTTP
    entry = read_index(store, "snow_outlook").newest(Clock.parse(CLOCK).now())
    assert entry is not None
    assert f"{entry.issued_at:%Y-%m-%dT%H}" == "2026-11-23T06"
    told = said_of(store, "snow_outlook", "2026-11-23")
    assert (told["observed_until"], told["snow_year_start"]) == ("2026-11-22", "2026-09-01")
    assert (told["days"], told["data_origin"]) == (["2026-09-01", "2026-12-01"], "simulated")
    assert {"sources", "licence", "attribution", "method", "generator", "requests"} <= set(told)


def test_the_next_morning_asks_for_ten_days_again_and_what_is_new(
    store: Store, fake: FakeAuthority, build: Any
) -> None:
    fake.values = by_day()
    build("2026-11-22")
    fake.forget()
    fake.values = by_day(1000)
    build("2026-11-23")
    assert fake.searched == []
    assert fake.asked_days() == {(date(2026, 11, 12), date(2026, 12, 1))}, "10 observed days, a new one, 9 ahead"
    assert len(fake.calls) == 1
    swe = outlook(store).swe.isel(y=OSLO_CELL[0], x=OSLO_CELL[1]).load()
    since = np.arange(92)
    # what was forecast the day before is observed now, and what was observed lately is corrected
    np.testing.assert_allclose(swe, np.where(since < 72, since, since + 1000))
    before = outlook(store, "2026-11-22").swe.isel(y=OSLO_CELL[0], x=OSLO_CELL[1]).load()
    np.testing.assert_allclose(before, np.arange(91))


def test_a_new_area_is_asked_for_whole(store: Store, fake: FakeAuthority, build: Any) -> None:
    fake.values = by_day()
    build("2026-11-22")
    fake.forget()
    build("2026-11-23", OSLO_AREA, Area("Finse", 60.602, 7.504))
    assert fake.asked_days() == {
        (date(2026, 9, 1), date(2026, 12, 1)),
        (date(2026, 11, 12), date(2026, 12, 1)),
    }
    finse = NORWAY3KM.cell_at(60.602, 7.504)
    for cell in (finse, OSLO_CELL):
        np.testing.assert_allclose(outlook(store).swe.isel(y=cell[0], x=cell[1]), np.arange(92))


def test_the_seasons() -> None:
    for morning, first, last in (
        ("2026-08-31", "2025-09-01", "2026-09-08"),
        ("2026-09-01", "2025-09-01", "2026-09-09"),  # the day before is the newest observed
        ("2026-09-02", "2026-09-01", "2026-09-10"),
    ):
        season = Season(date.fromisoformat(morning))
        assert (season.first.isoformat(), season.last.isoformat()) == (first, last)
        assert season.days.size == (season.last - season.first).days + 1
    assert Season(date(2024, 9, 1)).days.size == 375


def test_a_new_season_begins_without_the_last(store: Store, fake: FakeAuthority, build: Any) -> None:
    clock = "2026-09-02T10:00:00Z!"
    build("2026-09-01", clock=clock)
    fake.forget()
    fake.data_origin = "live"
    build("2026-09-02", clock=clock)
    assert said_of(store, "snow_outlook", "2026-09-02")["data_origin"] == "live"
    assert fake.asked_days() == {(date(2026, 9, 1), date(2026, 9, 10))}
    assert outlook(store, "2026-09-01").sizes["time"] == 374
    assert outlook(store, "2026-09-02").sizes["time"] == 10
    assert factors(store, "2026-09-02").sizes["day"] == 10


def test_an_earlier_morning_is_not_made_of_a_later_one(store: Store, fake: FakeAuthority, build: Any) -> None:
    build("2026-11-23")
    fake.forget()
    build("2026-11-02")
    assert fake.asked_days() == {(date(2026, 9, 1), date(2026, 11, 10))}
    assert len(fake.searched) >= 1
    fake.forget()
    build("2026-11-22")
    assert fake.asked_days() == {(date(2026, 10, 23), date(2026, 11, 30))}, "all days since, and ten before"


def test_without_a_partition_the_last_morning_that_is_out_is_built(
    store: Store, fake: FakeAuthority, shared_data: Path
) -> None:
    urls = {"nve_gts": URL, "kartverket": str(shared_data / "borders")}
    context = context_of(store, "2026-11-23T07:09:00Z!", (OSLO_AREA,), addresses=urls)
    assert snow_daily.build(context).version == "2026-11-22"
    with pytest.raises(ValueError, match="'met_nordic' for this product; there is nve_gts"):
        snow_daily.build(replace(context, source="met_nordic"))


def test_another_authority_is_not_mixed_with_the_first(store: Store, fake: FakeAuthority, build: Any) -> None:
    build("2026-11-22")
    fake.forget()
    fake.data_origin, fake.values = "live", by_day()
    build("2026-11-23", url="http://another")
    assert fake.asked_days() == {(date(2026, 9, 1), date(2026, 12, 1))}
    assert len(fake.searched) >= 1
    assert said_of(store, "snow_outlook", "2026-11-23")["data_origin"] == "live"
    np.testing.assert_allclose(outlook(store).swe.isel(y=OSLO_CELL[0], x=OSLO_CELL[1]), np.arange(92))


def test_a_damaged_earlier_version_is_asked_for_anew(store: Store, fake: FakeAuthority, build: Any) -> None:
    fake.values = by_day()
    build("2026-11-22")
    held = read_index(store, "snow_outlook").get("2026-11-22")
    assert held is not None
    at = f"{held.path}/swe/c/0/{OSLO_CELL[0] // 16}/{OSLO_CELL[1] // 16}"
    store.put(at, store.get(at)[:-9] + b"012345678")
    fake.forget()
    said = build("2026-11-23")
    assert any("a block is asked for anew" in line for line in said)
    assert fake.asked_days() == {
        (date(2026, 9, 1), date(2026, 12, 1)),
        (date(2026, 11, 12), date(2026, 12, 1)),
    }
    np.testing.assert_allclose(outlook(store).swe.isel(y=OSLO_CELL[0], x=OSLO_CELL[1]), np.arange(92))


def test_an_answer_that_ends_early_takes_no_observation_away(store: Store, fake: FakeAuthority, build: Any) -> None:
    fake.values = by_day()
    build("2026-11-22")

    def ends_early(days: Days, point: Any) -> dict[str, Any]:
        values = by_day(1000)(days, point)
        return values | {"swe": np.where(days > day("2026-11-15"), np.nan, values["swe"])}

    fake.values = ends_early
    build("2026-11-23")
    oslo = outlook(store).isel(y=OSLO_CELL[0], x=OSLO_CELL[1]).load()
    since = np.arange(82)  # to 21 November, the last day that the version before observed
    np.testing.assert_allclose(oslo.swe[:82], np.where((since >= 72) & (since <= 75), since + 1000, since))
    assert np.isnan(oslo.swe[82:]).all(), "an old forecast is no observation"
    np.testing.assert_allclose(oslo.snow_depth[72:], 3 * (np.arange(72, 92) + 1000))


def test_when_the_authority_fails_what_was_published_stays(store: Store, fake: FakeAuthority, build: Any) -> None:
    build("2026-11-22")
    fake.forget()
    fake.down = True
    with pytest.raises(SourceError, match="does not answer"):
        build("2026-11-23")
    for product in ("snow_outlook", "snow_factors"):
        assert [entry.version for entry in read_index(store, product).entries] == ["2026-11-22"]
    fake.down = False
    build("2026-11-23")
    assert read_index(store, "snow_factors").entries[-1].version == "2026-11-23"


def test_cells_without_any_value_are_looked_for_again_after_a_week(
    store: Store, fake: FakeAuthority, build: Any
) -> None:
    fake.there = lambda point: not (20_000 < point[0] - NORWAY3KM.x0 < 60_000)  # nothing around Bergen
    for morning in ("2026-11-16", "2026-11-22"):
        fake.forget()
        build(morning)
        assert bool(fake.searched) == (morning == "2026-11-16")
    assert [one[0] for one in said_of(store, "snow_factors", "2026-11-22")["municipalities"]] == [301]
    fake.there = lambda _: True
    fake.forget()
    build("2026-11-23")
    assert len(fake.searched) == 1
    assert len(fake.searched[0]) <= 3, "those alone that were not found"
    assert np.isfinite(outlook(store).swe.values[:, BERGEN_CELL[0], BERGEN_CELL[1]]).all()
    told = said_of(store, "snow_outlook", "2026-11-23")
    assert (told["cells_without_data"], told["cells_searched"]) == ([], "2026-11-23")


def test_an_authority_that_knows_nothing_publishes_nothing(store: Store, fake: FakeAuthority, build: Any) -> None:
    fake.there = lambda _: False
    with pytest.raises(SourceError, match="no snow data of any of"):
        build()
    fake.there = lambda _: True
    build("2026-11-22")
    fake.values = lambda days, _: dict.fromkeys(no_snow(days, (0, 0)), np.full(days.size, np.nan))
    with pytest.raises(SourceError, match=r"of \d+ cells that had data 0 have some now; nothing is published"):
        build("2026-11-23")
    assert [entry.version for entry in read_index(store, "snow_outlook").entries] == ["2026-11-22"]


@pytest.mark.parametrize(
    ("partition", "clock", "match"),
    [
        ("2026-11-24", CLOCK, "not observed before 06 UTC"),
        ("2026-11-23", "2026-11-23T05:59:00Z!", "not observed before 06 UTC"),
        ("today", CLOCK, "'today' is not a day"),
    ],
)
def test_what_is_not_observed_yet_is_refused(
    fake: FakeAuthority, build: Any, partition: str, clock: str, match: str
) -> None:
    with pytest.raises(ValueError, match=match):
        build(partition, clock=clock)
    assert fake.calls == []


def test_the_snow_is_published_without_borders_that_are_away_and_with_them_once_they_are_there(
    store: Store, fake: FakeAuthority, build: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(tmp_path / "tiles" / "municipality_borders")

    def away(*asked: Any, **more: Any) -> Any:
        raise SourceError("kartverket: http://x/Fylker-M.geojson answers HTTP 500")

    with monkeypatch.context() as patch:
        patch.setattr(municipality_borders, "counties", away)
        said = "\n".join(build("2026-11-22"))
    assert "the borders of the municipalities are not published: kartverket: http://x/Fylker-M.geojson" in said
    assert read_index(store, "snow_factors").entries
    assert any("borders of 357 municipalities" in line for line in build())
    assert len(read_index(store, "municipality_borders").entries) == 1
