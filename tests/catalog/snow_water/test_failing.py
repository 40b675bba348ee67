"""Water on demand while the authority fails: what is kept of half an answer, and what answers meanwhile."""

import threading
import time
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from catalog.sources.errors import SourceError, Throttled
from catalog.sources.http import Deadline
from catalog.sources.nve_gts import day_of
from tests.support.nve_gts import Fault, SnowAuthority, error
from tests.support.snow_cells import DAY, At, Later
from tests.support.snow_water import fetch, grid, height, posted, water

OSLO = (262_500, 6_649_500)
DOWN = [
    Fault(503, {"Retry-After": "3600"}),
    Fault(200, {}, b"<html>"),
    error("Tema: swe. The database is away", 200),
    error("Tema: swe. The database is away", 500),
    error("Tema: swe. No cell exists for coordinates"),
    error("The given key was not present in the dictionary.", 500),
]
MANY = grid(25, 1)


@pytest.mark.parametrize("down", DOWN)
def test_an_authority_that_fails_and_what_is_kept(
    authority: SnowAuthority, tmp_path: Path, clock: At, down: Fault
) -> None:
    fetch(water(authority, tmp_path, clock), grid())
    authority.down = down
    fetched = fetch(water(authority, tmp_path, clock), grid(3, 3, east=1))
    assert isinstance(fetched.failed, SourceError)
    assert set(fetched.found) == set(grid(2, 3, east=1))
    assert all(fetched.found.values())
    authority.down = None
    whole = fetch(water(authority, tmp_path, clock), grid(3, 3, east=1))
    assert whole.failed is None
    assert all(whole.found.values()), "that it failed is not that there is no cell"


def test_an_authority_that_knows_nothing_at_all_is_out_of_order(
    authority: SnowAuthority, tmp_path: Path, clock: At
) -> None:
    authority.value = lambda *_: None
    fetched = fetch(water(authority, tmp_path, clock), grid())
    assert fetched.found == {}
    assert "out of order" in str(fetched.failed)
    authority.value, authority.sea, authority.down = height, set(grid()), None
    authority.faults = [*[None] * 10, error("Tema: swe. The database is away", 400)]
    fetched = fetch(water(authority, tmp_path, clock), grid())
    assert (fetched.found, fetched.failed is None) == ({}, False), "nobody knows whether it is well"
    assert posted(authority)[-1] == (OSLO,)
    assert fetch(water(authority, tmp_path, clock), grid()).found == dict.fromkeys(grid())


def test_a_question_that_fails_midway_costs_no_other(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    authority.faults = [None, error("Tema: swe. The database is away", 400)]
    fetched = fetch(water(authority, tmp_path, clock), MANY)
    assert "database is away" in str(fetched.failed)
    assert list(fetched.found) == MANY[:9]
    assert posted(authority) == [tuple(MANY[:9]), tuple(MANY[9:18])], "the third is not asked"
    authority.questions.clear()
    assert list(water(authority, tmp_path, clock).kept(MANY)) == MANY[:9]
    whole = fetch(water(authority, tmp_path, clock), MANY)
    assert whole.failed is None
    assert list(whole.found) == MANY
    assert posted(authority) == [tuple(MANY[9:18]), tuple(MANY[18:])]


def test_a_fault_that_passes_is_outlived(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    authority.faults = [Fault(500), Fault(503)]
    fetched = fetch(water(authority, tmp_path, clock), grid())
    assert fetched.failed is None
    assert all(fetched.found.values())


def test_who_is_sent_away_asks_nothing_before_its_time(
    authority: SnowAuthority, tmp_path: Path, clock: At, later: Later
) -> None:
    kept = water(authority, tmp_path, clock)
    authority.faults = [None, Fault(429, {"Retry-After": "600"})]
    told = fetch(kept, MANY)
    assert isinstance(told.failed, Throttled)
    assert (told.failed.seconds, len(told.found)) == (600, 9)
    authority.questions.clear()
    told = fetch(kept, MANY)
    assert isinstance(told.failed, Throttled)
    assert 590 < told.failed.seconds <= 600
    assert list(told.found) == MANY[:9]
    assert not authority.questions
    later.passed += 600
    assert fetch(kept, MANY).failed is None


def test_who_waits_for_a_slow_authority_is_told_in_time(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    slow = threading.Event()
    late = set(MANY[9:])
    authority.value = lambda theme, point, stamp: height(theme, point, stamp) if point not in late else slow.wait(10)
    deadline = Deadline(2.0)
    fetched = water(authority, tmp_path, clock).fetch(MANY, deadline)
    slow.set()
    assert deadline.remaining() > 0
    assert isinstance(fetched.failed, SourceError)
    assert list(fetched.found) == MANY[:9]


def test_without_time_there_is_what_is_kept(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    kept = water(authority, tmp_path, clock)
    fetch(kept, grid())
    authority.questions.clear()
    for seconds in (0.0, -1.0):
        began = time.monotonic()
        fetched = fetch(kept, grid(3, 3, east=1), seconds)
        assert time.monotonic() - began < 1
        assert isinstance(fetched.failed, SourceError)
        assert len(fetched.found) == 6
    assert fetch(kept, grid(), 0).failed is None
    assert not authority.questions


def test_a_season_less_is_better_than_nothing(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    fetched_at = clock.moment = datetime(2026, 8, 30, 12, tzinfo=UTC)
    kept = water(authority, tmp_path, clock)
    fetch(kept, grid())
    clock.moment += 2 * DAY
    authority.down = Fault(503)
    told = fetch(kept, grid(3, 3, east=1))
    assert isinstance(told.failed, SourceError)
    for found in (told.found, kept.kept(grid(3, 3, east=1), older=True)):
        assert set(found) == set(grid(2, 3, east=1))
        assert {cell.days[-1] for cell in found.values() if cell} == {day_of(date(2025, 8, 31))}
    assert kept.kept(grid()) == {}
    clock.moment = fetched_at + 30 * DAY - timedelta(seconds=1)
    assert len(fetch(kept, grid()).found) == 9
    clock.moment = fetched_at + 30 * DAY
    assert fetch(kept, grid()).found == kept.kept(grid(), older=True) == {}
    clock.moment, authority.down = fetched_at + 2 * DAY, None
    fetch(kept, grid(1, 3))
    authority.down = Fault(503)
    for found in (kept.kept(grid(), older=True), fetch(kept, grid()).found):
        ends = [cell.days[-1] - day_of(date(2025, 8, 31)) for cell in found.values() if cell]
        assert sorted(ends) == [0] * 6 + [365] * 3, "of those that are kept the newest"
