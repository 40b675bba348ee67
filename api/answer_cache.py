"""Answers that all workers of a machine share: a file each, under the hash of all that it was made of.

A key holds the versions of everything that was read, so what is found never needs to be asked whether it still holds.
Two workers that are asked at once may both make an answer; it is the same, and the later file replaces the earlier.
All of this blocks: call it in a thread.
"""

import asyncio
import hashlib
import logging
import os
import struct
import tempfile
import time
import zlib
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

from aiohttp import web

log = logging.getLogger("solflis.api")

_HEAD = struct.Struct("<8sIQ")
_MAGIC = b"solflis1"
_TEMPORARY = ".new-"
_TRIM_EVERY_S = 600.0
# What a file takes at least: an answer that says only why there is none has some hundred bytes.
_BLOCK = 4096


class AnswerCache:
    """A folder of answers, bounded in bytes and in age.

    Parameters
    ----------
    folder : Path
        Made when first needed.
    max_bytes : int
        Of all answers together, in whole blocks; the oldest go first. Every worker may exceed it by an eighth, until
        it looks.
    max_age_s : float
        Longest that an answer is found, and that its file stays while any worker runs (and the time to the next look).
    """

    def __init__(self, folder: Path, max_bytes: int = 256_000_000, max_age_s: float = 7200.0) -> None:
        self._folder, self._max_bytes, self._max_age_s = folder, max_bytes, max_age_s
        self._put_since = 0

    async def lifespan(self, _: web.Application) -> AsyncIterator[None]:
        """Look for what is too old, as long as the application runs."""
        task = asyncio.create_task(self._keep_trimming(), name="trim the cache of answers")
        yield
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    async def _keep_trimming(self) -> None:
        while True:
            try:
                await asyncio.to_thread(self.trim)
            except OSError as error:
                log.warning("the cache of answers cannot be trimmed: %s", error.strerror)
            await asyncio.sleep(_TRIM_EVERY_S)

    def get(self, key: bytes) -> bytes | None:
        """Return the answer of a key; None where there is none, or it is too old or damaged."""
        path = self._path(key)
        try:
            with path.open("rb") as file:
                age = time.time() - os.fstat(file.fileno()).st_mtime
                data = file.read()
        except OSError:
            return None
        body = data[_HEAD.size :]
        if len(data) < _HEAD.size or _HEAD.unpack_from(data) != (_MAGIC, zlib.crc32(body), len(body)):
            log.warning("a damaged answer was taken out of the cache")
            with suppress(OSError):
                path.unlink()
            return None
        return body if age <= self._max_age_s else None

    def put(self, key: bytes, body: bytes) -> None:
        """Keep an answer; a disk that is full costs speed, not answers."""
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self._folder, prefix=_TEMPORARY)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(_HEAD.pack(_MAGIC, zlib.crc32(body), len(body)))
                    file.write(body)
                Path(name).replace(self._path(key))
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise
            self._put_since += _room(len(body))
            if self._put_since > self._max_bytes // 8:
                self.trim()

    def trim(self) -> None:
        """Remove what is too old, and the oldest of what is too much."""
        self._put_since = 0
        found: list[tuple[float, int, str]] = []
        with suppress(FileNotFoundError):  # no folder yet; or another worker removes files too
            for entry in os.scandir(self._folder):
                with suppress(FileNotFoundError):
                    status = entry.stat(follow_symlinks=False)
                    found.append((status.st_mtime, _room(status.st_size), entry.path))
        left, oldest = sum(size for _, size, _ in found), time.time() - self._max_age_s
        for modified, size, path in sorted(found):
            if left <= self._max_bytes and modified >= oldest:
                break
            Path(path).unlink(missing_ok=True)
            left -= size

    def _path(self, key: bytes) -> Path:
        return self._folder / hashlib.sha256(key).hexdigest()


def _room(size: int) -> int:
    """Return the bytes that a file of a size takes."""
    return -(-max(size, 1) // _BLOCK) * _BLOCK
