"""The simulated borders: near the real ones, readable by our own source, and their faults."""

import asyncio
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catalog.sources import http
from catalog.sources.errors import SourceError
from catalog.sources.kartverket import borders as kartverket
from dags.build.borders.raster import land_share, on_border, projected
from infra.simulator.borders import document
from tiles.grid import NORWAY3KM


def read(url: str) -> kartverket.Borders:
    return kartverket.counties(url, user_agent="test", deadline_s=10)


def land(borders: kartverket.Borders) -> Any:
    areas = projected(borders.areas.geometry)
    return (land_share(areas, NORWAY3KM) > 0) | on_border(areas, NORWAY3KM)


async def test_our_source_reads_it(client: Any) -> None:
    borders = await asyncio.to_thread(read, str(client.make_url("/kartverket")))
    assert borders.data_origin == "simulated"
    assert "SIMULATED" in borders.areas["name"][0]
    assert (await client.get("/kartverket/Fylker-M.geojson")).headers["X-Data-Origin"] == "simulated"
    assert (await client.get("/kartverket/Kommuner.geojson")).status == 404


def test_nine_cells_in_ten_are_those_of_the_real_borders(shared_data: Path, tmp_path: Path) -> None:
    (tmp_path / kartverket.COUNTIES).write_text(json.dumps(document("Fylker")))
    ours, theirs = land(read(str(tmp_path))), land(read(str(shared_data / "borders")))
    assert np.count_nonzero(ours & theirs) / np.count_nonzero(ours | theirs) > 0.9
    towns = ((59.91, 10.75), (60.39, 5.33), (63.43, 10.40), (69.65, 18.96), (58.15, 8.0), (69.97, 23.27), (67.28, 14.4))
    assert all(NORWAY3KM.nearest(lat, lon, ours, 3.0) for lat, lon in towns)


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ({"mode": "error", "status": 500}, "HTTP 500"),
        ({"mode": "notfound"}, "HTTP 404"),
        ({"mode": "garbage"}, "is no GeoJSON"),
        ({"mode": "empty"}, "0 bytes|is no GeoJSON"),
        ({"mode": "truncate", "how": "file"}, "is no GeoJSON"),
        ({"mode": "truncate"}, "could not be read"),
    ],
)
async def test_faults_are_one_sentence(
    client: Any, monkeypatch: pytest.MonkeyPatch, rule: dict[str, Any], sentence: str
) -> None:
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.01)
    await client.post("/_misbehave", json={"path": "/kartverket/*", **rule})
    with pytest.raises(SourceError, match=sentence):
        await asyncio.to_thread(read, str(client.make_url("/kartverket")))


async def test_on_request_latitude_and_longitude_are_swapped(client: Any) -> None:
    await client.post("/_misbehave", json={"path": "/kartverket/*", "mode": "wronggrid"})
    swapped = await asyncio.to_thread(read, str(client.make_url("/kartverket")))
    assert not land(swapped).any()
