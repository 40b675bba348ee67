"""The maxima of seasons: what is built and asked for, and where the authority lacks a cell, a season, or all of it."""

from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import pytest

from catalog.sources.errors import SourceError
from catalog.versions import read_index
from dags.areas import Area
from dags.build.snow import snowload
from dags.build.snow.nearest_cells import point_of
from dags.build.snow.snowload import SEARCHED_YEARS
from kernels.snowload.seasons import LEAST_DAYS
from tests.support.snow_authority import Days, FakeAuthority, day, nothing, said_of
from tests.support.snowload_build import (
    BESIDE,
    FIRST,
    OSLO_CELL,
    TROMSO_AREA,
    built,
    expected,
    maxima,
    opened,
    until,
    winters,
)
from tests.support.tmy import OSLO
from tiles.store import Store


def test_every_season_of_every_cell(store: Store, fake: FakeAuthority, build: Any) -> None:
    said = build()
    assert fake.asked_days() == {(FIRST, date(2026, 8, 31))}
    assert {call.quantities for call in fake.calls} == {("swe",)}
    data = opened(store)
    assert data.season.values.tolist() == list(range(1957, 2026))
    cells = built(store)
    assert len(cells) == 9
    for cell in cells:
        np.testing.assert_array_equal(maxima(store, cell), expected(cell))
        assert float(data.altitude[cell]) == 120
    assert np.isnan(maxima(store, (OSLO_CELL[0] + 2, OSLO_CELL[1]))).all()
    assert data.swe_max.attrs["units"] == "mm"
    entry = read_index(store, "snowload").entries[-1]
    assert (entry.data_origin, entry.source) == ("simulated", "nve_gts")
    told = said_of(store, "snowload", "1957-2026")
    assert told["days"] == ["1957-09-01", "2026-08-31"]
    assert (told["cells"], told["cells_without_data"], told["requests"]) == (9, 0, 0)
    assert {"sources", "licence", "attribution", "method", "generator", "record", "authority"} <= set(told)
    assert any("1 blocks, 9 cells; 0 requests to nve_gts" in line for line in said)
    # a climate counts at any moment that a clock may show
    assert read_index(store, "snowload").newest(datetime(1999, 1, 1, tzinfo=UTC)) == entry


def test_a_year_later_only_that_season_is_asked_for(store: Store, fake: FakeAuthority, build: Any) -> None:
    build(year=2025)
    fake.forget()
    build()
    assert fake.searched == []
    assert fake.asked_days() == {(date(2025, 9, 1), date(2026, 8, 31))}
    assert [len(call.points) for call in fake.calls] == [9]
    np.testing.assert_array_equal(maxima(store, OSLO_CELL), expected(OSLO_CELL))
    np.testing.assert_array_equal(maxima(store, OSLO_CELL, "1957-2025"), expected(OSLO_CELL, 2025))
    newest = read_index(store, "snowload").newest(datetime(2026, 10, 16, tzinfo=UTC))
    assert newest is not None
    assert newest.version == "1957-2026"


def test_more_cells_of_a_block_do_not_ask_for_the_others_again(store: Store, fake: FakeAuthority, build: Any) -> None:
    fake.there = lambda point: point != point_of(BESIDE)
    build()
    first = {point for points in fake.searched for point in points}
    fake.forget()
    build(Area("Oslo", *OSLO, side_km=4.0), run="another")
    searched = [point for points in fake.searched for point in points]
    assert len(searched) == 16
    assert not set(searched) & first, "neither where there is data nor where it was found that there is none"
    assert {point for call in fake.calls for point in call.points} == set(searched)
    np.testing.assert_array_equal(maxima(store, OSLO_CELL), expected(OSLO_CELL))
    assert len(built(store)) == 24
    assert said_of(store, "snowload", "1957-2026")["cells_without_data"] == 1


def test_another_authority_or_method_is_asked_for_everything(
    store: Store, fake: FakeAuthority, build: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(year=2025)
    fake.forget()
    fake.data_origin = "live"
    build(url="http://another")
    assert fake.asked_days() == {(FIRST, date(2026, 8, 31))}
    assert read_index(store, "snowload").entries[-1].data_origin == "live"
    fake.forget()
    monkeypatch.setattr(snowload.SeasonMaxima, "record", 2)
    build(url="http://another", run="another")
    assert fake.asked_days() == {(FIRST, date(2026, 8, 31))}


@pytest.mark.parametrize(
    ("first", "then", "areas"),
    [("simulated", "live", ()), ("live", "simulated", (TROMSO_AREA,))],
    ids=["years", "areas"],
)
def test_maxima_are_simulated_if_any_of_them_are(
    store: Store, fake: FakeAuthority, build: Any, first: str, then: str, areas: tuple[Area, ...]
) -> None:
    for origin, where, year in ((first, (), 2025), (then, areas, 2026)):
        fake.data_origin = origin
        build(*where, year=year)
    assert [entry.data_origin for entry in read_index(store, "snowload").entries] == [first, "simulated"]


def test_the_sea_is_not_asked_for(fake: FakeAuthority, build: Any, land: Any) -> None:
    land[:, OSLO_CELL[1] + 1 :] = 0
    land[OSLO_CELL[0] - 1, OSLO_CELL[1]] = 0.04
    build()
    (asked,) = fake.searched
    assert len(asked) == 6
    assert point_of(BESIDE) not in asked
    assert point_of((OSLO_CELL[0] - 1, OSLO_CELL[1])) in asked


def test_areas_at_sea_are_refused(fake: FakeAuthority, build: Any, land: Any) -> None:
    land[:] = 0
    with pytest.raises(ValueError, match="no land lies in these areas"):
        build()
    assert fake.searched == []


HERE = point_of(OSLO_CELL)


def versions(store: Store) -> list[str]:
    return [entry.version for entry in read_index(store, "snowload").entries]


@pytest.mark.parametrize("known", [False, True], ids=["unknown", "without a day"])
def test_cells_that_the_authority_lacks_are_left_out_and_told(
    store: Store, fake: FakeAuthority, build: Any, known: bool
) -> None:
    fake.there = lambda point: known or point != HERE
    fake.values = lambda days, point: (nothing if point == HERE else winters)(days, point)
    assert "1 of 9 cells are left out" in "".join(build())
    assert OSLO_CELL not in built(store)
    assert (
        said_of(store, "snowload", "1957-2026")["cells"],
        said_of(store, "snowload", "1957-2026")["cells_without_data"],
    ) == (8, 1)


def test_cells_without_data_are_searched_again_after_years(store: Store, fake: FakeAuthority, build: Any) -> None:
    fake.there = lambda point: point != HERE
    build(year=2020)
    fake.forget()
    build(year=2019 + SEARCHED_YEARS)
    assert fake.searched == []
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
    fake.there = lambda point: point[1] < 7_000_000
    with pytest.raises(SourceError, match="no snow data of any of these cells"):
        build(TROMSO_AREA, url="http://another")
    assert versions(store) == []
    fake.there = lambda _: True
    build(TROMSO_AREA, run="again")
    assert len(built(store)) == 9


@pytest.mark.parametrize("answer", [nothing, until("2026-06-30")], ids=["nothing", "ends early"])
def test_the_last_season_must_be_there(store: Store, fake: FakeAuthority, build: Any, answer: Any) -> None:
    build(year=2025)
    fake.values = answer
    with pytest.raises(SourceError, match=r"of 9 cells .* to 2026-08-31 0 have it; nothing is published: start"):
        build()
    assert versions(store) == ["1957-2025"]
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
    assert said_of(store, "snowload", "1957-2026")["cells_without_last_season"] == 2


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


def test_seasons_of_zero_are_known_and_seasons_of_too_few_days_are_missing(
    store: Store, fake: FakeAuthority, build: Any
) -> None:
    def answer(days: Days, point: Any) -> dict[str, Any]:
        """No snow here; beside it a season of 2000 of which a day too few is known."""
        begins, swe = day("2000-09-01"), winters(days, point)["swe"]
        gap = (days >= begins) & (days < begins + 365 - (LEAST_DAYS - 1)) & (point == point_of(BESIDE))
        return winters(days, point) | {"swe": np.where(gap, np.nan, 0.0 if point == HERE else swe)}

    fake.values = answer
    build()
    np.testing.assert_array_equal(maxima(store, OSLO_CELL), np.zeros(69))
    usual = expected(BESIDE)
    usual[2000 - 1957] = np.nan
    np.testing.assert_array_equal(maxima(store, BESIDE), usual)
    fake.forget()
    build(year=2027)
    assert fake.asked_days() == {(date(2026, 9, 1), date(2027, 8, 31))}, "neither is asked for again"


def test_impossible_values_are_refused(store: Store, fake: FakeAuthority, build: Any) -> None:
    fake.values = lambda days, _: {"swe": np.where(days == day("2003-02-01"), -5.0, 10.0)}
    with pytest.raises(SourceError, match=r"swe is -5 mm on 2003-02-01 at \(\d+, \d+\), outside 0 to 60000"):
        build()
    assert versions(store) == []
