"""The simulated climate archives: parts of files that were never made whole, their weather, and their faults."""

import asyncio
import io
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from aiohttp.test_utils import TestClient
from numpy.typing import NDArray

from catalog.sources import http
from catalog.sources.climate_archive import ArchiveMonth, open_month
from catalog.sources.errors import NotYetAvailable, SourceError
from infra.simulator.archive import KINDS, grid_of, piece
from infra.simulator.archive_error import BIAS_LIMIT, regional_bias
from infra.simulator.archive_server import parse_name
from infra.simulator.archive_store import ArchiveStore
from infra.simulator.files import GenerationError
from infra.simulator.weather import true_hour_mean_ghi, truth

NORA3 = "/nora3/arome3km_1hr_200506.nc"
SARAH3 = "/sarah3/SIShm200506010000004231000101MA.nc"
FRONT = {"Range": "bytes=0-262143"}
Read = Callable[[ArchiveMonth], Any]


def month_of(client: TestClient, archive: str, use: Read, year: int = 2005, month: int = 6) -> Awaitable[Any]:
    """Open a month as a builder does, in another thread, and use it."""

    def work() -> Any:
        url = str(client.make_url(f"/{archive}"))
        with open_month(archive, url, year, month, user_agent="test", deadline_s=20) as opened:
            return use(opened)

    return asyncio.to_thread(work)


def some_places(opened: ArchiveMonth) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Return cells that lie apart, and their latitudes and longitudes."""
    rows = np.array([20, 21, 40, 60])
    columns = np.array([40, 41, 30, 70])
    lat, lon = grid_of(opened.archive.name, 12.0).places(rows, columns)
    return rows * opened.x.size + columns, lat, lon


async def test_a_month_is_answered_in_parts_and_never_whole(client: TestClient) -> None:
    head = await client.head(NORA3)
    size, etag = int(head.headers["Content-Length"]), head.headers["ETag"]
    assert head.status == 200
    assert size > 300_000_000, "a national month"
    assert head.headers["X-Data-Origin"] == "simulated"
    whole = await client.get(NORA3)
    assert whole.status == 403
    assert "Range" in await whole.text()
    too_much = await client.get(NORA3, headers={"Range": "bytes=0-"})
    assert too_much.status == 403
    part = await client.get(NORA3, headers={"Range": "bytes=100-299", "If-Match": etag})
    assert (part.status, len(await part.read())) == (206, 200)
    assert part.headers["Content-Range"] == f"bytes 100-299/{size}"
    assert (part.headers["ETag"], part.headers["X-Data-Origin"]) == (etag, "simulated")
    assert (await client.get(NORA3, headers={**FRONT, "If-Match": '"other"'})).status == 412
    assert (await client.get(NORA3, headers={**FRONT, "If-None-Match": etag})).status == 304
    early = {**FRONT, "If-Unmodified-Since": "Sat, 01 Jan 2000 00:00:00 GMT"}
    assert (await client.get(NORA3, headers=early)).status == 412
    assert (await client.get(NORA3, headers={"Range": f"bytes={size}-"})).status == 416
    assert (await client.get(NORA3, headers={"Range": "bytes=5-4"})).status == 416
    last = await client.get(NORA3, headers={"Range": "bytes=-10"})
    assert len(await last.read()) == 10


@pytest.mark.parametrize(
    ("path", "named"),
    [
        (NORA3, ("nora3", 2005, 6)),
        (SARAH3, ("sarah3", 2005, 6)),
        ("/nora3/arome3km_1hr_200513.nc", None),
        ("/nora3/SIShm200506010000004231000101MA.nc", None),
        ("/sarah3/arome3km_1hr_200506.nc", None),
        ("/nora3/arome3km_1hr_20050.nc", None),
    ],
)
def test_names(path: str, named: object) -> None:
    assert parse_name(path) == named


async def test_months_beyond_the_archive_are_not_there(client: TestClient) -> None:
    for path in (NORA3.replace("200506", "199011"), NORA3.replace("200506", "202602"), "/nora3/other.nc"):
        assert (await client.head(path)).status == 404
    for path in (NORA3.replace("200506", "199012"), SARAH3.replace("200506", "202601")):
        assert (await client.head(path)).status == 200
    with pytest.raises(NotYetAvailable, match="the archive has no 1990-11"):
        await month_of(client, "nora3", lambda opened: None, 1990, 11)


async def test_the_reanalysis_is_the_truth_with_its_bias(client: TestClient) -> None:
    def use(opened: ArchiveMonth) -> Any:
        points, lat, lon = some_places(opened)
        return opened, points, lat, lon, opened.read(points), opened.altitude(points), opened.receipt()

    opened, _, lat, lon, values, heights, receipt = await month_of(client, "nora3", use)
    assert (opened.missing_variables, opened.data_origin) == ((), "simulated")
    expected = true_hour_mean_ghi(lat, lon, opened.hours)
    factor = values["ghi"].sum(axis=0) / expected.sum(axis=0)
    np.testing.assert_allclose(factor, regional_bias("nora3", lat, lon, 6), atol=0.02)
    assert np.abs(factor - 1).max() > 0.02, "stations have something to find"
    assert np.corrcoef(values["ghi"].ravel(), expected.ravel())[0, 1] > 0.97
    weather = truth(lat, lon, opened.instants)
    for name, true, near in (
        ("temp_air", weather["temp_air"], 0.6),
        ("rel_hum", 100 * weather["relative_humidity"], 6),
        ("wind_speed", weather["wind_speed"], 0.6),
        ("mslp", weather["mslp"], 0.5),
    ):
        assert np.abs(values[name] - true).mean() < near, name
    assert heights is not None
    assert heights.max() > 200
    assert receipt["bytes_read"] < 3_000_000, "of 400 MB"


async def test_the_solar_model_is_nearer_and_ends_at_65_north(client: TestClient) -> None:
    def use(opened: ArchiveMonth) -> Any:
        points, lat, lon = some_places(opened)
        return opened, lat, lon, opened.read(points)["ghi"]

    opened, lat, lon, ghi = await month_of(client, "sarah3", use, month=3)
    assert opened.variables == ("ghi",)
    assert opened.instants.size == 0
    assert opened.y[-1] < 65
    assert opened.proj4 == "EPSG:4326"
    expected = true_hour_mean_ghi(lat, lon, opened.hours)
    factor = ghi.sum(axis=0) / expected.sum(axis=0)
    np.testing.assert_allclose(factor, regional_bias("sarah3", lat, lon, 3), atol=0.012)
    assert np.corrcoef(ghi.ravel(), expected.ravel())[0, 1] > 0.99


def test_the_bias_varies_slowly_and_stays_small() -> None:
    lat, lon = np.meshgrid(np.arange(57, 71.5, 0.1), np.arange(4, 31.5, 0.2), indexing="ij")
    for kind in KINDS:
        factors = np.array([regional_bias(kind, lat, lon, month) for month in range(1, 13)])
        assert np.abs(factors - 1).max() < BIAS_LIMIT
        assert np.abs(np.diff(factors, axis=1)).max() < 0.002, "in 11 km"
        assert np.ptp(factors) > 0.05


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_piece_is_the_same_whenever_and_beside_whatever_it_is_made(kind: str) -> None:
    """So that a range read twice is the same, whatever was made in between."""
    grid = grid_of(kind, 60.0)
    number = 1
    first = [field.tobytes() for field in piece(kind, 2005, 6, grid, number)]
    piece(kind, 2005, 6, grid, number + 1)
    assert [field.tobytes() for field in piece(kind, 2005, 6, grid, number)] == first


async def test_any_reader_finds_a_netcdf_file(client: TestClient) -> None:
    """The front of a file, filled up with zeros to its length, is what h5py understands."""
    for path, names in (
        (NORA3, {field.name for field in KINDS["nora3"].fields} | {"latitude", "longitude", "altitude", "x", "y"}),
        (SARAH3, {"SIS", "lat", "lon", "time", "time_bnds"}),
    ):
        size = int((await client.head(path)).headers["Content-Length"])
        front = await (await client.get(path, headers={"Range": "bytes=0-1048575"})).read()
        with h5py.File(_Sparse(front, size), "r") as file:
            assert names <= set(file)
            assert file.attrs["data_origin"] == "simulated"
            assert "SIMULATED" in file.attrs["title"]
            assert file.attrs["simulated_spacing"] > file.attrs["real_spacing"]
            assert file["time"].shape == (720,)


class _Sparse(io.RawIOBase):
    """The front of a file, and zeros to its end."""

    def __init__(self, front: bytes, size: int) -> None:
        self._front, self._size, self._at = front, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset + {0: 0, 1: self._at, 2: self._size}[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        length = max(0, min(len(buffer), self._size - self._at))
        held = self._front[self._at : self._at + length]
        buffer[:length] = held + bytes(length - len(held))
        self._at += length
        return length


FAULTS: tuple[tuple[dict[str, Any], str], ...] = (
    ({"mode": "error", "status": 503}, "HTTP 503"),
    ({"mode": "reset"}, "could not be read"),
    ({"mode": "truncate", "how": "file"}, "truncated"),
    ({"mode": "truncate", "fraction": 0.4}, "could not be read"),
    ({"mode": "garbage"}, "is not a NetCDF4 file"),
    ({"mode": "empty"}, "is empty"),
    ({"mode": "stale"}, "holds 2005-05, not 2005-06"),
    ({"mode": "wronggrid"}, "a corner are 100 km off"),
    ({"mode": "notfound"}, "the archive has no 2005-06"),
)


async def test_faults_are_told_in_one_sentence(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.001)
    for fault, said in FAULTS:
        await client.post("/_misbehave", json={"path": "/nora3/*", **fault})
        with pytest.raises(SourceError) as caught:
            await month_of(client, "nora3", lambda opened: opened.read(np.array([5000])))
        assert said in str(caught.value), fault
        assert "\n" not in str(caught.value)
        await client.delete("/_misbehave")


async def test_a_passing_fault_is_outlived(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.001)
    good = await month_of(client, "nora3", lambda opened: opened.read(np.array([5000]))["ghi"])
    await client.post("/_misbehave", json={"path": "/nora3/*", "mode": "error", "times": 2})
    again = await month_of(client, "nora3", lambda opened: opened.read(np.array([5000]))["ghi"])
    np.testing.assert_array_equal(again, good)
    await client.post("/_misbehave", json={"path": "/nora3/*", "mode": "slow", "seconds": 0.2, "times": 1})
    begun = time.monotonic()
    assert (await client.head(NORA3)).status == 200
    assert time.monotonic() - begun > 0.2


async def test_a_child_that_dies_is_told_and_replaced(tmp_path: Path) -> None:
    store = ArchiveStore(60.0)
    month = ("sarah3", 2005, 6)
    try:
        file = await store.month(month)
        child = store._child
        assert child is not None
        child.kill()
        await child.wait()
        assert len(await file.read(file.size - 100, file.size)) == 100, "another one was started"
        with pytest.raises(GenerationError, match="could not be made"):
            await store.month(("sarah3", 2005, 13))
        assert await store.pieces(month, [0]), "the next question is answered"
    finally:
        await store.close()
    broken = ArchiveStore(60.0, ("/bin/false",))
    with pytest.raises(GenerationError, match="ended"):
        await broken.month(month)
    await broken.close()


async def test_a_piece_is_made_once_for_all_its_fields(tmp_path: Path) -> None:
    store = ArchiveStore(60.0)
    try:
        file = await store.month(("nora3", 2005, 6))
        asked: list[object] = []
        ask = store._ask
        store._ask = lambda question: asked.append(question) or ask(question)  # type: ignore[method-assign,func-returns-value]
        for field in file._fields:
            await file.read(field["first"], field["first"] + 100)
        assert len(asked) == 1
    finally:
        await store.close()
