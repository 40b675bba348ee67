"""Snow on demand: what is kept, for how long, and what answers while the authority fails or is late."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from catalog.snow_cells import SnowCells
from catalog.snow_products import HISTORY, OUTLOOK, CellProduct
from catalog.sources.errors import SourceError, Throttled
from catalog.sources.http import Deadline
from catalog.sources.nve_gts import day_of
from tests.support.nve_gts import Fault, SnowAuthority, error
from tests.support.snow_cells import (
    CENTRE,
    DAY,
    FETCH,
    MORNING,
    NEXT,
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

DOWN = [
    Fault(500),
    Fault(429, {"Retry-After": "3600"}),
    Fault(200, {}, b"<html>"),
    error("Tema: swe. The database is away", 400),
    error("Tema: swe. No cell exists for coordinates"),
]
MANY = grid(25, 1)


@pytest.mark.parametrize("down", DOWN)
def test_older_answers_stand_in_for_failures(kept: SnowCells, authority: SnowAuthority, clock: At, down: Fault) -> None:
    """Also where it has no cell anywhere, not even in Oslo: that is a failure, and no lack of cells."""
    old = one(kept, OUTLOOK)
    authority.down = down
    for later in (1, 8):
        clock.moment = MORNING + later * DAY
        fetched = fetch(kept, OUTLOOK, [CENTRE, NEXT])
        assert isinstance(fetched.failed, SourceError)
        assert [cell and cell.version for cell in fetched.found.values()] == [old.version]
    for clock.moment in (MORNING + 9 * DAY, MORNING - DAY):
        fetched = fetch(kept, OUTLOOK, [CENTRE])
        assert (fetched.found, fetched.failed is None) == ({}, False)
    authority.down = None
    assert one(kept, OUTLOOK, NEXT).point == NEXT


@pytest.mark.parametrize("down", DOWN)
def test_what_is_kept_answers_beside_what_fails(kept: SnowCells, authority: SnowAuthority, down: Fault) -> None:
    fetch(kept, WINTERS, grid())
    authority.down = down
    fetched = fetch(kept, WINTERS, grid(3, 3, east=1))
    assert isinstance(fetched.failed, SourceError)
    assert set(fetched.found) == set(grid(2, 3, east=1))
    assert all(fetched.found.values())
    authority.down = None
    whole = fetch(kept, WINTERS, grid(3, 3, east=1))
    assert whole.failed is None
    assert all(whole.found.values()), "that it failed is not that there is no cell"


def test_an_authority_that_knows_nothing_at_all_is_out_of_order(kept: SnowCells, authority: SnowAuthority) -> None:
    authority.value = lambda *_: None
    fetched = fetch(kept, WINTERS, grid())
    assert fetched.found == {}
    assert "out of order" in str(fetched.failed)
    authority.value, authority.sea = height, set(grid())
    authority.faults = [*[None] * 9, error("Tema: swe. The database is away", 400)]
    fetched = fetch(kept, WINTERS, grid())
    assert (fetched.found, fetched.failed is None) == ({}, False), "nobody knows whether it is well"
    assert authority.asked[-1] == (CENTRE,)
    assert fetch(kept, WINTERS, grid()).found == dict.fromkeys(grid())


def test_who_is_sent_away_is_told_for_how_long(kept: SnowCells, authority: SnowAuthority) -> None:
    authority.down = Fault(429, {"Retry-After": "1800"})
    for of in (OUTLOOK, HISTORY, WINTERS):
        failed = fetch(kept, of, [CENTRE]).failed
        assert isinstance(failed, Throttled)
        assert failed.seconds == 1800


@pytest.mark.usefixtures("nine_at_once")
def test_a_question_that_fails_midway_costs_no_other(kept: SnowCells, authority: SnowAuthority) -> None:
    authority.faults = [None, error("Tema: swe. The database is away", 400)]
    fetched = fetch(kept, WINTERS, MANY)
    assert "database is away" in str(fetched.failed)
    assert list(fetched.found) == MANY[:9]
    assert authority.asked == [tuple(MANY[:9]), tuple(MANY[9:18])], "the third is not asked"
    authority.questions.clear()
    assert list(kept.kept(WINTERS, MANY)) == MANY[:9]
    whole = fetch(kept, WINTERS, MANY)
    assert (whole.failed, list(whole.found)) == (None, MANY)
    assert authority.asked == [tuple(MANY[9:18]), tuple(MANY[18:])]


def test_a_slow_authority_is_not_waited_for_where_kept(kept: SnowCells, authority: SnowAuthority, clock: At) -> None:
    one(kept, OUTLOOK)
    clock.moment += DAY
    slow = threading.Event()
    authority.value = lambda *_: float(slow.wait(5))
    deadline = Deadline(2)
    assert kept.fetch(OUTLOOK, [CENTRE], deadline).found[CENTRE].observed_until == day_of(date(2026, 11, 22))  # type: ignore[union-attr]
    slow.set()
    assert deadline.remaining() > 0.5


def test_years_before_answer_until_the_new_year_is_had(kept: SnowCells, authority: SnowAuthority, clock: At) -> None:
    fetched_at = clock.moment = datetime(2026, 8, 30, 12, tzinfo=UTC)
    old = one(kept, WINTERS).version
    clock.moment += 2 * DAY
    authority.down = Fault(503)
    assert kept.kept(WINTERS, [CENTRE]) == {}
    for moment in (clock.moment, fetched_at + 30 * DAY - timedelta(seconds=1)):
        clock.moment = moment
        fetched = fetch(kept, WINTERS, [CENTRE, NEXT])
        assert isinstance(fetched.failed, SourceError)
        assert [cell and cell.version for cell in fetched.found.values()] == [old]
    clock.moment = fetched_at + 30 * DAY
    assert fetch(kept, WINTERS, [CENTRE]).found == kept.kept(WINTERS, [CENTRE], older=True) == {}
    clock.moment, authority.down = fetched_at + 2 * DAY, None
    assert one(kept, WINTERS).version != old


def test_a_cell_that_is_none_any_more_answers_as_before(kept: SnowCells, authority: SnowAuthority, clock: At) -> None:
    point = grid()[0]
    old = one(kept, OUTLOOK, point).version
    clock.moment += DAY
    authority.sea = {point}
    fetched = fetch(kept, OUTLOOK, [point])
    assert fetched.failed is None
    assert [cell and cell.version for cell in fetched.found.values()] == [old]


def test_a_late_outlook_is_fetched_again_after_an_hour(kept: SnowCells, authority: SnowAuthority, clock: At) -> None:
    authority.forecast_from, authority.ends = "23.11.2026 06:00:00", date(2026, 12, 1)
    late = one(kept, OUTLOOK)
    assert late.observed_until == day_of(date(2026, 11, 21))
    assert days(late)[-1] == day_of(date(2026, 12, 1))
    authority.forecast_from, authority.ends = "24.11.2026 06:00:00", None
    authority.questions.clear()
    clock.moment += timedelta(minutes=59)
    assert one(kept, OUTLOOK).version == late.version
    assert not authority.questions
    clock.moment += timedelta(minutes=1)
    assert kept.kept(OUTLOOK, [CENTRE]) == {}
    authority.down = Fault(503)
    for moment in (clock.moment, MORNING + 8 * DAY):
        clock.moment = moment
        assert one(kept, OUTLOOK).version == late.version
    clock.moment, authority.down = MORNING + timedelta(hours=12), None
    authority.questions.clear()
    for _ in range(2):
        assert one(kept, OUTLOOK).observed_until == day_of(date(2026, 11, 22))
    assert len(authority.questions) == FETCH


def files(folder: Path) -> list[Path]:
    return [path for path in folder.glob("*/*") if path.is_file()]


def test_an_outlook_is_fetched_once_a_day(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    one(cells(authority, tmp_path, clock), OUTLOOK)
    authority.questions.clear()
    for clock.moment in (MORNING, MORNING + timedelta(hours=20), MORNING + timedelta(hours=22, minutes=59)):
        one(cells(authority, tmp_path, clock), OUTLOOK)
    assert not authority.questions, "kept across instances"
    clock.moment = MORNING + timedelta(hours=23)
    assert one(cells(authority, tmp_path, clock), OUTLOOK).observed_until == day_of(date(2026, 11, 23))
    assert len(authority.questions) == FETCH, "which cell it is stays known"


@pytest.mark.parametrize("of", [HISTORY, WINTERS])
def test_years_are_kept_for_30_days(kept: SnowCells, authority: SnowAuthority, clock: At, of: CellProduct) -> None:
    first = one(kept, of)
    authority.questions.clear()
    clock.moment = MORNING + 30 * DAY - timedelta(seconds=1)
    again = one(kept, of)
    assert {name: v.tobytes() for name, v in first.values.items()} == {n: v.tobytes() for n, v in again.values.items()}
    assert not authority.questions
    clock.moment = MORNING + 30 * DAY
    one(kept, of)
    assert len(authority.questions) == (1 + FETCH if of is HISTORY else 1)
    clock.moment = MORNING - DAY
    assert kept.kept(of, [CENTRE]) == {}, "a clock that was set back"


def test_winters_cut_off_are_fetched_again_after_a_day(kept: SnowCells, authority: SnowAuthority, clock: At) -> None:
    authority.ends = date(2026, 1, 5)
    assert known(fetch(kept, WINTERS, grid()).found[grid()[0]]) == [maxima(grid()[0])[0], -1]
    authority.ends, authority.questions = None, []
    clock.moment += DAY - timedelta(seconds=1)
    fetch(kept, WINTERS, grid())
    assert authority.questions == []
    clock.moment += timedelta(seconds=1)
    assert known(fetch(kept, WINTERS, grid()).found[grid()[0]]) == maxima(grid()[0])


def test_another_authority_is_another_answer(kept: SnowCells, tmp_path: Path, clock: At) -> None:
    one(kept, OUTLOOK)
    with SnowAuthority(lambda *_: 9.0) as other:
        assert one(cells(other, tmp_path, clock), OUTLOOK).values["swe"][0] == 9


def test_threads_ask_for_each_cell_once(kept: SnowCells, authority: SnowAuthority) -> None:
    grids = [grid(3, 3, east=k % 3)[:: 1 if k % 2 else -1] for k in range(12)]
    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda points: fetch(kept, WINTERS, points), grids))
    for points, fetched in zip(grids, answers, strict=True):
        assert fetched.failed is None
        assert [known(fetched.found[point]) for point in points] == [maxima(point) for point in points]
    asked = [point for points in authority.asked for point in points]
    assert sorted(asked) == sorted(grid(5, 3)), "however they overlap"


def test_a_damaged_file_is_fetched_again(kept: SnowCells, authority: SnowAuthority, tmp_path: Path) -> None:
    fetch(kept, WINTERS, grid())
    whole = {path: path.read_bytes() for path in files(tmp_path)}
    assert len(whole) == 9
    damages = [
        lambda body: b"",
        lambda body: body[:-9],
        lambda body: body.replace(b'"axis": [2024, 2]', b'"axis": [2024, 3]'),
        lambda body: b"\xff\n" + body,
    ]
    for (path, body), damage in zip(whole.items(), damages, strict=False):
        path.write_bytes(damage(body))
    authority.questions.clear()
    fetched = fetch(kept, WINTERS, grid())
    assert [len(points) for points in authority.asked] == [len(damages)]
    assert all(known(cell) == maxima(point) for point, cell in fetched.found.items())
