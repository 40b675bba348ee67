"""The server answers like a file server, holds what is out, and starts and stops at once."""

import asyncio
import io
import os
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import h5netcdf
import psutil
import pytest
from aiohttp.test_utils import TestClient

from infra.simulator.files import Files, GenerationError, Maker

MET = "/met_nordic/2015/06/21/met_forecast_1_0km_nordic_20150621T{:02}Z.nc"
AROME = "/arome_metcoop/arome_metcoop_red_{}_5km_20150621_{:02}.nc"
NOON = MET.format(12)


async def test_a_file_whole_and_in_parts(client: TestClient) -> None:
    whole = await client.get(NOON)
    body = await whole.read()
    assert whole.status == 200
    assert whole.headers["X-Data-Origin"] == "simulated"
    assert whole.headers["Accept-Ranges"] == "bytes"
    with h5netcdf.File(io.BytesIO(body)) as file:
        assert file["forecast_reference_time"][()] == datetime(2015, 6, 21, 12, tzinfo=UTC).timestamp()
    head = await client.head(NOON)
    assert head.status == 200
    assert int(head.headers["Content-Length"]) == len(body)
    etag = whole.headers["ETag"]
    assert head.headers["ETag"] == etag
    for wanted, expected in (
        ("bytes=100-299", body[100:300]),
        ("bytes=-50", body[-50:]),
        ("bytes=0-0", body[:1]),
    ):
        part = await client.get(NOON, headers={"Range": wanted, "If-Match": etag})
        assert part.status == 206
        assert await part.read() == expected
        assert part.headers["Content-Range"].endswith(f"/{len(body)}")
        assert part.headers["ETag"] == etag
        assert part.headers["X-Data-Origin"] == "simulated"
    for conditions, status in (
        ({"If-Match": '"other"'}, 412),
        ({"If-Match": etag}, 200),
        ({"If-None-Match": etag}, 304),
        ({"If-Unmodified-Since": "Sat, 01 Jan 2000 00:00:00 GMT"}, 412),
        ({"Range": "bytes=5-4"}, 416),
    ):
        assert (await client.get(NOON, headers=conditions)).status == status, conditions
    beyond = await client.get(NOON, headers={"Range": f"bytes={len(body)}-"})
    assert beyond.status == 416


async def test_what_is_not_held_is_404_and_says_why(client: TestClient) -> None:
    reasons = {
        MET.format(13): "is published at 2015-06-21T13:00:00Z",
        NOON.replace("21", "18"): "held for 72 hours",
        AROME.format("test2", 11): "runs at 00, 06, 12 and 18",
        "/met_nordic/latest.nc": "no such file",
        MET.format(24): "no such file",
    }
    for path, reason in reasons.items():
        answer = await client.get(path)
        assert answer.status == 404, path
        assert reason in await answer.text()
        assert answer.headers["X-Data-Origin"] == "simulated"


async def test_index_explains(client: TestClient) -> None:
    text = await (await client.get("/")).text()
    for word in ("SIMULATED", "2015-06-21T12:30:00Z", "displacement", "/_misbehave", "wronggrid"):
        assert word in text


HOURS = [datetime(2015, 12, 21, hour, tzinfo=UTC) for hour in range(3)]


@pytest.fixture
async def maker() -> AsyncIterator[Maker]:
    making = Maker()
    yield making
    await making.close()


def _stubbed(folder: Path, maker: Maker, keep: int = 12, **options: object) -> Files:
    return Files(folder, "60", maker, "tests.infra.simulator.made_files:make", keep, **options)


def _made(files: Files) -> list[str]:
    return [name.split("T")[1][:2] for name in (files.folder / "made.log").read_text().split()]


async def test_asked_twice_at_once_a_file_is_made_once(tmp_path: Path, maker: Maker) -> None:
    files = _stubbed(tmp_path, maker)
    paths = await asyncio.gather(*(files.get("met_nordic", HOURS[i % 2]) for i in range(6)))
    assert len(set(paths)) == 2
    assert _made(files) == ["00", "01"]


@pytest.mark.parametrize(
    ("fault", "said"),
    [("no such spacing", "could not be made: OSError: no such spacing"), ("death", r"its process ended \(exit 3\)")],
)
async def test_a_file_that_cannot_be_made_says_why_and_the_next_one_is_made(
    tmp_path: Path, maker: Maker, fault: str, said: str
) -> None:
    with pytest.raises(GenerationError, match=said):
        await _stubbed(tmp_path, maker, fault=fault).get("met_nordic", HOURS[0])
    assert (await _stubbed(tmp_path, maker).get("met_nordic", HOURS[0])).exists()


async def test_files_on_disk_are_bounded(tmp_path: Path, maker: Maker) -> None:
    files = _stubbed(tmp_path, maker, keep=2)
    first = await files.get("met_nordic", HOURS[0])
    await files.get("met_nordic", HOURS[1])
    await files.get("met_nordic", HOURS[0])
    third = await files.get("met_nordic", HOURS[2])
    assert set(files.folder.glob("*.nc")) == {first, third}, "the one read longest ago went"
    await files.get("met_nordic", HOURS[1])
    assert _made(files) == ["00", "01", "02", "01"]


def test_it_starts_light_and_stops_in_the_middle_of_making_a_file(
    tmp_path: Path, free_port: Callable[[], int], eventually: Callable[..., Any]
) -> None:
    port = free_port()
    given = {"SOLFLIS_CLOCK": "2015-06-21T12:30:00Z", "SOLFLIS_STATE": str(tmp_path)}
    # at 2.5 km a file takes 15 s
    command = [sys.executable, "-m", "infra.cli", "simulator", "--port", str(port), "--spacing-km", "2.5"]
    with psutil.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **given}) as process:
        assert process.stdout.readline().startswith(f"simulator: http://127.0.0.1:{port}")
        assert not [each.path for each in process.memory_maps() if "h5py" in each.path or "scipy" in each.path]
        with socket.create_connection(("127.0.0.1", port)) as asking:
            asking.sendall(f"GET {NOON} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            [child] = eventually(process.children)
            started = time.monotonic()
            process.terminate()
            assert process.wait(timeout=30) == 0
        assert time.monotonic() - started < 6
        assert not child.is_running()
    assert not list(tmp_path.rglob("*.nc*")), "nothing half-made stays"
