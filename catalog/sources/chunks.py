"""Where a NetCDF4 variable's bytes lie in the file, and how they become numbers without the HDF5 library."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from isal import igzip_lib, isal_zlib
from numpy.typing import NDArray

from catalog.sources.errors import Origin

DEFLATE, SHUFFLE, FLETCHER32 = 1, 2, 3
_INFLATE_ERRORS: tuple[type[Exception], ...] = (igzip_lib.IsalError, EOFError)  # type: ignore[assignment]
_CONTIGUOUS_BLOCK = 1024 * 1024
LARGEST_BLOCK = 1024 * 1024 * 1024
"""So many bytes of one variable are held at once at most."""

Stored = NDArray[Any]
"""An array in the file's own type: packed, big- or little-endian."""


Cells = tuple[Sequence[int], Sequence[int]]
"""Rows and columns of cells."""


@dataclass(frozen=True)
class Chunk:
    """One stored piece: first (time, y, x) index, byte range in the file, mask of the filters it skipped."""

    start: tuple[int, int, int]
    offset: int
    size: int
    skipped: int = 0


@dataclass(frozen=True)
class Layout:
    """Storage of one variable seen as (time, y, x); a variable without time has one step.

    `block` is the number of steps read together: a chunk's length in time. `chunks` holds each block's
    chunks, and is empty where another filter than shuffle, deflate and fletcher32 leaves the reading to HDF5.
    """

    shape: tuple[int, int, int]
    dtype: np.dtype[Any]
    block: int
    chunk_shape: tuple[int, int, int] = (1, 1, 1)
    filters: tuple[int, ...] = ()
    chunks: dict[int, list[Chunk]] = field(default_factory=dict, repr=False)

    def steps_of(self, block: int) -> tuple[int, int]:
        """First step of a block and the one after its last."""
        return block * self.block, min((block + 1) * self.block, self.shape[0])


def layout_of(dataset: Any, origin: Origin, size: int, cells: Cells | None = None) -> Layout:
    """Describe the storage of an h5py dataset whose shape is ([time, 1...,] y, x).

    Who names `cells`, rows and columns, is told of the chunks that hold them alone: the index of a nation's month is
    longer than what lies in it of a few cells. Who reads whole planes is refused where a block of them is too large.

    Raises
    ------
    SourceError where a piece was never written or lies beyond the end of a truncated file.
    """
    name = dataset.name.strip("/")
    shape = three(dataset.shape, origin, name)
    if shape[0] == 0:
        raise origin.error(f"is empty: {name} has no time steps")
    by_chunks = dataset.chunks is not None
    if not (cells is not None and by_chunks) and dataset.id.get_storage_size() == 0:
        raise origin.error(f"is unfinished: nothing of {name} was written")
    direct = dataset.file.userblock_size == 0 and not dataset.external and not dataset.is_virtual
    if direct and by_chunks and cells is not None:
        return _chunked_at(dataset, shape, cells, origin, size)
    if direct and by_chunks:
        layout = _chunked(dataset, shape)
    elif direct and dataset.id.get_offset() is not None:
        step_bytes = shape[1] * shape[2] * dataset.dtype.itemsize
        layout = by_steps(shape, dataset.dtype, dataset.id.get_offset(), step_bytes)
    else:
        layout = Layout(shape, dataset.dtype, block=1)
    if cells is None and layout.block * layout.shape[1] * layout.shape[2] * 4 > LARGEST_BLOCK:
        raise origin.error(f"stores {name} in pieces of {layout.block} steps, too large to read by steps")
    check_complete(layout, origin, name, size)
    return layout


def window_of(layout: Layout, rows: slice, columns: slice) -> tuple[Layout, int, int]:
    """Return the layout of the chunks that a window of rows and columns touches, and the row and column it begins at.

    A layout that HDF5 itself must read stays whole.
    """
    if not layout.chunks:
        return layout, 0, 0
    _, high, wide = layout.chunk_shape
    top, left = rows.start // high * high, columns.start // wide * wide
    bottom = min(-(-rows.stop // high) * high, layout.shape[1])
    right = min(-(-columns.stop // wide) * wide, layout.shape[2])
    chunks = {
        block: [
            replace(piece, start=(piece.start[0], piece.start[1] - top, piece.start[2] - left))
            for piece in pieces
            if top <= piece.start[1] < bottom and left <= piece.start[2] < right
        ]
        for block, pieces in layout.chunks.items()
    }
    return replace(layout, shape=(layout.shape[0], bottom - top, right - left), chunks=chunks), top, left


def three(shape: Sequence[int], origin: Origin, name: str) -> tuple[int, int, int]:
    """Return a shape ([time, 1...,] y, x) as (time, y, x); another is refused."""
    if len(shape) < 2 or any(length != 1 for length in shape[1:-2]):
        raise origin.error(f"has a wrong grid: {name} has shape {tuple(shape)}, not (time, y, x)")
    return (shape[0] if len(shape) > 2 else 1, shape[-2], shape[-1])


def by_steps(shape: tuple[int, int, int], dtype: np.dtype[Any], first: int, apart: int) -> Layout:
    """Describe planes (y, x) without filters that begin at byte `first`, `apart` bytes from one to the next."""
    steps, ny, nx = shape
    step_bytes = ny * nx * dtype.itemsize
    block = min(steps, max(1, _CONTIGUOUS_BLOCK // step_bytes))
    chunks: dict[int, list[Chunk]] = {}
    for step in range(steps):
        chunks.setdefault(step // block, []).append(Chunk((step, 0, 0), first + step * apart, step_bytes))
    return Layout(shape, dtype, block, (1, ny, nx), (), chunks)


def _without_chunks(dataset: Any, shape: tuple[int, int, int]) -> tuple[Layout, bool]:
    """Return how a dataset is cut and filtered, and whether its chunks can be read without HDF5."""
    chunk = dataset.chunks
    block = chunk[0] if dataset.ndim > 2 else 1
    properties = dataset.id.get_create_plist()
    filters = tuple(properties.get_filter(i)[0] for i in range(properties.get_nfilters()))
    if set(filters) - {DEFLATE, SHUFFLE, FLETCHER32} or any(length != 1 for length in chunk[1:-2]):
        return Layout(shape, dataset.dtype, block), False
    return Layout(shape, dataset.dtype, block, (block, chunk[-2], chunk[-1]), filters), True


def _chunked(dataset: Any, shape: tuple[int, int, int]) -> Layout:
    layout, readable = _without_chunks(dataset, shape)
    if not readable:
        return layout
    ndim, block = dataset.ndim, layout.block
    chunks: dict[int, list[Chunk]] = {}

    def note(info: Any) -> None:
        start = info.chunk_offset
        time = start[0] if ndim > 2 else 0
        piece = Chunk((time, start[-2], start[-1]), info.byte_offset, info.size, info.filter_mask)
        chunks.setdefault(time // block, []).append(piece)

    dataset.id.chunk_iter(note)
    return replace(layout, chunks=chunks)


def _chunked_at(dataset: Any, shape: tuple[int, int, int], cells: Cells, origin: Origin, size: int) -> Layout:
    layout, readable = _without_chunks(dataset, shape)
    if not readable:
        return layout
    name, (_, high, wide) = dataset.name.strip("/"), layout.chunk_shape
    places = sorted({(row // high * high, column // wide * wide) for row, column in zip(*cells, strict=True)})
    chunks: dict[int, list[Chunk]] = {}
    for block in range(-(-shape[0] // layout.block)):
        time = block * layout.block
        for row, column in places:
            before = (time, *(0,) * (dataset.ndim - 3)) if dataset.ndim > 2 else ()
            info = dataset.id.get_chunk_info_by_coord((*before, row, column))
            if info.byte_offset is None:
                raise origin.error(f"is unfinished: {name} was not written at step {time}")
            end = info.byte_offset + info.size
            if end > size:
                raise origin.error(f"is truncated: it has {size} bytes, {name} reaches to byte {end}")
            piece = Chunk((time, row, column), info.byte_offset, info.size, info.filter_mask)
            chunks.setdefault(block, []).append(piece)
    return replace(layout, chunks=chunks)


def check_complete(layout: Layout, origin: Origin, name: str, size: int) -> None:
    """Refuse a variable of which a piece was never written, or lies beyond the file's `size` in bytes."""
    if not layout.chunks:
        return
    length, high, wide = layout.chunk_shape
    per_step = -(-layout.shape[1] // high) * -(-layout.shape[2] // wide)
    for block in range(-(-layout.shape[0] // layout.block)):
        pieces = layout.chunks.get(block, [])
        first, last = layout.steps_of(block)
        # by their places: a damaged index may name one twice and another not at all
        if len({piece.start for piece in pieces}) != per_step * -(-(last - first) // length):
            raise origin.error(f"is unfinished: {name} was not written at step {block * layout.block}")
        end = max(piece.offset + piece.size for piece in pieces)
        if end > size:
            raise origin.error(f"is truncated: it has {size} bytes, {name} reaches to byte {end}")


def decode_block(layout: Layout, block: int, raws: Sequence[memoryview], origin: Origin) -> Stored:
    """Return the (steps, y, x) array of one block, in the stored type, from its chunks' bytes."""
    first, end = layout.steps_of(block)
    shape = (end - first, *layout.shape[1:])
    pieces = layout.chunks[block]
    if len(pieces) == 1 and layout.chunk_shape == shape:
        return inflate(layout, pieces[0], raws[0], origin).reshape(shape)
    whole = np.empty(shape, layout.dtype)
    for piece, raw in zip(pieces, raws, strict=True):
        values = inflate(layout, piece, raw, origin).reshape(layout.chunk_shape)
        start = (piece.start[0] - first, *piece.start[1:])
        target = whole[tuple(slice(a, a + n) for a, n in zip(start, layout.chunk_shape, strict=True))]
        target[...] = values[tuple(slice(n) for n in target.shape)]  # the last chunks reach beyond the edge
    return whole


def inflate(layout: Layout, piece: Chunk, raw: memoryview, origin: Origin) -> Stored:
    """Return a chunk's values, flat, in the stored type: its filters undone, last first."""
    data = raw
    item = layout.dtype.itemsize
    expected = int(np.prod(layout.chunk_shape)) * item
    for number in reversed(range(len(layout.filters))):
        code = layout.filters[number]
        if piece.skipped & (1 << number):
            continue
        if code == FLETCHER32:
            data = _checked(data, origin)
        elif code == DEFLATE:
            try:
                data = memoryview(isal_zlib.decompress(data, bufsize=expected + 4))
            except _INFLATE_ERRORS:
                raise origin.error(f"is corrupt: the chunk at byte {piece.offset} does not inflate") from None
        else:
            data = _unshuffle(data, item).data
    if data.nbytes != expected:
        raise origin.error(f"is corrupt: the chunk at byte {piece.offset} has a wrong length")
    return np.frombuffer(data, layout.dtype)


def _unshuffle(data: memoryview, item: int) -> Stored:
    planes = np.frombuffer(data, np.uint8)
    if planes.size % item:
        return planes
    planes = planes.reshape(item, -1)
    values = np.empty((planes.shape[1], item), np.uint8)
    for byte in range(item):  # four strided copies are three times faster than one transpose
        values[:, byte] = planes[byte]
    return values.reshape(-1)


def _checked(data: memoryview, origin: Origin) -> memoryview:
    """Compare the HDF5 Fletcher-32 sum at the end of a chunk with its bytes, and cut it off."""
    body, stored = data[:-4], int.from_bytes(data[-4:], "little")
    words = np.frombuffer(body[: len(body) // 2 * 2], ">u2").astype(np.uint64)
    if len(body) % 2:
        words = np.append(words, np.uint64(body[-1] << 8))
    low = high = 0
    for start in range(0, words.size, 65536):  # sums of 65536 words x weights stay within 64 bits
        part = words[start : start + 65536]
        weights = np.arange(part.size, 0, -1, dtype=np.uint64)
        high = (high + low * part.size + int((part * weights).sum())) % 65535
        low = (low + int(part.sum())) % 65535
    if (stored & 0xFFFF) % 65535 != low or (stored >> 16) % 65535 != high:
        raise origin.error("is corrupt: a chunk's checksum is wrong")
    return body
