"""Snow on demand: how long it is kept, and what becomes of it on disk."""

import errno
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from catalog.cell_bytes import pack, unpack
from catalog.snow_products import HISTORY, OUTLOOK, CellProduct
from catalog.sources.nve_gts import day_of
from tests.support.nve_gts import SnowAuthority
from tests.support.snow_cells import (
    CENTRE,
    DAY,
    FETCH,
    MORNING,
    NEXT,
    SEARCH,
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
    posted,
)
from tiles.errors import TileCorrupt
from tiles.products import snow_outlook

ROOT = Path(__file__).parents[3]
MONTHLY = [(HISTORY, SEARCH + FETCH), (WINTERS, 1)]


def files(folder: Path) -> list[Path]:
    return [path for path in folder.glob("*/*") if path.is_file()]


def test_bytes_that_are_damaged_or_of_another_size_are_refused(
    authority: SnowAuthority, tmp_path: Path, clock: At
) -> None:
    cell = one(cells(authority, tmp_path, clock), OUTLOOK)
    product, size = snow_outlook.PRODUCT, len(days(cell))
    body = pack(product, cell.values)
    assert {name: v.tolist() for name, v in unpack(product, size, body).items()} == {
        name: v.tolist() for name, v in cell.values.items()
    }
    damaged = (b"", body[:-9], body[9:], body[:40] + b"x" + body[41:])
    for wrong, of in [(bad, size) for bad in damaged] + [(body, size + 1)]:
        with pytest.raises(TileCorrupt):
            unpack(product, of, wrong)


def test_an_outlook_is_fetched_once_a_day(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    one(cells(authority, tmp_path, clock), OUTLOOK)
    authority.questions.clear()
    for clock.moment in (MORNING, MORNING + timedelta(hours=20), MORNING + timedelta(hours=22, minutes=59)):
        one(cells(authority, tmp_path, clock), OUTLOOK)
    assert not authority.questions, "kept across instances"
    clock.moment = MORNING + timedelta(hours=23)
    assert one(cells(authority, tmp_path, clock), OUTLOOK).observed_until == day_of(date(2026, 11, 23))
    assert len(authority.questions) == FETCH, "which cell it is stays known"


@pytest.mark.parametrize(("of", "questions"), MONTHLY)
def test_whole_years_are_kept_for_30_days(
    authority: SnowAuthority, tmp_path: Path, clock: At, of: CellProduct, questions: int
) -> None:
    first = one(cells(authority, tmp_path, clock), of)
    authority.questions.clear()
    clock.moment = MORNING + 30 * DAY - timedelta(seconds=1)
    again = one(cells(authority, tmp_path, clock), of)
    assert {name: v.tobytes() for name, v in first.values.items()} == {n: v.tobytes() for n, v in again.values.items()}
    assert not authority.questions
    clock.moment = MORNING + 30 * DAY
    one(cells(authority, tmp_path, clock), of)
    assert len(authority.questions) == questions
    clock.moment = MORNING - DAY
    assert cells(authority, tmp_path, clock).kept(of, [CENTRE]) == {}, "a clock that was set back"


@pytest.mark.parametrize("of", [HISTORY, WINTERS])
def test_a_new_snow_year_is_fetched_though_the_old_is_fresh(
    authority: SnowAuthority, tmp_path: Path, clock: At, of: CellProduct
) -> None:
    clock.moment = datetime(2026, 8, 30, 12, tzinfo=UTC)
    kept = cells(authority, tmp_path, clock)
    old = one(kept, of)
    clock.moment += 2 * DAY
    assert kept.kept(of, [CENTRE]) == {}
    name = of.product.variables[0].name
    assert one(kept, of).values[name].size - old.values[name].size == (365 if of is HISTORY else 1)


def test_winters_that_were_cut_off_are_fetched_again_after_a_day(
    authority: SnowAuthority, tmp_path: Path, clock: At
) -> None:
    authority.ends = date(2026, 1, 5)
    kept = cells(authority, tmp_path, clock)
    fetch(kept, WINTERS, grid())
    authority.ends, authority.questions = None, []
    clock.moment += DAY - timedelta(seconds=1)
    fetch(kept, WINTERS, grid())
    assert authority.questions == []
    clock.moment += timedelta(seconds=1)
    assert known(fetch(kept, WINTERS, grid()).found[grid()[0]]) == maxima(grid()[0])


def test_only_cells_that_are_not_kept_are_asked_for(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    kept = cells(authority, tmp_path, clock)
    assert kept.kept(WINTERS, grid()) == {}
    fetch(kept, WINTERS, grid())
    authority.questions.clear()
    assert list(kept.kept(WINTERS, grid(3, 3, east=1))) == grid(2, 3, east=1)
    fetched = fetch(kept, WINTERS, grid(3, 3, east=1))
    assert posted(authority) == [tuple(grid(1, 3, east=3))]
    assert set(fetched.found) == set(grid(3, 3, east=1))


def test_what_is_kept_is_told_without_a_question(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    kept = cells(authority, tmp_path, clock)
    assert kept.kept(OUTLOOK, [CENTRE], older=True) == {}
    told = one(kept, OUTLOOK).version
    authority.questions.clear()
    assert [cell and cell.version for cell in kept.kept(OUTLOOK, [CENTRE, NEXT]).values()] == [told]
    clock.moment += DAY
    assert kept.kept(OUTLOOK, [CENTRE]) == {}
    assert [cell and cell.version for cell in kept.kept(OUTLOOK, [CENTRE], older=True).values()] == [told]
    clock.moment += 8 * DAY
    assert kept.kept(OUTLOOK, [CENTRE], older=True) == {}
    assert not authority.questions


def test_another_authority_is_another_answer(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    one(cells(authority, tmp_path, clock), OUTLOOK)
    with SnowAuthority(lambda *_: 9.0) as other:
        assert one(cells(other, tmp_path, clock), OUTLOOK).values["swe"][0] == 9


def test_threads_ask_for_each_cell_once(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    kept = cells(authority, tmp_path, clock)
    grids = [grid(3, 3, east=k % 3)[:: 1 if k % 2 else -1] for k in range(12)]
    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda points: fetch(kept, WINTERS, points), grids))
    for points, fetched in zip(grids, answers, strict=True):
        assert fetched.failed is None
        assert [known(fetched.found[point]) for point in points] == [maxima(point) for point in points]
    asked = [point for points in posted(authority) for point in points]
    assert sorted(asked) == sorted(grid(5, 3)), "however they overlap"


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
    swe = height("swe", CENTRE, date(2026, 9, 2))
    assert [p.communicate(timeout=60)[0] for p in both] == [f"{CENTRE} {swe}\n"] * 2
    assert len(authority.questions) == SEARCH + FETCH


def test_a_damaged_file_is_fetched_again(authority: SnowAuthority, tmp_path: Path, clock: At) -> None:
    kept = cells(authority, tmp_path, clock)
    fetch(kept, WINTERS, grid())
    whole = {path: path.read_bytes() for path in files(tmp_path)}
    assert len(whole) == 9
    damages = [
        lambda body: b"",
        lambda body: body[:-9],
        lambda body: body[:-40] + bytes(40),
        lambda body: body.replace(b'"axis": [', b'"axis": [1'),
        lambda body: body.replace(b'"axis": [2024, 2]', b'"axis": [2024, 3]'),
        lambda body: b"\xff\n" + body,
    ]
    for (path, body), damage in zip(whole.items(), damages, strict=False):
        path.write_bytes(damage(body))
    authority.questions.clear()
    fetched = fetch(kept, WINTERS, grid())
    assert [len(points) for points in posted(authority)] == [len(damages)]
    assert all(known(cell) == maxima(point) for point, cell in fetched.found.items())


def test_a_full_disk_makes_it_slow_and_not_wrong(
    authority: SnowAuthority, tmp_path: Path, clock: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("catalog.readthrough.write_atomically", full)
    for _ in range(2):
        fetched = fetch(cells(authority, tmp_path, clock), WINTERS, grid())
        assert fetched.failed is None
        assert all(fetched.found.values())
    assert len(authority.questions) == 2


def test_files_are_bounded_in_age_and_bytes(
    authority: SnowAuthority, tmp_path: Path, clock: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells(authority, tmp_path / "none", clock).trim()
    kept = cells(authority, tmp_path / "old", clock)
    for of in (OUTLOOK, HISTORY, WINTERS):
        one(kept, of)
    kept.trim()
    assert {p.parent.name for p in files(tmp_path / "old")} == {"snow_outlook", "snow_history", "snowload"}
    for seconds, left in ((10 * 86400, {"snow_history", "snowload"}), (31 * 86400, set())):
        now = time.time() + seconds
        with monkeypatch.context() as passing:
            passing.setattr("catalog.bounded.time.time", lambda now=now: now)
            kept.trim()
        assert {p.parent.name for p in files(tmp_path / "old")} == left
    few = replace(WINTERS, max_bytes=5 * 4096)
    small = type(kept)(authority.url, "test", tmp_path / "small", clock, (few,))  # type: ignore[arg-type]
    assert all(fetch(small, few, grid(4, 4)).found.values())
    assert len(files(tmp_path / "small")) == 5
