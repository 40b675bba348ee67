"""The simulated borders: near the real ones, readable by our own source, and their faults."""

import asyncio
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catalog.sources.kartverket import borders as kartverket
from dags.build.borders.raster import land_share, on_border, projected
from infra.simulator.borders import document
from tiles.grid import NORWAY3KM, UtmGrid

Read = Callable[[str], kartverket.Borders]
counties: Read = partial(kartverket.counties, user_agent="test", deadline_s=10)
municipalities: Read = partial(kartverket.municipalities, user_agent="test", deadline_s=10)
KINDS = pytest.mark.parametrize(("read", "file"), [(counties, "Fylker-M"), (municipalities, "Kommuner-M")])


GRID = UtmGrid(NORWAY3KM.x0, NORWAY3KM.y0, 9000, NORWAY3KM.n_y // 3, NORWAY3KM.n_x // 3)


def land(borders: kartverket.Borders) -> Any:
    areas = projected(borders.areas.geometry)
    return (land_share(areas, GRID) > 0) | on_border(areas, GRID)


@KINDS
async def test_our_source_reads_it(client: Any, read: Read, file: str) -> None:
    borders = await asyncio.to_thread(read, str(client.make_url("/kartverket")))
    assert borders.data_origin == "simulated"
    assert all("SIMULATED" in name for name in borders.areas["name"])
    assert (await client.get(f"/kartverket/{file}.geojson")).headers["X-Data-Origin"] == "simulated"
    assert (await client.get("/kartverket/Kommuner.geojson")).status == 404
    if read is municipalities:
        assert len(borders.areas) > 100
        assert borders.areas["name"][borders.areas["number"] == 301].item() == "Oslo (SIMULATED)"


def test_nine_cells_in_ten_are_those_of_the_real_borders(shared_data: Path, tmp_path: Path) -> None:
    (tmp_path / kartverket.COUNTIES).write_text(json.dumps(document("Fylker")))
    ours, theirs = land(counties(str(tmp_path))), land(counties(str(shared_data / "borders")))
    assert np.count_nonzero(ours & theirs) / np.count_nonzero(ours | theirs) > 0.9
    towns = ((59.91, 10.75), (60.39, 5.33), (63.43, 10.40), (69.65, 18.96), (58.15, 8.0), (69.97, 23.27), (67.28, 14.4))
    assert all(GRID.nearest(lat, lon, ours, 9.0) for lat, lon in towns)


@pytest.mark.slow
async def test_the_municipalities_together_are_the_land(client: Any) -> None:
    url = str(client.make_url("/kartverket"))
    found, whole = [await asyncio.to_thread(read, url) for read in (municipalities, counties)]
    assert {number // 100 for number in found.areas["number"]} == set(whole.areas["number"])
    one_by_one = projected(found.areas.geometry)
    shares = sum(land_share(one_by_one.iloc[[k]], NORWAY3KM) for k in range(len(one_by_one)))
    np.testing.assert_allclose(shares, land_share(projected(whole.areas.geometry), NORWAY3KM), atol=0.1)


async def test_on_request_latitude_and_longitude_are_swapped(client: Any) -> None:
    await client.post("/_misbehave", json={"path": "/kartverket/*", "mode": "wronggrid"})
    swapped = await asyncio.to_thread(counties, str(client.make_url("/kartverket")))
    assert swapped.areas.geometry[0].bounds[0] > 57
