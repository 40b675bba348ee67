"""Each fault is what it says, for as many requests as were asked, and then it is over."""

import io
import time
from typing import Any

import aiohttp
import h5netcdf
import h5py
import pytest
from aiohttp.test_utils import TestClient

PATH = "/met_nordic/2015/06/21/met_forecast_1_0km_nordic_20150621T12Z.nc"


async def misbehave(client: TestClient, **rule: Any) -> None:
    answer = await client.post("/_misbehave", json={"path": PATH, **rule})
    assert answer.status == 200, await answer.text()


async def good(client: TestClient) -> bytes:
    answer = await client.get(PATH)
    assert answer.status == 200
    return await answer.read()


@pytest.mark.parametrize(
    ("rule", "status"),
    [({"mode": "error", "status": 503}, 503), ({"mode": "notfound"}, 404)],
)
async def test_statuses(client: TestClient, rule: dict[str, Any], status: int) -> None:
    await misbehave(client, **rule, times=2)
    for _ in range(2):
        assert (await client.get(PATH)).status == status
    assert (await client.get(PATH)).status == 200


async def test_truncated_connection(client: TestClient) -> None:
    whole = await good(client)
    await misbehave(client, mode="truncate", fraction=0.25, times=2)
    answer = await client.get(PATH)
    assert int(answer.headers["Content-Length"]) == len(whole)
    with pytest.raises(aiohttp.ClientPayloadError):
        await answer.read()
    part = await client.get(PATH, headers={"Range": "bytes=1000-1999"})
    assert part.status == 206
    assert part.headers["Content-Range"] == f"bytes 1000-1999/{len(whole)}"
    with pytest.raises(aiohttp.ClientPayloadError):
        await part.read()
    assert await good(client) == whole


async def test_truncated_file(client: TestClient) -> None:
    whole = await good(client)
    await misbehave(client, mode="truncate", how="file", fraction=0.5)
    answer = await client.get(PATH)
    assert await answer.read() == whole[: len(whole) // 2]
    part = await client.get(PATH, headers={"Range": f"bytes={len(whole) - 10}-"})
    assert part.status == 416
    etags = {answer.headers["ETag"]}
    await client.delete("/_misbehave")
    etags.add((await client.head(PATH)).headers["ETag"])
    assert len(etags) == 2


async def test_stale(client: TestClient) -> None:
    await misbehave(client, mode="stale", hours=3, times=1)
    reference = []
    for _ in range(2):
        with h5netcdf.File(io.BytesIO(await good(client))) as file:
            reference.append(float(file["forecast_reference_time"][()]))
    assert reference[1] - reference[0] == 3 * 3600


async def test_slow(client: TestClient) -> None:
    await good(client)
    await misbehave(client, mode="slow", seconds=0.4, times=1)
    started = time.monotonic()
    await good(client)
    assert time.monotonic() - started >= 0.4


@pytest.mark.parametrize("mode", ["garbage", "empty"])
async def test_no_netcdf(client: TestClient, mode: str) -> None:
    await misbehave(client, mode=mode, times=1)
    body = await (await client.get(PATH)).read()
    assert (len(body) > 0) is (mode == "garbage")
    with pytest.raises(OSError, match=r"signature|file"):
        h5py.File(io.BytesIO(body), "r")


async def test_reset(client: TestClient) -> None:
    await good(client)
    # HEAD and GET: an idempotent request is tried again by the client, so the fault must outlast that
    await misbehave(client, mode="reset")
    with pytest.raises(aiohttp.ClientConnectionError):
        await client.get(PATH)
    await client.delete("/_misbehave")
    await good(client)


async def test_globs_order_list_and_delete(client: TestClient) -> None:
    await misbehave(client, path="/arome_metcoop/*", mode="error")
    await misbehave(client, path="/met_nordic/*T12Z.nc", mode="error", status=502, times=1)
    await misbehave(client, path="*", mode="notfound")
    assert (await client.get(PATH)).status == 502
    assert (await client.get(PATH)).status == 404
    listed = await (await client.get("/_misbehave")).json()
    assert [rule["mode"] for rule in listed] == ["error", "notfound"]
    assert await (await client.delete("/_misbehave")).json() == []
    assert (await client.get(PATH)).status == 200


@pytest.mark.parametrize(
    "rule",
    [
        [],
        {"mode": "error"},
        {"path": "*", "mode": "explode"},
        {"path": 1, "mode": "error"},
        {"path": "*", "mode": "error", "status": 200},
        {"path": "*", "mode": "error", "times": 0},
        {"path": "*", "mode": "truncate", "fraction": 1},
        {"path": "*", "mode": "error", "tmies": 1},
        {"path": "/met_nordic/*", "mode": "spike"},
        {"path": "/frost/*", "mode": "short"},
        {"path": "/ar5", "mode": "lonlat"},
        {"path": "/corine", "mode": "cut"},
        {"path": "/kartverket_wcs/*", "mode": "cut"},
        {"path": "/met_nordic/*", "mode": "holes"},
        {"path": "/frost/*", "mode": "exception"},
        {"path": "*", "mode": "exception"},
    ],
)
async def test_nonsense_is_refused(client: TestClient, rule: Any) -> None:
    answer = await client.post("/_misbehave", json=rule)
    assert answer.status == 400
    assert (await answer.json())["error"]
    assert await (await client.get("/_misbehave")).json() == []
