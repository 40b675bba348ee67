"""Water on demand: how long it is kept, and what becomes of it on disk."""

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
from catalog.sources.nve_gts import day_of
from tests.catalog.snow_water.conftest import FIRST
from tests.support.nve_gts import SnowAuthority
from tests.support.snow_cells import DAY, MORNING, At
from tests.support.snow_water import expected, fetch, grid, posted, water

ROOT = Path(__file__).parents[3]


def files(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_file()]


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
