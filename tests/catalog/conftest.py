"""Stores of both kinds: a folder, and a bucket on a local S3 server."""

import socket
import uuid

import pytest

from tiles.store import open_store


@pytest.fixture(scope="session")
def s3_endpoint():
    """A real S3 protocol server on loopback."""
    moto_server = pytest.importorskip("moto.server")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = moto_server.ThreadedMotoServer(ip_address="127.0.0.1", port=port, verbose=False)
    server.start()
    yield f"http://127.0.0.1:{port}"
    server.stop()


@pytest.fixture
def s3_url(s3_endpoint, monkeypatch):
    """An empty bucket of the test's own, with the usual variables set for this process and its children."""
    import httpx

    for name, value in {
        "AWS_ENDPOINT_URL": s3_endpoint, "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": "us-east-1", "AWS_ALLOW_HTTP": "true",
    }.items():
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
