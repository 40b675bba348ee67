"""Heights of a square of the plane in as few bytes as can be read at once: 16 bits a cell, in steps of a centimetre.

`HEADER`, then the cells, row 0 in the south; no cells where nothing is known. A step is larger than a centimetre where
the square has more than 655 m between its lowest and its highest cell.
"""

import struct
from typing import Any, NamedTuple

import google_crc32c
import numpy as np
from numpy.typing import NDArray

from catalog.sources.data_origin import DataOrigin
from catalog.sources.errors import SourceError
from catalog.sources.kartverket.heights import Heights, Model
from tiles.grid import TERRAIN10

HEADER = struct.Struct("<4sIBxHHHdd")
"""Magic, CRC-32C of what follows it, whether simulated, year (0: unknown), rows, columns, lowest, step."""

CELLS = 512
"""Along a side of a square. With cells of 1 m what lies within 500 m of a point is in 4 to 9 squares."""

# Cells of the neighbours, so that the ground is bilinear up to the edge.
MARGIN: dict[Model, int] = {"dtm": 1, "dom": 0}

_MAGIC = b"SHB1"
_CHECKED_FROM = 8
_STEP = 0.01
_LAST = 65534


class Square(NamedTuple):
    """One square of one model: it begins at (column, row) x `side` in UTM 33; its cells are so many whole metres."""

    model: Model
    column: int
    row: int
    cell: int = 1

    @property
    def side(self) -> int:
        """Length of its sides, m."""
        return CELLS * self.cell

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """West, south, east, north of its cells, m."""
        margin, side = MARGIN[self.model] * self.cell, self.side
        west, south = self.column * side, self.row * side
        return west - margin, south - margin, west + side + margin, south + side + margin

    @property
    def abroad(self) -> bool:
        """Whether it lies wholly outside of the country's grids."""
        west, south, grid = self.column * self.side, self.row * self.side, TERRAIN10
        east, north = grid.x0 + grid.size * grid.n_x, grid.y0 + grid.size * grid.n_y
        return not (grid.x0 - self.side < west < east and grid.y0 - self.side < south < north)


class Block(NamedTuple):
    """The heights of a square.

    Parameters
    ----------
    packed : uint16 (rows, columns)
        (height - lowest) / step + 1; 0 where none is known. Row 0 is in the south.
    lowest, step : float
        m.
    west, south : float
        Corner of the first cell, m.
    year : int or None
    data_origin : {"live", "simulated"}
    checksum : int
        Of its bytes.
    """

    packed: NDArray[np.uint16]
    lowest: float
    step: float
    west: float
    south: float
    year: int | None
    data_origin: DataOrigin
    checksum: int = 0

    @property
    def known(self) -> bool:
        """Whether any height is known."""
        return self.packed.size > 0

    def heights(
        self, rows: slice, columns: slice, kind: type[np.floating] = np.float64, missing: float = np.nan
    ) -> NDArray[Any]:
        """Return some heights, m, of a type; `missing` where none is known."""
        cells = self.packed[rows, columns]
        z = cells * kind(self.step)
        z += kind(self.lowest - self.step)
        z[cells == 0] = missing
        return z


def nothing(square: Square) -> Block:
    """Return a square of which nobody knows any height."""
    west, south, _, _ = square.bounds
    return Block(np.empty((0, 0), np.uint16), 0.0, _STEP, west, south, None, "live")


def pack(heights: Heights) -> bytes:
    """Return the bytes of a square."""
    known = np.isfinite(heights.z)
    lowest, step, cells = 0.0, _STEP, b""
    if known.any():
        lowest, highest = float(heights.z[known].min()), float(heights.z[known].max())
        step = max(_STEP, (highest - lowest) / (_LAST - 1))
        steps = np.where(known, np.rint((heights.z.astype(np.float64) - lowest) / step) + 1, 0)
        cells = steps.astype("<u2").tobytes()
    simulated = heights.data_origin == "simulated"
    head = HEADER.pack(_MAGIC, 0, simulated, heights.year or 0, *heights.z.shape, lowest, step)[_CHECKED_FROM:]
    return _MAGIC + struct.pack("<I", int(google_crc32c.value(head + cells))) + head + cells


def unpack(square: Square, body: bytes | memoryview) -> Block:
    """Return what `pack` made; its cells are the body's bytes.

    Raises
    ------
    SourceError
        It is damaged, or of another square's size.
    """
    west, south, east, north = square.bounds
    shape = round((north - south) / square.cell), round((east - west) / square.cell)
    if len(body) < HEADER.size:
        raise SourceError("a square of heights is cut short")
    magic, crc, simulated, year, rows, columns, lowest, step = HEADER.unpack_from(body)
    cells = len(body) - HEADER.size
    if magic != _MAGIC or (rows, columns) != shape or cells not in (0, 2 * rows * columns):
        raise SourceError("a square of heights is none of ours")
    if int(google_crc32c.value(np.frombuffer(body, np.uint8, offset=_CHECKED_FROM))) != crc:
        raise SourceError("a square of heights is damaged")
    packed = np.frombuffer(body, "<u2", offset=HEADER.size).reshape(shape if cells else (0, 0))
    return Block(packed, lowest, step, west, south, year or None, "simulated" if simulated else "live", crc)
