"""Stores of both kinds: a folder, and a bucket on a local S3 server."""

import threading
import uuid

import pytest

from tests.support.s3_server import environment
from tiles.store import open_store


@pytest.fixture(scope="session")
def s3_endpoint():
    """A real S3 protocol server on loopback, one request at a time.

    S3 makes a conditional put one step; moto looks and then writes, so only without threads does it do the same.
    """
    moto_server = pytest.importorskip("moto.server")
    from werkzeug.serving import make_server

    app = moto_server.DomainDispatcherApplication(moto_server.create_backend_app)
    server = make_server("127.0.0.1", 0, app, threaded=False)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join(10)


@pytest.fixture
def s3_url(s3_endpoint, monkeypatch):
    """An empty bucket of the test's own, with the usual variables set for this process and its children."""
    import httpx

    for name, value in environment(s3_endpoint).items():
        monkeypatch.setenv(name, value)
    bucket = f"tiles-{uuid.uuid4().hex[:8]}"
    assert httpx.put(f"{s3_endpoint}/{bucket}", timeout=10).status_code == 200
    return f"s3://{bucket}/some/prefix"


@pytest.fixture(params=["folder", "s3"])
def store_url(request, tmp_path):
    """The address of an empty store."""
    return str(tmp_path / "tiles") if request.param == "folder" else request.getfixturevalue("s3_url")


@pytest.fixture
def store(store_url):
    """An empty store."""
    return open_store(store_url)
