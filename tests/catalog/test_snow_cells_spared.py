"""Snow on demand while the authority fails or is late: who is asked when, and what answers meanwhile."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from catalog.sources import http
from catalog.sources.errors import SourceError, Throttled
from catalog.sources.nve_gts import NoCell, day_of
from tests.catalog.test_snow_cells import CENTRE, DAY, MORNING, NEXT, ONE_FETCH, At, cells, history, outlook
from tests.support.nve_gts import Fault, SnowAuthority, error


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.01)


@pytest.fixture
def clock() -> At:
    return At()


@pytest.fixture
def authority() -> Iterator[SnowAuthority]:
    with SnowAuthority(lambda *_: 2.0) as server:
        yield server


@dataclass
class Later:
    """The time by which the authority is spared, which passes as the test says."""

    passed: float = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self.passed


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Later:
    passing = Later()
    monkeypatch.setattr("catalog.snow_cells.time", passing)
    return passing


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
