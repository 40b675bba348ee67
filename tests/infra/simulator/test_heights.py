"""The simulated height services: what our own sources read of them, the protocol's other answers, and their faults."""

import asyncio
from typing import Any

import numpy as np
import pytest

from catalog.sources import http
from catalog.sources.errors import SourceError
from catalog.sources.kartverket import heights
from catalog.sources.kartverket.heights import Heights, Model
from infra.simulator.heights import ground
from kernels import utm

OSLO = (262_000.0, 6_649_000.0)
WCS = "/kartverket_wcs/wcs.hoyde-dtm-nhm-25833"
DEMO = {
    "Oslo": (59.91, 10.75),
    "Bergen": (60.39, 5.32),
    "Trondheim": (63.43, 10.39),
    "Tromso": (69.65, 18.96),
    "Finse": (60.60, 7.50),
}
AT_SEA = (58.9, 10.0)
IN_SWEDEN = (60.0, 14.0)
ASKED = {
    "SERVICE": "WCS",
    "VERSION": "1.0.0",
    "REQUEST": "GetCoverage",
    "COVERAGE": "nhm_dtm_topo_25833",
    "CRS": "EPSG:25833",
    "BBOX": "262000,6649000,262100,6649100",
    "WIDTH": "100",
    "HEIGHT": "100",
    "FORMAT": "GeoTIFF",
}


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


async def test_many_answers_make_one_window(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = await window(client, "dom", *OSLO, 300, 2)
    monkeypatch.setattr(heights, "MOST_CELLS", 64)
    pieces = await window(client, "dom", *OSLO, 300, 2)
    np.testing.assert_allclose(pieces.z, whole.z, atol=1e-3)
    assert int(pieces.input["bytes"]) > int(whole.input["bytes"])
    assert pieces.input["sha256"] != whole.input["sha256"]


async def test_the_surface_lies_on_the_ground(client: Any) -> None:
    low, high = await window(client, "dtm", *OSLO, 400, 1), await window(client, "dom", *OSLO, 400, 1)
    assert (high.z - low.z).min() >= -1e-3
    assert np.mean(high.z - low.z > 3) > 0.1


async def test_the_sea_beside_the_land_is_nought_and_further_out_nothing_is_known(client: Any) -> None:
    x, y = (float(value) for value in utm.forward(*AT_SEA))
    near = await window(client, "dtm", round(x), round(y), 1000, 100)
    assert (near.z == 0).all()
    far = await window(client, "dom", -90_000, 6_950_000, 1000, 100)
    assert np.isnan(far.z).all()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"VERSION": "2.0.1"}, "VERSION"),
        ({"COVERAGE": "nhm_dom_topo_25833"}, "COVERAGE"),
        ({"CRS": "EPSG:4326"}, "CRS"),
        ({"WIDTH": "3000"}, "WIDTH"),
        ({"BBOX": "1,2,3"}, "BBOX"),
        ({"BBOX": "0,0,100,100"}, "outside"),
        ({"REQUEST": "GetCapabilities"}, "REQUEST"),
        ({"SERVICE": "WMS"}, "SERVICE"),
    ],
)
async def test_what_the_service_does_not_do_it_says(client: Any, changed: dict[str, str], said: str) -> None:
    answer = await client.get(WCS, params={**ASKED, **changed})
    assert answer.status == 400
    text = await answer.text()
    assert "ServiceException" in text
    assert said in text


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ({"mode": "error", "status": 500}, "HTTP 500"),
        ({"mode": "garbage"}, "answered no GeoTIFF"),
        ({"mode": "empty"}, "answered no GeoTIFF: without a text"),
        ({"mode": "truncate", "how": "file"}, "cannot be read"),
        ({"mode": "truncate"}, "could not be read"),
        ({"mode": "exception"}, "answered no GeoTIFF: Internal error"),
        ({"mode": "wronggrid"}, "something else was asked for"),
        ({"mode": "reset"}, "could not be read"),
    ],
)
async def test_faults_are_one_sentence(
    client: Any, monkeypatch: pytest.MonkeyPatch, rule: dict[str, Any], sentence: str
) -> None:
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.01)
    answer = await client.post("/_misbehave", json={"path": "/kartverket_wcs/*", **rule})
    assert answer.status == 200
    with pytest.raises(SourceError, match=f"^kartverket_wcs: .*{sentence}") as failed:
        await window(client, "dtm", *OSLO, 100, 1)
    assert "BBOX" not in str(failed.value)


async def test_a_slow_service_is_given_up_in_time(client: Any) -> None:
    await client.post("/_misbehave", json={"path": "/kartverket_*", "mode": "slow", "seconds": 5})
    url = str(client.make_url("/kartverket_wcs"))
    with pytest.raises(SourceError, match=r"not read within|could not be read"):
        await asyncio.to_thread(
            heights.window, url, "dtm", 0, 6_700_000, 10, 6_700_010, 1, user_agent="t", deadline=0.2
        )


async def test_others_are_answered_while_heights_are_made(client: Any) -> None:
    big = {**ASKED, "BBOX": "150000,6650000,252400,6752400", "WIDTH": "2048", "HEIGHT": "2048"}
    made = [asyncio.create_task(client.get(WCS, params=big)) for _ in range(3)]
    await asyncio.sleep(0)
    for _ in range(5):
        assert (await client.get("/kartverket_wcs/wcs.hoyde-dom-nhm-25833")).status == 400
    assert not any(task.done() for task in made)
    assert [(await task).status for task in made] == [200] * 3


async def test_a_spike_and_holes_are_no_heights(client: Any) -> None:
    good = await window(client, "dtm", *OSLO, 90, 1)
    for mode, missing in (("spike", 1), ("holes", 23 * 23)):
        await client.post("/_misbehave", json={"path": "/kartverket_wcs/*", "mode": mode, "times": 1})
        found = await window(client, "dtm", *OSLO, 90, 1)
        assert np.count_nonzero(np.isnan(found.z)) == missing
        there = np.isfinite(found.z)
        np.testing.assert_array_equal(found.z[there], good.z[there])
    refused = await client.post("/_misbehave", json={"path": "/met_nordic/*", "mode": "spike"})
    assert refused.status == 400


async def test_there_is_no_other_model(client: Any) -> None:
    assert (await client.get("/kartverket_wcs/wcs.hoyde-dtm-nhm-25832")).status == 404
    with pytest.raises(KeyError):
        await window(client, "dtx", *OSLO, 10, 1)  # type: ignore[arg-type]
