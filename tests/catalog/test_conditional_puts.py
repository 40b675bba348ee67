"""S3 servers differ in how they take conditional puts: written to only where no update can be lost."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from tests.support.s3_server import FakeS3, environment, serving
from tests.support.tiles import CYCLE, made_up_draft
from tiles.store import UnsafeStore, open_store

URL = "s3://tiles/some/prefix"


@pytest.fixture
def serve(monkeypatch):
    """Start a server and point this process and its children to it."""
    with ExitStack() as running:

        def start(server):
            for name, value in environment(running.enter_context(serving(server))).items():
                monkeypatch.setenv(name, value)
            return server

        yield start


def _count(times):
    store = open_store(URL)
    for _ in range(times):
        store.update("counter", lambda old: b"%d" % (int(old or b"0") + 1))


@pytest.mark.parametrize("wants", ["bare", "quoted", ""])
def test_all_updates_are_kept_whichever_form_of_an_etag_the_server_takes(serve, wants):
    serve(FakeS3(wants=wants))
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(_count, [20] * 3))
    store = open_store(URL)
    assert store.get("counter") == b"60"
    assert list(store.keys()) == ["counter"], "the probe leaves nothing behind"


@pytest.mark.parametrize("ignored", ["if-match", "if-none-match"])
def test_a_server_that_ignores_conditions_is_refused_before_anything_is_written(serve, ignored):
    server = serve(FakeS3(ignores=(ignored,)))
    store = open_store(URL)
    with pytest.raises(UnsafeStore, match="does not honour conditional puts"):
        made_up_draft(store, CYCLE)
    with pytest.raises(UnsafeStore, match=URL):
        store.update("forecast/index.json", lambda _: b"{}")
    assert server.objects == {}


def test_a_store_that_is_only_read_is_not_probed(serve):
    server = serve(FakeS3(ignores=("if-match",)))
    server.objects["tiles/some/prefix/x"] = b"12345", "etag"
    assert open_store(URL).get("x") == b"12345"
    assert server.requests == {"GET": 1}


def test_a_process_probes_a_store_once(serve):
    server = serve(FakeS3())
    for _ in range(3):
        open_store(URL).update("x", lambda _: b"1")
    probing = server.requests["PUT if"] - 3
    assert probing == 4
