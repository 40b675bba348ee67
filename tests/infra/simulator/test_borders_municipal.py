"""The simulated municipalities: together the whole land, each nearest its own town; their faults."""

import asyncio
import time
from typing import Any

import numpy as np
import pytest
from pyproj import Transformer

from catalog.sources import http
from catalog.sources.errors import SourceError
from catalog.sources.kartverket import borders as kartverket
from dags.build.borders.raster import land_share, projected
from infra.simulator.heights.places import places
from tiles.grid import NORWAY3KM


def read(url: str) -> kartverket.Borders:
    return kartverket.municipalities(url, user_agent="test", deadline_s=10)


async def test_our_source_reads_them(client: Any) -> None:
    began = time.monotonic()
    found = await asyncio.to_thread(read, str(client.make_url("/kartverket")))
    assert time.monotonic() - began < 5
    assert found.data_origin == "simulated"
    assert all("SIMULATED" in name for name in found.areas["name"])
    assert len(found.areas) > 100
    assert found.areas["name"][found.areas["number"] == 301].item() == "Oslo (SIMULATED)"
    assert min(number for number in found.areas["number"] if number != 301) > 2400
    assert (await client.get("/kartverket/Kommuner-M.geojson")).headers["X-Data-Origin"] == "simulated"


@pytest.mark.slow
async def test_together_they_are_the_land_and_each_is_nearest_its_town(client: Any) -> None:
    url = str(client.make_url("/kartverket"))
    found = await asyncio.to_thread(read, url)
    counties = await asyncio.to_thread(kartverket.counties, url, user_agent="test", deadline_s=10)
    whole = land_share(projected(counties.areas.geometry), NORWAY3KM)
    areas = projected(found.areas.geometry)
    shares = np.array([land_share(areas.iloc[[k]], NORWAY3KM) for k in range(len(areas))])
    np.testing.assert_allclose(shares.sum(axis=0), whole, atol=0.1)

    east, north, _ = places()
    forward = Transformer.from_crs(4258, 25833, always_xy=True)
    rows, columns = np.nonzero(shares.max(axis=0) > 0.99)
    assert {number // 100 for number in found.areas["number"]} == set(counties.areas["number"])
    names = []
    for row, column in zip(rows[::50].tolist(), columns[::50].tolist(), strict=True):
        lat, lon = NORWAY3KM.centre((row, column))
        x, y = forward.transform(lon, lat)
        nearest = int(np.argmin(np.hypot(east - x, north - y)))
        number = found.areas["number"][int(shares[:, row, column].argmax())]
        assert number == (301 if nearest == 0 else 2401 + nearest)
        names.append(number)
    assert len(set(names)) > 80, "not the same few"


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ({"mode": "error", "status": 500}, "HTTP 500"),
        ({"mode": "notfound"}, "HTTP 404"),
        ({"mode": "empty"}, "no GeoJSON"),
    ],
)
async def test_faults_are_one_sentence(
    client: Any, monkeypatch: pytest.MonkeyPatch, rule: dict[str, Any], sentence: str
) -> None:
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.01)
    await client.post("/_misbehave", json={"path": "/kartverket/Kommuner*", **rule})
    with pytest.raises(SourceError, match=sentence):
        await asyncio.to_thread(read, str(client.make_url("/kartverket")))


async def test_on_request_latitude_and_longitude_are_swapped(client: Any) -> None:
    await client.post("/_misbehave", json={"path": "/kartverket/*", "mode": "wronggrid"})
    swapped = await asyncio.to_thread(read, str(client.make_url("/kartverket")))
    assert swapped.areas.geometry[0].bounds[0] > 57
