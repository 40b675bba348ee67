"""What is fetched on demand and kept while it is fresh: one fetch a key, however many ask.

A file a key, in a folder that all workers of a machine share: a line of JSON about the answer, then the answer. It is
written beside and renamed, so that nobody reads half of one. What has expired is never returned.
"""

import errno
import fcntl
import hashlib
import json
import mmap
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from catalog import bounded
from catalog.sources.errors import SourceError
from catalog.sources.fetch import Answer
from catalog.sources.http import Deadline
from tiles.clock import Clock, iso, parse_iso
from tiles.store import write_atomically

T = TypeVar("T")

# For a source that does not say how long its answer is good, and for one that exaggerates.
DEFAULT_LIFE = timedelta(minutes=10)
LONGEST_LIFE = timedelta(hours=6)
# With the time until somebody looks, a day: nothing stays longer, though its source may call it unchanged. Places that
# were asked for are nobody's business.
KEPT = timedelta(hours=23)
_POLL_S = 0.02
# Whoever has not finished a file by now was killed.
_WRITTEN_WITHIN_S = 3600.0
# So that numbers in a body that is mapped lie where processors like them.
_ALIGNED = 64
_FULL = (errno.ENOSPC, errno.EDQUOT)
_LOCKS = "locks"


class Life(NamedTuple):
    """How long answers are good; as of point forecasts where nothing else is said.

    Parameters
    ----------
    unsaid : timedelta
        Those of a source that does not say.
    longest : timedelta
        Those of a source that says more.
    kept : timedelta
        Until their file is removed, fresh or not.
    """

    unsaid: timedelta = DEFAULT_LIFE
    longest: timedelta = LONGEST_LIFE
    kept: timedelta = KEPT


@dataclass(frozen=True)
class _Stored:
    fetched: datetime
    expires: datetime
    etag: str | None
    modified: str | None
    body: memoryview


Ask = Callable[[str | None, str | None, Deadline], Answer]
"""Asks the source, with the ETag and Last-Modified of what is held, within a deadline."""


class ReadThrough(Generic[T]):
    """The answers of one source.

    Parameters
    ----------
    folder : Path
        Made when first needed.
    source : str
        For sentences.
    clock : Clock
        Whose now the source's `Expires` is held against.
    max_bytes : int
        Of all files together; the oldest go first.
    life : Life, optional
    """

    def __init__(self, folder: Path, source: str, clock: Clock, max_bytes: int, life: Life | None = None) -> None:
        self._folder, self._source, self._clock, self._max_bytes = folder, source, clock, max_bytes
        self._life = life or Life()

    def fresh(self, key: str, read: Callable[[memoryview], T]) -> T | None:
        """Return what is held of a key and fresh, without asking the source; None where nothing is.

        Parameters
        ----------
        key : str
        read : callable
            Makes of a body what is wanted; raises SourceError where it is none. The body is a mapped file, which begins
            at a multiple of 64 bytes and stays as it is though the file is replaced or removed.
        """
        with suppress(SourceError):  # written by an older version of this code, or damaged on disk
            stored = self._load(key)
            # fetched: a clock that was set back would make what expires next year fresh today
            if stored is not None and stored.fetched <= self._clock.now() < stored.expires:
                return read(stored.body)
        return None

    def get(self, key: str, ask: Ask, read: Callable[[memoryview], T], deadline: Deadline) -> T:
        """Return what is held of a key, or ask for it; who asks meanwhile waits for the same answer.

        Parameters
        ----------
        key : str
        ask : callable
        read : callable
            As `fresh` takes it. Only what it accepts is kept.
        deadline : Deadline
            For the wait and the answer together.

        Raises
        ------
        SourceError
            The source cannot be asked, or answers nonsense, and nothing fresh is held.
        """
        if (held := self.fresh(key, read)) is not None:
            return held
        with self.locked([key], deadline):
            if (held := self.fresh(key, read)) is not None:  # whoever had the lock has fetched it
                return held
            return self._renew(key, ask, read, deadline)

    def put(self, key: str, body: bytes, life: timedelta) -> None:
        """Keep what was fetched of several keys by one question; who asks it holds their locks, and trims after it.

        Parameters
        ----------
        key : str
        body : bytes
        life : timedelta
            How long it is good, from now.
        """
        now = self._clock.now()
        with suppress(OSError):  # a full disk makes it slow, not wrong
            self._store(key, _Stored(now, now + life, None, None, memoryview(body)))

    def _renew(self, key: str, ask: Ask, read: Callable[[memoryview], T], deadline: Deadline) -> T:
        old = self._load(key)
        value: T | None = None
        if old is not None:
            try:
                value = read(old.body)
            except SourceError:
                old = None
        answer = ask(old.etag if old else None, old.modified if old else None, deadline)
        now = self._clock.now()
        expires = min(answer.expires or now + self._life.unsaid, now + self._life.longest)
        if answer.body is not None:
            body = memoryview(answer.body)
            value = read(body)
            stored = _Stored(now, expires, answer.etag, answer.modified, body)
        elif old is not None:
            stored = _Stored(now, expires, answer.etag or old.etag, answer.modified or old.modified, old.body)
        else:
            raise SourceError(f"{self._source}: answered 304 where nothing was held")
        with suppress(OSError):  # a full disk makes it slow, not wrong
            self._store(key, stored)
            self.trim()
        assert value is not None  # noqa: S101 -- read above, or read from what is renewed
        return value

    def _path(self, key: str) -> Path:
        return self._folder / hashlib.sha256(key.encode()).hexdigest()[:40]

    def _load(self, key: str) -> _Stored | None:
        with suppress(OSError, ValueError, KeyError, TypeError):
            with self._path(key).open("rb") as file:
                content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            end = content.find(b"\n") + 1
            told, body = json.loads(content[:end]), memoryview(content)[end:]
            if told["key"] == key and told["size"] == len(body):
                fetched, expires = parse_iso(told["fetched"]), parse_iso(told["expires"])
                return _Stored(fetched, expires, told["etag"], told["modified"], body)
        return None

    def _store(self, key: str, stored: _Stored) -> None:
        told = {
            "key": key,
            "size": len(stored.body),
            "fetched": iso(stored.fetched),
            "expires": iso(stored.expires),
            "etag": stored.etag,
            "modified": stored.modified,
        }
        head = json.dumps(told).encode()
        head += b" " * (-(len(head) + 1) % _ALIGNED) + b"\n"
        self._folder.mkdir(parents=True, exist_ok=True)
        self._folder.chmod(0o700)
        write_atomically(self._path(key), head + stored.body)

    def trim(self) -> None:
        """Remove what is too old, what was never finished, and the oldest of what is more than may be kept."""
        unfinished = time.time() - _WRITTEN_WITHIN_S
        for path in self._folder.glob(".*"):
            with suppress(FileNotFoundError):
                if path.stat().st_mtime < unfinished:
                    path.unlink()
        bounded.trim(self._folder, self._max_bytes, self._life.kept.total_seconds())

    @contextmanager
    def locked(self, keys: Iterable[str], deadline: Deadline) -> Iterator[None]:
        """Hold the locks of keys; there are 4096 of them, which unlike keys do not become more.

        Raises
        ------
        SourceError
            They are not had in time.
        """
        with ExitStack() as held:
            # all take them in one order, so that no two wait for each other
            for name in sorted({self._path(key).name[:3] for key in keys}):
                held.enter_context(self._locked(name, deadline))
            yield

    @contextmanager
    def _locked(self, name: str, deadline: Deadline) -> Iterator[None]:
        folder = self._folder / _LOCKS
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # what was asked for is nobody's business
            folder.mkdir(exist_ok=True)
            file = (folder / name).open("wb")
        except OSError as error:
            if error.errno in _FULL:  # there is no room for a lock either: everybody asks for himself
                yield
                return
            raise SourceError(f"{self._source}: what is fetched cannot be kept: {error.strerror}") from error
        with file:
            while not _try_lock(file.fileno()):
                if deadline.remaining() <= _POLL_S:
                    raise SourceError(f"{self._source}: another request's question was not answered in time")
                time.sleep(_POLL_S)
            yield


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
