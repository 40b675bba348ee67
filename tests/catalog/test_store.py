"""The store: the same behaviour on a folder and on S3."""

import multiprocessing
import os
import stat
import threading

import pytest

from tiles.store import NotFound, open_store


def test_objects(store):
    store.put("a/b/one", b"12345")
    assert store.get("a/b/one") == b"12345"
    assert store.get_range("a/b/one", 1, 3) == b"234"
    assert store.size("a/b/one") == 5
    assert store.exists("a/b/one")
    assert not store.exists("a/b/two")
    before = store.etag("a/b/one")
    store.put("a/b/one", b"changed")
    assert store.etag("a/b/one") != before
    store.put("a/c", b"")
    assert sorted(store.keys("a")) == ["a/b/one", "a/c"]
    assert store.folders("a") == ["a/b"]
    store.delete("a/b")
    assert list(store.keys("a")) == ["a/c"]
    store.delete("nothing/there")
    for absent in (store.get, store.size, lambda key: store.get_range(key, 0, 1)):
        with pytest.raises(NotFound):
            absent("a/b/one")


def test_a_range_beyond_the_end_gives_what_there_is(store):
    store.put("x", b"12345")
    assert store.get_range("x", 3, 10) == b"45"
    assert store.get_range("x", 9, 2) == b""


def test_two_may_remove_the_same_folder(store):
    for number in range(40):
        store.put(f"a/{number}", b"x")
    store.put("b", b"x")
    failed = []

    def remove():
        try:
            store.delete("a")
        except Exception as error:  # noqa: BLE001 - what it is does not matter
            failed.append(error)

    removers = [threading.Thread(target=remove) for _ in range(3)]
    for remover in removers:
        remover.start()
    for remover in removers:
        remover.join(60)
    assert failed == []
    assert list(store.keys()) == ["b"]


def test_others_may_read_what_was_updated(tmp_path):
    store = open_store(str(tmp_path))
    before = os.umask(0o022)
    try:
        store.update("x/index.json", lambda _: b"1")
    finally:
        os.umask(before)
    assert stat.S_IMODE(store.path("x/index.json").stat().st_mode) == 0o644


def test_update_makes_and_changes(store):
    seen = []
    for text in (b"1", b"2"):
        store.update("x/index.json", lambda old, text=text: (seen.append(old), text)[1])
    assert seen == [None, b"1"]
    assert store.get("x/index.json") == b"2"


def test_a_change_that_fails_changes_nothing(store):
    store.put("x/index.json", b"good")
    with pytest.raises(ZeroDivisionError):
        store.update("x/index.json", lambda old: b"%d" % (1 // 0))
    assert store.get("x/index.json") == b"good"
    assert list(store.keys("x")) == ["x/index.json"] or set(store.keys("x")) == {"x/index.json", "x/.index.json.lock"}


def _count(url, times):
    store = open_store(url)
    for _ in range(times):
        store.update("counter", lambda old: b"%d" % (int(old or b"0") + 1))


def test_no_update_is_lost_between_processes(store_url):
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_count, args=(store_url, 25)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
        assert worker.exitcode == 0
    assert open_store(store_url).get("counter") == b"75"


@pytest.mark.parametrize("url", ["ftp://host/x", "s3://", "http://host/tiles"])
def test_what_is_no_store(url):
    with pytest.raises(ValueError, match=r"store|bucket"):
        open_store(url)
