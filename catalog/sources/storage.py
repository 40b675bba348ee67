"""Chunks of a NetCDF variable: their places in the file and their decoding.

Chunks with shuffle, deflate and Fletcher32 are unpacked here, in two threads; any other filter is left to HDF5, which
unpacks under one lock. Left to it as well, the national cycle (`tests/bench/bench_national.py`, 2.18 GB) took 1.9 times
as long from reading to publishing (127 s, here 66 s, on two shared cores) and 47 s of processor, here 33 s. numcodecs'
Zlib takes twice as long as isal.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from isal import igzip_lib, isal_zlib
from numcodecs import Fletcher32, Shuffle
from numpy.typing import NDArray

from catalog.sources.errors import Origin

DEFLATE, SHUFFLE, FLETCHER32 = 1, 2, 3
_ERRORS: tuple[type[Exception], ...] = (igzip_lib.IsalError, EOFError, RuntimeError, ValueError, IndexError)  # type: ignore[assignment]
_SMALL = 1024 * 1024
"""So many bytes of a variable are read at a time, where a step of it is smaller."""

Stored = NDArray[Any]
"""An array in the file's own type: packed, big- or little-endian."""

Index = tuple[int, ...]
Box = tuple[slice, slice, slice]
"""Part of a variable: steps, rows and columns, each with both ends."""


class Piece(NamedTuple):
    """Bytes that hold a part of a variable: its first (time, y, x), its shape, where it lies, filters it skipped."""

    start: Index
    shape: Index
    offset: int
    size: int
    skipped: int = 0


@dataclass(frozen=True)
class Storage:
    """Storage of one variable seen as (time, y, x); a variable without time has one step.

    Attributes
    ----------
    chunk : shape of a stored piece
    index : (offset, size, skipped filters) of each piece by its first (time, y, x); None where HDF5 alone knows
    is_ours : whether the pieces are read and unpacked here, not by HDF5
    """

    name: str
    shape: Index
    dtype: np.dtype[Any]
    chunk: Index
    index: Mapping[Index, tuple[int, int, int]] | None = field(default=None, repr=False)
    filters: tuple[int, ...] = ()
    is_ours: bool = False

    @property
    def block(self) -> int:
        """Steps that are read together: those of a chunk, or more where they are small."""
        steps = self.chunk[0]
        return steps * max(1, _SMALL // (steps * self.shape[1] * self.shape[2] * self.dtype.itemsize))

    def plane(self, first: int, end: int) -> Box:
        """Return all rows and columns of some steps."""
        return slice(first, min(end, self.shape[0])), slice(0, self.shape[1]), slice(0, self.shape[2])

    def pieces(self, box: Box, origin: Origin, size: int) -> list[Piece]:
        """Return the pieces that hold a part of the variable, none where HDF5 alone knows them.

        Raises
        ------
        SourceError where one was never written, or lies beyond the file's `size` in bytes.
        """
        if self.index is None:
            return []
        found = []
        starts = (range(part.start // n * n, part.stop, n) for part, n in zip(box, self.chunk, strict=True))
        for start in product(*starts):
            place = self.index.get(start)
            if place is None:
                raise origin.error(f"is unfinished: {self.name} was not written at step {start[0]}")
            if place[0] + place[1] > size:
                end = place[0] + place[1]
                raise origin.error(f"is truncated: it has {size} bytes, {self.name} reaches to byte {end}")
            found.append(self._narrowed(Piece(start, self.chunk, *place), box[1]))
        return found

    def held(self, box: Box, pieces: Sequence[Piece]) -> int:
        """Return how many bytes of numbers a part of the variable is made from."""
        shapes = [piece.shape for piece in pieces] or [tuple(part.stop - part.start for part in box)]
        return sum(math.prod(shape) for shape in shapes) * self.dtype.itemsize

    def _narrowed(self, piece: Piece, rows: slice) -> Piece:
        """Cut a plane without filters down to the rows that are wanted: rows have addresses."""
        if self.filters or not self.is_ours or (self.chunk[0], self.chunk[2]) != (1, self.shape[2]):
            return piece
        time, row, _ = piece.start
        top, bottom = max(row, rows.start), min(row + self.chunk[1], rows.stop)
        row_bytes = self.shape[2] * self.dtype.itemsize
        return Piece(
            (time, top, 0),
            (1, bottom - top, self.shape[2]),
            piece.offset + (top - row) * row_bytes,
            (bottom - top) * row_bytes,
        )

    def unpack(self, box: Box, pieces: Sequence[Piece], raws: Sequence[memoryview], origin: Origin) -> Stored:
        """Return a part of the variable in its stored type from the bytes of its pieces."""
        shape = tuple(part.stop - part.start for part in box)
        if len(pieces) == 1 and pieces[0].shape == shape:
            return self._values(pieces[0], raws[0], origin)
        whole = np.empty(shape, self.dtype)
        for piece, raw in zip(pieces, raws, strict=True):
            target, source = [], []
            for part, start, length in zip(box, piece.start, piece.shape, strict=True):
                low, high = max(part.start, start), min(part.stop, start + length)
                target.append(slice(low - part.start, high - part.start))
                source.append(slice(low - start, high - start))
            whole[tuple(target)] = self._values(piece, raw, origin)[tuple(source)]
        return whole

    def _values(self, piece: Piece, raw: memoryview, origin: Origin) -> Stored:
        """Return the numbers of a piece: its filters undone, last first."""
        data: Any = raw
        item = self.dtype.itemsize
        expected = math.prod(piece.shape) * item
        code = 0
        try:
            for number, code in reversed(list(enumerate(self.filters))):
                if piece.skipped & (1 << number):
                    continue
                if code == DEFLATE:
                    data = isal_zlib.decompress(data, bufsize=expected + 4)
                else:
                    data = Fletcher32().decode(data) if code == FLETCHER32 else Shuffle(item).decode(data)
            return np.frombuffer(data, self.dtype).reshape(piece.shape)
        except _ERRORS as error:
            what = {DEFLATE: "does not inflate", FLETCHER32: "has a wrong checksum"}.get(code, "has a wrong length")
            raise origin.error(f"is corrupt: the chunk at byte {piece.offset} {what}") from error


def flat(name: str, shape: Index, dtype: np.dtype[Any], offset: int, apart: int) -> Storage:
    """Describe planes (y, x) without filters that begin at byte `offset`, `apart` bytes from one to the next."""
    plane = shape[1] * shape[2] * dtype.itemsize
    index: dict[Index, tuple[int, int, int]] = {
        (step, 0, 0): (offset + step * apart, plane, 0) for step in range(shape[0])
    }
    return Storage(name, shape, dtype, (1, *shape[1:]), index, is_ours=True)


def storage_of(dataset: Any, origin: Origin) -> Storage:
    """Describe the storage of an h5py dataset whose shape is ([time, 1...,] y, x)."""
    name, dtype, chunk = dataset.name.strip("/"), dataset.dtype, dataset.chunks
    shape = three(dataset.shape, name, origin)
    if chunk is None and dataset.id.get_storage_size() == 0:
        raise origin.error(f"is unfinished: nothing of {name} was written")
    if dataset.file.userblock_size or dataset.external or dataset.is_virtual:
        return Storage(name, shape, dtype, shape)
    if chunk is None:
        offset, plane = dataset.id.get_offset(), shape[1] * shape[2] * dtype.itemsize
        return Storage(name, shape, dtype, shape) if offset is None else flat(name, shape, dtype, offset, plane)
    properties = dataset.id.get_create_plist()
    filters = tuple(properties.get_filter(i)[0] for i in range(properties.get_nfilters()))
    # a checksum that was made before other filters is not where it is looked for
    is_ours = set(filters) <= {DEFLATE, SHUFFLE, FLETCHER32} and FLETCHER32 not in filters[:-1]
    index: dict[Index, tuple[int, int, int]] = {}

    def place(parts: Sequence[int], without_time: int) -> Index:
        return (parts[0] if len(parts) > 2 else without_time, parts[-2], parts[-1])

    def note(info: Any) -> None:
        index[place(info.chunk_offset, 0)] = (info.byte_offset, info.size, info.filter_mask)

    dataset.id.chunk_iter(note)
    return Storage(name, shape, dtype, place(chunk, 1), index, filters, is_ours and set(chunk[1:-2]) <= {1})


def three(shape: Sequence[int], name: str, origin: Origin) -> Index:
    """Return a shape ([time, 1...,] y, x) as (time, y, x); another, or one without steps, is refused."""
    if len(shape) < 2 or any(length != 1 for length in shape[1:-2]):
        raise origin.error(f"has a wrong grid: {name} has shape {tuple(shape)}, not (time, y, x)")
    if shape[0] == 0:
        raise origin.error(f"is empty: {name} has no time steps")
    return (shape[0] if len(shape) > 2 else 1, shape[-2], shape[-1])
