"""A version made by blocks: who may write, what goes on after a crash, and what a reader never sees."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from catalog import gc as gc_module
from catalog.gc import gc
from catalog.publish import Moment, publish
from catalog.versions import read_index
from dags.build.blocks import attempts
from tiles.blocks import Blocks, Unfinished, published_record, published_records, stitched
from tiles.building import Overtaken, under_way
from tiles.chunked import ChunkedTile
from tiles.manifest import Manifest
from tiles.product import FILL
from tiles.products.climate_archive import BLOCK, PRODUCT
from tiles.store import open_store

BEGINS = datetime(1991, 1, 1, tzinfo=UTC)
TIMES = int(BEGINS.timestamp()) + 3600 * np.arange(24)
ONE, TWO = (64, 112), (80, 112)
WANTED = {ONE: (0, 1), TWO: (17,)}
PROVENANCE = {"source": "made_up", "data_origin": "simulated"}


@pytest.fixture
def store(tmp_path):
    return open_store(str(tmp_path))


def begin(store, run="first", plan="plan", wanted=WANTED):
    return Blocks.begin(
        store,
        PRODUCT,
        "1991",
        run=run,
        plan=plan,
        wanted=wanted,
        published=attempts(store, PRODUCT.name),
        axes={"time": TIMES},
        variables=["ghi_reanalysis", "altitude"],
        provenance=PROVENANCE,
    )


def block(cells, level=100):
    ghi, ground = np.full((24, BLOCK, BLOCK), FILL, np.uint16), np.full((BLOCK, BLOCK), FILL, np.uint16)
    rows, columns = np.divmod(np.array(cells), BLOCK)
    ghi[:, rows, columns], ground[rows, columns] = level, 6000
    return {"ghi_reanalysis": ghi, "altitude": ground}


def made(blocks, level=100):
    for corner, cells in blocks.building.cells.items():
        blocks.write(corner, block(cells, level), {})
    return blocks


def published(blocks):
    draft = blocks.finish({})
    return publish(draft, Moment(BEGINS, BEGINS, BEGINS), now=BEGINS, expected=None, report=lambda _: None)


def level(store, corner=ONE):
    (entry,) = read_index(store, PRODUCT.name).entries
    return int(ChunkedTile(store, PRODUCT, entry.manifest).series("ghi_reanalysis", corner)[0])


def test_what_is_published_holds_the_wanted_cells_and_no_others(store):
    blocks = made(begin(store))
    entry = published(blocks)
    blocks.end()
    assert under_way(store, PRODUCT.name, "1991") is None
    records = published_records(store, Manifest.read(store, entry.manifest))
    there = np.argwhere(stitched(records, PRODUCT.grid.shape, BLOCK)).tolist()
    assert there == [[64, 112], [64, 113], [81, 113]]
    assert entry.variables == ("ghi_reanalysis", "altitude"), "variables that nobody wrote are not there"


def test_the_last_to_begin_is_the_only_one(store):
    first = begin(store)
    first.write(ONE, block(WANTED[ONE]), {})
    second = begin(store, run="second")
    assert second.building.attempt == first.building.attempt
    assert set(second.records()) == {ONE}, "what is finished is not made again"
    for late in (
        lambda: first.write(TWO, block(WANTED[TWO]), {}),
        lambda: Blocks.join(store, PRODUCT, "1991", "first"),
        lambda: first.require_last(),
        lambda: made(first).finish({}),
    ):
        with pytest.raises(Overtaken):
            late()
    second.write(TWO, block(WANTED[TWO]), {})
    published(Blocks.join(store, PRODUCT, "1991", "second"))
    first.end()
    assert under_way(store, PRODUCT.name, "1991").run == "second", "who was overtaken ends nobody else's"


def test_another_plan_begins_anew(store):
    first = made(begin(store))
    second = begin(store, run="second", plan="another")
    assert second.building.attempt != first.building.attempt
    assert second.records() == {}


def test_a_block_of_other_cells_counts_as_not_made(store):
    made(begin(store))
    wider = begin(store, run="second", wanted={ONE: (0, 1, 2), TWO: (17,)})
    assert set(wider.records()) == {TWO}


def test_an_unfinished_version_is_not_published(store):
    blocks = begin(store)
    blocks.write(ONE, block(WANTED[ONE]), {})
    with pytest.raises(Unfinished, match=r"1 of 2 blocks are missing, the first at row and column \(80, 112\)"):
        blocks.finish({})
    blocks.write(TWO, block(WANTED[TWO]), {})
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
    blocks.finish({})
    with pytest.raises(Overtaken):
        blocks.write(ONE, block(WANTED[ONE]), {})
    # a publisher that failed may try again
    again = Blocks.join(store, PRODUCT, "1991", "first", to_publish=True)
    assert published(again).attempt == blocks.building.attempt
    store.delete(f"{PRODUCT.name}/index.json")
    # a publisher that died leaves what can be gone on with
    assert set(begin(store, run="second").records()) == set(WANTED)


def test_a_record_of_what_is_not_in_the_manifest_is_none(store):
    blocks = made(begin(store))
    entry = published(blocks)
    folder = entry.path.removesuffix(".zarr") + ".blocks"
    data = store.get(f"{folder}/64-112.json")
    store.put(f"{folder}/96-112.json", data.replace(b"/4/7", b"/6/7"))
    store.put(f"{folder}/80-112.json", data.replace(b'"bytes": ', b'"bytes": 1'))
    manifest = Manifest.read(store, entry.manifest)
    assert set(published_records(store, manifest)) == {ONE}
    assert published_record(store, manifest, ONE) == published_records(store, manifest)[ONE]
    assert [published_record(store, manifest, corner) for corner in (TWO, (96, 112), (0, 0))] == [None] * 3


def test_gc_spares_what_is_being_made_for_a_month(store, monkeypatch):
    monkeypatch.setattr(gc_module, "GRACE", timedelta(seconds=-60))
    blocks = made(begin(store))
    assert gc(store, datetime.now(UTC)) == []
    monkeypatch.setattr(gc_module, "UNFINISHED", timedelta(seconds=-60))
    assert gc(store, datetime.now(UTC)) == [f"{PRODUCT.name}/1991/{blocks.building.attempt}.zarr"]
    assert not [key for key in store.keys(PRODUCT.name) if blocks.building.attempt in key]
    anew = begin(store, run="second")
    assert anew.building.attempt != blocks.building.attempt
    published(made(anew))


def test_gc_keeps_what_was_published_while_it_looked(store, monkeypatch):
    monkeypatch.setattr(gc_module, "GRACE", timedelta(seconds=-60))
    blocks = made(begin(store))
    real = gc_module._drafts

    def publishes_meanwhile(*arguments):
        found = real(*arguments)
        if not read_index(store, PRODUCT.name).entries and arguments[1] is PRODUCT:
            published(blocks)
            blocks.end()
        return found

    monkeypatch.setattr(gc_module, "UNFINISHED", timedelta(seconds=-60))
    monkeypatch.setattr(gc_module, "_drafts", publishes_meanwhile)
    assert gc(store, datetime.now(UTC)) == []
    assert level(store) == 100


def test_what_was_replaced_stays_for_its_readers_after_a_long_build(store, monkeypatch):
    old = made(begin(store))
    published(old)
    old.end()
    new = made(begin(store, run="second", plan="another"), level=200)
    published(new)
    new.end()
    ago = timedelta(hours=48)  # both were begun two days ago, and published just now
    monkeypatch.setattr(gc_module, "_begun", lambda attempt: datetime.now(UTC) - ago)
    assert gc(store, datetime.now(UTC)) == []
    monkeypatch.setattr(gc_module, "GRACE", timedelta(seconds=-60))
    assert gc(store, datetime.now(UTC)) == [f"{PRODUCT.name}/1991/{old.building.attempt}.zarr"]
