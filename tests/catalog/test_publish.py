"""Publishing: atomic, in any order, by several at once, killed at any stage; on a folder and on S3."""

import json
import multiprocessing
import os
import re
import shutil
import signal
from dataclasses import replace
from datetime import timedelta

import pytest

from catalog import stac
from catalog.gc import gc
from catalog.listing import listing
from catalog.publish import Moment, publish
from catalog.verify import verify
from catalog.versions import Index, read_index
from tests.support.tiles import CYCLE, cover, made_up_draft, publish_made_up
from tiles.errors import DraftInvalid
from tiles.manifest import Manifest
from tiles.store import open_store

NEXT = CYCLE + timedelta(hours=1)
STAGES = ["written", "validate", "manifest", "stac item", "stac collection", "published"]
LATER = [*(("folder", stage) for stage in STAGES), ("s3", "index swap"), ("s3", "stac collection")]


def publish_draft(draft, cycle=CYCLE, report=lambda _: None):
    moment = Moment(cycle, cycle, cycle + timedelta(hours=66))
    return publish(draft, moment, now=cycle, expected=cover(), report=report)


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """A store with two cycles, of which the older was published last, with one variable more."""
    store = open_store(str(tmp_path_factory.mktemp("published")))
    newer = publish_made_up(store, NEXT, v1=False)
    return store, publish_made_up(store, CYCLE, now=NEXT), newer


def test_an_older_cycle_changes_nothing_for_a_newer_reader_and_each_is_served_from_its_moment_on(published):
    store, older, newer = published
    index = read_index(store, "forecast")
    assert [e.version for e in index.entries] == ["2026-06-01T00", "2026-06-01T01"]
    assert older.variables == ("ghi", "ghi_v1", "temp_air", "wind_speed")
    assert index.newest(NEXT) == newer
    assert index.newest(NEXT, "ghi_v1") == older
    assert index.newest(CYCLE) == older
    assert index.newest(CYCLE - timedelta(seconds=1)) is None
    assert Index.from_bytes(index.to_bytes()) == index
    assert verify(store) == []


def test_the_manifest_lists_every_object_and_nothing_else(published):
    store, entry, _ = published
    manifest = Manifest.read(store, entry.manifest)
    there = {key.removeprefix(entry.path + "/") for key in store.keys(entry.path)}
    assert set(manifest.objects) == there
    assert "ghi/c/0/0/1" in manifest.objects
    assert "ghi/c/0/3/3" not in manifest.objects, "outside the cover nothing is expected"
    assert manifest.variables["ghi"]["max"] > 500


def test_a_whole_night_is_data_and_not_absent(store):
    entry = publish_draft(made_up_draft(store, CYCLE, level=0.0, v1=False))
    assert "ghi/c/0/0/1" in Manifest.read(store, entry.manifest).objects


def test_a_refused_draft_is_never_visible(store):
    good = publish_made_up(store, CYCLE, v1=False)
    with pytest.raises(DraftInvalid, match="the axis time has 6 steps"):
        publish_draft(made_up_draft(store, NEXT, hours=6), NEXT)
    assert read_index(store, "forecast").newest(NEXT) == good
    assert verify(store) == []


@pytest.mark.slow
def test_one_version_built_twice_at_once_is_described_as_it_is(store):
    """The other builder publishes between this one's STAC item and its swap of the index."""
    ours, theirs = made_up_draft(store, CYCLE), made_up_draft(store, CYCLE, level=600)
    entry = publish_draft(ours, report=lambda line: publish_draft(theirs) if line.startswith("index swap") else None)
    assert read_index(store, "forecast").entries == (entry,)
    collection = json.loads(store.get("forecast/collection.json"))
    (href,) = [link["href"] for link in collection["links"] if link["rel"] == "item"]
    item = json.loads(store.get(f"forecast/{href.removeprefix('./')}"))
    assert item["properties"]["solflis:attempt"] == ours.attempt
    assert verify(store) == []


def test_verify_names_what_is_damaged_gone_or_of_another_version(published, tmp_path):
    whole, entry, other = published
    store = open_store(str(shutil.copytree(whole.url, tmp_path / "tiles")))
    shard = f"{entry.path}/ghi/c/0/0/1"
    data = bytearray(store.get(shard))
    data[100] ^= 1
    store.put(shard, bytes(data))
    store.delete(f"{entry.path}/temp_air/c/0/0/1")
    store.delete(stac.item_key(entry))
    problems = "\n".join(verify(store))
    for wrong in ("ghi/c/0/0/1.* checksum", "temp_air/c/0/0/1 is gone", "item.json is gone"):
        assert re.search(wrong, problems)
    assert "there is no forecast 1999-01-01T00 to verify" in verify(store, "forecast", "1999-01-01T00")
    index = read_index(store, "forecast")
    store.put("forecast/index.json", index.with_entry(replace(entry, manifest=other.manifest)).to_bytes())
    assert any("is not the manifest" in problem for problem in verify(store))


@pytest.fixture(scope="module")
def aged(tmp_path_factory):
    """A store with a cycle that counts no more, and the newest."""
    store = open_store(str(tmp_path_factory.mktemp("aged")))
    publish_made_up(store, CYCLE - timedelta(days=9), v1=False)
    publish_made_up(store, CYCLE, v1=False)
    return store


@pytest.fixture
def with_old(aged, tmp_path):
    return open_store(str(shutil.copytree(aged.url, tmp_path / "tiles")))


def test_gc_keeps_what_counts(with_old):
    store = with_old
    newest = read_index(store, "forecast").entries[-1]
    made_up_draft(store, NEXT)  # abandoned, but young: somebody may be at work on it
    (abandoned,) = store.folders("forecast/2026-06-01T01")
    assert gc(store, CYCLE, dry_run=True) == gc(store, CYCLE)
    assert read_index(store, "forecast").entries == (newest,)
    assert not list(store.keys("forecast/2026-05-23T00"))
    assert store.exists(f"{abandoned}/zarr.json")
    assert verify(store) == []
    aged = abandoned.rsplit("/", 1)[0] + "/20200101T000000-00000000.zarr"
    for key in list(store.keys(abandoned)):
        store.put(key.replace(abandoned, aged), store.get(key))
    store.delete(abandoned)
    assert gc(store, CYCLE) == [aged]
    assert not list(store.keys(aged))
    assert gc(store, CYCLE + timedelta(days=100)) == []
    assert read_index(store, "forecast").entries == (newest,), "the newest stays, however old"


@pytest.mark.parametrize("deletions", [0, 2])
def test_gc_finishes_what_a_killed_one_began(with_old, deletions):
    store, done = with_old, []

    class Killed(BaseException):
        pass

    def for_a_while(key, remove=store.delete):
        if len(done) == deletions:
            raise Killed
        done.append(remove(key))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "delete", for_a_while)
        with pytest.raises(Killed):
            gc(store, CYCLE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("catalog.gc.GRACE", timedelta(0))
        gc(store, CYCLE)
    assert not list(store.keys("forecast/2026-05-23T00"))
    assert verify(store) == []


def test_the_listing_marks_what_is_served(published, store):
    assert "nothing is published" in listing(store, CYCLE)[0]
    with pytest.raises(KeyError, match=r"correction.*forecast"):
        listing(store, CYCLE, "nope")
    lines = listing(published[0], CYCLE)
    assert ["*" in line for line in lines] == [False, False, True]


def _publish_until(url, stage):
    def report(line):
        if line.startswith(stage):
            os.kill(os.getpid(), signal.SIGKILL)

    draft = made_up_draft(open_store(url), NEXT, v1=False)
    report("written")
    publish_draft(draft, NEXT, report)


@pytest.mark.parametrize(
    ("kind", "stage"),
    [("folder", "index swap"), *(pytest.param(*case, marks=pytest.mark.slow) for case in LATER)],
)
def test_kill_9_leaves_the_old_version_or_the_new_and_a_rerun_succeeds(kind, stage, tmp_path, request):
    store_url = str(tmp_path) if kind == "folder" else request.getfixturevalue("s3_url")
    store = open_store(store_url)
    old = publish_made_up(store, CYCLE, v1=False)
    process = multiprocessing.get_context("spawn").Process(target=_publish_until, args=(store_url, stage))
    process.start()
    process.join(120)
    assert process.exitcode == -signal.SIGKILL
    served = read_index(store, "forecast").newest(NEXT)
    assert served is not None
    swapped = stage in ("stac collection", "published")
    assert (served.version == "2026-06-01T01") if swapped else (served == old)
    assert verify(store, "forecast", served.version) == []
    new = publish_made_up(store, NEXT, v1=False)
    assert read_index(store, "forecast").newest(NEXT) == new
    assert verify(store) == []


def _publish_cycle(url, cycle, barrier):
    publish_draft(
        made_up_draft(open_store(url), cycle, v1=False),
        cycle,
        lambda line: barrier.wait(60) if line.startswith("index swap") else None,
    )


@pytest.mark.parametrize("kind", ["folder", pytest.param("s3", marks=pytest.mark.slow)])
def test_two_builders_at_once_both_end_up_in_the_index(kind, tmp_path, request):
    store_url = str(tmp_path) if kind == "folder" else request.getfixturevalue("s3_url")
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(2)
    builders = [context.Process(target=_publish_cycle, args=(store_url, cycle, barrier)) for cycle in (CYCLE, NEXT)]
    for builder in builders:
        builder.start()
    for builder in builders:
        builder.join(120)
        assert builder.exitcode == 0
    store = open_store(store_url)
    assert [e.version for e in read_index(store, "forecast").entries] == ["2026-06-01T00", "2026-06-01T01"]
    assert verify(store) == []


def test_an_index_without_entries_is_refused():
    with pytest.raises(ValueError, match="entries"):  # else the next version would take the place of all others
        Index.from_bytes(b"{}")
