"""The cache of answers: found by all, bounded, never damaged."""

import multiprocessing
import os
import time
from pathlib import Path

import pytest

from api.core.cache import FileCache

BODY = b'{"a":1}' * 100


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "answers"


@pytest.fixture
def cache(folder: Path) -> FileCache:
    return FileCache(folder)


def files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def test_what_is_put_is_found_by_others(cache: FileCache, folder: Path) -> None:
    assert cache.get(b"k") is None
    cache.put(b"k", BODY)
    other = FileCache(folder)
    assert (other.get(b"k"), other.get(b"l")) == (BODY, None)
    cache.put(b"k", b"new")
    assert other.get(b"k") == b"new"
    assert len(files(folder)) == 1


@pytest.mark.parametrize("damage", ["cut", "empty", "altered", "longer", "another's"])
def test_a_damaged_file_is_no_answer_and_is_gone(cache: FileCache, folder: Path, damage: str) -> None:
    cache.put(b"k", BODY)
    [path] = files(folder)
    whole = path.read_bytes()
    altered = whole.replace(b"1", b"2", 400)
    damaged = {"cut": whole[:-1], "empty": b"", "altered": altered, "longer": whole + b"x", "another's": BODY}[damage]
    path.write_bytes(damaged)
    assert (cache.get(b"k"), files(folder)) == (None, [])


def test_what_is_too_old_is_not_found_and_goes(cache: FileCache, folder: Path) -> None:
    cache.put(b"old", BODY)
    [path] = files(folder)
    age = time.time() - 7201
    os.utime(path, (age, age))
    assert cache.get(b"old") is None
    cache.put(b"new", BODY)
    left = path.with_name(".new-left by one who was killed")
    left.write_bytes(b"x")
    os.utime(left, (age, age))
    cache.trim()
    assert len(files(folder)) == 1
    assert cache.get(b"new") == BODY


def test_the_oldest_go_when_there_are_too_many(folder: Path) -> None:
    cache = FileCache(folder, max_bytes=40_000)
    for number in range(100):
        cache.put(b"%d" % number, b"x" * 900)
        for path in files(folder):  # as if each were a second older than the next
            os.utime(path, (path.stat().st_atime - 1, path.stat().st_mtime - 1))
        assert sum(path.stat().st_size for path in files(folder)) <= 40_000 * 9 / 8 + 1000
    assert cache.get(b"99") is not None
    assert cache.get(b"0") is None


def test_a_folder_that_cannot_be_written_costs_nothing_but_speed(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    cache = FileCache(tmp_path / "file" / "answers")
    cache.put(b"k", BODY)
    assert cache.get(b"k") is None


def _write(folder: Path, rounds: int) -> None:
    cache = FileCache(folder, max_bytes=200_000)
    for number in range(rounds):
        cache.put(b"%d" % (number % 7), b"%d" % (number % 7) * 5000)


def test_several_processes_write_and_read_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_write, args=(tmp_path, 100)) for _ in range(2)]
    for writer in writers:
        writer.start()
    cache = FileCache(tmp_path)
    found = 0
    while any(writer.is_alive() for writer in writers):
        for number in range(7):
            if (body := cache.get(b"%d" % number)) is not None:
                assert body == b"%d" % number * 5000
                found += 1
    assert found > 0
    assert [writer.exitcode for writer in writers] == [0, 0]
