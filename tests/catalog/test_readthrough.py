"""What is fetched on demand: fresh or nothing, one question a key, and never more than may be kept."""

import errno
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from catalog.readthrough import Life, ReadThrough
from catalog.sources.errors import SourceError
from catalog.sources.fetch import Answer
from catalog.sources.http import Deadline
from tests.support.http_files import FileServer
from tests.support.snow_cells import At

ROOT = Path(__file__).parents[2]
NOW = datetime(2026, 6, 20, 12, tzinfo=UTC)
EXPIRES = NOW + timedelta(minutes=30)
MONTHS = Life(unsaid=timedelta(days=90), longest=timedelta(days=365), kept=timedelta(days=400))


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
    return At(NOW)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "kept"


@pytest.fixture
def kept(folder: Path, clock: At) -> ReadThrough[str]:
    return ReadThrough(folder, "test", clock, 10_000)  # type: ignore[arg-type]


def get(kept: ReadThrough[str], upstream: Upstream, key: str = "k", seconds: float = 5) -> str:
    return kept.get(key, upstream, strict, Deadline(seconds))


def files(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_file()]


def age(path: Path, age: timedelta) -> None:
    os.utime(path, (time.time() - age.total_seconds(),) * 2)


def test_what_has_expired_is_asked_for_with_the_tags_that_are_held(kept: ReadThrough[str], clock: At) -> None:
    upstream = Upstream([answer(), answer(None, EXPIRES + timedelta(hours=1)), answer(b"two", None)])
    assert get(kept, upstream) == "one"
    clock.moment = EXPIRES - timedelta(seconds=1)
    assert get(kept, upstream) == "one"
    clock.moment = EXPIRES
    assert kept.fresh("k", strict) is None
    assert get(kept, upstream) == "one"  # 304: the same, fresh again
    clock.moment = EXPIRES + timedelta(minutes=59)
    assert get(kept, upstream) == "one"
    clock.moment += timedelta(minutes=1)
    assert get(kept, upstream) == "two"
    tags = ('"tag"', "Sat, 20 Jun 2026 11:00:00 GMT")
    assert upstream.asked == [(None, None), tags, tags]


def test_a_stale_answer_is_never_returned(kept: ReadThrough[str], clock: At) -> None:
    upstream = Upstream([answer(), SourceError("test: down"), answer(b"bad"), answer(b"two")])
    get(kept, upstream)
    clock.moment = EXPIRES
    for why in ("down", "bad"):
        with pytest.raises(SourceError, match=why):
            get(kept, upstream)
    assert get(kept, upstream) == "two"


def test_nonsense_is_not_kept(kept: ReadThrough[str], folder: Path) -> None:
    with pytest.raises(SourceError, match="bad"):
        get(kept, Upstream([answer(b"bad")]))
    assert files(folder) == []
    with pytest.raises(SourceError, match="304"):
        get(kept, Upstream([answer(None)]))


@pytest.mark.parametrize("life", [Life(), MONTHS])
def test_an_answer_is_fresh_as_its_source_says_within_bounds(tmp_path: Path, clock: At, life: Life) -> None:
    kept: ReadThrough[str] = ReadThrough(tmp_path, "test", clock, 20_000, life)  # type: ignore[arg-type]
    for said, lasts in ((None, life.unsaid), (NOW + timedelta(days=800), life.longest), (EXPIRES, EXPIRES - NOW)):
        clock.moment = NOW
        get(kept, Upstream([answer(expires=said)]), key=str(said))
        clock.moment = NOW + lasts - timedelta(seconds=1)
        assert kept.fresh(str(said), strict) is not None
        clock.moment = NOW + lasts
        assert kept.fresh(str(said), strict) is None


@pytest.mark.parametrize("damage", [lambda _: b"", lambda _: b"{}\nx", lambda _: b"\x00" * 500, lambda body: body[:-1]])
def test_a_damaged_file_is_fetched_again(kept: ReadThrough[str], folder: Path, damage: Any) -> None:
    get(kept, Upstream([answer()]))
    [file] = files(folder)
    file.write_bytes(damage(file.read_bytes()))
    upstream = Upstream([answer(b"two")])
    assert get(kept, upstream) == "two"
    assert upstream.asked == [(None, None)]


def test_who_waits_for_another_gives_up_in_time(kept: ReadThrough[str]) -> None:
    begun, go = threading.Event(), threading.Event()

    def hangs(etag: str | None, modified: str | None, deadline: Deadline) -> Answer:
        begun.set()
        go.wait(10)
        return answer()

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(kept.get, "k", hangs, strict, Deadline(10))
        assert begun.wait(5)
        with pytest.raises(SourceError, match="not answered in time"):
            get(kept, Upstream(), seconds=0.2)
        assert get(kept, Upstream([answer(b"two")]), key="other") == "two"  # who asks for another place does not wait
        go.set()
        assert first.result() == "one"


def test_a_body_is_aligned_and_stays_though_its_file_goes(kept: ReadThrough[str], folder: Path) -> None:
    get(kept, Upstream([answer(b"a longer answer")]))
    held: object = kept.fresh("k", lambda body: body)  # type: ignore[arg-type,return-value]
    [file] = files(folder)
    assert file.read_bytes().index(b"a longer") % 64 == 0
    file.unlink()
    assert bytes(held) == b"a longer answer"  # type: ignore[call-overload]


def test_two_processes_ask_one_question(tmp_path: Path) -> None:
    both_ask = threading.Event()
    with FileServer() as server:
        server.put("/f", b"hello")
        server.before(lambda _: both_ask.wait(30))
        command = [sys.executable, "-m", "tests.catalog.reading_through", str(tmp_path), server.url + "/f"]
        processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) for _ in range(2)]
        try:
            assert [process.stdout.readline() for process in processes if process.stdout] == ["asking\n"] * 2
            both_ask.set()
            assert [process.communicate(timeout=30)[0] for process in processes] == ["hello\n"] * 2
        finally:
            for process in processes:
                process.kill()
                process.wait()
        assert len(server.requests) == 1


def test_the_oldest_files_go_first_where_there_are_too_many_bytes(kept: ReadThrough[str], folder: Path) -> None:
    upstream = Upstream([answer(b"x" * 900) for _ in range(30)])
    for i in range(30):
        get(kept, upstream, key=f"k{i}")
        assert sum(path.stat().st_size for path in files(folder)) <= 10_000
    assert kept.fresh("k29", strict) is not None
    assert kept.fresh("k0", strict) is None


@pytest.mark.parametrize("life", [Life(), MONTHS])
def test_old_and_unfinished_files_are_removed(tmp_path: Path, clock: At, life: Life) -> None:
    kept: ReadThrough[str] = ReadThrough(tmp_path, "test", clock, 20_000, life)  # type: ignore[arg-type]
    get(kept, Upstream([answer()]))
    [file] = files(tmp_path)
    killed, at_work = tmp_path / ".new-of-one-who-was-killed", tmp_path / ".new-of-one-at-work"
    for path in (killed, at_work):
        path.write_bytes(b"half")
    age(killed, timedelta(hours=2))
    age(file, life.kept - timedelta(minutes=1))
    get(kept, Upstream([answer()]), key="another")
    assert (file.exists(), killed.exists(), at_work.exists()) == (True, False, True)
    age(file, life.kept + timedelta(minutes=1))
    kept.trim()
    assert not file.exists()


def test_a_full_disk_makes_it_slow_not_wrong(kept: ReadThrough[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "open", full)  # neither a lock nor an answer is written
    upstream = Upstream([answer(), answer(b"two")])
    assert [get(kept, upstream), get(kept, upstream)] == ["one", "two"]


def test_a_folder_that_nobody_may_write_is_said(kept: ReadThrough[str], folder: Path) -> None:
    folder.write_text("no folder")
    with pytest.raises(SourceError, match="cannot be kept"):
        get(kept, Upstream([answer()]))
