"""What is fetched on demand: fresh or nothing, one question a key, and never more than may be kept."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from catalog.readthrough import DEFAULT_LIFE, KEPT, LONGEST_LIFE, Life, ReadThrough
from catalog.sources.errors import SourceError
from catalog.sources.fetch import Answer
from catalog.sources.http import Deadline
from tests.support.http_files import FileServer

ROOT = Path(__file__).parents[2]
NOW = datetime(2026, 6, 20, 12, tzinfo=UTC)
EXPIRES = NOW + timedelta(minutes=30)


@dataclass
class At:
    """A clock that stands where the test puts it."""

    moment: datetime = NOW

    def now(self) -> datetime:
        return self.moment


@dataclass
class Upstream:
    """Answers in turn; what is raised is raised."""

    answers: list[Answer | Exception] = field(default_factory=list)
    asked: list[tuple[str | None, str | None]] = field(default_factory=list)

    def __call__(self, etag: str | None, modified: str | None, deadline: Deadline) -> Answer:
        self.asked.append((etag, modified))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def answer(body: bytes | None = b"one", expires: datetime | None = EXPIRES) -> Answer:
    return Answer(body, '"tag"', "Sat, 20 Jun 2026 11:00:00 GMT", expires)


def strict(body: memoryview) -> str:
    if bytes(body).startswith(b"bad"):
        raise SourceError("test: it is bad")
    return bytes(body).decode()


@pytest.fixture
def clock() -> At:
    return At()


@pytest.fixture
def kept(tmp_path: Path, clock: At) -> ReadThrough[str]:
    return ReadThrough(tmp_path / "kept", "test", clock, 10_000)  # type: ignore[arg-type]


def get(kept: ReadThrough[str], upstream: Upstream, key: str = "k", seconds: float = 5) -> str:
    return kept.get(key, upstream, strict, Deadline(seconds))


def test_no_question_while_it_is_fresh(kept: ReadThrough[str], clock: At) -> None:
    upstream = Upstream([answer()])
    assert get(kept, upstream) == "one"
    clock.moment = EXPIRES - timedelta(seconds=1)
    assert get(kept, upstream) == "one"
    assert kept.fresh("k", strict) is not None
    assert upstream.asked == [(None, None)]


def test_what_has_expired_is_asked_for_with_what_is_held(kept: ReadThrough[str], clock: At) -> None:
    upstream = Upstream([answer(), answer(None, EXPIRES + timedelta(hours=1)), answer(b"two", None)])
    get(kept, upstream)
    clock.moment = EXPIRES
    assert kept.fresh("k", strict) is None
    assert get(kept, upstream) == "one"  # 304: the same, fresh again
    assert upstream.asked[1] == ('"tag"', "Sat, 20 Jun 2026 11:00:00 GMT")
    clock.moment = EXPIRES + timedelta(minutes=59)
    assert get(kept, upstream) == "one"
    clock.moment += timedelta(minutes=1)
    assert get(kept, upstream) == "two"
    assert len(upstream.asked) == 3


def test_never_a_stale_one(kept: ReadThrough[str], clock: At) -> None:
    upstream = Upstream([answer(), SourceError("test: down"), answer(b"bad"), answer(b"two")])
    get(kept, upstream)
    clock.moment = EXPIRES
    for why in ("down", "bad"):
        with pytest.raises(SourceError, match=why):
            get(kept, upstream)
    assert get(kept, upstream) == "two"


def test_nonsense_is_not_kept(kept: ReadThrough[str], tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="bad"):
        get(kept, Upstream([answer(b"bad")]))
    assert [p for p in (tmp_path / "kept").iterdir() if p.is_file()] == []


@pytest.mark.parametrize(
    ("said", "life"),
    [(None, DEFAULT_LIFE), (NOW + timedelta(days=400), LONGEST_LIFE), (EXPIRES, EXPIRES - NOW)],
)
def test_how_long_it_is_fresh(kept: ReadThrough[str], clock: At, said: datetime | None, life: timedelta) -> None:
    get(kept, Upstream([answer(expires=said)]))
    clock.moment = NOW + life - timedelta(seconds=1)
    assert kept.fresh("k", strict) is not None
    clock.moment = NOW + life
    assert kept.fresh("k", strict) is None


def test_a_clock_that_was_set_back_finds_nothing_fresh(kept: ReadThrough[str], clock: At) -> None:
    get(kept, Upstream([answer()]))
    clock.moment = NOW - timedelta(days=365)
    assert kept.fresh("k", strict) is None


@pytest.mark.parametrize("damage", [b"", b"{", b"{}\nx", b'{"key": "k", "size": 3}\none', b"\x00" * 500])
def test_a_damaged_file_is_as_none(kept: ReadThrough[str], tmp_path: Path, damage: bytes) -> None:
    get(kept, Upstream([answer()]))
    [file] = [p for p in (tmp_path / "kept").iterdir() if p.is_file()]
    file.write_bytes(damage)
    upstream = Upstream([answer(b"two")])
    assert get(kept, upstream) == "two"
    assert upstream.asked == [(None, None)]


def test_cut_short(kept: ReadThrough[str], tmp_path: Path) -> None:
    get(kept, Upstream([answer(b"a longer answer")]))
    [file] = [p for p in (tmp_path / "kept").iterdir() if p.is_file()]
    file.write_bytes(file.read_bytes()[:-3])
    assert kept.fresh("k", strict) is None


def test_many_threads_one_question(kept: ReadThrough[str]) -> None:
    begun, go = threading.Event(), threading.Event()

    class Slow(Upstream):
        def __call__(self, etag: str | None, modified: str | None, deadline: Deadline) -> Answer:
            begun.set()
            go.wait(5)
            return super().__call__(etag, modified, deadline)

    upstream = Slow([answer()])
    with ThreadPoolExecutor(8) as pool:
        asking = [pool.submit(get, kept, upstream) for _ in range(8)]
        assert begun.wait(5)
        go.set()
        assert {one.result() for one in asking} == {"one"}
    assert len(upstream.asked) == 1


def test_who_waits_for_another_gives_up_in_time(kept: ReadThrough[str]) -> None:
    begun, go = threading.Event(), threading.Event()

    def hangs(etag: str | None, modified: str | None, deadline: Deadline) -> Answer:
        begun.set()
        go.wait(10)
        return answer()

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(kept.get, "k", hangs, strict, Deadline(10))
        assert begun.wait(5)
        started = time.monotonic()
        with pytest.raises(SourceError, match="not answered in time"):
            get(kept, Upstream([answer()]), seconds=0.2)
        assert time.monotonic() - started < 2
        assert get(kept, Upstream([answer(b"two")]), key="other") == "two"  # who asks for another place does not wait
        go.set()
        assert first.result() == "one"


def test_several_keys_of_one_question(kept: ReadThrough[str], clock: At) -> None:
    """So many that some share a lock; whoever takes them takes them all, or waits."""
    keys = [str(k) for k in range(200)]
    both, questions = threading.Barrier(2), []

    def ask(order: int) -> None:
        both.wait(5)
        with kept.locked(keys[::order], Deadline(10)):
            if kept.fresh("7", strict) is None:
                questions.append(order)
                for key in keys[:9]:
                    kept.put(key, key.encode(), timedelta(minutes=5))

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(ask, (1, -1)))
    assert len(questions) == 1
    with kept.locked(keys[:50], Deadline(5)), pytest.raises(SourceError, match="in time"):
        get(kept, Upstream([answer()]), keys[49], seconds=0.05)
    clock.moment += timedelta(minutes=5, seconds=-1)
    assert [get(kept, Upstream(), key) for key in keys[:9]] == keys[:9]
    clock.moment += timedelta(seconds=1)
    assert kept.fresh("7", strict) is None


@pytest.fixture
def slow_server() -> Iterator[FileServer]:
    with FileServer() as server:
        server.put("/f", b"hello")
        server.before(lambda _: time.sleep(0.3))  # so that the second process comes while the first one asks
        yield server


def test_a_body_is_what_was_stored_and_stays(kept: ReadThrough[Any], tmp_path: Path) -> None:
    get(kept, Upstream([answer(b"a longer answer")]))
    held = kept.fresh("k", lambda body: body)
    assert bytes(held) == b"a longer answer"
    [file] = [p for p in (tmp_path / "kept").iterdir() if p.is_file()]
    assert file.read_bytes().index(b"a longer") % 64 == 0
    file.unlink()
    assert bytes(held) == b"a longer answer"


def test_a_body_that_is_none_is_not_fresh(kept: ReadThrough[str]) -> None:
    get(kept, Upstream([answer()]))

    def picky(_: memoryview) -> str:
        raise SourceError("test: it is none")

    assert kept.fresh("k", picky) is None


def test_two_processes_one_question(tmp_path: Path, slow_server: FileServer) -> None:
    command = [sys.executable, "-m", "tests.catalog.reading_through", str(tmp_path / "kept"), slow_server.url + "/f"]
    pipe = subprocess.PIPE
    processes = [subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=ROOT) for _ in range(2)]
    try:
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        told = []
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        told = [process.communicate(timeout=30)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()
    assert told == ["hello\n", "hello\n"]
    assert len(slow_server.requests) == 1


def size(folder: Path) -> int:
    return sum(p.stat().st_size for p in folder.iterdir() if p.is_file())


def test_bounded_on_disk_the_oldest_go_first(kept: ReadThrough[str], tmp_path: Path) -> None:
    upstream = Upstream([answer(b"x" * 900) for _ in range(30)])
    for i in range(30):
        get(kept, upstream, key=f"k{i}")
        assert size(tmp_path / "kept") <= 10_000
    assert kept.fresh("k29", strict) is not None
    assert kept.fresh("k0", strict) is None


def test_nothing_stays_longer_than_a_day(kept: ReadThrough[str], tmp_path: Path) -> None:
    get(kept, Upstream([answer()]))
    [file] = [p for p in (tmp_path / "kept").iterdir() if p.is_file()]
    left = tmp_path / "kept" / ".new-of-one-who-was-killed"
    left.write_bytes(b"half")
    long_ago = time.time() - KEPT.total_seconds() - 60
    for path in (file, left):
        os.utime(path, (long_ago, long_ago))
    get(kept, Upstream([answer()]), key="another")
    assert not file.exists()
    assert not left.exists()


def test_a_full_disk_makes_it_slow_not_wrong(kept: ReadThrough[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("catalog.readthrough.write_atomically", full)
    upstream = Upstream([answer(), answer(b"two")])
    assert get(kept, upstream) == "one"
    assert get(kept, upstream) == "two"


def test_no_room_for_a_lock_makes_it_slow_not_wrong(kept: ReadThrough[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("catalog.readthrough.Path.open", full)
    monkeypatch.setattr("catalog.readthrough.write_atomically", full)
    assert get(kept, Upstream([answer()])) == "one"


def test_a_folder_that_nobody_may_write_is_said(tmp_path: Path, clock: At) -> None:
    (tmp_path / "kept").write_text("no folder")
    kept: ReadThrough[str] = ReadThrough(tmp_path / "kept", "test", clock, 10_000)  # type: ignore[arg-type]
    with pytest.raises(SourceError, match="cannot be kept"):
        get(kept, Upstream([answer()]))


MONTHS = Life(unsaid=timedelta(days=90), longest=timedelta(days=365), kept=timedelta(days=400))


@pytest.mark.parametrize(
    ("said", "life"), [(None, MONTHS.unsaid), (NOW + timedelta(days=800), MONTHS.longest), (EXPIRES, EXPIRES - NOW)]
)
def test_a_life_of_months(tmp_path: Path, clock: At, said: datetime | None, life: timedelta) -> None:
    kept: ReadThrough[str] = ReadThrough(tmp_path, "test", clock, 10_000, MONTHS)  # type: ignore[arg-type]
    get(kept, Upstream([answer(expires=said)]))
    clock.moment = NOW + life - timedelta(seconds=1)
    assert kept.fresh("k", strict) is not None
    clock.moment = NOW + life
    assert kept.fresh("k", strict) is None


def test_what_lives_for_months_stays_and_what_was_never_finished_goes(tmp_path: Path, clock: At) -> None:
    kept: ReadThrough[str] = ReadThrough(tmp_path, "test", clock, 20_000, MONTHS)  # type: ignore[arg-type]
    get(kept, Upstream([answer()]))
    [file] = [p for p in tmp_path.iterdir() if p.is_file()]
    left, at_work = tmp_path / ".new-of-one-who-was-killed", tmp_path / ".new-of-one-at-work"
    for path in (left, at_work):
        path.write_bytes(b"half")
    for path, days in ((file, 399), (left, 1)):
        os.utime(path, (time.time() - days * 86400,) * 2)
    kept.trim()
    assert (file.exists(), left.exists(), at_work.exists()) == (True, False, True)
    os.utime(file, (time.time() - 401 * 86400,) * 2)
    kept.trim()
    assert not file.exists()


def test_304_where_nothing_was_held(kept: ReadThrough[str]) -> None:
    with pytest.raises(SourceError, match="304"):
        get(kept, Upstream([answer(None)]))
