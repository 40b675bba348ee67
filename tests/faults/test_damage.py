"""Damaged tiles: 503 and a line in the log for what is damaged, the right numbers for everything else."""

from pathlib import Path

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


@pytest.mark.parametrize("damage", [flip, pytest.param(Path.unlink, marks=pytest.mark.slow)])
def test_a_damaged_shard_answers_503_and_the_others_go_on_even_without_their_tile(tmp_path, damage):
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
        store.delete(entry.path)
        assert httpx.get(url + WHOLE).json() == whole.json()
    assert "ghi/c/0/0/1" in log.read_text()
