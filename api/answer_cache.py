"""Answers that all workers of a machine share: a file each, under the hash of all that it was made of.

A key holds the versions of everything that was read, so what is found never needs to be asked whether it still holds.
Two workers that are asked at once may both make an answer; it is the same, and the later file replaces the earlier.
All of this blocks: call it in a thread.
"""

import hashlib
import logging
import os
import struct
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import google_crc32c

from catalog import bounded

log = logging.getLogger("solflis.api")

_HEAD = struct.Struct("<8sIQ")
_MAGIC = b"solflis2"
_TEMPORARY = ".new-"


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
            self._folder.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self._folder, prefix=_TEMPORARY)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(_head(body))
                    file.write(body)
                Path(name).replace(self._path(key))
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise
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
