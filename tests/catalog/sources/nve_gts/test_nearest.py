"""The cell nearest to a place, in few questions."""

from datetime import date
from math import hypot

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.sources.errors import SourceError
from catalog.sources.nve_gts import Point
from catalog.sources.nve_gts.asking import MOST_REQUESTS
from tests.support.nve_gts import Fault, SnowAuthority, asked_by

CENTRE, DAY = (262_500, 6_649_500), date(2026, 11, 13)
AROUND = [(CENTRE[0] + 1000 * x, CENTRE[1] + 1000 * y) for x in range(-6, 7) for y in range(-6, 7)]


def find(authority: SnowAuthority, centre: Point = CENTRE) -> Point | None:
    return asked_by(authority.url).nearest(centre, DAY)


def away(point: Point) -> float:
    return hypot(point[0] - CENTRE[0], point[1] - CENTRE[1])


def test_the_cell_itself_is_one_question() -> None:
    with SnowAuthority(lambda *_: 0.0) as authority:
        assert find(authority) == CENTRE
        [question] = authority.questions
    assert (question.theme, question.points, question.start) == ("swe", (CENTRE,), date(2026, 11, 14))


@settings(max_examples=25)
@given(land=st.sets(st.sampled_from([p for p in AROUND if 0 < away(p) <= 3000]), min_size=1))
def test_the_nearest_there_is(land: set[Point]) -> None:
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


def test_five_kilometres_and_no_farther() -> None:
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


def test_an_authority_that_is_down_is_no_sea() -> None:
    with SnowAuthority(lambda *_: 0.0) as authority:
        authority.down = Fault(400)
        with pytest.raises(SourceError, match="HTTP 400"):
            find(authority)


def test_what_was_found_before_the_questions_ran_out_counts() -> None:
    """A coast whose sea is refused point by point: the ring is not finished, and its land is not thrown away."""
    with SnowAuthority(lambda *_: 0.0) as authority:
        authority.sea = {p for p in AROUND if away(p) <= 1500 or p[0] <= CENTRE[0] - 2000}
        authority.names_the_sea = False
        found = find(authority)
        assert found is not None
        assert found not in authority.sea
        assert len(authority.questions) <= MOST_REQUESTS


def test_questions_that_are_repeated_are_none_of_the_40(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("catalog.sources.http.FIRST_WAIT_S", 0.0)
    with SnowAuthority(lambda *_: 0.0) as authority:
        authority.sea = {p for p in AROUND if away(p) <= 2000}
        authority.faults = [Fault(503), Fault(503), Fault(503), None] * MOST_REQUESTS
        assert find(authority) is not None
        assert len(authority.questions) > MOST_REQUESTS
