"""What a morning asks for, and what it takes over from the mornings before."""

from dataclasses import replace
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from catalog.verify import verify
from catalog.versions import read_index
from dags.areas import Area
from dags.build.snow import authority as snow_asking
from dags.build.snow import snow_daily
from dags.build.snow.season import Season
from tests.support.context import context_of
from tests.support.snow_authority import FakeAuthority
from tests.support.snow_morning import BERGEN_CELL, CLOCK, OSLO_AREA, URL, by_day, factors, outlook, said_of
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
    assert held[BERGEN_CELL]
    assert 25 <= np.count_nonzero(held) <= 38
    oslo = data.isel(y=OSLO_CELL[0], x=OSLO_CELL[1]).load()
    np.testing.assert_allclose(oslo.swe, np.arange(92))
    np.testing.assert_allclose(oslo.temp_air, np.arange(92) / 10, atol=0.01)
    assert (float(oslo.altitude), float(oslo.snow_row), float(oslo.snow_column)) == (120, 199, 337)
    assert verify(store, "snow_outlook", "2026-11-23", report=lambda _: None) == []
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


def test_after_days_without_a_build_all_of_them_are_asked_for(fake: FakeAuthority, build: Any) -> None:
    build("2026-11-02")
    fake.forget()
    build("2026-11-23")
    assert fake.asked_days() == {(date(2026, 10, 23), date(2026, 12, 1))}


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
        ("2027-01-01", "2026-09-01", "2027-01-09"),
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


def test_an_authority_that_is_a_day_late_in_a_new_season(store: Store, fake: FakeAuthority, build: Any) -> None:
    fake.late_days, clock = 1, "2026-09-04T10:00:00Z!"
    build("2026-09-02", clock=clock)
    assert said_of(store, "snow_outlook", "2026-09-02")["observed_until"] == "2026-08-31"
    for morning, until in (("2026-09-03", "2026-09-01"), ("2026-09-04", "2026-09-02")):
        build(morning, clock=clock)
        assert said_of(store, "snow_outlook", morning)["observed_until"] == until


def test_an_earlier_morning_is_not_made_of_a_later_one(store: Store, fake: FakeAuthority, build: Any) -> None:
    build("2026-11-23")
    fake.forget()
    build("2026-11-22")
    assert fake.asked_days() == {(date(2026, 9, 1), date(2026, 11, 30))}
    assert len(fake.searched) >= 1


@pytest.mark.parametrize(("mark", "searched"), [(snow_asking.mark_of(URL), False), ("another", True)])
def test_snow_cells_of_a_history_of_the_same_authority_are_not_searched(
    fake: FakeAuthority, build: Any, monkeypatch: pytest.MonkeyPatch, mark: str, searched: bool
) -> None:
    from dags.build.snow import snow_outlook

    real, held = snow_outlook.read_index, {OSLO_CELL: (200, 338)}
    history = SimpleNamespace(
        said={"authority": mark},
        snow_cells=lambda _: held,
    )
    monkeypatch.setattr(
        snow_outlook,
        "read_index",
        lambda store, name: SimpleNamespace(entries=["it"]) if name == "snow_history" else real(store, name),
    )
    monkeypatch.setattr(snow_outlook, "Published", lambda *_: history)
    build()
    middle = (NORWAY3KM.x0 + 337_500, NORWAY3KM.y0 + 199_500)
    assert (middle in {point for points in fake.searched for point in points}) == searched
    assert (middle in fake.calls[0].points) == searched


@pytest.mark.parametrize(("clock", "version"), [("2026-11-23T07:09:00Z!", "2026-11-22"), (CLOCK, "2026-11-23")])
def test_the_command_builds_the_last_morning(
    store: Store, fake: FakeAuthority, borders: tuple[Path, str], clock: str, version: str
) -> None:
    urls = {"nve_gts": URL, "kartverket": borders[1]}
    context = context_of(store, clock, (OSLO_AREA,), addresses=urls)
    assert snow_daily.build(context).version == version
    with pytest.raises(ValueError, match="'met_nordic' for this product; there is nve_gts"):
        snow_daily.build(replace(context, source="met_nordic"))
