"""All times of a few cells of one variable: only the stored pieces that hold them are read."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from catalog.sources.chunks import LARGEST_BLOCK, Layout, Stored, inflate
from catalog.sources.netcdf import NetcdfFile

_GAP = 16 * 1024
"""Less than `ranges.JOIN_GAP`: between two pieces that are wanted may lie one that is costly to have."""


def read_points(
    file: NetcdfFile, name: str, layout: Layout, rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> Stored:
    """Return a variable at cells, (time, n_points), in its stored type.

    Parameters
    ----------
    file : NetcdfFile
    name : str
    layout : Layout
        Of the variable.
    rows, columns : int64 (n_points,)
        The file's own.

    Raises
    ------
    SourceError
        The cells lie in pieces too large to be held at once, or a piece cannot be had or is corrupt.
    """
    if not layout.chunks:
        return _through_hdf5(file, name, layout, rows, columns)
    layout, rows = _narrowed(layout, rows)
    high, wide = layout.chunk_shape[1:]
    wanted = set(zip((rows // high).tolist(), (columns // wide).tolist(), strict=True))
    blocks = {
        block: [piece for piece in pieces if (piece.start[1] // high, piece.start[2] // wide) in wanted]
        for block, pieces in layout.chunks.items()
    }
    _fits(file, name, sum(map(len, blocks.values())) * int(np.prod(layout.chunk_shape)) * layout.dtype.itemsize)
    part = replace(layout, chunks=blocks)
    values = np.empty((layout.shape[0], rows.size), layout.dtype)
    members = _members(rows, columns, high, wide)
    for block, raws in zip(blocks, file.fetch([(name, part, block) for block in blocks], _GAP), strict=True):
        for piece, raw in zip(blocks[block], raws, strict=True):
            stored = inflate(part, piece, raw, file.origin).reshape(part.chunk_shape)
            time, row, column = piece.start
            points = members[row, column]
            steps = min(stored.shape[0], values.shape[0] - time)  # the last piece reaches beyond the end
            values[time : time + steps, points] = stored[:steps, rows[points] - row, columns[points] - column]
    return values


def first_only(layout: Layout) -> Layout:
    """Return the layout of the pieces that hold a variable's first step, for one that does not change."""
    steps = min(layout.chunk_shape[0], layout.shape[0]) if layout.chunks else layout.shape[0]
    first = {0: [piece for piece in layout.chunks[0] if piece.start[0] == 0]} if layout.chunks else {}
    return replace(layout, shape=(steps, *layout.shape[1:]), chunks=first)


def _members(
    rows: NDArray[np.int64], columns: NDArray[np.int64], high: int, wide: int
) -> dict[tuple[int, int], NDArray[np.int64]]:
    """Return which points lie in each piece, by the piece's first row and column."""
    found: dict[tuple[int, int], list[int]] = {}
    for point, (row, column) in enumerate(zip(rows.tolist(), columns.tolist(), strict=True)):
        found.setdefault((row // high * high, column // wide * wide), []).append(point)
    return {start: np.array(points) for start, points in found.items()}


def _narrowed(layout: Layout, rows: NDArray[np.int64]) -> tuple[Layout, NDArray[np.int64]]:
    """Cut whole planes without filters down to the band of rows that is wanted: their rows have addresses."""
    if layout.filters or layout.chunk_shape != (1, *layout.shape[1:]):
        return layout, rows
    top, high = int(rows.min()), int(np.ptp(rows)) + 1
    row_bytes = layout.shape[2] * layout.dtype.itemsize
    chunks = {
        block: [replace(piece, offset=piece.offset + top * row_bytes, size=high * row_bytes) for piece in pieces]
        for block, pieces in layout.chunks.items()
    }
    return replace(layout, chunk_shape=(1, high, layout.shape[2]), chunks=chunks), rows - top


def _fits(file: NetcdfFile, name: str, held: int) -> None:
    if held > LARGEST_BLOCK:
        raise file.origin.error(
            f"stores {name} so that these cells lie in {held / 2**30:.1f} GiB of it; ask for fewer cells at once"
        )


def _through_hdf5(
    file: NetcdfFile, name: str, layout: Layout, rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> Stored:
    top, left = int(rows.min()), int(columns.min())
    _fits(file, name, layout.shape[0] * int(np.ptp(rows) + 1) * int(np.ptp(columns) + 1) * layout.dtype.itemsize)
    window = file.hyperslab(name, slice(top, int(rows.max()) + 1), slice(left, int(columns.max()) + 1))
    return window[:, rows - top, columns - left]
