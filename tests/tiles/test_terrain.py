"""The terrain's declaration: three levels that nest, and what is refused."""

from datetime import UTC, datetime
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from catalog.versions import Entry
from tests.support.tiles import draft_of_blocks, publish_at
from tiles.errors import DraftInvalid
from tiles.product import FILL
from tiles.products.terrain import BY_CELL, FOLD, GRIDS, PRODUCTS, SIDE
from tiles.store import Store, open_store

BUILT = datetime(2026, 5, 1, tzinfo=UTC)
Block = dict[str, NDArray[np.uint16]]


def block() -> Block:
    """200 m of ground, and a corner of sea."""
    ground = np.full((SIDE, SIDE), 7500, np.uint16)
    top = ground + 10
    ground[:50, :50], top[:50, :50] = FILL, 2500
    return {"top": top, "ground": ground, "year": np.full((SIDE, SIDE), 2019, np.uint16)}


def published(store: Store, first: Block) -> Entry:
    """A version of two blocks."""
    blocks = {(2000, 3000): first, (10_000, 3000): block()}
    return publish_at(draft_of_blocks(store, BY_CELL[50], "2026-05-01T00", {}, blocks), BUILT)


def test_a_shard_of_a_level_is_a_chunk_of_the_next() -> None:
    cells = list(GRIDS)
    for fine, coarse in pairwise(cells):
        assert coarse == fine * FOLD
        assert BY_CELL[fine].shard[0] * fine == BY_CELL[coarse].chunk[0] * coarse
    assert {declared.family for declared in PRODUCTS} == {"terrain"}


@pytest.mark.parametrize("first", [block(), {"top": np.full((SIDE, SIDE), 2500, np.uint16)}], ids=["land", "sea alone"])
def test_land_and_sea_are_published(tmp_path, first: Block) -> None:
    assert published(open_store(str(tmp_path)), first).variables == ("top", "ground", "year")


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("top", 7499, "there is ground above the highest of its cell"),
        ("top", FILL, "there is ground above the highest of its cell"),
        ("top", 65_500, "reaches from .* outside -60 to 2500"),
        ("ground", 900, "reaches from .* outside -60 to 2500"),
        ("year", 19, "reaches from .* outside 1900 to 2200"),
    ],
)
def test_one_wrong_cell_is_seen(tmp_path, name: str, value: int, sentence: str) -> None:
    wrong = block()
    wrong[name][500, 700] = value
    with pytest.raises(DraftInvalid, match=sentence):
        published(open_store(str(tmp_path)), wrong)
