"""Many cells, and the one nearest to a place: bounded questions, seas among them, answers that are too large, pace."""

import time
from collections.abc import Iterator
from datetime import date, timedelta
from math import hypot
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.sources import nve_gts
from catalog.sources.errors import SourceError
from catalog.sources.nve_gts import NoCell, Point, SnowData, asking, refusals
from catalog.sources.nve_gts.asking import MOST_REQUESTS
from tests.support.nve_gts import THEMES, SnowAuthority, asked_by, error

FIRST, LAST = date(2026, 11, 10), date(2026, 11, 19)
CELLS: list[Point] = [(262_500 + 3_000 * (i % 40), 6_649_500 + 3_000 * (i // 40)) for i in range(100)]


def height(theme: str, point: Point, stamp: date) -> float:
    """A value that no other theme, cell or day has; as depth in cm it is beyond nothing."""
    return round((THEMES.index(theme) + CELLS.index(point) / 200 + stamp.toordinal() % 40 / 10_000) * 4, 4)


@pytest.fixture
def authority() -> Iterator[SnowAuthority]:
    with SnowAuthority(height) as server:
        yield server


def ask(authority: SnowAuthority, points: list[Point], last: date = LAST, **more: Any) -> SnowData:
    return asked_by(authority.url, 60).at_points(points, FIRST, last, today=last, **more)


def expected(theme: str, points: tuple[Point, ...], factor: float) -> Any:
    stamps = [FIRST + timedelta(days=d + 1) for d in range(10)]
    return np.array([[height(theme, p, s) * factor for p in points] for s in stamps], dtype=np.float32)


def is_right(data: SnowData) -> bool:
    factors = {"swe": 1, "sd": 10, "fsw": 1, "sdfsw": 10, "tm": 1}
    for theme, quantity in zip(THEMES, nve_gts.QUANTITIES, strict=True):
        np.testing.assert_allclose(data.values[quantity], expected(theme, data.points, factors[theme]), rtol=1e-6)
    np.testing.assert_array_equal(data.altitude, [100 + y % 7000 // 1000 for _, y in data.points])
    return True


def test_every_number_is_where_it_belongs(authority: SnowAuthority) -> None:
    data = ask(authority, [CELLS[-1], *CELLS[::-1]])
    assert len(authority.questions) == 5
    assert data.points == tuple(CELLS[::-1]), "a point that is asked for twice is one"
    assert is_right(data)


def test_only_the_quantities_that_are_named_are_asked_for() -> None:
    def told(theme: str, point: Point, stamp: date) -> float | None:
        return None if (theme, point) == ("swe", CELLS[1]) else height(theme, point, stamp)

    with SnowAuthority(told) as authority:
        both = ask(authority, CELLS[:3], quantities=["temp_air", "swe"])
        alone = ask(authority, CELLS[:3], quantities=["swe"])
        assert [q.theme for q in authority.questions] == ["swe", "tm", "swe"]
        assert (list(both.values), both.points) == (["swe", "temp_air"], tuple(CELLS[:3]))
        assert (list(alone.values), alone.points) == (["swe"], (CELLS[0], CELLS[2]))
        with pytest.raises(NoCell):
            ask(authority, CELLS[1:2], quantities=["swe"])


def test_answers_may_stand_in_any_order_and_one_cell_be_no_list(authority: SnowAuthority) -> None:
    def shuffled(answer: dict[str, Any]) -> dict[str, Any]:
        cells = answer["CellTimeSeries"][::-1]
        for cell in cells:  # a position of the cell that is not its centre
            cell.update(X=cell["X"] + 377, Y=cell["Y"] - 211)
        return {**answer, "CellTimeSeries": cells[0] if len(cells) == 1 else cells}

    authority.changed = shuffled
    assert is_right(ask(authority, CELLS[:5]))
    assert is_right(ask(authority, CELLS[:1]))


@pytest.mark.parametrize(("most_points", "most_values", "of"), [(30, 250_000, 30), (2_000, 250, 25)])
def test_questions_are_bounded(
    authority: SnowAuthority, monkeypatch: pytest.MonkeyPatch, most_points: int, most_values: int, of: int
) -> None:
    monkeypatch.setattr(asking, "MOST_POINTS", most_points)
    monkeypatch.setattr(asking, "MOST_VALUES", most_values)
    data = ask(authority, CELLS)
    assert max(len(q.points) for q in authority.questions) == of
    assert len(authority.questions) == 5 * -(-100 // of)
    assert is_right(data)


@pytest.mark.parametrize(("named", "questions"), [(True, 2), (False, 15)])
def test_one_point_of_the_sea_is_left_out(authority: SnowAuthority, named: bool, questions: int) -> None:
    """Named, it costs one question more; else the list is halved down to it, and of seven pairs one half is good."""
    authority.sea, authority.names_the_sea = {CELLS[41]}, named
    data = ask(authority, CELLS)
    assert len([q for q in authority.questions if q.theme == "swe"]) == questions
    later = [q for q in authority.questions if q.theme != "swe"]
    assert len(later) == 4
    assert all(CELLS[41] not in q.points for q in later), "what one theme has told is not asked for again"
    assert data.points == tuple(p for p in CELLS if p != CELLS[41])
    assert is_right(data)


@pytest.mark.parametrize("points", [CELLS, []])
def test_nothing_but_sea_has_no_cell(authority: SnowAuthority, points: list[Point]) -> None:
    authority.sea = set(CELLS)
    with pytest.raises(NoCell):
        ask(authority, points)


def test_an_authority_that_says_of_everything_that_it_is_not_there_is_left_alone(authority: SnowAuthority) -> None:
    authority.down = error("The given key was not present in the dictionary.")
    points = [(262_500 + 1_000 * (i % 60), 6_649_500 + 1_000 * (i // 60)) for i in range(1_500)]
    with pytest.raises(SourceError, match="though there is one: it is out of order") as caught:
        ask(authority, points)
    assert not isinstance(caught.value, NoCell)
    assert len(authority.questions) == 202, "and once for a cell that there is"


def test_many_skerries_in_a_row_are_no_disorder() -> None:
    points = [(400_500 + 1_000 * (i % 20), 7_000_500 + 1_000 * (i // 20)) for i in range(160)]
    with SnowAuthority(lambda *_: 1.0) as authority:
        authority.names_the_sea, authority.sea = False, set(points[:-1])
        found = asked_by(authority.url, 60).with_data(points, date(2026, 2, 1))
        assert found == (points[-1],)
        assert len(authority.questions) > 201


def test_an_answer_that_would_be_too_large_is_asked_for_in_halves(authority: SnowAuthority) -> None:
    authority.most_values = 260
    assert is_right(ask(authority, CELLS))
    sizes = [len(q.points) for q in authority.questions if q.theme == "swe"]
    assert sizes == [100, 50, 25, 25, 50, 25, 25], "and is not tried again as it was"
    authority.most_values = 9
    with pytest.raises(refusals.TooLarge, match="cannot send so many values"):
        ask(authority, CELLS)


def test_a_cell_that_is_not_answered_has_none(authority: SnowAuthority) -> None:
    def two_less(answer: dict[str, Any]) -> dict[str, Any]:
        return {**answer, "CellTimeSeries": answer["CellTimeSeries"][2:]}

    authority.changed = two_less
    data = ask(authority, CELLS[:12])
    assert data.points == tuple(CELLS[2:12])
    there = {name: int(np.isfinite(values).all(axis=0).sum()) for name, values in data.values.items()}
    assert list(there.values()) == [10, 8, 6, 4, 2], "each of five themes leaves out two more"


def test_a_cell_without_any_data_is_left_out_and_one_with_a_little_stays() -> None:
    def told(theme: str, point: Point, stamp: date) -> float | None:
        none = point == CELLS[1] or (point == CELLS[2] and (theme, stamp.day) != ("tm", 15))
        return None if none else 1.5

    with SnowAuthority(told) as authority:
        data = ask(authority, CELLS[:4])
    assert data.points == (CELLS[0], CELLS[2], CELLS[3])
    assert np.isfinite(data.values["temp_air"]).sum(axis=0).tolist() == [10, 1, 10]


def test_there_is_a_pause_between_questions_which_ends_with_the_deadline(authority: SnowAuthority) -> None:
    assert asked_by("https://gts.nve.no").pause_s >= 0.2
    assert asked_by(authority.url).pause_s == 0, "none on this machine"
    patient, began = asked_by(authority.url, 0.5), time.monotonic()
    patient.pause_s = 30
    with pytest.raises(SourceError):
        patient.at_points(CELLS, FIRST, LAST, today=LAST)
    assert 0.4 <= time.monotonic() - began < 5


def test_the_points_that_have_data_are_listed_in_order() -> None:
    sea, empty, day = set(CELLS[10:14]), set(CELLS[50:52]), date(2026, 11, 12)

    def told(theme: str, point: Point, stamp: date) -> float | None:
        assert (theme, stamp) == ("swe", date(2026, 11, 13))
        return None if point in empty else 0.0

    with SnowAuthority(told) as authority:
        authority.sea = sea
        found = asked_by(authority.url).with_data(CELLS[::-1], day)
        assert found == tuple(p for p in CELLS[::-1] if p not in sea | empty)
        assert len(authority.questions) == 5


@pytest.mark.parametrize("of", ["(279500.0, 6682500.0).", "279500 6682500", "x=279500;y=6682500 of theme fsw"])
def test_the_place_that_the_authority_names_is_not_asked_for_again(of: str) -> None:
    with SnowAuthority(lambda *_: 1.0) as authority:
        authority.faults = [error(f"no cell exists for coordinates {of}")]
        points = [CELLS[0], (279_500, 6_682_500), CELLS[1]]
        assert ask(authority, points).points == tuple(CELLS[:2])
        assert [len(q.points) for q in authority.questions] == [3, 2, 2, 2, 2, 2]


CENTRE, DAY = (262_500, 6_649_500), date(2026, 11, 13)
AROUND = [(CENTRE[0] + 1000 * x, CENTRE[1] + 1000 * y) for x in range(-6, 7) for y in range(-6, 7)]


def find(authority: SnowAuthority, centre: Point = CENTRE) -> Point | None:
    return asked_by(authority.url).nearest(centre, DAY)


def away(point: Point) -> float:
    return hypot(point[0] - CENTRE[0], point[1] - CENTRE[1])


@settings(max_examples=25)
@given(land=st.sets(st.sampled_from([p for p in AROUND if 0 < away(p) <= 3000]), min_size=1))
def test_the_cell_with_data_that_is_nearest_is_found(land: set[Point]) -> None:
    """Against the distances of all; what is no land here has a cell, but no data."""
    with SnowAuthority(lambda t, point, _: 1.0 if point in land else None) as authority:
        found = find(authority)
        assert len(authority.questions) <= 7, "as many distances as there are within 3 km"
    assert found in land
    assert away(found) == min(away(point) for point in land)


@pytest.mark.parametrize("named", [True, False])
def test_at_the_coast_the_sea_has_no_cells(named: bool) -> None:
    with SnowAuthority(lambda *_: 0.0) as authority:
        authority.sea = {p for p in AROUND if p[0] <= CENTRE[0]}
        authority.names_the_sea = named
        assert find(authority) == (CENTRE[0] + 1000, CENTRE[1])
        assert len(authority.questions) <= 16, "itself, and eight neighbours alone at the worst"


def test_cells_are_searched_within_five_kilometres() -> None:
    with SnowAuthority(lambda t, point, _: 1.0 if away(point) >= 4999 else None) as authority:
        found = find(authority)
        assert found is not None
        assert away(found) == 5000
    with SnowAuthority(lambda t, point, _: 1.0 if away(point) > 5000 else None) as authority:
        with pytest.raises(SourceError, match="has cells within 5 km of there, and no snow of 2026-11-13"):
            find(authority)
        assert len(authority.questions) == 14, "a distance each"


def test_nobody_searches_the_sea_for_long() -> None:
    with SnowAuthority(lambda *_: 0.0) as authority:
        authority.sea = set(AROUND)
        for authority.names_the_sea in (True, False):
            authority.questions.clear()
            assert find(authority) is None
            assert len(authority.questions) == MOST_REQUESTS


def test_at_the_edge_of_the_grid_nothing_beyond_is_asked_for() -> None:
    corner = (-74_500, 6_450_500)
    with SnowAuthority(lambda t, point, _: 1.0 if point != corner else None) as authority:
        assert find(authority, corner) in {(-73_500, 6_450_500), (-74_500, 6_451_500)}
        assert min(min(q.points) for q in authority.questions) >= corner


def test_what_was_found_before_the_questions_ran_out_counts() -> None:
    """A coast whose sea is refused point by point: the ring is not finished, and its land is not thrown away."""
    with SnowAuthority(lambda *_: 0.0) as authority:
        authority.sea = {p for p in AROUND if away(p) <= 1500 or p[0] <= CENTRE[0] - 2000}
        authority.names_the_sea = False
        found = find(authority)
        assert found is not None
        assert found not in authority.sea
        assert len(authority.questions) <= MOST_REQUESTS
