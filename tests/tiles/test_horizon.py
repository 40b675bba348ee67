"""The horizon product: blocks through the real writer, judged shard by shard, read chunk by chunk."""

import numpy as np
import pytest
import zarr

from catalog.publish import Moment, publish
from catalog.verify import verify
from tests.support.horizon import (
    AZIMUTHS,
    BODO,
    BUILT,
    OSLO,
    SIZE,
    YEAR,
    corner,
    distances,
    grounds,
    horizon_draft,
    profiles,
    publish_horizon,
)
from tiles.chunked import ChunkedTile
from tiles.errors import DraftInvalid, TileCorrupt
from tiles.grid import HORIZON
from tiles.product import FILL
from tiles.products.registry import product
from tiles.store import open_store
from tiles.writer import Draft

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
def test_a_profile_comes_back_in_its_cell(tile, place):
    row, column = HORIZON.cell_at(*place)
    first = corner(*place)
    scale, offset = tile.scale("elevation")
    got = tile.series("elevation", (row, column)) * scale + offset
    np.testing.assert_allclose(got, profiles(first)[:, row - first[0], column - first[1]], atol=scale / 2 + 1e-9)
    assert AZIMUTHS[np.argmax(got)] == 90


@pytest.mark.parametrize("place", [OSLO, BODO])
def test_distance_ground_and_year_come_back_in_their_cell(tile, place):
    row, column = HORIZON.cell_at(*place)
    first = corner(*place)
    inside = (..., row - first[0], column - first[1])
    distance = DECLARED.variable("distance").unpack(tile.series("distance", (row, column)))
    np.testing.assert_allclose(distance, distances(first)[inside], atol=1.26)
    assert np.isnan(distance).sum() == 100, "open sea from 200 to 250 degrees, which no validator takes for a gap"
    ground = DECLARED.variable("ground").unpack(tile.series("ground", (row, column)))
    assert float(ground) == pytest.approx(grounds(first)[inside], abs=0.021)
    assert int(tile.series("dtm_year", (row, column))) == YEAR


def test_zarr_reads_the_same(published, tile):
    store, entry = published
    group = zarr.open_group(store.zarr(entry.path, read_only=True), mode="r")
    assert group["elevation"].shape == (720, *HORIZON.shape)
    np.testing.assert_array_equal(group["azimuth"][...], AZIMUTHS)
    corners = [(ROW, COLUMN), (ROW + 7, COLUMN + 8), (ROW + SIZE - 1, COLUMN + SIZE - 1), (ROW + SIZE, COLUMN), (0, 0)]
    for cell in [*corners, HORIZON.cell_at(*OSLO)]:
        assert tile.series("elevation", cell).tolist() == group["elevation"][(slice(None), *cell)].tolist()


def test_tensorstore_reads_the_same(published, tile):
    ts = pytest.importorskip("tensorstore")
    store, entry = published
    where = {"driver": "file", "path": str(store.path(entry.path) / "elevation")}
    array = ts.open({"driver": "zarr3", "kvstore": where}, open=True, read=True).result()
    cell = HORIZON.cell_at(*BODO)
    assert tile.series("elevation", cell).tolist() == array[(slice(None), *cell)].read().result().tolist()


def test_what_is_not_built_is_missing_and_no_damage(published, tile):
    for cell in ((ROW + 3, COLUMN + 3), (ROW - 1, COLUMN), (0, 0), (15_499, 11_949)):
        assert (tile.series("elevation", cell) == FILL).all()
    store, _ = published
    assert verify(store, report=lambda _: None, product="horizon") == []
    blocks = {f"elevation/c/0/{row // SIZE}/{column // SIZE}" for row, column in (corner(*OSLO), corner(*BODO))}
    assert {name for name in tile.manifest.objects if name.startswith("elevation/c/")} == blocks


def test_the_manifest_says_what_all_blocks_hold(tile):
    oslo, bodo = profiles(corner(*OSLO)), profiles(corner(*BODO))
    oslo[:, :8, :8] = np.nan
    described = tile.manifest.variables["elevation"]
    for which, least_or_most in (("min", np.nanmin), ("max", np.nanmax)):
        assert described[which] == pytest.approx(least_or_most([oslo, bodo]), abs=0.0011)
    assert np.nanmax(oslo) != np.nanmax(bodo)


@pytest.mark.parametrize("damage", ["gone", "altered"])
def test_a_damaged_block_is_an_error_and_the_other_answers(tmp_path, damage):
    store = open_store(str(tmp_path))
    entry = publish_horizon(store)
    path = store.path(f"{entry.path}/elevation/c/0/{ROW // SIZE}/{COLUMN // SIZE}")
    if damage == "gone":
        path.unlink()
    else:
        data = bytearray(path.read_bytes())
        data[::500] = bytes(len(data[::500]))
        path.write_bytes(data)
    tile = ChunkedTile(store, DECLARED, entry.manifest)
    with pytest.raises(TileCorrupt):
        tile.series("elevation", HORIZON.cell_at(*OSLO))
    assert (tile.series("elevation", HORIZON.cell_at(*BODO)) != FILL).all()
    tile.close()
    assert (tile.series("elevation", HORIZON.cell_at(*BODO)) != FILL).all(), "who still reads it goes on"


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
    ("spoil", "sentence"),
    [
        (lambda block: block.__setitem__((100, 30, 40), FILL), "has a gap in the series of cell"),
        (lambda block: block.__setitem__((100, 30, 40), 60_000), "reaches from .* outside -10 to 90"),
    ],
    ids=["a gap", "a spike"],
)
def test_one_wrong_number_in_one_block_is_seen(tmp_path, spoil, sentence):
    store = open_store(str(tmp_path))
    draft = horizon_draft(store)
    block = np.full((720, SIZE, SIZE), 6000, np.uint16)
    spoil(block)
    draft.write_block("elevation", (ROW, COLUMN + SIZE), block)
    with pytest.raises(
        DraftInvalid, match=f"in elevation/c/0/{ROW // SIZE}/{COLUMN // SIZE + 1}, elevation {sentence}"
    ):
        publish(draft, Moment(BUILT, BUILT, BUILT), now=BUILT, expected=None, report=lambda _: None)


def test_a_horizon_without_any_block_is_refused(tmp_path):
    draft = Draft(
        open_store(str(tmp_path)), DECLARED, "2026-05-01T00", {"azimuth": AZIMUTHS},
        {"source": "made_up", "data_origin": "simulated"},
    )  # fmt: skip
    draft.write_block("elevation", (ROW, COLUMN), np.full((720, SIZE, SIZE), FILL, np.uint16))
    draft.write_block("ground", (ROW, COLUMN), np.full((SIZE, SIZE), FILL, np.uint16))
    with pytest.raises(DraftInvalid, match="elevation holds no value at all"):
        publish(draft, Moment(BUILT, BUILT, BUILT), now=BUILT, expected=None, report=lambda _: None)
