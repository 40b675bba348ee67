"""Water on demand: how it is asked for, how long it is kept, and what becomes of it on disk."""

import errno
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from catalog import snow_water
from catalog.readthrough import ReadThrough
from catalog.snow_water import Water
from catalog.sources.errors import SourceError
from catalog.sources.nve_gts import batches, day_of
from tests.catalog.snow_water.conftest import FIRST
from tests.support.nve_gts import Point, SnowAuthority
from tests.support.snow_cells import DAY, MORNING, At
from tests.support.snow_water import fetch, grid, height, posted, water

ROOT = Path(__file__).parents[3]


def expected(point: Point, first: date, last: date) -> list[float]:
    stamps = [date.fromordinal(n) for n in range(first.toordinal() + 1, last.toordinal() + 2)]
    return [height("swe", point, stamp) for stamp in stamps]


def files(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_file()]


@pytest.mark.usefixtures("whole_years")
def test_nine_cells_since_1957_are_one_question(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    authority.origin = "simulated"
    for again in (False, True):
        fetched = fetch(water(authority, tmp_path, clock), grid())
        assert (fetched.failed, list(fetched.found)) == (None, grid())
        for point, cell in fetched.found.items():
            assert cell is not None
            assert (cell.days[0], cell.days[-1]) == (day_of(date(1957, 9, 1)), day_of(date(2026, 8, 31)))
            assert cell.days.dtype == np.int64
            assert (np.diff(cell.days) == 1).all()
            assert cell.swe.dtype == np.float32
            assert cell.swe.tolist() == expected(point, date(1957, 9, 1), date(2026, 8, 31)), again
            assert (cell.altitude, cell.data_origin) == (100 + point[1] % 7000 // 1000, "simulated")
    assert posted(authority) == [tuple(grid())]
    assert (authority.questions[0].start, authority.questions[0].end) == (date(1957, 9, 2), date(2026, 9, 1))


@pytest.mark.usefixtures("whole_years")
def test_what_the_authority_is_known_to_bear() -> None:
    sizes = [len(part) for part in batches(grid(37, 1), snow_water._n_days(date(2026, 8, 31)))]
    assert sizes == [9, 9, 9, 9, 1]


def test_many_cells_are_several_questions(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    fetched = fetch(water(authority, tmp_path, clock), [point for point in grid(37, 1) for _ in range(2)])
    assert (fetched.failed, list(fetched.found)) == (None, grid(37, 1))
    assert [len(points) for points in posted(authority)] == [9, 9, 9, 9, 1]
    assert all(cell and cell.swe.tolist() == expected(p, FIRST, date(2026, 8, 31)) for p, cell in fetched.found.items())
    assert fetch(water(authority, tmp_path, clock), []).found == {}


def test_only_cells_that_are_not_kept_are_asked_for(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    kept = water(authority, tmp_path, clock)
    assert kept.kept(grid()) == {}
    fetch(kept, grid())
    authority.questions.clear()
    assert list(kept.kept(grid(3, 3, east=1))) == grid(2, 3, east=1)
    fetched = fetch(kept, grid(3, 3, east=1))
    assert posted(authority) == [tuple(grid(1, 3, east=3))]
    assert set(fetched.found) == set(grid(3, 3, east=1))


def test_it_is_kept_for_30_days(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    first = fetch(water(authority, tmp_path, clock), grid())
    authority.questions.clear()
    clock.moment = MORNING + 30 * DAY - timedelta(seconds=1)
    again = water(authority, tmp_path, clock).kept(grid())
    for point, cell in fetch(water(authority, tmp_path, clock), grid()).found.items():
        old, told = first.found[point], again[point]
        assert cell is not None
        assert old is not None
        assert told is not None
        assert old.swe.tolist() == cell.swe.tolist() == told.swe.tolist()
    assert not authority.questions
    for clock.moment in (MORNING + 30 * DAY, MORNING - DAY):
        assert water(authority, tmp_path, clock).kept(grid()) == {}
        fetch(water(authority, tmp_path / str(clock.moment.day), clock), grid())
        assert len(authority.questions) == 1
        authority.questions.clear()


def test_sea_among_land(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    authority.sea = {grid()[0], grid()[5]}
    kept = water(authority, tmp_path, clock)
    for _ in range(2):
        fetched = fetch(kept, grid())
        assert fetched.failed is None
        assert {point for point, cell in fetched.found.items() if cell is None} == authority.sea
        assert all(
            c is None or c.swe.tolist() == expected(p, FIRST, date(2026, 8, 31)) for p, c in kept.kept(grid()).items()
        )
    assert len(authority.questions) == 5
    authority.sea, authority.questions = set(), []
    clock.moment += DAY - timedelta(seconds=1)
    assert fetch(kept, grid()).found[grid()[0]] is None
    clock.moment += timedelta(seconds=1)
    assert all(fetch(kept, grid()).found.values())
    assert posted(authority) == [(grid()[0], grid()[5])], "that there is none holds for a day"


@pytest.mark.parametrize("named", [True, False])
def test_nothing_but_sea(authority: SnowAuthority, tmp_path: Path, clock: At, named: bool) -> None:
    authority.sea, authority.names_the_sea = set(grid()), named
    kept = water(authority, tmp_path, clock)
    for _ in range(2):
        fetched = fetch(kept, grid())
        assert (fetched.failed, fetched.found) == (None, dict.fromkeys(grid()))
    assert len(authority.questions) == 1 + (9 if named else 17) + 1
    assert posted(authority)[-1] == ((262_500, 6_649_500),), "the authority is well: it has Oslo"


@pytest.mark.parametrize("of", [1, 9])
def test_cells_of_which_nothing_is_known(authority: SnowAuthority, tmp_path: Path, clock: At, of: int) -> None:
    unknown = set(grid()[:of])
    authority.value = lambda theme, point, stamp: None if point in unknown else height(theme, point, stamp)
    for _ in range(2):
        fetched = fetch(water(authority, tmp_path, clock), grid())
        assert fetched.failed is None
        assert {point for point, cell in fetched.found.items() if cell is None} == unknown
    assert len(authority.questions) == (2 if of == 9 else 1)


def test_what_is_missing_stays_so_and_a_series_may_end_early(
    authority: SnowAuthority, tmp_path: Path, clock: At
) -> None:
    lost = date(2025, 1, 10)
    authority.value = lambda theme, point, stamp: None if stamp == lost else height(theme, point, stamp)
    authority.ends = date(2026, 8, 2)
    for found in (
        fetch(water(authority, tmp_path, clock), grid()).found,
        water(authority, tmp_path, clock).kept(grid()),
    ):
        cell = found[grid()[4]]
        assert cell is not None
        assert cell.days[-1] == day_of(date(2026, 8, 31))
        missing = cell.days[np.isnan(cell.swe)]
        assert missing.tolist() == [
            day_of(date(2025, 1, 9)),
            *range(day_of(date(2026, 8, 2)), day_of(date(2026, 9, 1))),
        ]


def test_a_series_that_was_cut_off_is_kept_for_a_day(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    authority.ends = date(2026, 1, 5)
    kept = water(authority, tmp_path, clock)
    assert fetch(kept, grid()).failed is None
    authority.ends, authority.questions = None, []
    clock.moment += DAY - timedelta(seconds=1)
    fetch(kept, grid())
    assert authority.questions == []
    clock.moment += timedelta(seconds=1)
    cell = fetch(kept, grid()).found[grid()[0]]
    assert cell is not None
    assert not np.isnan(cell.swe).any()


@pytest.mark.parametrize("named", [True, False])
def test_a_coast_costs_one_long_answer(authority: SnowAuthority, tmp_path: Path, clock: At, named: bool) -> None:
    authority.sea, authority.names_the_sea = set(grid()[::2][:4]), named
    fetched = fetch(water(authority, tmp_path, clock), grid())
    assert {point for point, cell in fetched.found.items() if cell is None} == authority.sea
    long = [question for question in authority.questions if (question.end - question.start).days > 1]
    assert [len(question.points) for question in long] == [9, 5], "the first is refused at once"


def test_centimetres(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    authority.value = lambda theme, point, stamp: round(height(theme, point, stamp) / 10, 1)
    authority.units["swe"] = "cm"
    for found in (
        fetch(water(authority, tmp_path, clock), grid()).found,
        water(authority, tmp_path, clock).kept(grid()),
    ):
        cell = found[grid()[4]]
        assert cell is not None
        np.testing.assert_allclose(cell.swe, expected(grid()[4], FIRST, date(2026, 8, 31)), rtol=1e-6)


@pytest.mark.parametrize(
    ("moment", "last"),
    [
        (datetime(2026, 9, 1, 7, tzinfo=UTC), date(2026, 8, 31)),
        (datetime(2026, 9, 1, 6, 59, 59, tzinfo=UTC), date(2025, 8, 31)),
        (datetime(2027, 1, 1, 3, tzinfo=UTC), date(2026, 8, 31)),
    ],
)
def test_a_season_is_over_on_1_september_at_07(
    authority: SnowAuthority, tmp_path: Path, clock: At, moment: datetime, last: date
) -> None:
    clock.moment = moment
    kept = water(authority, tmp_path, clock)
    cell = fetch(kept, grid()).found[grid()[0]]
    assert cell is not None
    assert cell.days[-1] == day_of(last)
    assert kept.last_summer() == last
    assert authority.questions[0].end == last + DAY


def test_a_new_season_is_asked_for_though_the_old_is_fresh(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    clock.moment = datetime(2026, 8, 31, 12, tzinfo=UTC)
    kept = water(authority, tmp_path, clock)
    fetch(kept, grid())
    clock.moment += DAY
    assert kept.kept(grid()) == {}
    cell = fetch(kept, grid()).found[grid()[0]]
    assert cell is not None
    assert cell.days[-1] == day_of(date(2026, 8, 31))
    assert len(authority.questions) == 2


def test_threads_ask_for_each_cell_once(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    kept = water(authority, tmp_path, clock)
    grids = [grid(3, 3, east=k % 3)[:: 1 if k % 2 else -1] for k in range(12)]
    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda points: fetch(kept, points), grids))
    for points, fetched in zip(grids, answers, strict=True):
        assert fetched.failed is None
        for point in points:
            cell = fetched.found[point]
            assert cell is not None
            assert cell.swe[0] == expected(point, FIRST, FIRST)[0]
    asked = [point for points in posted(authority) for point in points]
    assert sorted(asked) == sorted(grid(5, 3)), "however they overlap"


@pytest.mark.slow
def test_two_processes_one_question(authority: SnowAuthority, tmp_path: Path) -> None:
    program = [sys.executable, "-m", "tests.catalog.snow_water.asking", str(tmp_path), authority.url]
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
    first = [expected(point, date(1957, 9, 1), date(1957, 9, 1))[0] for point in grid()]
    assert [p.communicate(timeout=60)[0] for p in both] == [f"None {first}\n"] * 2
    assert posted(authority) == [tuple(grid())]


def test_a_damaged_file_is_asked_for_again(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    kept = water(authority, tmp_path, clock)
    fetch(kept, grid())
    whole = {path: path.read_bytes() for path in files(tmp_path)}
    assert len(whole) == 9
    damages = [
        lambda body: b"",
        lambda body: body[:-9],
        lambda body: body[:-20] + bytes(20),
        lambda body: body.replace(b'"days": [', b'"days": [1'),
        lambda body: b"\xff\n" + body,
    ]
    for (path, body), damage in zip(whole.items(), damages, strict=False):
        path.write_bytes(damage(body))
    authority.questions.clear()
    assert len(kept.kept(grid())) == 9 - len(damages)
    fetched = fetch(kept, grid())
    assert [len(points) for points in posted(authority)] == [len(damages)]
    assert all(c and c.swe.tolist() == expected(p, FIRST, date(2026, 8, 31)) for p, c in fetched.found.items())
    assert {path: len(path.read_bytes()) for path in files(tmp_path)} == {p: len(body) for p, body in whole.items()}


def test_bytes_and_back() -> None:
    rng = np.random.default_rng(1)
    swe = rng.random(300).astype(np.float32)
    swe[[0, 7, 299]] = np.nan
    packed = snow_water._pack(Water(np.arange(500, 800), swe, 123.25, "live"))
    again = snow_water._unpack(packed).water
    assert again is not None
    np.testing.assert_array_equal(again.swe, swe)
    assert (again.days.tolist(), again.altitude, again.data_origin) == (list(range(500, 800)), 123.25, "live")
    assert snow_water._unpack(snow_water._pack(None)).water is None
    for damaged in (b"", b"{}", b"[]", packed[:-9], packed.replace(b"[500, 300]", b"[500, 301]"), b"\xff\n"):
        with pytest.raises(SourceError, match="damaged"):
            snow_water._unpack(damaged)


def test_a_full_disk_makes_it_slow_and_not_wrong(
    authority: SnowAuthority, tmp_path: Path, clock: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(ReadThrough, "_store", full)
    for _ in range(2):
        fetched = fetch(water(authority, tmp_path, clock), grid())
        assert fetched.failed is None
        assert all(fetched.found.values())
    assert len(authority.questions) == 2


def test_trimming(authority: SnowAuthority, tmp_path: Path, clock: At, monkeypatch: pytest.MonkeyPatch) -> None:
    water(authority, tmp_path / "none", clock).trim()
    kept = water(authority, tmp_path / "old", clock)
    fetch(kept, grid())
    kept.trim()
    assert len(files(tmp_path / "old")) == 9
    now = time.time() + 31 * 86_400
    with monkeypatch.context() as passing:
        passing.setattr("catalog.bounded.time.time", lambda: now)
        kept.trim()
    assert not files(tmp_path / "old")
    monkeypatch.setattr(snow_water, "_MOST_BYTES", 5 * 4096)
    fetched = fetch(water(authority, tmp_path / "small", clock), grid(4, 4))
    assert all(fetched.found.values())
    assert len(files(tmp_path / "small")) == 5
