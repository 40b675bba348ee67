"""Bytes of one upstream file by offset: the common interface, local files, and a file-like view for h5py."""

import io
import os
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol

from catalog.sources.errors import Origin

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

BLOCK = 256 * 1024
"""Read-ahead unit of the file-like view: metadata of a NetCDF4 file comes in few requests."""
_CACHED_BLOCKS = 128
JOIN_GAP = 64 * 1024
"""Bytes nobody asked for, between two parts, that cost less than another request."""
_JOIN_LIMIT = 64 * 1024 * 1024


class Ranges(Protocol):
    """Random access to the bytes of one file that must not change while it is read."""

    origin: Origin
    size: int
    etag: str | None
    """Names this version of the file, where the server tells."""

    def read(self, offset: int, length: int) -> bytes | bytearray:
        """Return exactly `length` bytes from `offset`, or raise SourceError."""
        ...

    def close(self) -> None:
        """Let go of the file or connection."""
        ...


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


def open_local(origin: Origin, path: Path) -> LocalRanges:
    """Open a file of a local folder; its absence is `NotYetAvailable`."""
    try:
        return LocalRanges(origin, path.open("rb"))
    except FileNotFoundError:
        raise origin.absent("does not exist: the cycle is not there") from None
    except OSError as error:
        raise origin.error(f"cannot be opened: {error.strerror}") from error


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


class RangeFile(io.RawIOBase):
    """Seekable read-only file over `Ranges` with cached blocks, for h5py's reading of metadata."""

    def __init__(self, ranges: Ranges) -> None:
        super().__init__()
        self._ranges = ranges
        self._position = 0
        self._blocks: OrderedDict[int, bytes | bytearray] = OrderedDict()

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return the position in bytes."""
        return self._position

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move to a byte position."""
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._ranges.size}[whence]
        self._position = base + offset
        return self._position

    def readinto(self, buffer: "WriteableBuffer") -> int:
        """Fill `buffer` from the position on; fewer bytes only at the end of the file."""
        target = memoryview(buffer).cast("B")
        length = max(0, min(len(target), self._ranges.size - self._position))
        if length > 4 * BLOCK:
            target[:length] = self._ranges.read(self._position, length)
        else:
            done = 0
            while done < length:
                number, skip = divmod(self._position + done, BLOCK)
                piece = memoryview(self._block(number))[skip : skip + length - done]
                target[done : done + len(piece)] = piece
                done += len(piece)
        self._position += length
        return length

    def _block(self, number: int) -> bytes | bytearray:
        if number in self._blocks:
            self._blocks.move_to_end(number)
            return self._blocks[number]
        start = number * BLOCK
        block = self._ranges.read(start, min(BLOCK, self._ranges.size - start))
        self._blocks[number] = block
        if len(self._blocks) > _CACHED_BLOCKS:
            self._blocks.popitem(last=False)
        return block
