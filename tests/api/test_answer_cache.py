"""The cache of answers: found by all, bounded, never damaged."""

import multiprocessing
import os
import time
from pathlib import Path

import pytest

from api.answer_cache import AnswerCache

BODY = b'{"a":1}' * 100


@pytest.fixture
def cache(tmp_path: Path) -> AnswerCache:
    return AnswerCache(tmp_path / "answers")


def files(cache: AnswerCache) -> list[Path]:
    return sorted(cache._folder.iterdir())


def test_what_is_put_is_found_by_others(cache: AnswerCache) -> None:
    assert cache.get(b"k") is None
    cache.put(b"k", BODY)
    other = AnswerCache(cache._folder)
    assert (other.get(b"k"), other.get(b"l")) == (BODY, None)
    cache.put(b"k", b"new")
    assert other.get(b"k") == b"new"
    assert len(files(cache)) == 1


@pytest.mark.parametrize("damage", ["cut", "empty", "altered", "longer", "another's"])
def test_a_damaged_file_is_no_answer_and_is_gone(cache: AnswerCache, damage: str) -> None:
    cache.put(b"k", BODY)
    [path] = files(cache)
    whole = path.read_bytes()
    middle = len(whole) // 2
    altered = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
    damaged = {"cut": whole[:-1], "empty": b"", "altered": altered, "longer": whole + b"x", "another's": BODY}[damage]
    path.write_bytes(damaged)
    assert cache.get(b"k") is None
    assert files(cache) == []
    cache.put(b"k", BODY)
    assert cache.get(b"k") == BODY


def test_what_is_too_old_is_not_found_and_goes(cache: AnswerCache) -> None:
    cache.put(b"old", BODY)
    [path] = files(cache)
    age = time.time() - 7201
    os.utime(path, (age, age))
    assert cache.get(b"old") is None
    cache.put(b"new", BODY)
    left = path.with_name(".new-left by one who was killed")
    left.write_bytes(b"x")
    os.utime(left, (age, age))
    cache.trim()
    assert len(files(cache)) == 1
    assert cache.get(b"new") == BODY


def test_the_oldest_go_when_there_are_too_many(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path, max_bytes=10_000)
    for number in range(100):
        cache.put(b"%d" % number, b"x" * 900)
        moment = time.time() - 1000 + number
        for path in files(cache):
            if path.stat().st_mtime > moment + 500:
                os.utime(path, (moment, moment))
        assert sum(path.stat().st_size for path in files(cache)) <= 10_000 * 9 / 8 + 1000
    assert cache.get(b"99") is not None
    assert cache.get(b"0") is None


def test_many_small_answers_are_as_bounded_as_few_large_ones(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path, max_bytes=80 * 4096)
    for number in range(300):
        cache.put(b"%d" % number, b"{}")
    assert 60 <= len(files(cache)) <= 80 * 9 / 8 + 1


def test_a_damaged_file_that_cannot_be_removed_is_no_answer(cache: AnswerCache, monkeypatch) -> None:
    cache.put(b"k", BODY)
    [path] = files(cache)
    path.write_bytes(b"")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "unlink", refuse)
    assert cache.get(b"k") is None


def test_a_folder_that_cannot_be_written_costs_nothing_but_speed(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    cache = AnswerCache(tmp_path / "file" / "answers")
    cache.put(b"k", BODY)
    assert cache.get(b"k") is None


def _write(folder: Path, rounds: int) -> None:
    cache = AnswerCache(folder, max_bytes=200_000)
    for number in range(rounds):
        cache.put(b"%d" % (number % 7), b"%d" % (number % 7) * 5000)


def test_several_processes_write_and_read_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_write, args=(tmp_path, 100)) for _ in range(2)]
    for writer in writers:
        writer.start()
    cache = AnswerCache(tmp_path)
    found = 0
    while any(writer.is_alive() for writer in writers):
        for number in range(7):
            if (body := cache.get(b"%d" % number)) is not None:
                assert body == b"%d" % number * 5000
                found += 1
    assert found > 0
    assert [writer.exitcode for writer in writers] == [0, 0]
