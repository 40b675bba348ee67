"""Damaged tiles: 503 and a line in the log for what is damaged, the right numbers for everything else."""

from datetime import timedelta

import httpx
import pytest

from tests.support.tiles import CYCLE, publish_made_up
from tests.support.worker import until, worker
from tiles.clock import iso
from tiles.store import open_store

# both lie in the made-up cover; the shards part at row 128 (60.84 N) and column 128
DAMAGED = "/api/forecast?lat=59.91&lon=10.75"
WHOLE = "/api/forecast?lat=60.99&lon=10.75"


def flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x01
    path.write_bytes(data)


@pytest.mark.parametrize("damage", [flip, lambda path: path.unlink()], ids=["one bit", "deleted"])
def test_a_damaged_shard_answers_503_and_the_others_go_on(tmp_path, damage):
    store = open_store(str(tmp_path / "tiles"))
    entry = publish_made_up(store, CYCLE)
    damage(store.path(entry.path) / "ghi/c/0/0/1")
    log = tmp_path / "log"
    with worker(store.url, tmp_path / "state", f"{iso(CYCLE)}!", log) as url:
        whole = until(url, WHOLE, 200)
        assert whole.json()["peak_ghi_wm2"] > 400
        damaged = httpx.get(url + DAMAGED)
        assert damaged.status_code == 503
        assert damaged.json()["error"].startswith("No forecast data available")
    assert "ghi/c/0/0/1" in log.read_text()


@pytest.mark.slow
def test_what_is_served_already_outlives_its_tile(tmp_path):
    store = open_store(str(tmp_path / "tiles"))
    entry = publish_made_up(store, CYCLE)
    with worker(store.url, tmp_path / "state", f"{iso(CYCLE)}!", tmp_path / "log") as url:
        before = until(url, DAMAGED, 200)
        store.delete(entry.path)
        assert httpx.get(url + DAMAGED).json() == before.json()


def test_a_version_whose_manifest_is_gone_leaves_the_last_good_one_served(tmp_path):
    store = open_store(str(tmp_path / "tiles"))
    now = CYCLE + timedelta(hours=2)
    publish_made_up(store, CYCLE, now=now)
    log = tmp_path / "log"
    with worker(store.url, tmp_path / "state", f"{iso(now)}!", log) as url:
        until(url, DAMAGED, 200)
        hidden = open_store(str(tmp_path / "other"))
        newer = publish_made_up(hidden, CYCLE + timedelta(hours=1), now=now)
        store.put("forecast/index.json", hidden.get("forecast/index.json"))  # the index names what is not there
        until_logged(log, newer.attempt)
        assert httpx.get(url + DAMAGED).json()["cycle_time"] == iso(CYCLE)


def until_logged(log, text, seconds=20):
    """Wait for a line of the log."""
    import time

    deadline = time.monotonic() + seconds
    while text not in log.read_text():
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.05)
