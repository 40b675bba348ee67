"""Many cells: bounded questions, seas among them, answers that are too large, pace, and what it says on the way."""

import json
import time
from contextlib import nullcontext
from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest

from catalog.sources import nve_gts
from catalog.sources.errors import SourceError
from catalog.sources.nve_gts import NoCell, Point, SnowData, asking, refusals
from tests.support.nve_gts import THEMES, Fault, SnowAuthority, asked_by, error

FIRST, LAST = date(2026, 11, 10), date(2026, 11, 19)
CELLS: list[Point] = [(262_500 + 3_000 * (i % 40), 6_649_500 + 3_000 * (i // 40)) for i in range(100)]


def height(theme: str, point: Point, stamp: date) -> float:
    """A value that no other theme, cell or day has; as depth in cm it is beyond nothing."""
    return round((THEMES.index(theme) + CELLS.index(point) / 200 + stamp.toordinal() % 40 / 10_000) * 4, 4)


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


def test_every_number_is_where_it_belongs() -> None:
    points = CELLS[::-1]
    with SnowAuthority(height) as authority:
        data = ask(authority, points)
        assert len(authority.questions) == 5
        assert authority.questions[0].headers["Content-Type"] == "application/json"
    assert data.points == tuple(points)
    assert is_right(data)


def test_many_give_what_one_gives() -> None:
    with SnowAuthority(height) as authority:
        authority.forecast_from = "16.11.2026 06:00:00"
        many = ask(authority, CELLS[:3])
        for column, point in enumerate(CELLS[:3]):
            alone = ask(authority, [point])
            for name in nve_gts.QUANTITIES:
                np.testing.assert_array_equal(alone.values[name][:, 0], many.values[name][:, column])
            assert alone.altitude == many.altitude[column]
            assert alone.observed_until == many.observed_until == nve_gts.day_of(date(2026, 11, 14))


def test_some_quantities_alone() -> None:
    def told(theme: str, point: Point, stamp: date) -> float | None:
        return None if (theme, point) == ("swe", CELLS[1]) else height(theme, point, stamp)

    with SnowAuthority(told) as authority:
        data = ask(authority, CELLS[:3], quantities=["temp_air", "swe"])
        assert [q.theme for q in authority.questions] == ["swe", "tm"]
        assert (list(data.values), data.points) == (["swe", "temp_air"], tuple(CELLS[:3]))
        authority.questions.clear()
        data = ask(authority, CELLS[:3], quantities=["swe"])
        assert [q.theme for q in authority.questions] == ["swe"]
        assert (list(data.values), data.points) == (["swe"], (CELLS[0], CELLS[2]))
        np.testing.assert_allclose(data.values["swe"], expected("swe", data.points, 1), rtol=1e-6)
        with pytest.raises(NoCell):
            ask(authority, CELLS[1:2], quantities=["swe"])


def test_answers_may_stand_in_any_order_and_one_cell_be_no_list() -> None:
    def shuffled(answer: dict[str, Any]) -> dict[str, Any]:
        cells = answer["CellTimeSeries"][::-1]
        for cell in cells:  # a position of the cell that is not its centre
            cell.update(X=cell["X"] + 377, Y=cell["Y"] - 211)
        return {**answer, "CellTimeSeries": cells[0] if len(cells) == 1 else cells}

    with SnowAuthority(height) as authority:
        authority.changed = shuffled
        assert is_right(ask(authority, CELLS[:5]))
        assert is_right(ask(authority, CELLS[:1]))


@pytest.mark.parametrize(("most_points", "most_values", "of"), [(30, 250_000, 30), (2_000, 250, 25), (2_000, 5, 1)])
def test_questions_are_bounded(monkeypatch: pytest.MonkeyPatch, most_points: int, most_values: int, of: int) -> None:
    monkeypatch.setattr(asking, "MOST_POINTS", most_points)
    monkeypatch.setattr(asking, "MOST_VALUES", most_values)
    with SnowAuthority(height) as authority:
        data = ask(authority, CELLS)
        assert max(len(q.points) for q in authority.questions) == of
        assert len(authority.questions) == 5 * -(-100 // of)
    assert is_right(data)


def test_the_bounds_are_what_the_authority_is_known_to_bear() -> None:
    for n_points, n_days in ((40_000, 375), (40_000, 90), (40_000, 19), (256, 25_202), (5, 1)):
        parts = asking.batches([(0, 0)] * n_points, n_days)
        assert sum(len(part) for part in parts) == n_points
        assert all(len(part) <= 2_000 and len(part) * n_days <= 250_000 for part in parts)
    assert len(asking.batches([(0, 0)], 300_000)) == 1


@pytest.mark.parametrize(("named", "questions"), [(True, 2), (False, 15)])
def test_one_point_of_the_sea_is_left_out(named: bool, questions: int) -> None:
    """Named, it costs one question more; else the list is halved down to it, and of seven pairs one half is good."""
    with SnowAuthority(height) as authority:
        authority.sea, authority.names_the_sea = {CELLS[41]}, named
        data = ask(authority, CELLS)
        assert len([q for q in authority.questions if q.theme == "swe"]) == questions
        later = [q for q in authority.questions if q.theme != "swe"]
        assert len(later) == 4
        assert all(CELLS[41] not in q.points for q in later), "what one theme has told is not asked for again"
    assert data.points == tuple(p for p in CELLS if p != CELLS[41])
    assert is_right(data)


def test_many_points_of_the_sea() -> None:
    with SnowAuthority(height) as authority:
        authority.sea = set(CELLS[::3])
        for authority.names_the_sea in (True, False):
            data = ask(authority, CELLS)
            assert data.points == tuple(p for p in CELLS if p not in authority.sea)
            assert is_right(data)


def test_nothing_but_sea() -> None:
    with SnowAuthority(height) as authority:
        authority.sea = set(CELLS)
        with pytest.raises(NoCell):
            ask(authority, CELLS)
        with pytest.raises(NoCell):
            ask(authority, [])


def test_an_authority_that_says_of_everything_that_it_is_not_there_is_left_alone() -> None:
    with SnowAuthority(height) as authority:
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


def test_an_answer_that_would_be_too_large_is_asked_for_in_halves() -> None:
    with SnowAuthority(height) as authority:
        authority.most_values = 260
        assert is_right(ask(authority, CELLS))
        sizes = [len(q.points) for q in authority.questions if q.theme == "swe"]
        assert sizes == [100, 50, 25, 25, 50, 25, 25], "and is not tried again as it was"
        authority.most_values = 9
        with pytest.raises(refusals.TooLarge, match="cannot send so many values"):
            ask(authority, CELLS)


def test_a_cell_that_is_not_answered_has_none() -> None:
    def two_less(answer: dict[str, Any]) -> dict[str, Any]:
        return {**answer, "CellTimeSeries": answer["CellTimeSeries"][2:]}

    with SnowAuthority(height) as authority:
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


def test_a_point_that_is_asked_for_twice_is_one() -> None:
    with SnowAuthority(height) as authority:
        assert ask(authority, [CELLS[1], CELLS[0], CELLS[1]]).points == (CELLS[1], CELLS[0])


def test_faults_that_pass_are_outlived() -> None:
    with SnowAuthority(height) as authority:
        authority.faults = [None, Fault(500), Fault(429, {"Retry-After": "0"}), None, Fault(503)]
        data = ask(authority, CELLS)
        assert len(authority.questions) == 8
    assert is_right(data)


def test_progress_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "MOST_POINTS", 50)
    said: list[str] = []
    with SnowAuthority(height) as authority:
        authority.sea = {CELLS[7]}
        asked_by(authority.url, 60, said.append).at_points(CELLS, FIRST, LAST, today=LAST)
    assert said[1] == "snow: theme sd, 2 of 10 requests"
    assert said[9] == "snow: theme tm, 10 of 10 requests"
    assert len(said) == 10


def test_there_is_a_pause_between_questions_and_none_on_this_machine() -> None:
    assert asked_by("https://gts.nve.no").pause_s == asking.PAUSE_S >= 0.2
    with SnowAuthority(height) as authority:
        assert asked_by(authority.url).pause_s == 0
        for pause_s, seconds in ((0.1, 60.0), (30.0, 0.5)):
            asked, began = asked_by(authority.url, seconds), time.monotonic()
            asked.pause_s = pause_s
            with nullcontext() if pause_s < 1 else pytest.raises(SourceError):
                asked.at_points(CELLS, FIRST, LAST, today=LAST)
            took = time.monotonic() - began
            assert 0.4 <= took < 5, "a pause ends with the deadline"


def test_one_question_at_a_time() -> None:
    with SnowAuthority(height) as authority:
        ask(authority, CELLS)
        assert [q.theme for q in authority.questions] == list(THEMES)


def test_which_of_some_points_have_data() -> None:
    sea, empty, day = set(CELLS[10:14]), set(CELLS[50:52]), date(2026, 11, 12)

    def told(theme: str, point: Point, stamp: date) -> float | None:
        assert (theme, stamp) == ("swe", date(2026, 11, 13))
        return None if point in empty else 0.0

    with SnowAuthority(told) as authority:
        authority.sea = sea
        found = asked_by(authority.url).with_data(CELLS[::-1], day)
        assert found == tuple(p for p in CELLS[::-1] if p not in sea | empty)
        assert len(authority.questions) == 5
        authority.sea = set(CELLS[:9])
        assert asked_by(authority.url).with_data(CELLS[:9], day) == ()
        assert asked_by(authority.url).with_data([], day) == ()


@pytest.mark.parametrize(
    "text",
    [
        "No cell exists for coordinates X: 262500 Y: 6649500",
        "No cell exists for coordinates (262500.0, 6649500.0).",
        "no cell exists for coordinates 262500 6649500",
        "No cell exists for coordinates x=262500;y=6649500 of theme fsw",
    ],
)
def test_a_place_that_the_authority_names_is_understood(text: str) -> None:
    origin = refusals.Origin("nve_gts", "http://x")
    with pytest.raises(refusals.NoCellAmong) as caught:
        refusals.explain(origin, json.dumps({"Error": text}).encode())
    assert caught.value.named == (262_500, 6_649_500)
    with pytest.raises(refusals.NoCellAmong) as caught:
        refusals.refused(origin, {}, "No cell exists for coordinates X: -34500 Y: 6949500")
    assert caught.value.named == (-34_500, 6_949_500)
    with pytest.raises(refusals.NoCellAmong) as caught:
        refusals.refused(origin, {"Error": "No cell exists for coordinates somewhere"})
    assert caught.value.named is None
