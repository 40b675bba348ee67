"""Which blocks of the horizon's grid are meant, and the pieces of land whose blocks share what is read."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from dags.areas import Area
from dags.build.terrain.resample import EXTENT, corners, square
from tiles.building import Corner
from tiles.grid import HORIZON
from tiles.products.horizon import BLOCK

# A block is made whole or not at all: of 4,096 cells each, one by one, a country's note would be of 160 MB.
WHOLE = (0,)
# Blocks along a side of a piece: 25.6 km.
PIECE = 4


class Rectangle(NamedTuple):
    """Cells of the grid: row and column of the first, and how many of them; blocks, but at the grid's far edges."""

    row: int
    column: int
    rows: int
    columns: int

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """West, south, east, north of the outermost cells' centres, m."""
        west = HORIZON.x0 + HORIZON.size * (self.column + 0.5)
        south = HORIZON.y0 + HORIZON.size * (self.row + 0.5)
        return west, south, west + HORIZON.size * (self.columns - 1), south + HORIZON.size * (self.rows - 1)


def rectangle(first: Corner, last: Corner) -> Rectangle:
    """Return the rectangle from the one block to the other, as far as the grid reaches."""
    rows, columns = (min(end + BLOCK, n) - start for start, end, n in zip(first, last, HORIZON.shape, strict=True))
    return Rectangle(*first, rows, columns)


def blocks_of(areas: Sequence[Area]) -> set[Corner]:
    """Return the blocks that areas touch; all of the grid where there are no areas, which is the whole country."""
    squares = [square(area) for area in areas] or [EXTENT]
    return set().union(*(corners(HORIZON.size, bounds, BLOCK) for bounds in squares))


def by_pieces(corners: Iterable[Corner]) -> list[Corner]:
    """Return blocks in an order in which those of a piece follow each other, from south-west to north-east."""
    return sorted(corners, key=lambda corner: (*piece_of(corner), *corner))


def piece_of(corner: Corner) -> Corner:
    """Return row and column of the first cell of the piece that holds a block."""
    side = PIECE * BLOCK
    return corner[0] // side * side, corner[1] // side * side


def whole_piece(corner: Corner) -> Rectangle:
    """Return all of the piece that holds a block, as far as the grid reaches."""
    first = piece_of(corner)
    row, column = (start + (PIECE - 1) * BLOCK for start in first)
    return rectangle(first, (row, column))
