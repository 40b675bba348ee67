"""Snow on demand: which cell, what is asked for, how long it is kept."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from catalog.snow_bytes import pack, unpack
from catalog.sources.errors import SourceError
from catalog.sources.nve_gts import QUANTITIES, NoCell, SnowData, day_of
from catalog.sources.nve_gts.nearest import MOST_REQUESTS
from tests.support.nve_gts import SnowAuthority
from tests.support.snow_cells import CENTRE, DAY, MORNING, NEXT, ONE_FETCH, WHOLE_SEARCH, At, cells, history, outlook

ROOT = Path(__file__).parents[3]


def test_bytes_and_back() -> None:
    rng = np.random.default_rng(1)
    values = {name: rng.random((300, 1)).astype(np.float32) for name in QUANTITIES}
    values["swe"][7] = np.nan
    data = SnowData(np.arange(500, 800), (CENTRE,), np.array([123.5]), values, 780, "simulated", 6)
    again = unpack(pack(data))
    for name in QUANTITIES:
        np.testing.assert_array_equal(again.values[name], values[name])
    assert (again.days.tolist(), again.points, again.altitude.tolist()) == (list(range(500, 800)), (CENTRE,), [123.5])
    assert (again.observed_until, again.data_origin, again.requests) == (780, "simulated", 6)
    for damaged in (b"", b"{}", pack(data)[:-9], pack(data).replace(b'"n_days": 300', b'"n_days": 301'), b"\xff\n"):
        with pytest.raises(SourceError, match="damaged"):
            unpack(damaged)


def test_the_season_and_nine_days_ahead(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    data = outlook(cells(authority, tmp_path, clock))
    assert (data.days[0], data.days[-1]) == (day_of(date(2026, 9, 1)), day_of(date(2026, 12, 1)))
    assert data.observed_until == day_of(date(2026, 11, 22))
    assert data.points == (CENTRE,)
    assert max(q.end for q in authority.questions) == date(2026, 12, 2), "nine stamps after that of the 23rd"
    assert len(authority.questions) == WHOLE_SEARCH + ONE_FETCH


@pytest.mark.parametrize(
    ("moment", "first", "observed"),
    [
        (datetime(2026, 9, 1, 8, tzinfo=UTC), date(2026, 9, 1), date(2026, 8, 31)),
        (datetime(2026, 9, 1, 6, 59, tzinfo=UTC), date(2025, 9, 1), date(2026, 8, 30)),
        (datetime(2026, 8, 31, 8, tzinfo=UTC), date(2025, 9, 1), date(2026, 8, 30)),
        (datetime(2027, 1, 1, 3, tzinfo=UTC), date(2026, 9, 1), date(2026, 12, 30)),
    ],
)
def test_the_season_turns_on_1_september(
    authority: SnowAuthority, tmp_path: Path, clock: At, moment: datetime, first: date, observed: date
) -> None:
    """Until 07 UTC nobody knows the day that ended at 06."""
    clock.moment = moment
    data = outlook(cells(authority, tmp_path, clock))
    assert data.days[0] == day_of(first)
    assert data.observed_until == min(day_of(observed), data.days[-1])
    assert data.days[-1] == day_of(observed) + 9


@pytest.mark.parametrize(
    ("moment", "last"),
    [
        (MORNING, date(2026, 8, 31)),
        (datetime(2026, 9, 1, 8, tzinfo=UTC), date(2026, 8, 31)),
        (datetime(2026, 9, 1, 6, tzinfo=UTC), date(2025, 8, 31)),
    ],
)
def test_history_is_since_1957(
    authority: SnowAuthority, tmp_path: Path, clock: At, moment: datetime, last: date
) -> None:
    clock.moment = moment
    data = history(cells(authority, tmp_path, clock))
    assert (data.days[0], data.days[-1]) == (day_of(date(1957, 9, 1)), day_of(last))
    assert data.observed_until == data.days[-1]


def test_an_outlook_is_asked_for_once_a_day(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    outlook(cells(authority, tmp_path, clock))
    authority.questions.clear()
    for clock.moment in (MORNING, MORNING + timedelta(hours=20), MORNING + timedelta(hours=22, minutes=59)):
        outlook(cells(authority, tmp_path, clock))
    assert not authority.questions, "kept across instances"
    authority.value = lambda *_: 3.0
    clock.moment = MORNING + timedelta(hours=23)
    data = outlook(cells(authority, tmp_path, clock))
    assert len(authority.questions) == ONE_FETCH, "which cell it is stays known"
    assert (data.observed_until, data.values["swe"][0, 0]) == (day_of(date(2026, 11, 23)), 3)


def test_a_history_is_kept_for_30_days(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    first = history(cells(authority, tmp_path, clock))
    authority.questions.clear()
    clock.moment = MORNING + 30 * DAY - timedelta(seconds=1)
    again = history(cells(authority, tmp_path, clock))
    assert not authority.questions
    for name in QUANTITIES:
        np.testing.assert_array_equal(first.values[name], again.values[name])
    clock.moment = MORNING + 30 * DAY
    history(cells(authority, tmp_path, clock))
    assert len(authority.questions) == WHOLE_SEARCH + ONE_FETCH


def test_a_new_snow_year_is_asked_for_though_the_old_is_fresh(
    authority: SnowAuthority, tmp_path: Path, clock: At
) -> None:
    clock.moment = datetime(2026, 8, 30, 12, tzinfo=UTC)
    assert history(cells(authority, tmp_path, clock)).days[-1] == day_of(date(2025, 8, 31))
    clock.moment += 2 * DAY
    assert history(cells(authority, tmp_path, clock)).days[-1] == day_of(date(2026, 8, 31))


def test_the_nearest_cell_with_data_is_found_once(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    authority.sea = {CENTRE}
    kept = cells(authority, tmp_path, clock)
    assert outlook(kept).points == history(kept).points
    assert outlook(kept).points[0] in {
        (x, y) for x in (261_500, 262_500, 263_500) for y in (6_648_500, 6_649_500, 6_650_500)
    }
    searched = [q for q in authority.questions if q.method == "POST"]
    assert len(searched) == 2
    assert {q.points[0] for q in authority.questions if q.method == "GET"} == {outlook(kept).points[0]}


def test_that_there_is_no_cell_is_known_for_a_day(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    around = range(-6000, 7000, 1000)
    authority.sea = {(CENTRE[0] + x, CENTRE[1] + y) for x in around for y in around}
    for _ in range(2):
        for ask in (outlook, history):
            with pytest.raises(NoCell, match="within 5 km"):
                ask(cells(authority, tmp_path, clock))
    assert len(authority.questions) == MOST_REQUESTS
    authority.sea = set()
    clock.moment += DAY
    assert outlook(cells(authority, tmp_path, clock)).points == (CENTRE,)


def test_cells_that_say_nothing_now_are_asked_again(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    authority.value = lambda *_: None
    with pytest.raises(SourceError, match="has cells within 5 km of there, and no snow") as refused:
        outlook(cells(authority, tmp_path, clock))
    assert not isinstance(refused.value, NoCell)
    authority.value = lambda *_: 1.0
    assert outlook(cells(authority, tmp_path, clock)).points == (CENTRE,)


def test_damaged_files_are_as_none(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    outlook(cells(authority, tmp_path, clock))
    for path in (p for p in tmp_path.glob("*/*") if p.is_file()):
        path.write_bytes(path.read_bytes()[:-20] + b"x" * 20)
    authority.questions.clear()
    assert outlook(cells(authority, tmp_path, clock)).points == (CENTRE,)
    assert len(authority.questions) == WHOLE_SEARCH + ONE_FETCH


def test_another_authority_is_another_answer(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    outlook(cells(authority, tmp_path, clock))
    with SnowAuthority(lambda *_: 9.0) as other:
        assert outlook(cells(other, tmp_path, clock)).values["swe"][0, 0] == 9


def test_many_threads_one_fetch(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    kept = cells(authority, tmp_path, clock)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: outlook(kept), range(16)))
    assert {a.points for a in answers} == {(CENTRE,)}
    assert len(authority.questions) == WHOLE_SEARCH + ONE_FETCH


def test_two_processes_one_fetch(authority: SnowAuthority, tmp_path: Path) -> None:
    program = [sys.executable, "-m", "tests.catalog.snow_cells.asking", str(tmp_path), authority.url]
    both = [
        subprocess.Popen(
            [*program, "2026-11-23T08:00:00Z!"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    for process in both:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in both:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    assert [p.communicate(timeout=60)[0] for p in both] == [f"{CENTRE} 2.0\n"] * 2
    assert len(authority.questions) == WHOLE_SEARCH + ONE_FETCH


def test_trimming(authority: SnowAuthority, tmp_path: Path, clock: At, monkeypatch: pytest.MonkeyPatch) -> None:
    cells(authority, tmp_path / "none", clock).trim()
    kept = cells(authority, tmp_path, clock)
    outlook(kept)
    history(kept)
    kept.trim()
    assert {p.parent.name for p in tmp_path.glob("*/*") if p.is_file()} == {"cells", "history", "outlook"}
    for seconds, left in ((10 * 86400, {"cells", "history"}), (31 * 86400, set())):
        now = time.time() + seconds
        monkeypatch.setattr("catalog.bounded.time.time", lambda now=now: now)
        kept.trim()
        assert {p.parent.name for p in tmp_path.glob("*/*") if p.is_file()} == left


def test_what_is_kept_is_told_without_a_question(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    kept = cells(authority, tmp_path, clock)
    assert kept.kept_history(CENTRE) is None
    assert kept.kept_outlook(CENTRE, older=True) is None
    asked = history(kept), outlook(kept)
    authority.questions.clear()
    for told, answer in zip((kept.kept_history(CENTRE), kept.kept_outlook(CENTRE)), asked, strict=True):
        assert told is not None
        assert (told.points, told.days.tolist()) == (answer.points, answer.days.tolist())
    assert kept.kept_history(NEXT) is None
    clock.moment += DAY
    assert kept.kept_outlook(CENTRE) is None
    older = kept.kept_outlook(CENTRE, older=True)
    assert older is not None
    assert older.observed_until == asked[1].observed_until
    clock.moment += 8 * DAY
    assert kept.kept_outlook(CENTRE, older=True) is None
    assert not authority.questions
