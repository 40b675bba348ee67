"""Snow on demand while the authority fails or is late: what is kept of half an answer, and what answers meanwhile."""

import threading
import time
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

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
    one,
    posted,
)

DOWN = [
    Fault(500),
    Fault(503, {"Retry-After": "3600"}),
    Fault(429, {"Retry-After": "3600"}),
    Fault(200, {}, b"<html>"),
    error("Tema: swe. The database is away", 200),
    error("Tema: swe. The database is away", 400),
    error("Tema: swe. The database is away", 500),
    error("Tema: swe. No cell exists for coordinates"),
    error("The given key was not present in the dictionary.", 500),
]
MANY = grid(25, 1)


@pytest.mark.parametrize("down", DOWN)
def test_while_the_authority_fails_older_answers(
    authority: SnowAuthority, tmp_path: Path, clock: At, down: Fault
) -> None:
    """Also where it has no cell anywhere, not even in Oslo: that is a failure, and no lack of cells."""
    old, kept = one(cells(authority, tmp_path, clock), OUTLOOK), cells(authority, tmp_path, clock)
    authority.down = down
    for later in (1, 8):
        clock.moment = MORNING + later * DAY
        fetched = fetch(kept, OUTLOOK, [CENTRE, NEXT])
        assert isinstance(fetched.failed, SourceError)
        assert [cell and cell.version for cell in fetched.found.values()] == [old.version]
    for clock.moment in (MORNING + 9 * DAY, MORNING - DAY):
        fetched = fetch(cells(authority, tmp_path, clock), OUTLOOK, [CENTRE])
        assert (fetched.found, fetched.failed is None) == ({}, False)
    authority.down = None
    assert one(kept, OUTLOOK, NEXT).point == NEXT


@pytest.mark.parametrize("down", DOWN)
def test_what_is_kept_answers_beside_what_fails(
    authority: SnowAuthority, tmp_path: Path, clock: At, down: Fault
) -> None:
    fetch(cells(authority, tmp_path, clock), WINTERS, grid())
    authority.down = down
    fetched = fetch(cells(authority, tmp_path, clock), WINTERS, grid(3, 3, east=1))
    assert isinstance(fetched.failed, SourceError)
    assert set(fetched.found) == set(grid(2, 3, east=1))
    assert all(fetched.found.values())
    authority.down = None
    whole = fetch(cells(authority, tmp_path, clock), WINTERS, grid(3, 3, east=1))
    assert whole.failed is None
    assert all(whole.found.values()), "that it failed is not that there is no cell"


def test_an_authority_that_knows_nothing_at_all_is_out_of_order(
    authority: SnowAuthority, tmp_path: Path, clock: At
) -> None:
    authority.value = lambda *_: None
    fetched = fetch(cells(authority, tmp_path, clock), WINTERS, grid())
    assert fetched.found == {}
    assert "out of order" in str(fetched.failed)
    authority.value, authority.sea = height, set(grid())
    authority.faults = [*[None] * 9, error("Tema: swe. The database is away", 400)]
    fetched = fetch(cells(authority, tmp_path, clock), WINTERS, grid())
    assert (fetched.found, fetched.failed is None) == ({}, False), "nobody knows whether it is well"
    assert posted(authority)[-1] == (CENTRE,)
    assert fetch(cells(authority, tmp_path, clock), WINTERS, grid()).found == dict.fromkeys(grid())


def test_who_is_sent_away_is_told_for_how_long(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    authority.down = Fault(429, {"Retry-After": "1800"})
    for of in (OUTLOOK, HISTORY, WINTERS):
        failed = fetch(cells(authority, tmp_path, clock), of, [CENTRE]).failed
        assert isinstance(failed, Throttled)
        assert failed.seconds == 1800


@pytest.mark.usefixtures("nine_at_once")
def test_a_question_that_fails_midway_costs_no_other(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    authority.faults = [None, error("Tema: swe. The database is away", 400)]
    fetched = fetch(cells(authority, tmp_path, clock), WINTERS, MANY)
    assert "database is away" in str(fetched.failed)
    assert list(fetched.found) == MANY[:9]
    assert posted(authority) == [tuple(MANY[:9]), tuple(MANY[9:18])], "the third is not asked"
    authority.questions.clear()
    assert list(cells(authority, tmp_path, clock).kept(WINTERS, MANY)) == MANY[:9]
    whole = fetch(cells(authority, tmp_path, clock), WINTERS, MANY)
    assert (whole.failed, list(whole.found)) == (None, MANY)
    assert posted(authority) == [tuple(MANY[9:18]), tuple(MANY[18:])]


def test_a_fault_that_passes_is_outlived(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    authority.faults = [Fault(500), Fault(503)]
    fetched = fetch(cells(authority, tmp_path, clock), WINTERS, grid())
    assert fetched.failed is None
    assert all(fetched.found.values())


@pytest.mark.usefixtures("nine_at_once")
def test_who_waits_for_a_slow_authority_is_told_in_time(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    slow = threading.Event()
    late = set(MANY[9:])
    authority.value = lambda theme, point, stamp: height(theme, point, stamp) if point not in late else slow.wait(10)
    deadline = Deadline(2.0)
    fetched = cells(authority, tmp_path, clock).fetch(WINTERS, MANY, deadline)
    slow.set()
    assert deadline.remaining() > 0
    assert isinstance(fetched.failed, SourceError)
    assert list(fetched.found) == MANY[:9]


def test_nobody_waits_long_for_a_slow_authority_who_has_something(
    authority: SnowAuthority, tmp_path: Path, clock: At
) -> None:
    kept = cells(authority, tmp_path, clock)
    one(kept, OUTLOOK)
    clock.moment += DAY
    slow = threading.Event()
    authority.value = lambda *_: float(slow.wait(5))
    deadline = Deadline(2)
    assert kept.fetch(OUTLOOK, [CENTRE], deadline).found[CENTRE].observed_until == day_of(date(2026, 11, 22))  # type: ignore[union-attr]
    slow.set()
    assert deadline.remaining() > 0.5


def test_without_time_there_is_what_is_kept(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    kept = cells(authority, tmp_path, clock)
    fetch(kept, WINTERS, grid())
    authority.questions.clear()
    for seconds in (0.0, -1.0):
        began = time.monotonic()
        fetched = fetch(kept, WINTERS, grid(3, 3, east=1), seconds)
        assert time.monotonic() - began < 1
        assert isinstance(fetched.failed, SourceError)
        assert len(fetched.found) == 6
    assert fetch(kept, WINTERS, grid(), 0).failed is None
    assert not authority.questions


@pytest.mark.parametrize("of", [HISTORY, WINTERS])
def test_from_1_september_on_the_years_before_answer_until_the_new_one_is_had(
    authority: SnowAuthority, tmp_path: Path, clock: At, of: CellProduct
) -> None:
    fetched_at = clock.moment = datetime(2026, 8, 30, 12, tzinfo=UTC)
    kept = cells(authority, tmp_path, clock)
    old = one(kept, of).version
    clock.moment += 2 * DAY
    authority.down = Fault(503)
    assert kept.kept(of, [CENTRE]) == {}
    for moment in (clock.moment, fetched_at + 30 * DAY - timedelta(seconds=1)):
        clock.moment = moment
        fetched = fetch(kept, of, [CENTRE, NEXT])
        assert isinstance(fetched.failed, SourceError)
        assert [cell and cell.version for cell in fetched.found.values()] == [old]
    clock.moment = fetched_at + 30 * DAY
    assert fetch(kept, of, [CENTRE]).found == kept.kept(of, [CENTRE], older=True) == {}
    clock.moment, authority.down = fetched_at + 2 * DAY, None
    assert one(kept, of).version != old


def test_a_cell_that_is_none_any_more_answers_as_before(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    kept = cells(authority, tmp_path, clock)
    point = grid()[0]
    old = one(kept, OUTLOOK, point).version
    clock.moment += DAY
    authority.sea = {point}
    fetched = fetch(kept, OUTLOOK, [point])
    assert fetched.failed is None
    assert [cell and cell.version for cell in fetched.found.values()] == [old]


def test_an_outlook_that_was_late_is_fetched_again_after_an_hour(
    authority: SnowAuthority, tmp_path: Path, clock: At
) -> None:
    authority.forecast_from, authority.ends = "23.11.2026 06:00:00", date(2026, 12, 1)
    kept = cells(authority, tmp_path, clock)
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
