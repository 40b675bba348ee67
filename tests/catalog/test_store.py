"""The store: the same behaviour on a folder and on S3."""

import multiprocessing
import os
import stat
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

from tiles.store import NotFound, open_store


@pytest.fixture
def store(store_url):
    """An empty store of either kind."""
    return open_store(store_url)


def test_objects_are_written_read_listed_and_removed(store):
    store.put("a/b/one", b"12345")
    assert store.get("a/b/one") == b"12345"
    assert [store.get_range("a/b/one", *part) for part in ((1, 3), (3, 10), (9, 2))] == [b"234", b"45", b""]
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


def test_two_may_remove_the_same_folder(store):
    for number in range(40):
        store.put(f"a/{number}", b"x")
    store.put("b", b"x")
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(store.delete, ["a"] * 3))
    assert list(store.keys()) == ["b"]


def test_others_may_read_what_was_updated(tmp_path):
    store = open_store(str(tmp_path))
    before = os.umask(0o022)
    try:
        store.update("x/index.json", lambda _: b"1")
    finally:
        os.umask(before)
    assert stat.S_IMODE(store.path("x/index.json").stat().st_mode) == 0o644


def test_a_change_that_fails_changes_nothing(store):
    for _ in range(2):
        store.update("x/index.json", lambda old: (old or b"") + b"1")
    with pytest.raises(ZeroDivisionError):
        store.update("x/index.json", lambda old: b"%d" % (1 // 0))
    assert store.get("x/index.json") == b"11"
    assert set(store.keys("x")) - {"x/.index.json.lock"} == {"x/index.json"}


def _count(url, times):
    store = open_store(url)
    for _ in range(times):
        store.update("counter", lambda old: b"%d" % (int(old or b"0") + 1))


def test_no_update_of_a_folder_is_lost_between_processes(tmp_path):
    """On S3: tests/catalog/test_conditional_puts.py."""
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        list(pool.map(_count, [str(tmp_path)] * 2, [50] * 2))
    assert open_store(str(tmp_path)).get("counter") == b"100"


@pytest.mark.parametrize("url", ["ftp://host/x", "s3://", "http://host/tiles"])
def test_an_address_that_is_no_store_is_refused(url):
    with pytest.raises(ValueError, match=r"store|bucket"):
        open_store(url)
