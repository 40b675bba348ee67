"""Snow on demand: what the authority is asked for, and what is made of its answers."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from api.snowload.maxima import SNOWLOAD
from catalog.snow_cells import SnowCells
from catalog.snow_products import HISTORY, OUTLOOK
from catalog.sources.errors import SourceError
from catalog.sources.nve_gts import day_of
from catalog.sources.nve_gts.asking import MOST_REQUESTS
from tests.support.nve_gts import SnowAuthority
from tests.support.snow_cells import (
    CENTRE,
    DAY,
    FETCH,
    WINTERS,
    At,
    cells,
    days,
    fetch,
    grid,
    height,
    known,
    maxima,
    one,
)
from tiles.grid import SENORGE1KM


def test_an_outlook_is_the_season_and_nine_days_ahead(kept: SnowCells, authority: SnowAuthority) -> None:
    authority.origin = "simulated"
    cell = one(kept, OUTLOOK)
    assert (days(cell)[0], days(cell)[-1]) == (day_of(date(2026, 9, 1)), day_of(date(2026, 12, 1)))
    assert (cell.observed_until, cell.point) == (day_of(date(2026, 11, 22)), CENTRE)
    assert (cell.data_origin, cell.sources[0]["name"]) == ("simulated", "nve_gts")
    assert max(q.end for q in authority.questions) == date(2026, 12, 2), "nine stamps after that of the 23rd"
    assert len(authority.questions) == 1 + FETCH


def test_values_are_those_of_the_tile(kept: SnowCells, authority: SnowAuthority) -> None:
    """Packed as the product declares: swe and depths to 1 mm, new snow and temperature to 0.1."""
    lost = date(2026, 10, 10)
    authority.value = lambda theme, point, stamp: None if stamp == lost else height(theme, point, stamp) + 0.04
    for _ in range(2):
        cell = one(kept, OUTLOOK)
        stamps = [date.fromordinal(n) for n in range(date(2026, 9, 2).toordinal(), date(2026, 12, 3).toordinal())]
        for name, theme, factor, steps in (
            ("swe", "swe", 1, 1),
            ("snow_depth", "sd", 10, 1),
            ("new_snow", "fsw", 1, 10),
            ("new_snow_depth", "sdfsw", 10, 1),
            ("temp_air", "tm", 1, 10),
        ):
            told = [np.nan if s == lost else (height(theme, CENTRE, s) + 0.04) * factor for s in stamps]
            np.testing.assert_allclose(cell.values[name], np.rint(np.array(told) * steps) / steps, atol=1e-4)
        row, column = int(cell.values["snow_row"]), int(cell.values["snow_column"])
        assert (SENORGE1KM.axes[1][column], SENORGE1KM.axes[0][row]) == CENTRE
        assert cell.values["altitude"] == pytest.approx(100 + CENTRE[1] % 7000 // 1000)


@pytest.mark.parametrize(
    ("moment", "first", "observed"),
    [
        (datetime(2026, 9, 1, 8, tzinfo=UTC), date(2026, 9, 1), date(2026, 8, 31)),
        (datetime(2026, 9, 1, 6, 59, tzinfo=UTC), date(2025, 9, 1), date(2026, 8, 30)),
        (datetime(2027, 1, 1, 3, tzinfo=UTC), date(2026, 9, 1), date(2026, 12, 30)),
    ],
)
def test_season_turns_on_1_september(kept: SnowCells, clock: At, moment: datetime, first: date, observed: date) -> None:
    """Until 07 UTC nobody knows the day that ended at 06."""
    clock.moment = moment
    cell = one(kept, OUTLOOK)
    assert cell.first == day_of(first)
    assert cell.observed_until == min(day_of(observed), days(cell)[-1])
    assert days(cell)[-1] == day_of(observed) + 9


def test_history_and_winters_are_since_1957(kept: SnowCells, clock: At) -> None:
    clock.moment, last = datetime(2026, 9, 1, 6, 59, 59, tzinfo=UTC), date(2025, 8, 31)
    history = one(kept, HISTORY)
    assert (days(history)[0], days(history)[-1]) == (day_of(date(1957, 9, 1)), day_of(last))
    assert history.observed_until == days(history)[-1]
    winters = one(kept, SNOWLOAD)
    assert winters.first == 1957
    assert known(winters) == maxima(CENTRE, last, date(1957, 9, 1))


def test_nine_cells_since_1957_are_one_question(kept: SnowCells, authority: SnowAuthority) -> None:
    for _ in range(2):
        fetched = fetch(kept, SNOWLOAD, grid())
        assert (fetched.failed, list(fetched.found)) == (None, grid())
        assert {point: known(cell) for point, cell in fetched.found.items()} == {
            point: maxima(point, first=date(1957, 9, 1)) for point in grid()
        }
    assert authority.asked == [tuple(grid())]
    assert (authority.questions[0].start, authority.questions[0].end) == (date(1957, 9, 2), date(2026, 9, 1))


def test_the_nearest_cell_with_data_is_found_once(kept: SnowCells, authority: SnowAuthority) -> None:
    authority.sea = {CENTRE}
    point = one(kept, OUTLOOK).point
    assert one(kept, HISTORY).point == point
    assert (abs(point[0] - CENTRE[0]), abs(point[1] - CENTRE[1])) in {(0, 1000), (1000, 0)}
    assert len(authority.questions) == 2 + 2 * FETCH
    assert {q.points for q in authority.questions[2:]} == {(point,)}


@pytest.mark.parametrize("named", [True, False])
def test_sea_has_no_cell_for_a_day(kept: SnowCells, authority: SnowAuthority, clock: At, named: bool) -> None:
    authority.sea, authority.names_the_sea = {grid()[0], grid()[5]}, named
    for _ in range(2):
        found = fetch(kept, WINTERS, grid()).found
        assert {point for point, cell in found.items() if cell is None} == authority.sea
        assert all(cell is None or known(cell) == maxima(point) for point, cell in found.items())
    assert len(authority.questions) == (3 if named else 13), "a list with one of them is refused"
    authority.sea, authority.questions = set(), []
    clock.moment += DAY - timedelta(seconds=1)
    assert fetch(kept, WINTERS, grid()).found[grid()[0]] is None
    clock.moment += timedelta(seconds=1)
    assert all(fetch(kept, WINTERS, grid()).found.values())
    assert authority.asked == [(grid()[0], grid()[5])]


def test_nothing_but_sea_is_believed_of_an_authority_that_has_oslo(kept: SnowCells, authority: SnowAuthority) -> None:
    authority.sea = set(grid())
    for _ in range(2):
        fetched = fetch(kept, WINTERS, grid())
        assert (fetched.failed, fetched.found) == (None, dict.fromkeys(grid()))
    assert len(authority.questions) == 9 + 1
    assert authority.asked[-1] == (CENTRE,)


def test_a_place_far_from_any_cell_is_known_for_a_day(kept: SnowCells, authority: SnowAuthority, clock: At) -> None:
    point = grid()[0]
    around = range(-6000, 7000, 1000)
    authority.sea = {(point[0] + x, point[1] + y) for x in around for y in around}
    for _ in range(2):
        assert fetch(kept, OUTLOOK, [point]).found == {point: None}
    assert len(authority.questions) == MOST_REQUESTS + 1
    authority.sea = set()
    clock.moment += DAY
    assert one(kept, OUTLOOK, point).point == point


def test_a_cell_without_snow_now_is_asked_for_again(kept: SnowCells, authority: SnowAuthority) -> None:
    authority.value = lambda *_: None
    with pytest.raises(SourceError, match="has cells within 5 km of there, and no snow"):
        one(kept, OUTLOOK)
    authority.value = height
    assert one(kept, OUTLOOK).point == CENTRE


@pytest.mark.parametrize("of", [1, 9])
def test_a_cell_of_which_nothing_is_known_has_none(kept: SnowCells, authority: SnowAuthority, of: int) -> None:
    unknown = set(grid()[:of])
    authority.value = lambda theme, point, stamp: None if point in unknown else height(theme, point, stamp)
    for _ in range(2):
        fetched = fetch(kept, WINTERS, grid())
        assert fetched.failed is None
        assert {point for point, cell in fetched.found.items() if cell is None} == unknown
    assert len(authority.questions) == (2 if of == 9 else 1)


def test_other_values_are_another_version(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    first, again = (one(cells(authority, tmp_path / name, clock), OUTLOOK).version for name in "ab")
    authority.value = lambda theme, point, stamp: height(theme, point, stamp) + (theme == "tm")
    assert first == again != one(cells(authority, tmp_path / "c", clock), OUTLOOK).version
