"""The horizon product: blocks through the real writer, judged shard by shard, read chunk by chunk."""

import numpy as np
import pytest

from catalog.verify import verify
from tests.support import horizon
from tests.support.horizon import AZIMUTHS, BODO, OSLO, SIZE, corner, horizon_draft, profiles, publish_horizon
from tests.support.tiles import draft_of_blocks, publish_at
from tiles.chunked import ChunkedTile
from tiles.errors import DraftInvalid
from tiles.grid import HORIZON
from tiles.product import FILL
from tiles.products.registry import product
from tiles.store import open_store

DECLARED = product("horizon")
ROW, COLUMN = corner(*OSLO)


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    store = open_store(str(tmp_path_factory.mktemp("tiles")))
    return store, publish_horizon(store)


@pytest.fixture(scope="module")
def tile(published):
    store, entry = published
    return ChunkedTile(store, DECLARED, entry.manifest)


@pytest.mark.parametrize("place", [OSLO, BODO])
def test_what_was_written_comes_back_in_its_cell(tile, place):
    cell, first = HORIZON.cell_at(*place), corner(*place)
    inside = (..., cell[0] - first[0], cell[1] - first[1])
    read = {variable.name: variable.unpack(tile.series(variable.name, cell)) for variable in DECLARED.variables}
    np.testing.assert_allclose(read["elevation"], profiles(first)[inside], atol=0.00101)
    assert AZIMUTHS[np.argmax(read["elevation"])] == 90
    np.testing.assert_allclose(read["distance"], horizon.distances(first)[inside], atol=1.26)
    assert np.isnan(read["distance"]).sum() == 100, "open sea from 200 to 250 degrees is no gap"
    assert read["ground"] == pytest.approx(horizon.grounds(first)[inside], abs=0.021)
    assert read["dtm_year"] == horizon.YEAR


def test_what_is_not_built_is_missing_and_no_damage(published, tile):
    for cell in ((ROW + 3, COLUMN + 3), (ROW - 1, COLUMN), (0, 0), (15_499, 11_949)):
        assert (tile.series("elevation", cell) == FILL).all()
    store, _ = published
    assert verify(store, report=lambda _: None, product="horizon") == []
    blocks = {f"elevation/c/0/{row // SIZE}/{column // SIZE}" for row, column in (corner(*OSLO), corner(*BODO))}
    assert {name for name in tile.manifest.objects if name.startswith("elevation/c/")} == blocks


def test_the_nearest_built_cell_is_found_by_the_index_of_its_block_alone(tmp_path):
    store, (row, column) = open_store(str(tmp_path)), corner(*OSLO)
    entry = publish_horizon(store)
    store.path(f"{entry.path}/elevation/c/0/{row // SIZE}/{column // SIZE}").unlink()
    row, column = corner(*BODO)
    found = ChunkedTile(store, DECLARED, entry.manifest).nearest_built("elevation", (row - 5, column + 12))
    assert found == (row, column + 12)


def test_the_manifest_says_what_all_blocks_hold(tile):
    oslo, bodo = profiles(corner(*OSLO)), profiles(corner(*BODO))
    oslo[:, :8, :8] = np.nan
    described = tile.manifest.variables["elevation"]
    for which, least_or_most in (("min", np.nanmin), ("max", np.nanmax)):
        assert described[which] == pytest.approx(least_or_most([oslo, bodo]), abs=0.0011)
    assert np.nanmax(oslo) != np.nanmax(bodo)


def test_part_of_a_shard_would_wipe_out_the_rest_and_is_refused(tmp_path):
    draft = horizon_draft(open_store(str(tmp_path)))
    block = np.full((720, SIZE, SIZE), 6000, np.uint16)
    for at in ((ROW + 8, COLUMN), (ROW, COLUMN - 1), (HORIZON.n_y - 4, 0)):
        with pytest.raises(ValueError, match="not whole shards"):
            draft.write_block("elevation", at, block)
    with pytest.raises(ValueError, match="not whole shards"):
        draft.write_block("elevation", (ROW, COLUMN + SIZE), block[:, :8])
    last = HORIZON.n_y // SIZE * SIZE
    draft.write_block("elevation", (last, 0), block[:, : HORIZON.n_y - last])


@pytest.mark.parametrize(
    ("value", "sentence"),
    [(FILL, "has a gap in the series of cell"), (60_000, "reaches from .* outside -10 to 90")],
    ids=["a gap", "a spike"],
)
def test_one_wrong_number_in_one_block_is_seen(tmp_path, value, sentence):
    draft = horizon_draft(open_store(str(tmp_path)))
    block = np.full((720, SIZE, SIZE), 6000, np.uint16)
    block[100, 30, 40] = value
    draft.write_block("elevation", (ROW, COLUMN + SIZE), block)
    where = f"in elevation/c/0/{ROW // SIZE}/{COLUMN // SIZE + 1}, elevation"
    with pytest.raises(DraftInvalid, match=f"{where} {sentence}"):
        publish_at(draft, horizon.BUILT)


def test_a_horizon_without_any_block_is_refused(tmp_path):
    nothing = np.full((720, SIZE, SIZE), FILL, np.uint16)
    blocks = {(ROW, COLUMN): {"elevation": nothing, "ground": nothing[0]}}
    draft = draft_of_blocks(open_store(str(tmp_path)), DECLARED, "2026-05-01T00", {"azimuth": AZIMUTHS}, blocks)
    with pytest.raises(DraftInvalid, match="elevation holds no value at all"):
        publish_at(draft, horizon.BUILT)
