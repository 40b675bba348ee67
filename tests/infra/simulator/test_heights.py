"""The simulated heights: the land they are of, what our own sources read, other answers, and faults."""

import asyncio
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from catalog.sources.errors import SourceError
from catalog.sources.kartverket import heights
from catalog.sources.kartverket.heights import Heights, Model
from infra.simulator.heights import ground, surface
from kernels import utm

OSLO = (262_000.0, 6_649_000.0)
WCS = (
    "/kartverket_wcs/wcs.hoyde-dtm-nhm-25833?SERVICE=WCS&VERSION=1.0.0&REQUEST=GetCoverage&COVERAGE=nhm_dtm_topo_25833"
    "&CRS=EPSG:25833&BBOX=262000,6649000,262100,6649100&WIDTH=100&HEIGHT=100&FORMAT=GeoTIFF"
)
AT_SEA = (58.9, 10.0)
IN_SWEDEN = (60.0, 14.0)


async def window(client: Any, model: Model, x: float, y: float, size: float, cell: float) -> Heights:
    url = str(client.make_url("/kartverket_wcs"))
    return await asyncio.to_thread(
        heights.window, url, model, x, y, x + size, y + size, cell, user_agent="test", deadline=20
    )


async def test_our_source_reads_it(client: Any) -> None:
    found = await window(client, "dtm", *OSLO, 1000, 10)
    assert found.z.shape == (100, 100)
    assert found.z.dtype == np.float32
    assert (found.west, found.south, found.cell, found.data_origin) == (*OSLO, 10, "simulated")
    assert found.year in range(2016, 2023)
    assert np.isfinite(found.z).all()
    x, y = OSLO[0] + 10 * np.arange(100) + 5, OSLO[1] + 10 * np.arange(100) + 5
    np.testing.assert_allclose(found.z, ground.heights(x, y, 10), atol=1e-3)


async def test_the_sea_beside_the_land_is_nought(client: Any) -> None:
    x, y = (float(value) for value in utm.forward(*AT_SEA))
    near = await window(client, "dtm", round(x), round(y), 1000, 100)
    assert (near.z == 0).all()


@pytest.mark.parametrize(
    ("asked", "other", "said"),
    [
        ("VERSION=1.0.0", "VERSION=2.0.1", "VERSION"),
        ("nhm_dtm", "nhm_dom", "COVERAGE"),
        ("WIDTH=100", "WIDTH=3000", "WIDTH"),
        ("262000,6649000,262100,6649100", "0,0,100,100", "outside"),
    ],
)
async def test_what_the_service_does_not_do_it_says(client: Any, asked: str, other: str, said: str) -> None:
    answer = await client.get(WCS.replace(asked, other))
    assert answer.status == 400
    assert said in (await answer.text()).partition("ServiceException")[2]


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ({"mode": "exception"}, "answered no GeoTIFF: Internal error"),
        ({"mode": "wronggrid"}, "something else was asked for"),
    ],
)
async def test_faults_are_one_sentence(client: Any, rule: dict[str, Any], sentence: str) -> None:
    answer = await client.post("/_misbehave", json={"path": "/kartverket_wcs/*", **rule})
    assert answer.status == 200
    with pytest.raises(SourceError, match=f"^kartverket_wcs: .*{sentence}") as failed:
        await window(client, "dtm", *OSLO, 100, 1)
    assert "BBOX" not in str(failed.value)


async def test_a_spike_and_holes_are_no_heights(client: Any) -> None:
    good = await window(client, "dtm", *OSLO, 90, 1)
    for mode, missing in (("spike", 1), ("holes", 23 * 23)):
        await client.post("/_misbehave", json={"path": "/kartverket_wcs/*", "mode": mode, "times": 1})
        found = await window(client, "dtm", *OSLO, 90, 1)
        assert np.count_nonzero(np.isnan(found.z)) == missing
        there = np.isfinite(found.z)
        np.testing.assert_array_equal(found.z[there], good.z[there])


DEMO = {
    "Oslo": (59.91, 10.75),
    "Bergen": (60.39, 5.32),
    "Trondheim": (63.43, 10.39),
    "Tromso": (69.65, 18.96),
    "Finse": (60.60, 7.50),
}
Axis = NDArray[np.float64]


def around(lat: float, lon: float, cells: int, cell: float) -> tuple[Axis, Axis]:
    x, y = (cell * np.round(float(value) / cell) for value in utm.forward(lat, lon))
    along = (np.arange(cells) - cells // 2 + 0.5) * cell
    return x + along, y + along


@pytest.mark.parametrize("of", [ground.heights, surface.heights])
def test_any_window_shows_the_same_land(of: object) -> None:
    assert callable(of)
    x, y = around(*DEMO["Tromso"], 300, 1)
    whole = of(x, y, 1)
    part = of(x[120:180], y[40:90], 1)
    np.testing.assert_allclose(part, whole[40:90, 120:180], atol=0.01)


def test_beyond_the_border_and_far_out_nothing_is_known() -> None:
    for lat, lon in ((60.0, 14.0), (65.0, 3.0), (68.3, 24.0)):
        assert np.isnan(ground.heights(*around(lat, lon, 5, 50), 50)).all()
    assert not np.isnan(ground.heights(*around(69.3, 25.0, 5, 50), 50)).any()


@pytest.mark.parametrize("name", DEMO)
def test_the_demo_places_are_land_with_houses(name: str) -> None:
    x, y = around(*DEMO[name], 200, 1)
    z = ground.heights(x, y, 1)
    assert 0 < z.min() < z.max() < (1700 if name == "Finse" else 500)
    if name != "Finse":
        assert 0.08 < np.mean(surface.heights(x, y, 1) - z > 3) < 0.6


def test_above_the_tree_line_nothing_stands() -> None:
    x, y = around(61.6, 8.4, 600, 5)
    assert np.mean(surface.heights(x, y, 5) - ground.heights(x, y, 5) > 0.5) < 1e-3
