"""Stores of both kinds, a folder and a bucket on a local S3 server, and short waits between attempts over HTTP."""

import shutil
import threading
import uuid
from datetime import date, timedelta

import numpy as np
import pytest

from catalog.sources import http
from dags.build.correction import correction
from dags.build.forecast import turbidity
from tests.support.context import context_of
from tests.support.county_now import publish_counties
from tests.support.horizon import publish_horizon
from tests.support.landcover import publish_landcover
from tests.support.s3_server import environment
from tests.support.snow import publish_history, publish_outlook
from tests.support.snow_factors import publish_borders, publish_factors
from tests.support.snowload import publish_snowload
from tests.support.stations import STATIONS, publish_cycle
from tests.support.terrain import publish_terrain
from tests.support.tiles import CYCLE, publish_made_up
from tests.support.tmy import OSLO_CELL
from tiles.clock import Clock
from tiles.store import open_store


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch):
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.01)


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
def store(tmp_path):
    """An empty store in a folder."""
    return open_store(str(tmp_path / "tiles"))


@pytest.fixture(scope="session")
def everything(climate, tmp_path_factory):
    """A store with every product that a fixture makes up, but the climate archive."""
    store = open_store(str(shutil.copytree(climate, tmp_path_factory.mktemp("everything") / "tiles")))
    context = context_of(store, Clock(CYCLE + timedelta(hours=12)))
    publish_made_up(store, CYCLE)
    publish_history(store, last=date(1958, 12, 31))
    publish_outlook(store, date(2026, 5, 31))
    publish_factors(store)
    publish_counties(store)
    publish_borders(store, {OSLO_CELL: 301})
    publish_snowload(store)
    publish_cycle(store, CYCLE, np.full((66, len(STATIONS)), 50.0, np.float32))
    publish_terrain(store, np.full((250, 250), 123.0), 250_000, 6_650_000, cell=10)
    publish_horizon(store)
    publish_landcover(store)
    correction.build_identity(context)
    turbidity.build(context)
    return store
