"""Whatever the upstream does, a run fails with one clear sentence, and the last good cycle is still served."""

from datetime import UTC, datetime

import pytest

from catalog.sources import http
from catalog.sources.errors import SourceError
from catalog.verify import verify
from catalog.versions import read_index
from dags.build.forecast import forecast
from tests.support import netcdf
from tests.support.context import context_of
from tests.support.http_files import Drip, FileServer, Status, Truncate
from tiles.clock import Clock
from tiles.store import open_store

GOOD, BROKEN = datetime(2026, 6, 20, 5, tzinfo=UTC), datetime(2026, 6, 20, 6, tzinfo=UTC)
CLOCK = Clock.parse("2026-06-20T12:00:00Z!")
BROKEN_PATH = "/2026/06/20/met_forecast_1_0km_nordic_20260620T06Z.nc"


def cycle_file(folder, cycle, steps=67, edit=None):
    made = netcdf.MadeUp(
        start=cycle,
        reference_time=cycle,
        steps=steps,
        nx=40,
        ny=36,
        spacing=2500.0,
        attributes={"data_origin": "simulated"},
    )

    def mild(file):
        file["air_temperature_2m"][...] = 285.15
        if edit is not None:
            edit(file)

    return netcdf.write(netcdf.met_nordic_path(folder, cycle), made, mild)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The bytes of a good file of each cycle."""
    folder = tmp_path_factory.mktemp("upstream")
    return {cycle: cycle_file(folder, cycle).read_bytes() for cycle in (GOOD, BROKEN)}


@pytest.fixture
def upstream(files, monkeypatch):
    """A server that holds both cycles."""
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.01)
    with FileServer() as server:
        for cycle, data in files.items():
            server.put(f"/{cycle:%Y/%m/%d}/met_forecast_1_0km_nordic_{cycle:%Y%m%dT%H}Z.nc", data)
        yield server


def build(store, url, cycle, deadline_s=60.0):
    context = context_of(store, CLOCK, partition=f"{cycle:%Y-%m-%dT%H}", addresses={"met_nordic": url})
    return forecast.build(context, deadline_s=deadline_s)


def other_grid(tmp_path, files):
    def shift(file):
        file["x"][...] = file["x"][...] + 200_000

    return cycle_file(tmp_path / "shifted", BROKEN, edit=shift).read_bytes()


REPLACED = {
    "unreadable": lambda tmp_path, files: b"<html>Service temporarily unavailable</html>" * 400,
    "truncated": lambda tmp_path, files: files[BROKEN][: len(files[BROKEN]) * 2 // 3],
    "empty": lambda tmp_path, files: b"",
    "wrong grid": other_grid,
    "an old cycle": lambda tmp_path, files: files[GOOD],
    "too few hours": lambda tmp_path, files: cycle_file(tmp_path / "short", BROKEN, steps=30).read_bytes(),
}
FAULTS = {
    "404": Status(404),
    "500": Status(500),
    "503": Status(503, {"Retry-After": "0"}),
    "breaks off": Truncate(20_000),
    "slow": Drip(0.2),
}


def refused(tmp_path, upstream, deadline_s=60.0):
    store = open_store(str(tmp_path / "tiles"))
    good = build(store, upstream.url, GOOD)
    with pytest.raises(Exception) as caught:  # noqa: PT011 - which ones is asserted below
        build(store, upstream.url, BROKEN, deadline_s)
    sentence = str(caught.value)
    assert isinstance(caught.value, SourceError) or type(caught.value).__name__ == "DraftInvalid", repr(caught.value)
    assert "\n" not in sentence
    assert "2026-06-20T06" in sentence or "20260620T06" in sentence, sentence
    assert read_index(store, "forecast").entries == (good,)
    assert verify(store) == []
    return store


@pytest.mark.parametrize("content", REPLACED)
def test_a_bad_file(tmp_path, upstream, files, content):
    upstream.put(BROKEN_PATH, REPLACED[content](tmp_path, files))
    store = refused(tmp_path, upstream)
    upstream.put(BROKEN_PATH, files[BROKEN])
    assert build(store, upstream.url, BROKEN).version == "2026-06-20T06", "the rerun succeeds"


@pytest.mark.parametrize("fault", FAULTS)
def test_a_bad_answer(tmp_path, upstream, fault):
    upstream.fail(BROKEN_PATH, FAULTS[fault])
    refused(tmp_path, upstream, deadline_s=3.0 if fault == "slow" else 60.0)


def test_a_passing_fault_is_retried(tmp_path, upstream):
    upstream.fail(BROKEN_PATH, Status(502), times=2)
    store = open_store(str(tmp_path / "tiles"))
    assert build(store, upstream.url, BROKEN).version == "2026-06-20T06"


def test_credentials_in_the_address_reach_no_log(tmp_path, upstream):
    said = []
    url = upstream.url.replace("http://", "http://user:hush@")
    store = open_store(str(tmp_path))
    with pytest.raises(SourceError) as caught:
        forecast.build(
            context_of(store, CLOCK, partition="2026-06-20T09", addresses={"met_nordic": url}, report=said.append)
        )
    assert any("open met_nordic" in line for line in said)
    assert not [line for line in (*said, str(caught.value)) if "hush" in line]
