"""From a published Zarr version to an answer, by the process that workers start for it."""

import asyncio
import logging
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.api.conftest import Api, Start
from tests.api.fabricated import CYCLE, HOURS, OSLO_CELL, SCALE, alter, entry, series, write_index
from tiles.grid import FORECAST
from tiles.product import FILL
from tiles.products.registry import product
from tiles.store import open_store
from tiles.writer import Draft

OSLO = "/api/forecast?lat=59.91&lon=10.75"
BERGEN_CELL = FORECAST.cell_at(60.39, 5.32)
BERGEN = "/api/forecast?lat=60.39&lon=5.32"
EXPECTED = np.round(series() * SCALE, 1).tolist()
DAMAGE = 'solflis_hydrated_damage_total{product="forecast"}'


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with one version in it: two cells, in two shards."""
    folder = tmp_path_factory.mktemp("published")
    store = open_store(str(folder))
    times = int(CYCLE.timestamp()) + 3600 * np.arange(HOURS)
    draft = Draft(store, product("forecast"), "2026-06-01T00", {"time": times}, {"data_origin": "simulated"})
    packed = np.full((HOURS, *FORECAST.shape), FILL, np.uint16)
    for cell in (OSLO_CELL, BERGEN_CELL):
        packed[(slice(None), *cell)] = series()
    draft.write_packed("ghi", packed)
    made = entry(attempt=draft.attempt, variables=("ghi",))
    store.put(made.manifest, draft.seal()[0].to_bytes())
    write_index(folder, made)
    return folder


async def test_the_number_of_the_tile_is_the_number_of_the_answer(
    start: Start, published: Path, tmp_path: Path
) -> None:
    api = await start(state_folder=tmp_path, store_folder=published)
    asked = await api.ask(OSLO)
    assert asked.status == 200, "a worker is ready when it has hydrated"
    assert [row["ghi_wm2"] for row in asked.json["ghi_timeseries"]] == EXPECTED
    assert (await api.ask(BERGEN)).status == 200
    assert (await api.ask("/api/forecast?lat=70&lon=20")).status == 503


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[100] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("damage", [flip, pytest.param(Path.unlink, marks=pytest.mark.slow)])
async def test_a_damaged_shard_is_503_and_a_line_in_the_log_and_the_others_go_on_even_without_their_tile(
    start: Start, published: Path, tmp_path: Path, damage: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    own = Path(shutil.copytree(published, tmp_path / "own"))
    [tile] = own.glob("forecast/*/*.zarr")
    shard = f"ghi/c/0/{OSLO_CELL[0] // 128}/{OSLO_CELL[1] // 128}"
    damage(tile / shard)
    api = await start(state_folder=tmp_path / "state", store_folder=own)
    shutil.rmtree(tile)
    assert (await api.ask(OSLO)).status == 503
    assert [row["ghi_wm2"] for row in (await api.ask(BERGEN)).json["ghi_timeseries"]] == EXPECTED
    assert (await api.ask("/health")).json["products"]["forecast"]["state"] == "corrupt"
    assert shard in caplog.text


async def answers(api: Api) -> set[int]:
    """Ask Oslo and Bergen; no number may be wrong."""
    asked = [await api.ask(OSLO), await api.ask(BERGEN)]
    for one in asked:
        assert one.status == 503 or [row["ghi_wm2"] for row in one.json["ghi_timeseries"]] == EXPECTED
    return {one.status for one in asked}


async def test_points_that_were_altered_before_their_first_reading_are_503(
    start: Start, published: Path, tmp_path: Path
) -> None:
    api = await start(state_folder=tmp_path, store_folder=published, poll_s=3600)  # nothing looks before the readings
    alter(tmp_path)
    assert await answers(api) == {503}


async def test_an_altered_copy_is_made_anew_and_counted(
    start: Start, published: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    api = await start(state_folder=tmp_path, store_folder=published)
    for count in (1, 2):
        assert await answers(api) == {200}
        with caplog.at_level(logging.ERROR, "solflis.api"):
            alter(tmp_path)
            await api.until("/metrics", lambda asked, count=count: f"{DAMAGE} {count}.0" in asked.text)
            async with asyncio.timeout(60):
                while await answers(api) != {200}:
                    pass
        assert len([record for record in caplog.records if "is made anew" in record.message]) == count
    assert f"{DAMAGE} 2.0" in (await api.ask("/metrics")).text
