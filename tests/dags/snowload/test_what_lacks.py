"""The maxima of seasons where the authority lacks something: a cell, a season, days of one, or all of it."""

from datetime import date
from typing import Any

import numpy as np
import pytest

from catalog.sources.errors import SourceError
from catalog.versions import read_index
from dags.areas import Area
from dags.build.snow.snowload import SEARCHED_YEARS
from kernels.snowload.seasons import LEAST_DAYS
from tests.support.snow_authority import Days, FakeAuthority
from tests.support.snowload_build import (
    BESIDE,
    FIRST,
    OSLO_CELL,
    TROMSO_AREA,
    built,
    day,
    expected,
    maxima,
    nothing,
    point_of,
    said_of,
    until,
    winters,
)
from tests.support.tmy import OSLO
from tiles.store import Store

HERE = point_of(OSLO_CELL)
SEASON = 2000
"""One that is tampered with."""


def versions(store: Store) -> list[str]:
    return [entry.version for entry in read_index(store, "snowload").entries]


def test_cells_that_the_authority_lacks_are_left_out_and_told(store: Store, fake: FakeAuthority, build: Any) -> None:
    fake.there = lambda point: point != HERE
    said = build()
    assert "1 of 9 cells are left out" in "".join(said)
    assert OSLO_CELL not in built(store)
    assert len(built(store)) == 8
    assert (said_of(store)["cells"], said_of(store)["cells_without_data"]) == (8, 1)


def test_cells_that_it_knows_without_a_day_are_left_out(store: Store, fake: FakeAuthority, build: Any) -> None:
    fake.values = lambda days, point: (nothing if point == HERE else winters)(days, point)
    build()
    assert OSLO_CELL not in built(store)
    assert len(built(store)) == 8


def test_cells_without_data_are_searched_again_after_years(store: Store, fake: FakeAuthority, build: Any) -> None:
    fake.there = lambda point: point != HERE
    build(year=2020)
    for year in range(2021, 2020 + SEARCHED_YEARS):
        fake.forget()
        build(year=year)
        assert fake.searched == [], year
    fake.there = lambda _: True
    fake.forget()
    build(year=2020 + SEARCHED_YEARS)
    assert fake.searched == [(HERE,)]
    assert {call.first for call in fake.calls if HERE in call.points} == {FIRST}
    last = 2020 + SEARCHED_YEARS
    np.testing.assert_array_equal(maxima(store, OSLO_CELL, f"1957-{last}"), expected(OSLO_CELL, last))


def test_an_authority_that_has_nothing_teaches_nothing(store: Store, fake: FakeAuthority, build: Any) -> None:
    fake.there = lambda _: False
    with pytest.raises(SourceError, match="has no snow of 2026-08-31 even in Oslo"):
        build(TROMSO_AREA)
    fake.there = lambda _: True
    build(TROMSO_AREA, run="again")
    assert len(built(store)) == 9


def test_an_area_of_which_it_has_nothing_is_not_published(store: Store, fake: FakeAuthority, build: Any) -> None:
    fake.there = lambda point: point[1] < 7_000_000
    with pytest.raises(SourceError, match="no snow data of any of these cells"):
        build(TROMSO_AREA)
    assert versions(store) == []


def test_an_authority_that_is_down_leaves_what_is_published(store: Store, fake: FakeAuthority, build: Any) -> None:
    build(year=2025)
    fake.down = True
    with pytest.raises(SourceError, match="does not answer"):
        build()
    assert versions(store) == ["1957-2025"]
    np.testing.assert_array_equal(maxima(store, OSLO_CELL, "1957-2025"), expected(OSLO_CELL, 2025))


@pytest.mark.parametrize("answer", [nothing, until("2026-06-30")], ids=["nothing", "ends early"])
@pytest.mark.parametrize("before", [2025, pytest.param(None, marks=pytest.mark.slow)])
def test_the_last_season_must_be_there(
    store: Store, fake: FakeAuthority, build: Any, answer: Any, before: int | None
) -> None:
    if before:
        build(year=before)
    fake.values = answer
    with pytest.raises(SourceError, match=r"of 9 cells .* to 2026-08-31 0 have it; nothing is published: start"):
        build()
    assert versions(store) == (["1957-2025"] if before else [])
    fake.values = winters
    build(run="again")
    np.testing.assert_array_equal(maxima(store, OSLO_CELL), expected(OSLO_CELL))


def test_a_few_odd_cells_hold_up_nothing(store: Store, fake: FakeAuthority, build: Any, land: Any) -> None:
    land[:] = 0
    for cell in (OSLO_CELL, BESIDE):
        land[cell] = 1
    fake.values = until("2026-06-30")
    said = build()
    assert np.isnan(maxima(store, OSLO_CELL)[-1])
    assert any("2 of 2 cells lack the last season" in line for line in said)
    assert said_of(store)["cells_without_last_season"] == 2


def test_new_cells_beside_old_ones_must_have_it_too(store: Store, fake: FakeAuthority, build: Any) -> None:
    build()
    fake.values = nothing
    with pytest.raises(SourceError, match=r"of 16 cells .* 0 have it"):
        build(Area("Oslo", *OSLO, side_km=4.0), run="another")


def test_a_block_of_which_most_is_gone_is_refused(store: Store, fake: FakeAuthority, build: Any) -> None:
    build(year=2025)
    fake.there = lambda point: point[0] <= HERE[0] - 1000  # three of nine
    with pytest.raises(SourceError, match=r"of 9 cells .* 3 have it"):
        build()
    assert versions(store) == ["1957-2025"]


def test_a_season_that_some_cells_lack_is_asked_for_with_the_next(
    store: Store, fake: FakeAuthority, build: Any
) -> None:
    build(year=2025)
    fake.there = lambda point: point != HERE
    build()
    held = maxima(store, OSLO_CELL)
    np.testing.assert_array_equal(held[:-1], expected(OSLO_CELL, 2025))
    assert np.isnan(held[-1])
    assert np.isfinite(maxima(store, BESIDE)[-1])
    fake.there = lambda _: True
    fake.forget()
    build(year=2027)
    assert fake.asked_days() == {(date(y, 9, 1), date(2027, 8, 31)) for y in (2025, 2026)}
    assert {(call.first.year, len(call.points)) for call in fake.calls if HERE in call.points} == {(2025, 1)}
    np.testing.assert_array_equal(maxima(store, OSLO_CELL, "1957-2027"), expected(OSLO_CELL, 2027))


@pytest.mark.parametrize("known", [LEAST_DAYS - 1, LEAST_DAYS])
def test_a_season_of_which_too_few_days_are_known_is_missing(
    store: Store, fake: FakeAuthority, build: Any, known: int
) -> None:
    begins = day(f"{SEASON}-09-01")

    def with_a_gap(days: Days, point: Any) -> dict[str, Any]:
        season = (days >= begins) & (days < begins + 365)
        swe = np.where(season, 40.0, winters(days, point)["swe"])
        return winters(days, point) | {"swe": np.where(season & (days < begins + 365 - known), np.nan, swe)}

    fake.values = with_a_gap
    build()
    held, usual = maxima(store, OSLO_CELL), expected(OSLO_CELL)
    usual[SEASON - 1957] = np.nan if known < LEAST_DAYS else 40
    np.testing.assert_array_equal(held, usual)
    fake.values = winters
    fake.forget()
    build(year=2027)
    assert fake.asked_days() == {(date(2026, 9, 1), date(2027, 8, 31))}, "a gap is not asked for again"


def test_a_cell_without_any_snow_has_seasons_of_zero(store: Store, fake: FakeAuthority, build: Any) -> None:
    fake.values = lambda days, point: winters(days, point) | ({"swe": np.zeros(days.size)} if point == HERE else {})
    build()
    np.testing.assert_array_equal(maxima(store, OSLO_CELL), np.zeros(69))
    fake.forget()
    build(year=2027)
    assert fake.asked_days() == {(date(2026, 9, 1), date(2027, 8, 31))}


@pytest.mark.parametrize("wrong", ["-5", "70000"])
def test_impossible_values_are_refused(store: Store, fake: FakeAuthority, build: Any, wrong: str) -> None:
    fake.values = lambda days, _: {"swe": np.where(days == day("2003-02-01"), float(wrong), 10.0)}
    with pytest.raises(SourceError, match=rf"swe is {wrong} mm on 2003-02-01 at \(\d+, \d+\), outside 0 to 60000"):
        build()
    assert versions(store) == []
