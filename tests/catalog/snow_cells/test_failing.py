"""Snow on demand while the authority fails or is late: who is asked when, and what answers meanwhile."""

import threading
import time
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from catalog.sources import http
from catalog.sources.errors import SourceError, Throttled
from catalog.sources.nve_gts import NoCell, day_of
from tests.support.nve_gts import Fault, SnowAuthority, error
from tests.support.snow_cells import (
    CENTRE,
    DAY,
    MORNING,
    NEXT,
    ONE_FETCH,
    At,
    Later,
    cells,
    history,
    outlook,
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
]


@pytest.mark.parametrize("down", DOWN)
def test_an_authority_that_fails_and_what_is_kept(
    authority: SnowAuthority, tmp_path: Path, clock: At, down: Fault
) -> None:
    old, kept = outlook(cells(authority, tmp_path, clock)), cells(authority, tmp_path, clock)
    authority.down = down
    for days in (1, 8):
        clock.moment = MORNING + days * DAY
        held = outlook(kept)
        assert held.observed_until == old.observed_until
        assert held.days.tolist() == old.days.tolist()
    for clock.moment in (MORNING + 9 * DAY, MORNING - DAY):
        with pytest.raises(SourceError):
            outlook(cells(authority, tmp_path, clock))
    with pytest.raises(SourceError):
        history(cells(authority, tmp_path, clock))


def test_of_older_ones_the_newest_answers(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    for days in (0, 2):
        clock.moment = MORNING + days * DAY
        outlook(cells(authority, tmp_path, clock))
    authority.value = lambda *_: None
    clock.moment = MORNING + 4 * DAY
    assert outlook(cells(authority, tmp_path, clock)).observed_until == day_of(date(2026, 11, 24))


def test_an_authority_that_fails_is_left_alone_while_something_is_kept(
    authority: SnowAuthority, tmp_path: Path, clock: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = cells(authority, tmp_path, clock)
    outlook(kept)
    clock.moment += DAY
    authority.down = Fault(500)
    authority.questions.clear()
    for _ in range(3):
        outlook(kept)
    assert len(authority.questions) == http.ATTEMPTS
    authority.down = None
    assert outlook(kept, NEXT).points == (NEXT,), "who has nothing asks all the same"
    assert outlook(kept).observed_until == day_of(date(2026, 11, 22))
    later = time.monotonic() + 301
    monkeypatch.setattr("catalog.snow_cells.time.monotonic", lambda: later)
    assert outlook(kept).observed_until == day_of(date(2026, 11, 23))


def test_nobody_waits_long_for_a_slow_authority_who_has_something(
    authority: SnowAuthority, tmp_path: Path, clock: At
) -> None:
    kept = cells(authority, tmp_path, clock)
    outlook(kept)
    clock.moment += DAY
    slow = threading.Event()
    authority.value = lambda *_: float(slow.wait(5))
    began = time.monotonic()
    assert outlook(kept, seconds=1).observed_until == day_of(date(2026, 11, 22))
    assert time.monotonic() - began < 2
    slow.set()


def test_who_is_sent_away_and_has_nothing_is_told_for_how_long(
    authority: SnowAuthority, tmp_path: Path, clock: At
) -> None:
    authority.down = Fault(429, {"Retry-After": "1800"})
    for ask in (outlook, history):
        with pytest.raises(Throttled) as caught:
            ask(cells(authority, tmp_path, clock))
        assert caught.value.seconds == 1800


def test_an_old_history_is_better_than_none(authority: SnowAuthority, tmp_path: Path, clock: At, later: Later) -> None:
    fetched = clock.moment = datetime(2026, 8, 30, 12, tzinfo=UTC)
    kept = cells(authority, tmp_path, clock)
    history(kept)
    clock.moment += 2 * DAY
    assert kept.kept_history(CENTRE) is None
    for authority.down in (Fault(503), Fault(429, {"Retry-After": "60"})):
        old, told = history(kept), kept.kept_history(CENTRE, older=True)
        assert told is not None
        assert old.days[-1] == told.days[-1] == day_of(date(2025, 8, 31))
        with pytest.raises(SourceError):
            history(kept, NEXT)
        later.passed += 301
    authority.down = error("Tema: swe. No cell exists for coordinates")
    with pytest.raises(NoCell):
        history(kept)
    clock.moment = fetched + 30 * DAY
    authority.down = Fault(503)
    with pytest.raises(SourceError):
        history(kept)
    clock.moment, authority.down = fetched + 2 * DAY, None
    assert history(kept).days[-1] == day_of(date(2026, 8, 31))


def test_who_is_sent_away_asks_nothing_for_anybody(
    authority: SnowAuthority, tmp_path: Path, clock: At, later: Later
) -> None:
    kept = cells(authority, tmp_path, clock)
    outlook(kept)
    clock.moment += DAY
    authority.down = Fault(429, {"Retry-After": "600"})
    outlook(kept)
    authority.down = None
    authority.questions.clear()
    for ask in (outlook, history):
        with pytest.raises(Throttled) as caught:
            ask(kept, NEXT)
        assert 590 < caught.value.seconds <= 600
    assert not authority.questions
    later.passed += 600
    assert outlook(kept, NEXT).points == (NEXT,)


def test_a_cell_that_is_none_any_more_has_nobody_spare_the_authority(
    authority: SnowAuthority, tmp_path: Path, clock: At
) -> None:
    kept = cells(authority, tmp_path, clock)
    for point in (CENTRE, NEXT):
        outlook(kept, point)
    clock.moment += DAY
    authority.sea = {CENTRE}
    assert outlook(kept).observed_until == day_of(date(2026, 11, 22))
    assert outlook(kept, NEXT).observed_until == day_of(date(2026, 11, 23))


def test_an_outlook_that_was_late_is_asked_for_again_after_an_hour(
    authority: SnowAuthority, tmp_path: Path, clock: At, later: Later
) -> None:
    authority.forecast_from, authority.ends = "23.11.2026 06:00:00", date(2026, 12, 1)
    kept = cells(authority, tmp_path, clock)
    late = outlook(kept)
    assert late.observed_until == day_of(date(2026, 11, 21))
    authority.forecast_from, authority.ends = "24.11.2026 06:00:00", None
    authority.questions.clear()
    clock.moment += timedelta(minutes=59)
    assert outlook(kept).observed_until == late.observed_until
    assert not authority.questions
    clock.moment += timedelta(minutes=1)
    assert kept.kept_outlook(CENTRE) is None
    authority.down = Fault(503)
    for moment in (clock.moment, MORNING + 8 * DAY):
        clock.moment = moment
        assert outlook(kept).observed_until == late.observed_until
        later.passed += 301
    clock.moment, authority.down = MORNING + timedelta(hours=12), None
    authority.questions.clear()
    for _ in range(2):
        assert outlook(kept).observed_until == day_of(date(2026, 11, 22))
    assert len(authority.questions) == ONE_FETCH
