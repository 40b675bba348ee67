"""The history of snow: what a year adds, what a killed build has kept, and what is left out."""

import json
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import catalog
from catalog import stac
from catalog.sources.errors import SourceError
from catalog.verify import verify
from catalog.versions import read_index
from dags.areas import Area
from dags.build.snow import authority as snow_asking
from dags.build.snow import snow_history
from dags.build.snow.yearly import last_day
from tests.support.archive import publish_land
from tests.support.context import context_of
from tests.support.snow_authority import Days, FakeAuthority, no_snow
from tests.support.tmy import OSLO, OSLO_CELL, TROMSO, TROMSO_CELL
from tiles.blocks import Unfinished
from tiles.grid import NORWAY3KM
from tiles.manifest import Manifest
from tiles.products.snow_history import PRODUCT
from tiles.store import Store, open_store

OSLO_AREA, TROMSO_AREA = Area("Oslo", *OSLO), Area("Tromso", *TROMSO)
FIRST = date(1957, 9, 1)
URL = "http://authority"


def years(days: Days, point: Any) -> dict[str, Any]:
    """Snow that tells its day and its place."""
    tells = (days - days.min() * 0) % 5000 + point[0] % 7
    return no_snow(days, point) | {"swe": tells, "snow_depth": 2 * tells, "temp_air": days % 400 / 10}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = open_store(str(tmp_path / "tiles"))
    publish_land(made)
    return made


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeAuthority:
    authority = FakeAuthority(values=years)
    monkeypatch.setattr(snow_asking, "nve_gts", authority)
    everywhere = np.ones((1550, 1195))
    monkeypatch.setattr(snow_history, "land_of", lambda _: everywhere)
    return authority


def ask(store: Store, *areas: Area, year: int = 2026, url: str = URL, run: str = "a run") -> Any:
    addresses = {"nve_gts": url, "kartverket": "http://borders"}
    return context_of(store, f"{year}-10-15T02:00:00Z!", areas or (OSLO_AREA,), run=run, addresses=addresses)


def build(store: Store, *areas: Area, **more: Any) -> list[str]:
    said: list[str] = []
    snow_history.build(replace(ask(store, *areas, **more), report=said.append))
    return said


def opened(store: Store, version: str = "1957-2026") -> Any:
    return catalog.open("snow_history", version=version, store=store.url)


def expected(cell: Any, last: str = "2026-08-31") -> Any:
    days = np.arange(np.datetime64("1957-09-01", "D").astype(int), np.datetime64(last, "D").astype(int) + 1)
    return years(days, (NORWAY3KM.x0 + 3000 * cell[1] + 1500, 0))["swe"]


def test_the_last_31_august_is_observed_on_the_morning_after() -> None:
    for now, last in (
        (datetime(2026, 10, 15, tzinfo=UTC), date(2026, 8, 31)),
        (datetime(2026, 8, 31, 12, tzinfo=UTC), date(2025, 8, 31)),
        (datetime(2026, 9, 1, 5, 59, tzinfo=UTC), date(2025, 8, 31)),
        (datetime(2026, 9, 1, 6, tzinfo=UTC), date(2026, 8, 31)),
        (datetime(2027, 1, 1, tzinfo=UTC), date(2026, 8, 31)),
    ):
        assert last_day(now) == last


def test_every_day_since_1957_of_every_cell(store: Store, fake: FakeAuthority) -> None:
    said = build(store)
    assert fake.asked_days() == {(FIRST, date(2026, 8, 31))}
    data = opened(store)
    assert data.sizes["time"] == 25_202
    days = data.time.values.astype("datetime64[D]").astype(str)
    assert (days[0], days[-1]) == ("1957-09-01", "2026-08-31")
    held = np.isfinite(data.swe.isel(time=0).values)
    assert np.count_nonzero(held) == 25
    oslo = data.isel(y=OSLO_CELL[0], x=OSLO_CELL[1]).load()
    np.testing.assert_allclose(oslo.swe, expected(OSLO_CELL))
    assert (float(oslo.altitude), float(oslo.snow_row), float(oslo.snow_column)) == (120, 199, 337)
    assert verify(store, "snow_history", "1957-2026", report=lambda _: None) == []
    entry = read_index(store, "snow_history").entries[-1]
    assert (entry.data_origin, entry.source) == ("simulated", "nve_gts")
    told = Manifest.read(store, entry.manifest).provenance
    assert told["days"] == ["1957-09-01", "2026-08-31"]
    assert {"sources", "licence", "attribution", "method", "generator"} <= set(told)
    assert any("25 cells; 0 requests to nve_gts" in line for line in said)
    # a climate counts at any moment that a clock may show
    assert read_index(store, "snow_history").newest(datetime(1999, 1, 1, tzinfo=UTC)) == entry


def test_real_snow_says_whose_it_is(store: Store, fake: FakeAuthority) -> None:
    fake.data_origin = "live"
    build(store)
    entry = read_index(store, "snow_history").entries[-1]
    told = json.loads(store.get(stac.item_key(entry)))["properties"]
    assert [provider["name"] for provider in told["providers"]] == ["NVE", "Solflis"]
    assert told["license"] == "NLOD-2.0"


def test_a_year_later_only_that_year_is_asked_for(store: Store, fake: FakeAuthority) -> None:
    build(store, year=2025)
    asked = sum(len(call.points) for call in fake.calls)
    fake.forget()
    build(store)
    assert fake.searched == []
    assert fake.asked_days() == {(date(2025, 9, 1), date(2026, 8, 31))}
    assert sum(len(call.points) for call in fake.calls) == asked == 25
    np.testing.assert_allclose(opened(store).swe.isel(y=OSLO_CELL[0], x=OSLO_CELL[1]), expected(OSLO_CELL))
    np.testing.assert_allclose(
        opened(store, "1957-2025").swe.isel(y=OSLO_CELL[0], x=OSLO_CELL[1]), expected(OSLO_CELL, "2025-08-31")
    )
    assert read_index(store, "snow_history").newest(datetime(2026, 10, 15, tzinfo=UTC)).version == "1957-2026"  # type: ignore[union-attr]


def test_what_is_complete_is_not_asked_for_again(store: Store, fake: FakeAuthority) -> None:
    build(store)
    attempt = read_index(store, "snow_history").entries[-1].attempt
    fake.forget()
    said = build(store, run="another")
    assert "snow_history 1957-2026 holds all of it already" in said
    assert (fake.calls, fake.searched) == ([], [])
    assert read_index(store, "snow_history").entries[-1].attempt == attempt


def test_another_area_is_added_and_the_first_kept(store: Store, fake: FakeAuthority) -> None:
    build(store)
    fake.forget()
    build(store, TROMSO_AREA, run="another")
    assert len(fake.calls) == 1
    for cell in (OSLO_CELL, TROMSO_CELL):
        np.testing.assert_allclose(opened(store).swe.isel(y=cell[0], x=cell[1]), expected(cell))
    oslo = (NORWAY3KM.x0 + 3000 * OSLO_CELL[1] + 1500, NORWAY3KM.y0 + 3000 * OSLO_CELL[0] + 1500)
    assert oslo not in fake.calls[0].points


def test_more_cells_of_a_block_do_not_ask_for_the_others_again(store: Store, fake: FakeAuthority) -> None:
    build(store)
    fake.forget()
    wider = Area("Oslo", *OSLO, side_km=16.0)
    build(store, wider, run="another")
    asked = {point for call in fake.calls for point in call.points}
    assert 0 < len(asked) <= 24
    assert fake.asked_days() == {(FIRST, date(2026, 8, 31))}
    np.testing.assert_allclose(opened(store).swe.isel(y=OSLO_CELL[0], x=OSLO_CELL[1]), expected(OSLO_CELL))


def test_a_killed_build_goes_on(store: Store, fake: FakeAuthority) -> None:
    fake.fails_after = 1
    with pytest.raises(SourceError, match="does not answer"):
        build(store, OSLO_AREA, TROMSO_AREA)
    assert read_index(store, "snow_history").entries == ()
    with pytest.raises(Unfinished, match="are missing"):
        snow_history.build.publish(ask(store, OSLO_AREA, TROMSO_AREA))
    first = {point for call in fake.calls for point in call.points}
    fake.fails_after = None
    fake.forget()
    build(store, OSLO_AREA, TROMSO_AREA, run="another")
    again = {point for call in fake.calls for point in call.points}
    assert first
    assert again
    assert not first & again
    for cell in (OSLO_CELL, TROMSO_CELL):
        np.testing.assert_allclose(opened(store).swe.isel(y=cell[0], x=cell[1]), expected(cell))


@pytest.mark.slow
def test_another_authority_or_method_is_asked_for_everything(
    store: Store, fake: FakeAuthority, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(store, year=2025)
    fake.forget()
    fake.data_origin = "live"
    build(store, url="http://another")
    assert fake.asked_days() == {(FIRST, date(2026, 8, 31))}
    assert read_index(store, "snow_history").entries[-1].data_origin == "live"
    fake.forget()
    monkeypatch.setattr(snow_history.SnowHistory, "record", 2)
    build(store, url="http://another", run="another")
    assert fake.asked_days() == {(FIRST, date(2026, 8, 31))}


def test_what_was_simulated_stays_named_so(store: Store, fake: FakeAuthority) -> None:
    build(store, year=2025)
    fake.data_origin = "live"
    build(store)
    assert read_index(store, "snow_history").entries[-1].data_origin == "simulated"


def test_cells_without_data_are_left_out(store: Store, fake: FakeAuthority) -> None:
    here = (NORWAY3KM.x0 + 3000 * OSLO_CELL[1] + 1500, NORWAY3KM.y0 + 3000 * OSLO_CELL[0] + 1500)
    missing = no_snow(np.arange(1), here)

    def with_a_hole(days: Days, point: Any) -> dict[str, Any]:
        return dict.fromkeys(missing, np.full(days.size, np.nan)) if point == here else years(days, point)

    fake.values = with_a_hole
    build(store)
    data = opened(store)
    assert np.isnan(data.snow_row.values[OSLO_CELL])
    assert np.isfinite(data.swe.isel(time=0).values).sum() == 24
    fake.there = lambda _: False
    with pytest.raises(SourceError, match="no snow data of any of these cells"):
        build(store, TROMSO_AREA, url="http://another", run="another")


def test_gaps_are_kept_and_impossible_values_refused(store: Store, fake: FakeAuthority) -> None:
    def gappy(days: Days, point: Any) -> dict[str, Any]:
        values = years(days, point)
        return values | {"swe": np.where(days % 100 == 0, np.nan, values["swe"])}

    fake.values = gappy
    build(store)
    swe = opened(store).swe.isel(y=OSLO_CELL[0], x=OSLO_CELL[1]).values
    assert np.count_nonzero(np.isnan(swe)) == 252
    fake.values = lambda days, point: years(days, point) | {"new_snow": np.full(days.size, 5000.0)}
    with pytest.raises(SourceError, match=r"new_snow is 5000 mm on 1957-09-01 at \(\d+, \d+\), outside 0 to 1000"):
        build(store, url="http://another", run="another")
    assert np.isfinite(opened(store).new_snow.isel(time=0).values[OSLO_CELL])


def test_snow_cells_are_taken_over_from_the_morning(store: Store, fake: FakeAuthority, monkeypatch: Any) -> None:
    held = {OSLO_CELL: (200, 338)}
    monkeypatch.setattr(snow_history.Days, "named", [SimpleNamespace(snow_cells=lambda _: held)])
    build(store)
    assert int(opened(store).snow_row.values[OSLO_CELL]) == 200
    middle = (NORWAY3KM.x0 + 3000 * OSLO_CELL[1] + 1500, NORWAY3KM.y0 + 3000 * OSLO_CELL[0] + 1500)
    assert middle not in {point for points in fake.searched for point in points}


def nothing(days: Days, point: Any) -> dict[str, Any]:
    return dict.fromkeys(no_snow(days, point), np.full(days.size, np.nan))


def ends_early(days: Days, point: Any) -> dict[str, Any]:
    values = years(days, point)
    return values | {"swe": np.where(days > np.datetime64("2026-06-30", "D").astype(int), np.nan, values["swe"])}


@pytest.mark.parametrize("answer", [nothing, ends_early])
def test_a_year_that_the_authority_does_not_give_is_not_published(
    store: Store, fake: FakeAuthority, answer: Any
) -> None:
    build(store, year=2025)
    fake.values = answer
    with pytest.raises(SourceError, match=r"of \d+ cells .* to 2026-08-31 0 have it; nothing is published: start"):
        build(store)
    assert [entry.version for entry in read_index(store, "snow_history").entries] == ["1957-2025"]
    fake.values = years
    build(store, run="again")
    np.testing.assert_allclose(opened(store).swe.isel(y=OSLO_CELL[0], x=OSLO_CELL[1]), expected(OSLO_CELL))


def test_new_cells_that_have_nothing_are_not_published_as_done(store: Store, fake: FakeAuthority) -> None:
    fake.values = nothing
    with pytest.raises(SourceError, match=r"of \d+ cells .* 0 have it; nothing is published: start"):
        build(store)
    fake.values = years
    build(store, run="again")
    np.testing.assert_allclose(opened(store).swe.isel(y=OSLO_CELL[0], x=OSLO_CELL[1]), expected(OSLO_CELL))


def test_a_year_that_a_cell_lacks_is_asked_for_with_the_next(store: Store, fake: FakeAuthority) -> None:
    here = (NORWAY3KM.x0 + 3000 * OSLO_CELL[1] + 1500, NORWAY3KM.y0 + 3000 * OSLO_CELL[0] + 1500)
    build(store, year=2025)
    fake.there = lambda point: point != here
    build(store)
    assert np.isnan(opened(store).swe.isel(y=OSLO_CELL[0], x=OSLO_CELL[1])[-365:]).all()
    fake.there = lambda _: True
    fake.forget()
    build(store, year=2027)
    assert {(call.first.year, len(call.points)) for call in fake.calls if here in call.points} == {(2025, 1)}
    assert fake.asked_days() == {(date(y, 9, 1), date(2027, 8, 31)) for y in (2025, 2026)}
    swe = opened(store, "1957-2027").swe.isel(y=OSLO_CELL[0], x=OSLO_CELL[1])
    np.testing.assert_allclose(swe, expected(OSLO_CELL, "2027-08-31"))


def test_days_of_another_snow_cell_are_not_taken_over(store: Store, fake: FakeAuthority, monkeypatch: Any) -> None:
    build(store, year=2025)
    fake.forget()
    other = SimpleNamespace(snow_cells=lambda _: {OSLO_CELL: (200, 338)})
    known = snow_history.Days.named.func
    monkeypatch.setattr(snow_history.Days, "named", property(lambda maker: [*known(maker), other]))
    build(store)
    point = (int(NORWAY3KM.x0) + 338_500, int(NORWAY3KM.y0) + 200_500)
    assert [call.points for call in fake.calls if call.first == FIRST] == [(point,)]
    np.testing.assert_allclose(
        opened(store).swe.isel(y=OSLO_CELL[0], x=OSLO_CELL[1]), years(opened_days(store), point)["swe"]
    )


def opened_days(store: Store) -> Any:
    return opened(store).time.values.astype("datetime64[D]").astype(np.int64)


def test_the_command_takes_no_partition(store: Store) -> None:
    context = context_of(store, "2026-10-15T02:00:00Z!", partition="2020")
    with pytest.raises(ValueError, match="it goes to the last 31 August"):
        snow_history.build(context)
    assert PRODUCT.on_request
