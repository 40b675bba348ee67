"""Publishing: atomic, in any order, by several at once, killed at any stage; on a folder and on S3."""

import hashlib
import json
import multiprocessing
import os
import signal
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pystac
import pystac.validation
import pytest

from catalog import stac
from catalog.gc import gc
from catalog.listing import listing
from catalog.publish import Moment, publish
from catalog.verify import verify
from catalog.versions import Index, read_index
from dags.build.correction import correction
from tests.support.context import context_of
from tests.support.tiles import CYCLE, cover, made_up_draft, publish_made_up
from tiles.errors import DraftInvalid
from tiles.manifest import Manifest
from tiles.product import FILL
from tiles.store import open_store

NEXT = CYCLE + timedelta(hours=1)
STAGES = ["validate", "manifest", "stac item", "index swap", "stac collection", "published"]


def test_a_version_is_served_once_published(store):
    entry = publish_made_up(store, CYCLE)
    index = read_index(store, "forecast")
    assert index.newest(CYCLE) == entry
    assert index.newest(CYCLE - timedelta(seconds=1)) is None
    assert entry.variables == ("ghi", "ghi_v1", "temp_air", "wind_speed")
    assert verify(store) == []


def test_an_older_cycle_changes_nothing_for_a_newer_reader(store):
    newer = publish_made_up(store, NEXT, v1=False)
    older = publish_made_up(store, CYCLE, now=NEXT)
    index = read_index(store, "forecast")
    assert [e.version for e in index.entries] == ["2026-06-01T00", "2026-06-01T01"]
    assert index.newest(NEXT) == newer
    assert index.newest(NEXT, "ghi_v1") == older
    assert index.newest(CYCLE) == older


def test_the_manifest_lists_every_object_and_nothing_else(store):
    entry = publish_made_up(store, CYCLE)
    manifest = Manifest.read(store, entry.manifest)
    there = {key.removeprefix(entry.path + "/") for key in store.keys(entry.path)}
    assert set(manifest.objects) == there
    assert "ghi/c/0/0/1" in manifest.objects
    assert "ghi/c/0/3/3" not in manifest.objects, "outside the cover nothing is expected"
    assert manifest.variables["ghi"]["max"] > 500


def test_a_whole_night_is_data_and_not_absent(store):
    draft = made_up_draft(store, CYCLE, level=0.0)
    moment = Moment(CYCLE, CYCLE, CYCLE + timedelta(hours=66))
    publish(draft, moment, now=CYCLE, expected=cover(), report=lambda _: None)
    assert "ghi/c/0/0/1" in Manifest.read(store, read_index(store, "forecast").entries[0].manifest).objects


def test_a_refused_draft_is_never_visible(store):
    good = publish_made_up(store, CYCLE)
    draft = made_up_draft(store, NEXT)
    packed = draft.packed("ghi").copy()
    packed[5, 100, 200] = FILL
    del draft._group["ghi"]
    draft.write_packed("ghi", packed)
    moment = Moment(NEXT, NEXT, NEXT + timedelta(hours=66))
    with pytest.raises(DraftInvalid, match="gap in the series"):
        publish(draft, moment, now=NEXT, expected=cover(), report=lambda _: None)
    assert read_index(store, "forecast").newest(NEXT) == good
    assert verify(store) == []


def test_stac_describes_what_is_there(store):
    publish_made_up(store, CYCLE)
    newer = publish_made_up(store, NEXT)
    root = json.loads(store.get("catalog.json"))
    assert [link["href"] for link in root["links"] if link["rel"] == "child"] == ["./forecast/collection.json"]
    collection = pystac.read_dict(json.loads(store.get("forecast/collection.json")))
    assert collection.extent.temporal.intervals[0][0] == CYCLE
    item = json.loads(store.get(stac.item_key(newer)))
    properties = item["properties"]
    assert properties["cube:variables"]["ghi"]["solflis:chunk"] == {
        "time": "66 hours",
        "lat": "0.48 degrees",
        "lon": "0.48 degrees",
    }
    assert properties["cube:variables"]["ghi"]["solflis:shard"]["lat"] == "3.84 degrees"
    assert properties["proj:code"] == "EPSG:4326"
    assert properties["solflis:data_origin"] == "simulated"
    assert properties["cube:dimensions"]["lat"]["extent"] == [57.0, 72.0]


def test_stac_follows_the_schemas_and_names_whose_data_these_are(store):
    correction.build_identity(context_of(store))
    made_up = publish_made_up(store, CYCLE)
    table = read_index(store, "correction").entries[0]
    collections = [stac.collection_key(name) for name in ("correction", "forecast")]
    documents = {
        k: json.loads(store.get(k)) for k in ["catalog.json", *collections, *map(stac.item_key, (made_up, table))]
    }
    for document in documents.values():
        pystac.validation.validate_dict(
            {**document, "stac_extensions": []}
        )  # the extensions' schemas are on the network
    for key in collections:
        assert [p["name"] for p in documents[key]["providers"]] == ["Solflis"], "simulated, and made of nothing"
    item = documents[stac.item_key(made_up)]
    manifest = store.get(made_up.manifest)
    assert item["assets"]["manifest"]["file:checksum"] == "1220" + hashlib.sha256(manifest).hexdigest()
    assert item["assets"]["manifest"]["file:size"] == len(manifest)
    assert stac.PROJECTION not in documents[stac.item_key(table)]["stac_extensions"]


@pytest.mark.slow
def test_one_version_built_twice_at_once_is_described_as_it_is(store):
    """The other builder publishes between this one's STAC item and its swap of the index."""
    ours, theirs = made_up_draft(store, CYCLE), made_up_draft(store, CYCLE, level=600)

    def publish_it(draft, report=lambda _: None):
        moment = Moment(CYCLE, CYCLE, CYCLE + timedelta(hours=66))
        return publish(draft, moment, now=CYCLE, expected=cover(), report=report)

    entry = publish_it(ours, lambda line: publish_it(theirs) if line.startswith("index swap") else None)
    assert read_index(store, "forecast").entries == (entry,)
    collection = json.loads(store.get("forecast/collection.json"))
    (href,) = [link["href"] for link in collection["links"] if link["rel"] == "item"]
    item = json.loads(store.get(f"forecast/{href.removeprefix('./')}"))
    assert item["properties"]["solflis:attempt"] == ours.attempt
    assert verify(store) == []


def test_verify_finds_an_index_that_names_another_versions_manifest(store):
    entry, other = publish_made_up(store, CYCLE), publish_made_up(store, NEXT)
    index = read_index(store, "forecast")
    store.put("forecast/index.json", index.with_entry(replace(entry, manifest=other.manifest)).to_bytes())
    assert any("is not the manifest" in problem for problem in verify(store))


def test_verify_finds_what_is_wrong(store):
    entry = publish_made_up(store, CYCLE)
    shard = f"{entry.path}/ghi/c/0/0/1"
    data = bytearray(store.get(shard))
    data[100] ^= 1
    store.put(shard, bytes(data))
    assert any("ghi/c/0/0/1" in problem and "checksum" in problem for problem in verify(store))
    store.delete(f"{entry.path}/temp_air/c/0/0/1")
    store.delete(stac.item_key(entry))
    problems = "\n".join(verify(store))
    assert "temp_air/c/0/0/1 is gone" in problems
    assert "item.json is gone" in problems
    assert "there is no forecast 1999-01-01T00 to verify" in verify(store, "forecast", "1999-01-01T00")


def test_gc_keeps_what_counts(store):
    old = CYCLE - timedelta(days=9)
    publish_made_up(store, old)
    publish_made_up(store, CYCLE, now=CYCLE)
    made_up_draft(store, NEXT)  # abandoned, but young: somebody may be at work on it
    (abandoned,) = store.folders("forecast/2026-06-01T01")
    assert gc(store, CYCLE, dry_run=True) == gc(store, CYCLE)
    assert [e.version for e in read_index(store, "forecast").entries] == ["2026-06-01T00"]
    assert not list(store.keys("forecast/2026-05-23T00"))
    assert store.exists(f"{abandoned}/zarr.json")
    assert verify(store) == []
    aged = abandoned.rsplit("/", 1)[0] + "/20200101T000000-00000000.zarr"
    for key in list(store.keys(abandoned)):
        store.put(key.replace(abandoned, aged), store.get(key))
    store.delete(abandoned)
    assert gc(store, CYCLE) == [aged]
    assert not list(store.keys(aged))


@pytest.mark.parametrize("deletions", [0, 1, 2])
def test_gc_finishes_what_a_killed_one_began(tmp_path, deletions):
    store = open_store(str(tmp_path))
    publish_made_up(store, CYCLE - timedelta(days=9))
    publish_made_up(store, CYCLE)
    done = []

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


def test_gc_never_removes_the_newest(store):
    entry = publish_made_up(store, CYCLE)
    assert gc(store, CYCLE + timedelta(days=100)) == []
    assert read_index(store, "forecast").entries == (entry,)


def test_the_listing_marks_what_is_served(store):
    assert "nothing is published" in listing(store, CYCLE)[0]
    with pytest.raises(KeyError, match=r"correction.*forecast"):
        listing(store, CYCLE, "nope")
    publish_made_up(store, CYCLE)
    publish_made_up(store, NEXT, now=NEXT)
    lines = listing(store, CYCLE)
    assert ["*" in line for line in lines] == [False, False, True]


def _publish_until(url, stage):
    store = open_store(url)

    def report(line):
        if line.startswith(stage):
            os.kill(os.getpid(), signal.SIGKILL)

    draft = made_up_draft(store, NEXT)
    moment = Moment(NEXT, NEXT, NEXT + timedelta(hours=66))
    if stage == "written":
        os.kill(os.getpid(), signal.SIGKILL)
    publish(draft, moment, now=NEXT, expected=cover(), report=report)


@pytest.mark.parametrize("stage", ["written", *STAGES])
def test_kill_9_leaves_the_old_version_or_the_new_and_a_rerun_succeeds(store_url, stage):
    store = open_store(store_url)
    old = publish_made_up(store, CYCLE)
    process = multiprocessing.get_context("spawn").Process(target=_publish_until, args=(store_url, stage))
    process.start()
    process.join(120)
    assert process.exitcode == -signal.SIGKILL
    served = read_index(store, "forecast").newest(NEXT)
    assert served is not None
    swapped = stage in ("stac collection", "published")
    assert (served.version == "2026-06-01T01") if swapped else (served == old)
    assert verify(store, "forecast", served.version) == []
    new = publish_made_up(store, NEXT)
    assert read_index(store, "forecast").newest(NEXT) == new
    assert verify(store) == []


def _publish_cycle(url, hour, barrier):
    store = open_store(url)
    cycle = datetime(2026, 6, 1, hour, tzinfo=UTC)
    draft = made_up_draft(store, cycle)

    def report(line):
        if line.startswith("index swap"):
            barrier.wait(60)

    publish(draft, Moment(cycle, cycle, cycle + timedelta(hours=66)), now=cycle, expected=cover(), report=report)


def test_two_builders_at_once_both_end_up_in_the_index(store_url):
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(2)
    builders = [context.Process(target=_publish_cycle, args=(store_url, hour, barrier)) for hour in (4, 5)]
    for builder in builders:
        builder.start()
    for builder in builders:
        builder.join(120)
        assert builder.exitcode == 0
    store = open_store(store_url)
    assert [e.version for e in read_index(store, "forecast").entries] == ["2026-06-01T04", "2026-06-01T05"]
    assert verify(store) == []


def test_an_index_comes_back_as_it_was(tmp_path):
    entry = publish_made_up(open_store(str(tmp_path)), CYCLE)
    index = Index(()).with_entry(entry)
    assert Index.from_bytes(index.to_bytes()) == index
    with pytest.raises(ValueError, match="entries"):  # else the next version would take the place of all others
        Index.from_bytes(b"{}")
    assert np.all([isinstance(m, datetime) and m.tzinfo for m in (entry.issued_at, entry.valid_to)])
