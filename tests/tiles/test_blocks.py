"""A version made by blocks: who may write, what goes on after a crash, and what a reader never sees."""

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from catalog.gc import gc
from catalog.versions import read_index
from tests.support.tiles import publish_at
from tiles.blocks import Blocks, Unfinished, published_records, stitched
from tiles.building import Block, Overtaken, building_key, under_way
from tiles.chunked import ChunkedTile
from tiles.errors import DraftInvalid
from tiles.manifest import Manifest
from tiles.product import FILL
from tiles.products.climate_archive import BLOCK, PRODUCT
from tiles.store import open_store

BEGINS = datetime(1991, 1, 1, tzinfo=UTC)
TIMES = int(BEGINS.timestamp()) + 3600 * np.arange(24)
ONE, TWO = (64, 112), (80, 112)
WANTED = (Block.of(ONE, (0, 1)), Block.of(TWO, (17,)))
FIRST, SECOND = WANTED


@pytest.fixture
def store(tmp_path):
    return open_store(str(tmp_path))


def begin(store, run="first", inputs="inputs", wanted=WANTED):
    published = {entry.attempt for entry in read_index(store, PRODUCT.name).entries}
    return Blocks.begin(
        store,
        PRODUCT,
        "1991",
        run=run,
        inputs=inputs,
        wanted=wanted,
        published=published,
        base=None,
        axes={"time": TIMES},
        provenance={"source": "made_up", "data_origin": "simulated"},
    )


def block(cells, level=100):
    ghi, ground = np.full((24, BLOCK, BLOCK), FILL, np.uint16), np.full((BLOCK, BLOCK), FILL, np.uint16)
    rows, columns = np.divmod(np.array(cells), BLOCK)
    ghi[:, rows, columns], ground[rows, columns] = level, 6000
    return {"ghi_reanalysis": ghi, "altitude": ground}


def made(blocks, level=100):
    for wanted in blocks.wanted:
        blocks.write(wanted, block(wanted.cells, level), {})
    return blocks


def done(blocks, wanted=WANTED):
    return set(wanted) - set(blocks.missing(wanted))


def published(blocks):
    return publish_at(blocks.finish(blocks.records(), {}), BEGINS)


def records_of(store, entry):
    """The manifest of what is published, and its blocks by their corners."""
    manifest = Manifest.read(store, entry.manifest)
    return manifest, published_records(store, manifest)


def level(store, corner=ONE):
    (entry,) = read_index(store, PRODUCT.name).entries
    return int(ChunkedTile(store, PRODUCT, entry.manifest).series("ghi_reanalysis", corner)[0])


def test_what_is_published_holds_the_wanted_cells_and_no_others(store):
    blocks = made(begin(store))
    entry = published(blocks)
    blocks.end()
    assert under_way(store, PRODUCT.name, "1991") is None
    cells = {corner: record.cells for corner, record in records_of(store, entry)[1].items()}
    there = np.argwhere(stitched(cells, PRODUCT.grid.shape, BLOCK)).tolist()
    assert there == [[64, 112], [64, 113], [81, 113]]
    assert entry.variables == ("ghi_reanalysis", "altitude"), "variables that nobody wrote are not there"


def test_the_last_to_begin_is_the_only_one(store):
    first = begin(store)
    first.write(FIRST, block(FIRST.cells), {})
    second = begin(store, run="second")
    assert second.building.attempt == first.building.attempt
    assert done(second) == {FIRST}, "what is finished is not made again"
    for late in (
        lambda: first.write(SECOND, block(SECOND.cells), {}),
        lambda: Blocks.join(store, PRODUCT, "1991", "first"),
        lambda: first.require_last(),
        lambda: first.finish({}, {}),
    ):
        with pytest.raises(Overtaken):
            late()
    second.write(SECOND, block(SECOND.cells), {})
    published(Blocks.join(store, PRODUCT, "1991", "second"))
    first.end()
    assert under_way(store, PRODUCT.name, "1991").run == "second", "who was overtaken ends nobody else's"


@pytest.mark.parametrize("changed", [Block.of(ONE, (0, 1, 2)), Block.of(ONE, (0, 1), "another height")])
def test_a_block_of_other_cells_or_inputs_counts_as_not_made(store, changed):
    made(begin(store))
    wanted = (changed, SECOND)
    again = begin(store, run="second", wanted=wanted)
    assert done(again, wanted) == {SECOND}
    again.write(changed, block(changed.cells), {})
    assert done(begin(store, run="third", wanted=wanted), wanted) == set(wanted)


def test_a_block_that_was_written_over_since_counts_as_not_made(store):
    """Two builds of areas that share a block take turns, and each is killed."""
    first, other = Block.of(ONE, (0, 1)), Block.of(ONE, (2,))
    made(begin(store, wanted=(first,)))
    made(begin(store, run="second", wanted=(other,)), level=200)
    again = begin(store, run="third", wanted=(first,))
    assert done(again, (first,)) == set()
    entry = published(made(again, level=300))
    assert level(store) == 300
    assert set(records_of(store, entry)[1]) == {ONE}


def test_a_published_block_whose_shard_is_lost_is_made_again(store):
    manifest, records = records_of(store, published(made(begin(store))))
    store.delete(f"{manifest.path}/{next(iter(records[ONE].written['ghi_reanalysis']['shards']))}")
    blocks = begin(store, run="second", inputs="others")
    blocks.adopt(manifest, records, WANTED)
    assert done(blocks) == {SECOND}


def test_a_published_block_of_the_same_key_is_taken_over_and_no_other(store):
    found = records_of(store, published(made(begin(store))))
    changed = (FIRST, Block.of(TWO, (17,), "another height"))
    blocks = begin(store, run="second", inputs="others", wanted=changed)
    blocks.adopt(*found, changed)
    assert done(blocks, changed) == {FIRST}
    blocks.write(changed[1], block((17,), 200), {})
    published(blocks)
    assert (level(store), level(store, (81, 113))) == (100, 200)


def test_an_impossible_value_is_refused_when_its_block_is_written(store):
    with pytest.raises(DraftInvalid, match=r"block at row 64, column 112, ghi_reanalysis reaches from 6000"):
        begin(store).write(FIRST, block(FIRST.cells, level=60_000), {})


def test_publishing_reads_no_shard_again(store, monkeypatch):
    blocks = made(begin(store))
    read, get = [], store.get
    monkeypatch.setattr(store, "get", lambda key: read.append(key) or get(key))
    published(blocks)
    assert read
    assert not [key for key in read if "ghi_reanalysis/c/" in key]


def test_an_unfinished_version_is_not_published(store):
    blocks = begin(store)
    blocks.write(FIRST, block(FIRST.cells), {})
    with pytest.raises(Unfinished, match=r"1 of 2 blocks are missing, the first at row and column \(80, 112\)"):
        blocks.records()
    blocks.write(SECOND, block(SECOND.cells), {})
    assert published(blocks).version == "1991"


def test_nothing_is_written_to_what_is_served(store):
    """The builder died between the swap of the index and its last word."""
    first = made(begin(store))
    published(first)
    again = made(begin(store, run="second"), level=200)
    assert again.building.attempt != first.building.attempt
    assert level(store) == 100
    published(again)
    assert level(store) == 200


def test_after_finish_its_run_writes_no_more(store):
    blocks = made(begin(store))
    blocks.finish(blocks.records(), {})
    with pytest.raises(Overtaken):
        blocks.write(FIRST, block(FIRST.cells), {})
    # a publisher that failed may try again
    again = Blocks.join(store, PRODUCT, "1991", "first", to_publish=True)
    assert published(again).attempt == blocks.building.attempt
    store.delete(f"{PRODUCT.name}/index.json")
    # a publisher that died leaves what can be gone on with
    assert done(begin(store, run="second")) == set(WANTED)


LONG_AGO = "20200101T000000-00000000"


def aged(store, attempt):
    """Make an attempt one that was begun long ago."""
    keys = [key for key in store.keys(PRODUCT.name) if attempt in key or key.endswith("building.json")]
    for key in keys:
        store.put(key.replace(attempt, LONG_AGO), store.get(key).replace(attempt.encode(), LONG_AGO.encode()))
    store.delete(f"{PRODUCT.name}/1991/{attempt}.zarr")


def test_gc_spares_what_is_being_made_for_a_month(store):
    blocks = made(begin(store))
    aged(store, blocks.building.attempt)
    assert gc(store, BEGINS) == []
    note = building_key(PRODUCT.name, "1991")
    begun = (datetime.now(UTC) - timedelta(days=31)).strftime("%Y-%m-%dT%H:%M:%SZ")
    store.put(note, replace(under_way(store, PRODUCT.name, "1991"), begun=begun).to_bytes())
    assert gc(store, BEGINS) == [f"{PRODUCT.name}/1991/{LONG_AGO}.zarr"]
    assert not [key for key in store.keys(PRODUCT.name) if LONG_AGO in key]
    published(made(begin(store, run="second")))
    assert level(store) == 100


def test_gc_keeps_what_was_published_while_it_looked(store, monkeypatch):
    monkeypatch.setattr("catalog.gc.GRACE", timedelta(seconds=-60))
    blocks, folders = made(begin(store)), store.folders

    def publishes_meanwhile(key):
        found = folders(key)
        if key == f"{PRODUCT.name}/1991" and not read_index(store, PRODUCT.name).entries:
            published(blocks)
            blocks.end()
        return found

    monkeypatch.setattr(store, "folders", publishes_meanwhile)
    assert gc(store, BEGINS) == []
    assert level(store) == 100


def test_what_was_replaced_stays_for_its_readers_after_a_long_build(store, tmp_path):
    folder = f"{PRODUCT.name}/1991/{LONG_AGO}"
    store.put(f"{folder}.zarr/zarr.json", b"{}")
    store.put(f"{folder}.manifest.json", b"{}")
    assert gc(store, BEGINS) == [], "it was published just now"
    os.utime(tmp_path / f"{folder}.manifest.json", (0, 0))
    assert gc(store, BEGINS) == [f"{folder}.zarr"]
