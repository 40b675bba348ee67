"""Water on demand: what the authority is asked for, and what is made of its answers."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from catalog import snow_water
from catalog.sources.nve_gts import batches, day_of
from tests.catalog.snow_water.conftest import FIRST
from tests.support.nve_gts import SnowAuthority
from tests.support.snow_cells import DAY, At
from tests.support.snow_water import expected, fetch, grid, height, posted, water


@pytest.mark.usefixtures("whole_years")
def test_nine_cells_since_1957_are_one_question(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    authority.origin = "simulated"
    for again in (False, True):
        fetched = fetch(water(authority, tmp_path, clock), grid())
        assert (fetched.failed, list(fetched.found)) == (None, grid())
        for point, cell in fetched.found.items():
            assert cell is not None
            assert (cell.days[0], cell.days[-1]) == (day_of(date(1957, 9, 1)), day_of(date(2026, 8, 31)))
            assert cell.days.dtype == np.int64
            assert (np.diff(cell.days) == 1).all()
            assert cell.swe.dtype == np.float32
            assert cell.swe.tolist() == expected(point, date(1957, 9, 1), date(2026, 8, 31)), again
            assert (cell.altitude, cell.data_origin) == (100 + point[1] % 7000 // 1000, "simulated")
    assert posted(authority) == [tuple(grid())]
    assert (authority.questions[0].start, authority.questions[0].end) == (date(1957, 9, 2), date(2026, 9, 1))


@pytest.mark.usefixtures("whole_years")
def test_what_the_authority_is_known_to_bear() -> None:
    sizes = [len(part) for part in batches(grid(37, 1), snow_water._n_days(date(2026, 8, 31)))]
    assert sizes == [9, 9, 9, 9, 1]


def test_many_cells_are_several_questions(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    fetched = fetch(water(authority, tmp_path, clock), [point for point in grid(37, 1) for _ in range(2)])
    assert (fetched.failed, list(fetched.found)) == (None, grid(37, 1))
    assert [len(points) for points in posted(authority)] == [9, 9, 9, 9, 1]
    assert all(cell and cell.swe.tolist() == expected(p, FIRST, date(2026, 8, 31)) for p, cell in fetched.found.items())
    assert fetch(water(authority, tmp_path, clock), []).found == {}


def test_sea_among_land(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    authority.sea = {grid()[0], grid()[5]}
    kept = water(authority, tmp_path, clock)
    for _ in range(2):
        fetched = fetch(kept, grid())
        assert fetched.failed is None
        assert {point for point, cell in fetched.found.items() if cell is None} == authority.sea
        assert all(
            c is None or c.swe.tolist() == expected(p, FIRST, date(2026, 8, 31)) for p, c in kept.kept(grid()).items()
        )
    assert len(authority.questions) == 5
    authority.sea, authority.questions = set(), []
    clock.moment += DAY - timedelta(seconds=1)
    assert fetch(kept, grid()).found[grid()[0]] is None
    clock.moment += timedelta(seconds=1)
    assert all(fetch(kept, grid()).found.values())
    assert posted(authority) == [(grid()[0], grid()[5])], "that there is none holds for a day"


@pytest.mark.parametrize("named", [True, False])
def test_nothing_but_sea(authority: SnowAuthority, tmp_path: Path, clock: At, named: bool) -> None:
    authority.sea, authority.names_the_sea = set(grid()), named
    kept = water(authority, tmp_path, clock)
    for _ in range(2):
        fetched = fetch(kept, grid())
        assert (fetched.failed, fetched.found) == (None, dict.fromkeys(grid()))
    assert len(authority.questions) == 1 + (9 if named else 17) + 1
    assert posted(authority)[-1] == ((262_500, 6_649_500),), "the authority is well: it has Oslo"


@pytest.mark.parametrize("of", [1, 9])
def test_cells_of_which_nothing_is_known(authority: SnowAuthority, tmp_path: Path, clock: At, of: int) -> None:
    unknown = set(grid()[:of])
    authority.value = lambda theme, point, stamp: None if point in unknown else height(theme, point, stamp)
    for _ in range(2):
        fetched = fetch(water(authority, tmp_path, clock), grid())
        assert fetched.failed is None
        assert {point for point, cell in fetched.found.items() if cell is None} == unknown
    assert len(authority.questions) == (2 if of == 9 else 1)


def test_what_is_missing_stays_so_and_a_series_may_end_early(
    authority: SnowAuthority, tmp_path: Path, clock: At
) -> None:
    lost = date(2025, 1, 10)
    authority.value = lambda theme, point, stamp: None if stamp == lost else height(theme, point, stamp)
    authority.ends = date(2026, 8, 2)
    for found in (
        fetch(water(authority, tmp_path, clock), grid()).found,
        water(authority, tmp_path, clock).kept(grid()),
    ):
        cell = found[grid()[4]]
        assert cell is not None
        assert cell.days[-1] == day_of(date(2026, 8, 31))
        missing = cell.days[np.isnan(cell.swe)]
        assert missing.tolist() == [
            day_of(date(2025, 1, 9)),
            *range(day_of(date(2026, 8, 2)), day_of(date(2026, 9, 1))),
        ]


@pytest.mark.parametrize("named", [True, False])
def test_a_coast_costs_one_long_answer(authority: SnowAuthority, tmp_path: Path, clock: At, named: bool) -> None:
    authority.sea, authority.names_the_sea = set(grid()[::2][:4]), named
    fetched = fetch(water(authority, tmp_path, clock), grid())
    assert {point for point, cell in fetched.found.items() if cell is None} == authority.sea
    long = [question for question in authority.questions if (question.end - question.start).days > 1]
    assert [len(question.points) for question in long] == [9, 5], "the first is refused at once"


def test_centimetres(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    authority.value = lambda theme, point, stamp: round(height(theme, point, stamp) / 10, 1)
    authority.units["swe"] = "cm"
    for found in (
        fetch(water(authority, tmp_path, clock), grid()).found,
        water(authority, tmp_path, clock).kept(grid()),
    ):
        cell = found[grid()[4]]
        assert cell is not None
        np.testing.assert_allclose(cell.swe, expected(grid()[4], FIRST, date(2026, 8, 31)), rtol=1e-6)


@pytest.mark.parametrize(
    ("moment", "last"),
    [
        (datetime(2026, 9, 1, 7, tzinfo=UTC), date(2026, 8, 31)),
        (datetime(2026, 9, 1, 6, 59, 59, tzinfo=UTC), date(2025, 8, 31)),
        (datetime(2027, 1, 1, 3, tzinfo=UTC), date(2026, 8, 31)),
    ],
)
def test_a_season_is_over_on_1_september_at_07(
    authority: SnowAuthority, tmp_path: Path, clock: At, moment: datetime, last: date
) -> None:
    clock.moment = moment
    kept = water(authority, tmp_path, clock)
    cell = fetch(kept, grid()).found[grid()[0]]
    assert cell is not None
    assert cell.days[-1] == day_of(last)
    assert kept.last_summer() == last
    assert authority.questions[0].end == last + DAY
