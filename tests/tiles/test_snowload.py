"""The maxima of seasons as a product: its axis, which cells are built, and the grid's far corner."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import zarr

from catalog.publish import Moment, publish
from tiles.chunked import ChunkedTile
from tiles.errors import DraftInvalid
from tiles.grid import SENORGE1KM
from tiles.product import FILL, Context
from tiles.products.snowload import MOST_SEASONS, PRODUCT, SeasonsFromTheFirst
from tiles.store import Store, open_store
from tiles.writer import Draft

NOW = np.datetime64("2026-10-16T02:00:00", "s")
CONTEXT = Context("1957-2026", NOW, NOW)
FAR = (1536, 1184)
"""Corner of the block in the north-east, which is cut off."""
MOMENT = Moment(*[datetime(1957, 9, 1, 6, tzinfo=UTC)] * 3)


def judged(seasons: Any) -> str | None:
    draft: Any = SimpleNamespace(axis=lambda name: {"season": np.asarray(seasons)}[name])
    return SeasonsFromTheFirst().check(draft, PRODUCT, CONTEXT)


@pytest.mark.parametrize("length", [1, 69, MOST_SEASONS])
def test_seasons_in_order_are_accepted(length: int) -> None:
    assert judged(1957 + np.arange(length)) is None


@pytest.mark.parametrize(
    ("seasons", "said"),
    [
        ([1957, 1958, 1960], "1958 is not followed by the next step of the axis season"),
        ([1957, 1957], "1957 is not followed by the next step of the axis season"),
        ([1957, 1956], "1957 is not followed by the next step of the axis season"),
        ([1958, 1959], "the first season begins in 1958, not in 1957"),
        ([], "the axis season has 0 steps, not 1 to 110"),
        (list(range(1957, 2068)), "the axis season has 111 steps, not 1 to 110"),
    ],
)
def test_other_seasons_are_refused(seasons: list[int], said: str) -> None:
    assert judged(seasons) == said


def block(corner: tuple[int, int]) -> dict[str, Any]:
    """Three seasons of every cell, but one of which none counts and one that is not built."""
    rows, columns = (min(32, n - first) for n, first in zip(SENORGE1KM.shape, corner, strict=True))
    swe_max = np.arange(3 * rows * columns, dtype=np.uint16).reshape(3, rows, columns)
    altitude = np.full((rows, columns), 6_200, np.uint16)
    swe_max[:, 3, 5] = FILL
    swe_max[:, 4, 5] = altitude[4, 5] = FILL
    return {"swe_max": swe_max, "altitude": altitude}


def drafted(store: Store, blocks: dict[tuple[int, int], dict[str, Any]]) -> Draft:
    provenance = {"source": "made_up", "data_origin": "simulated"}
    draft = Draft(store, PRODUCT, "1957-1960", {"season": np.arange(1957, 1960)}, provenance)
    for corner, packed in blocks.items():
        for name, values in packed.items():
            draft.write_block(name, corner, values)
    return draft


def published(draft: Draft) -> Any:
    return publish(draft, MOMENT, now=MOMENT.valid_to, expected=None, report=lambda _: None)


def test_the_block_at_the_far_corner_is_read_as_by_zarr(tmp_path: Any) -> None:
    store = open_store(str(tmp_path))
    packed = {FAR: block(FAR), (192, 320): block((192, 320))}
    assert packed[FAR]["swe_max"].shape == (3, 14, 11)
    entry = published(drafted(store, packed))
    tile = ChunkedTile(store, PRODUCT, entry.manifest)
    group = zarr.open_group(store.zarr(entry.path, read_only=True), mode="r")
    for corner, held in packed.items():
        for row, column in ((0, 0), (3, 5), (4, 5), (7, 7), (8, 8), (13, 10)):
            cell = (corner[0] + row, corner[1] + column)
            told = held["swe_max"][:, row, column].tolist()
            assert tile.series("swe_max", cell).tolist() == told == group["swe_max"][(slice(None), *cell)].tolist()
            assert int(tile.series("altitude", cell)) == int(held["altitude"][row, column])
    assert (tile.series("swe_max", (0, 0)) == FILL).all()


def test_maxima_of_a_cell_that_is_not_built_are_refused(tmp_path: Any) -> None:
    wrong = block(FAR)
    wrong["altitude"][2, 9] = FILL
    said = r"in swe_max/c/0/48/37, cell \(2, 9\) has maxima and no altitude"
    with pytest.raises(DraftInvalid, match=said):
        published(drafted(open_store(str(tmp_path)), {(192, 320): block((192, 320)), FAR: wrong}))


def test_maxima_without_any_altitude_are_refused(tmp_path: Any) -> None:
    packed = {(192, 320): block((192, 320)), FAR: {"swe_max": block(FAR)["swe_max"]}}
    with pytest.raises(DraftInvalid, match=r"in swe_max/c/0/48/37, cell .* has maxima and no altitude"):
        published(drafted(open_store(str(tmp_path)), packed))


def test_maxima_beyond_what_can_be_are_refused(tmp_path: Any) -> None:
    wrong = block(FAR)
    wrong["swe_max"][1, 1, 1] = 60_001
    with pytest.raises(DraftInvalid, match="in swe_max/c/0/48/37, swe_max"):
        published(drafted(open_store(str(tmp_path)), {FAR: wrong}))
