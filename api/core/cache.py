"""Byte-bounded caches with single-flight: one in a worker's memory, one in files that workers share."""

import asyncio
import hashlib
import logging
import os
import struct
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from contextlib import suppress
from pathlib import Path
from typing import Generic, TypeVar, cast

import google_crc32c

from catalog import bounded
from tiles.store import write_atomically

log = logging.getLogger("solflis.api")

T = TypeVar("T")


class Cache(Generic[T]):
    """LRU cache in memory, bounded in bytes; callers that ask for what is being made wait for that.

    Parameters
    ----------
    max_bytes : int
        A value that alone is larger is not kept.
    size_of : callable
        Bytes of a value.
    """

    def __init__(self, max_bytes: int, size_of: Callable[[T], int] = lambda value: getattr(value, "nbytes", 0)) -> None:
        self._max_bytes, self._size_of, self.nbytes = max_bytes, size_of, 0
        self._values: OrderedDict[Hashable, tuple[T, int]] = OrderedDict()
        self._making: dict[Hashable, asyncio.Task[T]] = {}

    def get(self, key: Hashable) -> T | None:
        """Return a value that is there."""
        found = self._values.get(key)
        if found is None:
            return None
        self._values.move_to_end(key)
        return found[0]

    async def get_or_make(self, key: Hashable, make: Callable[[], Awaitable[T]]) -> T:
        """Return a value, made where it is missing; what fails is not kept, and all who wait for it are told.

        A caller that is cancelled while it waits takes the value from nobody: it is made to its end.
        """
        if key in self._values:
            return cast(T, self.get(key))
        task = self._making.get(key)
        if task is None:
            task = self._making[key] = asyncio.create_task(self._make(key, make), name="fill a cache")
            task.add_done_callback(_look_at)
        return await asyncio.shield(task)

    async def _make(self, key: Hashable, make: Callable[[], Awaitable[T]]) -> T:
        try:
            value = await make()
        finally:
            del self._making[key]
        size = self._size_of(value)
        if size > self._max_bytes:
            return value
        self._values[key] = value, size
        self.nbytes += size
        while self.nbytes > self._max_bytes:
            self.nbytes -= self._values.popitem(last=False)[1][1]
        return value


def _look_at(done: "asyncio.Task[T]") -> None:
    """Take note of a failure: else asyncio complains where all who waited are gone."""
    if not done.cancelled():
        done.exception()


_HEAD = struct.Struct("<8sIQ")
_MAGIC = b"solflis2"


class FileCache:
    """Answers in a folder that workers share, bounded in bytes and age; it blocks: call it in a thread.

    A key holds the versions of everything that was read, so what is found holds. Two workers may make the same answer
    at once; the later file replaces the earlier.

    Parameters
    ----------
    folder : Path
        Made when first needed.
    max_bytes : int
        The oldest go first. Every worker may exceed it by an eighth, until it looks.
    max_age_s : float
    """

    def __init__(self, folder: Path, max_bytes: int = 256_000_000, max_age_s: float = 7200.0) -> None:
        self._folder, self._max_bytes, self._max_age_s = folder, max_bytes, max_age_s
        self._put_since = 0

    def get(self, key: bytes) -> bytes | None:
        """Return the answer of a key; None where there is none, or it is too old or damaged."""
        path = self._path(key)
        try:
            with path.open("rb", buffering=0) as file:
                age = time.time() - os.fstat(file.fileno()).st_mtime
                head, body = file.read(_HEAD.size), file.read()
        except OSError:
            return None
        if head != _head(body):
            log.warning("a damaged answer was taken out of the cache")
            with suppress(OSError):
                path.unlink()
            return None
        return body if age <= self._max_age_s else None

    def put(self, key: bytes, body: bytes) -> None:
        """Keep an answer; a disk that is full costs speed, not answers."""
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # what was asked for is nobody's business
            write_atomically(self._path(key), _head(body) + body, durable=False)
            self._put_since += bounded.room(len(body))
            if self._put_since > self._max_bytes // 8:
                self.trim()

    def trim(self) -> None:
        """Remove what is too old, and the oldest of what is too much."""
        self._put_since = 0
        bounded.trim(self._folder, self._max_bytes, self._max_age_s)

    def _path(self, key: bytes) -> Path:
        return self._folder / hashlib.sha256(key).hexdigest()


def _head(body: bytes) -> bytes:
    return _HEAD.pack(_MAGIC, google_crc32c.value(body), len(body))
