"""Windows of a published version: over shards of different values, beyond the grid, and of damaged shards."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.landcover import BUILT, OSLO
from tests.support.terrain import ABOUT
from tests.support.tiles import draft_of_blocks, publish_at
from tiles.errors import TileCorrupt
from tiles.product import FILL
from tiles.products.landcover import GRID, PRODUCT, SIDE
from tiles.store import Store, open_store
from tiles.windows import Windows

ROW, COLUMN = OSLO
# South-west, south-east and north-east of four; the fourth holds nothing, and only the first has buildings.
CORNERS = ((ROW, COLUMN), (ROW, COLUMN + SIDE), (ROW + SIDE, COLUMN + SIDE))
CLASSES = np.array([11, 12, 20, 30, 50, 60, 70, 81, 82], np.uint16)


def cover_at(rows: NDArray[np.int_], columns: NDArray[np.int_]) -> NDArray[np.uint16]:
    """A class to each cell of the grid, none like its neighbours."""
    return CLASSES[(7 * rows[:, None] + 5 * columns + rows[:, None] * columns // 1000) % len(CLASSES)]


def expected(row: int, column: int, rows: int, columns: int) -> NDArray[np.uint16]:
    r, c = np.arange(row, row + rows), np.arange(column, column + columns)
    there = np.zeros((rows, columns), bool)
    for first, left in CORNERS:
        there |= ((r >= first) & (r < first + SIDE))[:, None] & (c >= left) & (c < left + SIDE)
    return np.where(there, cover_at(r, c), FILL)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return open_store(str(tmp_path_factory.mktemp("tiles")))


@pytest.fixture(scope="module")
def key(store: Store) -> str:
    """Of the manifest of three blocks."""
    empty, blocks = np.full((SIDE, SIDE), FILL, np.uint16), {}
    for row, column in CORNERS:
        built = empty.copy()
        if (row, column) == OSLO:
            built[:, -200:] = 25
        cover = cover_at(np.arange(row, row + SIDE), np.arange(column, column + SIDE))
        blocks[row, column] = {"cover": cover, "built": built, "height": built}
    return publish_at(draft_of_blocks(store, PRODUCT, "2026-04-01T00", {}, blocks, ABOUT), BUILT).manifest


@pytest.fixture
def windows(store: Store, key: str) -> Windows:
    return Windows(store, PRODUCT, key)


@pytest.mark.parametrize(
    ("row", "column", "rows", "columns"),
    [
        (ROW + 3, COLUMN + 5, 7, 11),
        (ROW, COLUMN, 1, 1),
        (ROW + SIDE - 1, COLUMN + SIDE - 1, 2, 2),
        (ROW + SIDE - 300, COLUMN + SIDE - 40, 600, 80),
        (ROW - 2, COLUMN - 3, 5, 5),
        (ROW - 1, COLUMN - 1, 2 * SIDE + 2, 2 * SIDE + 2),
        (ROW + 5 * SIDE, COLUMN, 4, 4),
    ],
)
def test_a_window_is_the_same_of_whichever_shards_it_is_made(
    windows: Windows, row: int, column: int, rows: int, columns: int
) -> None:
    found = windows.window("cover", row, column, rows, columns)
    assert found.dtype == np.uint16
    np.testing.assert_array_equal(found, expected(row, column, rows, columns))


def test_a_variable_may_be_in_some_of_the_shards_only(windows: Windows) -> None:
    found = windows.window("built", ROW + SIDE - 2, COLUMN + SIDE - 2, 4, 4)
    assert found[:2, :2].tolist() == [[25, 25], [25, 25]]
    assert (found == 25).sum() == 4
    assert (found == FILL).sum() == 12


@pytest.mark.parametrize("corner", [(-3, -3), (-3, COLUMN), (GRID.n_y - 3, GRID.n_x - 3), (ROW, GRID.n_x - 3)])
def test_beyond_the_grid_nothing_is_known(windows: Windows, corner: tuple[int, int]) -> None:
    np.testing.assert_array_equal(windows.window("cover", *corner, 6, 6), np.full((6, 6), FILL))


def test_what_a_caller_does_to_a_window_stays_with_it(windows: Windows) -> None:
    box = (ROW, COLUMN, SIDE, SIDE)
    windows.window("cover", *box)[:] = 0
    np.testing.assert_array_equal(windows.window("cover", *box), expected(*box))


def test_corners_are_the_shards_that_hold_anything(windows: Windows) -> None:
    assert windows.corners == set(CORNERS)


def test_a_damaged_shard_is_told_where_it_is_read_and_not_elsewhere(tmp_path: Path) -> None:
    store = open_store(str(tmp_path))
    blocks = {corner: {"cover": np.full((SIDE, SIDE), 30, np.uint16)} for corner in CORNERS[:2]}
    entry = publish_at(draft_of_blocks(store, PRODUCT, "2026-04-01T00", {}, blocks, ABOUT), BUILT)
    (shard,) = tmp_path.glob(f"**/cover/c/{ROW // SIDE}/{COLUMN // SIDE}")
    shard.write_bytes(shard.read_bytes()[:-7] + b"damaged")
    windows = Windows(store, PRODUCT, entry.manifest)
    assert (windows.window("cover", ROW, COLUMN + SIDE, 5, 5) == 30).all()
    with pytest.raises(TileCorrupt):
        windows.window("cover", ROW, COLUMN + SIDE - 1, 2, 2)
