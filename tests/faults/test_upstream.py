"""Whatever the upstream does, a run fails with one clear sentence, and the last good cycle is still served."""

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from catalog.sources import http
from catalog.sources.errors import SourceError
from catalog.verify import verify
from catalog.versions import read_index
from dags.build.forecast import forecast
from tests.support import netcdf
from tests.support.context import context_of
from tests.support.http_files import Drip, FileServer
from tests.support.http_server import Status
from tiles.clock import Clock
from tiles.errors import DraftInvalid
from tiles.store import open_store

GOOD, BROKEN = datetime(2026, 6, 20, 5, tzinfo=UTC), datetime(2026, 6, 20, 6, tzinfo=UTC)
CLOCK = Clock.parse("2026-06-20T12:00:00Z!")
GOOD_PATH, BROKEN_PATH = (f"/{netcdf.met_nordic_path(Path(), cycle)}" for cycle in (GOOD, BROKEN))


def cycle_file(folder, cycle, steps=67, shift_m=0):
    grid = {"nx": 40, "ny": 36, "spacing": 2500.0, "attributes": {"data_origin": "simulated"}}

    def edit(file):
        file["air_temperature_2m"][...] = 285.15
        file["x"][...] = file["x"][...] + shift_m

    made = netcdf.MadeUp(start=cycle, reference_time=cycle, steps=steps, **grid)
    return netcdf.write(netcdf.met_nordic_path(folder, cycle), made, edit).read_bytes()


def build(store, url, cycle, deadline_s=60.0):
    context = context_of(store, CLOCK, partition=f"{cycle:%Y-%m-%dT%H}", addresses={"met_nordic": url})
    return forecast.build(context, deadline_s=deadline_s)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """An upstream with a good file of each cycle."""
    with FileServer() as server:
        for path, cycle in ((GOOD_PATH, GOOD), (BROKEN_PATH, BROKEN)):
            server.put(path, cycle_file(tmp_path_factory.mktemp("upstream"), cycle))
        yield server


@pytest.fixture(scope="module")
def good(whole, tmp_path_factory):
    """A store in which the good cycle is published; tests write to copies."""
    folder = tmp_path_factory.mktemp("good")
    build(open_store(str(folder)), whole.url, GOOD)
    return folder


def cut_short(server, folder):
    content = cycle_file(folder, BROKEN)
    server.put(BROKEN_PATH, content[: len(content) * 2 // 3])


def on_another_grid(server, folder):
    server.put(BROKEN_PATH, cycle_file(folder, BROKEN, shift_m=200_000))


def with_too_few_hours(server, folder):
    server.put(BROKEN_PATH, cycle_file(folder, BROKEN, steps=30))


def unavailable(server, folder):
    server.fail(BROKEN_PATH, Status(503, {"Retry-After": "0"}))


def dripping(server, folder):
    server.put(BROKEN_PATH, cycle_file(folder, BROKEN))
    server.fail(BROKEN_PATH, Drip(0.2))


SLOW = (pytest.param(fault, marks=pytest.mark.slow) for fault in (on_another_grid, with_too_few_hours, dripping))


@pytest.mark.parametrize("fault", [cut_short, unavailable, *SLOW])
def test_a_fault_fails_the_run_with_one_sentence_and_the_last_good_cycle_stays(
    tmp_path, good, whole, fault, monkeypatch
):
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.01)
    store = open_store(str(shutil.copytree(good, tmp_path / "tiles")))
    before = read_index(store, "forecast").entries
    with FileServer() as upstream:
        fault(upstream, tmp_path)
        with pytest.raises((SourceError, DraftInvalid)) as caught:
            build(store, upstream.url, BROKEN, deadline_s=3.0 if fault is dripping else 60.0)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert "2026-06-20T06" in sentence or "20260620T06" in sentence, sentence
    assert read_index(store, "forecast").entries == before != ()
    assert verify(store) == []
    assert build(store, whole.url, BROKEN).version == "2026-06-20T06", "the rerun succeeds"


def test_credentials_in_the_address_reach_no_log(tmp_path, whole, monkeypatch):
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.01)
    said = []
    url = whole.url.replace("http://", "http://user:hush@")
    store, addresses = open_store(str(tmp_path)), {"met_nordic": url}
    with pytest.raises(SourceError) as caught:
        forecast.build(context_of(store, CLOCK, partition="2026-06-20T09", addresses=addresses, report=said.append))
    assert any("open met_nordic" in line for line in said)
    assert not [line for line in (*said, str(caught.value)) if "hush" in line]
