"""Bytes of one upstream file by offset: behind HTTP or local, and as a file-like view for h5py and scipy."""

import math
import os
import re
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import IO
from urllib.parse import unquote, urlsplit

import httpx
from fsspec.spec import AbstractBufferedFile  # type: ignore[import-untyped]

from catalog.sources.errors import Origin
from catalog.sources.http import Deadline, request, without_credentials

BLOCK = 256 * 1024
"""Read-ahead unit of the file-like view: metadata of a NetCDF4 file comes in few requests."""
_CACHED_BLOCKS = 128
JOIN_GAP = 64 * 1024
"""Bytes nobody asked for, between two parts, that cost less than another request."""
_JOIN_LIMIT = 64 * 1024 * 1024
_CONTENT_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)$")


class LocalRanges:
    """A file of a local folder, or the temporary copy of a file whose server knows no ranges."""

    def __init__(self, origin: Origin, file: IO[bytes], etag: str | None = None) -> None:
        self.origin = origin
        self._file = file
        self._state = self._stat()
        self.size = self._state[0]
        self.etag: str | None = etag or f'"{self._state[1]:x}-{self.size:x}"'

    def _stat(self) -> tuple[int, int]:
        status = os.fstat(self._file.fileno())
        return status.st_size, status.st_mtime_ns

    def read(self, offset: int, length: int) -> bytes:
        """Return exactly `length` bytes from `offset`; a file rewritten in place meanwhile is an error."""
        data = os.pread(self._file.fileno(), length, offset)
        if self._stat() != self._state:
            raise self.origin.error("was replaced while it was being read")
        if len(data) < length:
            raise self.origin.error(f"ends at byte {self.size}, {offset + length} are needed: truncated")
        return data

    def close(self) -> None:
        """Close the file (a temporary copy vanishes with it)."""
        self._file.close()


class HttpRanges:
    """A file behind a server that serves byte ranges; every range is of the file first seen."""

    def __init__(
        self, origin: Origin, ask: Callable[..., bytes], first: httpx.Response, head: bytes, size: int
    ) -> None:
        self.origin, self.size, self._ask, self._head = origin, size, ask, head
        self.etag: str | None = first.headers.get("ETag")
        self._seen = (size, self.etag, first.headers.get("Last-Modified"))
        self._condition: dict[str, str] = {}
        if self.etag and not self.etag.startswith("W/"):  # a weak tag never matches If-Match
            self._condition = {"If-Match": self.etag}
        elif self._seen[2]:
            self._condition = {"If-Unmodified-Since": self._seen[2]}

    def read(self, offset: int, length: int) -> bytes:
        """Return exactly `length` bytes from `offset` of the file that was opened."""
        if offset + length > self.size:
            raise self.origin.error(f"ends at byte {self.size}, {offset + length} are needed: it is truncated")
        if offset + length <= len(self._head):
            return self._head[offset : offset + length]
        return self._ask(partial(self._take, offset, length), headers=_range(offset, length) | self._condition)

    def _take(self, offset: int, length: int, response: httpx.Response) -> bytes:
        status = response.status_code
        if status in (404, 410):
            raise self.origin.error("vanished while it was being read")
        if status in (200, 412, 416):
            raise self.origin.error("was replaced while it was being read")
        if status != 206:
            raise self.origin.error(f"answered HTTP {status} to a range request")
        size, data = _part(self.origin, response, offset)
        if (size, response.headers.get("ETag"), response.headers.get("Last-Modified")) != self._seen:
            raise self.origin.error("was replaced while it was being read")
        if len(data) != length:
            raise self.origin.error(f"answered {len(data)} bytes where {length} were asked for")
        return data

    def close(self) -> None:
        """Nothing to do: the connection belongs to the client."""


Ranges = LocalRanges | HttpRanges
"""Random access to the bytes of one file that must not change while it is read."""


def open_ranges(
    source: str, url: str, client: httpx.Client, deadline: Deadline, most_bytes: float = math.inf
) -> Ranges:
    """Open a file by URL (http, https, file) or plain path.

    Returns
    -------
    `HttpRanges`, or `LocalRanges` for a local file and for the copy of one whose server ignores ranges.

    Raises
    ------
    NotYetAvailable where the file does not exist; SourceError for everything else.
    """
    origin = Origin(source, without_credentials(url))
    scheme, mark, _ = url.partition("://")
    if not mark:
        return open_local(origin, Path(url))
    if scheme.lower() == "file":
        return open_local(origin, Path(unquote(urlsplit(url).path)))
    if scheme.lower() not in ("http", "https"):
        raise origin.error(f"is neither a folder nor HTTP: {scheme.lower()} is not supported")
    ask = partial(request, origin, url, client, deadline)

    def take(response: httpx.Response) -> Ranges:
        status = response.status_code
        if status in (404, 410):
            raise origin.absent(f"answered HTTP {status}: the upstream does not hold this")
        if status == 416:
            raise origin.error("is empty (0 bytes)")
        if status == 200:
            return _copy(origin, response, most_bytes)
        if status != 206:
            raise origin.error(f"answered HTTP {status}")
        size, head = _part(origin, response, 0)
        return HttpRanges(origin, ask, response, head, size)

    return ask(take, headers=_range(0, BLOCK))


def open_local(origin: Origin, path: Path) -> LocalRanges:
    """Open a file of a local folder; its absence is `NotYetAvailable`."""
    try:
        return LocalRanges(origin, path.open("rb"))
    except FileNotFoundError:
        raise origin.absent("does not exist") from None
    except OSError as error:
        raise origin.error(f"cannot be opened: {error.strerror}") from error


def _range(offset: int, length: int) -> dict[str, str]:
    return {"Range": f"bytes={offset}-{offset + length - 1}"}


def _part(origin: Origin, response: httpx.Response, offset: int) -> tuple[int, bytes]:
    """Return the size of the file and the bytes of a range of it that begins at `offset`."""
    match = _CONTENT_RANGE.match(response.headers.get("Content-Range", ""))
    if match is None:
        raise origin.error("answered a range request without a usable Content-Range header")
    start, end, size = (int(number) for number in match.groups())
    data = b"".join(response.iter_raw())
    if (start, end - start + 1) != (offset, len(data)):
        raise origin.error(f"answered {len(data)} bytes from {start} where {end - start + 1} were announced")
    return size, data


def _copy(origin: Origin, response: httpx.Response, most_bytes: float) -> LocalRanges:
    """Stream a whole file once to a temporary one: its server serves no ranges."""
    with ExitStack() as opening:
        file = opening.enter_context(tempfile.TemporaryFile())
        try:
            for piece in response.iter_raw():
                file.write(piece)
                if file.tell() > most_bytes:
                    raise origin.error(f"is longer than {most_bytes} bytes")
            file.flush()
        except OSError as error:
            raise origin.error(f"could not be copied to a temporary file: {error.strerror}") from error
        opening.pop_all()  # `LocalRanges` closes it
        return LocalRanges(origin, file, response.headers.get("ETag"))


def read_many(ranges: Ranges, parts: Sequence[tuple[int, int]], gap: int = JOIN_GAP) -> list[memoryview]:
    """Read many (offset, length) parts, those at most `gap` apart in one request; the answers keep the order asked."""
    views: dict[int, memoryview] = {}
    for group in _groups(parts, gap):
        start = parts[group[0]][0]
        end = max(sum(parts[i]) for i in group)
        data = memoryview(ranges.read(start, end - start))
        for i in group:
            offset, length = parts[i]
            views[i] = data[offset - start : offset - start + length]
    return [views[i] for i in range(len(parts))]


def _groups(parts: Sequence[tuple[int, int]], gap: int) -> list[list[int]]:
    """Return indices of parts that are worth one request each, by offset."""
    groups: list[list[int]] = []
    start = end = 0
    for i in sorted(range(len(parts)), key=lambda i: parts[i]):
        offset, length = parts[i]
        if groups and offset - end <= gap and offset + length - start <= _JOIN_LIMIT:
            groups[-1].append(i)
            end = max(end, offset + length)
        else:
            groups.append([i])
            start, end = offset, offset + length
    return groups


class RangeFile(AbstractBufferedFile):  # type: ignore[misc]
    """Seekable read-only file over `Ranges` with cached blocks, for the metadata that h5py and scipy read."""

    def __init__(self, ranges: Ranges) -> None:
        self._ranges = ranges
        blocks = {"maxblocks": _CACHED_BLOCKS}
        super().__init__(
            None, ranges.origin.url, "rb", BLOCK, cache_type="blockcache", cache_options=blocks, size=ranges.size
        )

    def _fetch_range(self, start: int, end: int) -> bytes:
        return bytes(self._ranges.read(start, min(end, self._ranges.size) - start))
