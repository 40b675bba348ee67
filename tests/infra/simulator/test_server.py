"""The server answers like a file server, holds what is out, and starts and stops at once."""

import asyncio
import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import h5netcdf
import pytest
from aiohttp.test_utils import TestClient, TestServer

from infra.simulator.files import Files, GenerationError, Maker
from infra.simulator.server import create_app, parse_path, unavailable
from tiles.clock import Clock

ROOT = Path(__file__).resolve().parents[3]
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
    beyond = await client.get(NOON, headers={"Range": f"bytes={len(body)}-"})
    assert beyond.status == 416


async def test_conditional_requests(client: TestClient) -> None:
    etag = (await client.head(NOON)).headers["ETag"]
    assert (await client.get(NOON, headers={"If-Match": '"other"'})).status == 412
    assert (await client.get(NOON, headers={"If-Match": etag})).status == 200
    assert (await client.get(NOON, headers={"If-None-Match": etag})).status == 304
    assert (await client.head(MET.format(11))).headers["ETag"] != etag


async def test_both_arome_files(client: TestClient) -> None:
    for kind in ("test2", "default2"):
        answer = await client.get(AROME.format(kind, 6))
        assert answer.status == 200
        assert (await answer.read())[:4] == b"\x89HDF"


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


def test_paths() -> None:
    hour = datetime(2015, 6, 21, 6, tzinfo=UTC)
    assert parse_path(MET.format(6)) == ("met_nordic", hour)
    assert parse_path(AROME.format("default2", 6)) == ("arome_metcoop_default2", hour)
    for wrong in (
        MET.format(6).replace("/06/", "/07/"),
        AROME.format("extra", 6),
        AROME.format("test2", 6).replace("0621", "0231"),
        "/met_nordic/../met_nordic/x.nc",
    ):
        assert parse_path(wrong) is None, wrong


def test_held_from_its_hour_for_72_hours() -> None:
    hour = datetime(2015, 6, 21, 6, tzinfo=UTC)
    held = {
        timedelta(minutes=-1): False,
        timedelta(): True,
        timedelta(hours=72): True,
        timedelta(hours=72, seconds=1): False,
    }
    for age, there in held.items():
        assert (unavailable("met_nordic", hour, hour + age) is None) is there, age


HOURS = [datetime(2015, 12, 21, hour, tzinfo=UTC) for hour in range(3)]


@pytest.fixture
async def maker() -> AsyncIterator[Maker]:
    making = Maker()
    yield making
    await making.close()


def _stubbed(folder: Path, maker: Maker, keep: int = 12, **options: object) -> Files:
    return Files(folder, "60", maker, "tests.support.simulated_files:make", keep, **options)


def _made(files: Files) -> list[str]:
    return [name.split("T")[1][:2] for name in (files.folder / "made.log").read_text().split()]


async def test_asked_twice_it_is_made_once(tmp_path: Path, maker: Maker) -> None:
    files = _stubbed(tmp_path, maker)
    paths = await asyncio.gather(*(files.get("met_nordic", HOURS[i % 2]) for i in range(6)))
    assert len(set(paths)) == 2
    await files.get("met_nordic", HOURS[0])
    assert _made(files) == ["00", "01"]


async def test_files_on_disk_are_bounded(tmp_path: Path, maker: Maker) -> None:
    files = _stubbed(tmp_path, maker, keep=2)
    first = await files.get("met_nordic", HOURS[0])
    await files.get("met_nordic", HOURS[1])
    await files.get("met_nordic", HOURS[0])
    third = await files.get("met_nordic", HOURS[2])
    assert set(files.folder.glob("*.nc")) == {first, third}, "the one read longest ago went"
    await files.get("met_nordic", HOURS[1])
    assert _made(files) == ["00", "01", "02", "01"]


async def test_files_of_other_settings_count_among_those_kept(tmp_path: Path, maker: Maker) -> None:
    other = Files(tmp_path, "other", maker, "tests.support.simulated_files:make", keep=2)
    old = await other.get("met_nordic", HOURS[0])
    files = _stubbed(tmp_path, maker, keep=2)
    paths = [await files.get("met_nordic", hour) for hour in HOURS[:2]]
    assert (old.exists(), *(path.exists() for path in paths)) == (False, True, True)


async def test_a_failed_generation_says_why_and_is_tried_again(tmp_path: Path, maker: Maker) -> None:
    failing = _stubbed(tmp_path, maker, fault="no such spacing")
    for _ in range(2):
        with pytest.raises(GenerationError, match=r"could not be made: OSError: no such spacing"):
            await failing.get("met_nordic", HOURS[0])
    assert (await _stubbed(tmp_path, maker).get("met_nordic", HOURS[0])).exists(), "the next file is made"


async def test_a_maker_that_dies_is_told_and_replaced(tmp_path: Path, maker: Maker) -> None:
    with pytest.raises(GenerationError, match=r"its process ended \(exit 3\)"):
        await _stubbed(tmp_path, maker, fault="death").get("met_nordic", HOURS[0])
    assert (await _stubbed(tmp_path, maker).get("met_nordic", HOURS[0])).exists()


async def test_a_failed_generation_is_a_500_with_its_reason(tmp_path: Path) -> None:
    app = create_app(Clock.parse("2015-06-21T12:30:00Z!"), tmp_path, 5000)  # coarser than can be made
    async with TestClient(TestServer(app)) as client:
        answer = await client.get(NOON)
        assert answer.status == 500
        assert "can be made" in await answer.text()


def _start(state: Path, spacing_km: float) -> tuple[subprocess.Popen[str], str]:
    code = (
        "from pathlib import Path; from infra.simulator.server import main; from tiles.clock import Clock; "
        f"main('127.0.0.1', 0, Clock.parse('2015-06-21T12:30:00Z'), Path({str(state)!r}), {spacing_km})"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout is not None
    return process, process.stdout.readline()


def test_starts_light_and_stops_in_the_middle_of_making_a_file(tmp_path: Path) -> None:
    process, line = _start(tmp_path, 2.5)  # a file takes 15 s
    try:
        assert line.startswith("simulator: http://127.0.0.1:")
        port = int(line.split(":")[3].split("/")[0])
        maps = Path(f"/proc/{process.pid}/maps").read_text()
        assert "h5py" not in maps
        assert "scipy" not in maps
        request = f"GET {NOON} HTTP/1.1\r\nHost: x\r\n\r\n"
        asking = subprocess.Popen(
            [sys.executable, "-c", _ASK.format(port=port, request=request)], stdout=subprocess.PIPE
        )
        child = _wait_for_child(process.pid)
        started = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0
        assert time.monotonic() - started < 6
        assert not Path(f"/proc/{child}").exists()
        asking.wait(timeout=10)
        assert asking.stdout is not None
        asking.stdout.close()
        assert not [path for path in tmp_path.rglob("*") if path.is_file()], "nothing half-made stays"
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        assert process.stdout is not None
        process.stdout.close()


_ASK = "import socket; s = socket.create_connection(('127.0.0.1', {port})); s.sendall({request!r}.encode()); s.recv(9)"


def _wait_for_child(pid: int) -> int:
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        if children:
            return int(children[0])
        os.sched_yield()
        time.sleep(0.02)
    pytest.fail("no child began to make the file")
