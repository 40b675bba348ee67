"""The maxima of seasons as a product: which cells are built, and the grid's far corner."""

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
import zarr

from catalog.versions import Entry
from tests.support.tiles import Packed, draft_of_blocks, publish_at
from tiles.chunked import ChunkedTile
from tiles.errors import DraftInvalid
from tiles.grid import SENORGE1KM, Cell
from tiles.product import FILL
from tiles.products.snowload import PRODUCT
from tiles.store import Store, open_store

INLAND = (192, 320)
FAR = (1536, 1184)
"""Corner of the block in the north-east, which is cut off."""


def block(corner: Cell) -> dict[str, np.ndarray]:
    """Three seasons of every cell, but one of which none counts and one that is not built."""
    rows, columns = (min(32, n - first) for n, first in zip(SENORGE1KM.shape, corner, strict=True))
    swe_max = np.arange(3 * rows * columns, dtype=np.uint16).reshape(3, rows, columns)
    altitude = np.full((rows, columns), 6_200, np.uint16)
    swe_max[:, 3:5, 5] = altitude[4, 5] = FILL
    return {"swe_max": swe_max, "altitude": altitude}


def published(store: Store, far: Packed) -> Entry:
    blocks = {FAR: far, INLAND: block(INLAND)}
    draft = draft_of_blocks(store, PRODUCT, "1957-1960", {"season": np.arange(1957, 1960)}, blocks)
    return publish_at(draft, datetime(1957, 9, 1, 6, tzinfo=UTC))


def test_the_block_at_the_far_corner_is_read_as_by_zarr(tmp_path: Path) -> None:
    store = open_store(str(tmp_path))
    assert block(FAR)["swe_max"].shape == (3, 14, 11)
    entry = published(store, block(FAR))
    tile = ChunkedTile(store, PRODUCT, entry.manifest)
    group = zarr.open_group(store.zarr(entry.path, read_only=True), mode="r")
    for corner in (FAR, INLAND):
        for row, column in ((0, 0), (3, 5), (4, 5), (7, 7), (8, 8), (13, 10)):
            cell, held = (corner[0] + row, corner[1] + column), block(corner)
            expected = held["swe_max"][:, row, column].tolist()
            assert tile.series("swe_max", cell).tolist() == group["swe_max"][:, *cell].tolist() == expected
            assert int(tile.series("altitude", cell)) == int(held["altitude"][row, column])
    assert (tile.series("swe_max", (0, 0)) == FILL).all()


@pytest.mark.parametrize(
    ("name", "place", "value", "sentence"),
    [
        ("altitude", (2, 9), FILL, r", cell \(2, 9\) has maxima and no altitude"),
        ("altitude", (), FILL, ", cell .* has maxima and no altitude"),
        ("swe_max", (1, 1, 1), 60_001, ", swe_max"),
    ],
    ids=["a cell that is not built", "no altitude at all", "beyond what can be"],
)
def test_impossible_maxima_are_refused(
    tmp_path: Path, name: str, place: tuple[int, ...], value: int, sentence: str
) -> None:
    wrong = block(FAR)
    wrong[name][place] = value
    with pytest.raises(DraftInvalid, match=f"in swe_max/c/0/48/37{sentence}"):
        published(open_store(str(tmp_path)), wrong)
