"""The simulated climate archives: their files, of which cells they are, their weather, and their faults."""

import asyncio
import io
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import h5netcdf
import numpy as np
import pytest
from aiohttp.test_utils import TestClient, TestServer
from numpy.typing import NDArray

from catalog.sources import http
from catalog.sources.climate_archive import ArchiveMonth, open_month
from catalog.sources.errors import NotYetAvailable, SourceError
from infra.simulator.archive import FIELDS, grid_of, make_month_file
from infra.simulator.archive_error import BIAS_LIMIT, regional_bias
from infra.simulator.server import create_app, parse_path
from infra.simulator.weather import true_hour_mean_ghi, truth
from tests.infra.simulator.conftest import SPACING_KM
from tiles.clock import Clock

NORA3 = "/nora3/arome3km_1hr_200506.nc"
SARAH3 = "/sarah3/SIShm200506010000004231000101MA.nc"
JUNE = datetime(2005, 6, 1, tzinfo=UTC)
OSLO, BERGEN, NOWHERE = (59.91, 10.75), (60.39, 5.32), (60.5, 8.8)
TROMSO_STATION = (69.654, 18.910)
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
    rows = np.array([4, 5, 8, 12])
    columns = np.array([8, 9, 6, 14])
    lat, lon = grid_of(opened.archive.name, SPACING_KM).places(rows, columns)
    return rows * opened.x.size + columns, lat, lon


async def test_a_month_is_answered_whole_and_in_parts(client: TestClient) -> None:
    whole = await client.get(NORA3)
    body, etag = await whole.read(), whole.headers["ETag"]
    assert (whole.status, whole.headers["X-Data-Origin"]) == (200, "simulated")
    part = await client.get(NORA3, headers={"Range": "bytes=100-299", "If-Match": etag})
    assert (part.status, await part.read()) == (206, body[100:300])
    assert part.headers["Content-Range"] == f"bytes 100-299/{len(body)}"
    assert (part.headers["ETag"], part.headers["X-Data-Origin"]) == (etag, "simulated")
    assert (await client.get(NORA3, headers={**FRONT, "If-Match": '"other"'})).status == 412
    assert (await client.get(NORA3, headers={**FRONT, "If-None-Match": etag})).status == 304
    early = {**FRONT, "If-Unmodified-Since": "Sat, 01 Jan 2000 00:00:00 GMT"}
    assert (await client.get(NORA3, headers=early)).status == 412
    assert (await client.get(NORA3, headers={"Range": f"bytes={len(body)}-"})).status == 416
    assert (await client.get(NORA3, headers={"Range": "bytes=5-4"})).status == 416
    last = await client.get(NORA3, headers={"Range": "bytes=-10"})
    assert await last.read() == body[-10:]


@pytest.mark.parametrize(
    ("path", "named"),
    [
        (NORA3, ("nora3", JUNE)),
        (SARAH3, ("sarah3", JUNE)),
        ("/nora3/arome3km_1hr_200513.nc", None),
        ("/nora3/SIShm200506010000004231000101MA.nc", None),
        ("/sarah3/arome3km_1hr_200506.nc", None),
        ("/nora3/arome3km_1hr_20050.nc", None),
    ],
)
def test_names(path: str, named: object) -> None:
    assert parse_path(path) == named


async def test_months_beyond_the_archive_are_not_there(client: TestClient) -> None:
    for path in (NORA3.replace("200506", "199011"), NORA3.replace("200506", "202602"), "/nora3/other.nc"):
        assert (await client.head(path)).status == 404
    for path in (NORA3.replace("200506", "199012"), SARAH3.replace("200506", "202601")):
        assert (await client.head(path)).status == 200
    with pytest.raises(NotYetAvailable, match=r"199011\.nc answered HTTP 404"):
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
    assert receipt["bytes_read"] < receipt["bytes"] / 10


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
    for kind in FIELDS:
        factors = np.array([regional_bias(kind, lat, lon, month) for month in range(1, 13)])
        assert np.abs(factors - 1).max() < BIAS_LIMIT
        assert np.abs(np.diff(factors, axis=1)).max() < 0.002, "in 11 km"
        assert np.ptp(factors) > 0.05


@pytest.mark.parametrize("kind", list(FIELDS))
def test_written_again_it_is_the_same_file(kind: str, tmp_path: Path) -> None:
    paths = tmp_path / "one.nc", tmp_path / "two.nc"
    for path in paths:
        make_month_file(path, kind, JUNE, 400.0, [OSLO])
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert paths[0].stat().st_mtime == paths[1].stat().st_mtime == JUNE.timestamp()


async def test_areas_of_an_earlier_start_still_have_data(tmp_path: Path) -> None:
    """Cells that are published of them are read again with the block in which a new area lies."""
    for area in (OSLO, BERGEN):
        app = create_app(Clock.parse("2015-06-21T12:30:00Z!"), tmp_path, 400.0, areas=[area])
        async with TestClient(TestServer(app)) as client:
            body = await (await client.get(NORA3)).read()
    grid = grid_of("nora3", 12.0)
    with h5netcdf.File(io.BytesIO(body)) as file:
        stored = file["air_temperature_2m"]
        for place, there in ((OSLO, True), (BERGEN, True), (NOWHERE, False)):
            x, y, _, _ = grid.middle(*place)
            value = stored[12, 0, np.abs(grid.y - y).argmin(), np.abs(grid.x - x).argmin()]
            assert bool(value < 400) is there, place


async def test_any_reader_finds_a_netcdf_file(client: TestClient) -> None:
    for path, names in (
        (NORA3, {field.name for field in FIELDS["nora3"]} | {"latitude", "longitude", "altitude", "x", "y"}),
        (SARAH3, {"SIS", "lat", "lon", "time", "time_bnds"}),
    ):
        with h5netcdf.File(io.BytesIO(await (await client.get(path)).read())) as file:
            assert names <= set(file.variables)
            assert file.attrs["data_origin"] == "simulated"
            assert "SIMULATED" in file.attrs["title"]
            assert file.attrs["simulated_spacing"] > file.attrs["real_spacing"]
            assert file["time"].shape == (720,)
            assert all(np.isfinite(file[field.name][0]).all() for field in FIELDS[path.split("/")[1]])


@pytest.mark.parametrize(("kind", "place"), [("nora3", OSLO), ("sarah3", OSLO), ("nora3", TROMSO_STATION)])
def test_a_file_holds_the_areas_and_stations_and_nothing_far_from_them(
    kind: str, place: tuple[float, float], tmp_path: Path
) -> None:
    """A square of 12 km, in whatever projection, finds its nearest cells."""
    make_month_file(tmp_path / "month.nc", kind, JUNE, 12.0, [OSLO])
    grid, field = grid_of(kind, 12.0), FIELDS[kind][0]
    away = 0.08 if place == OSLO else 0.02
    with h5netcdf.File(tmp_path / "month.nc") as file:
        stored = file[field.name]
        for north, east in ((0, 0), (1, 2), (1, -2), (-1, 2), (-1, -2)):
            x, y, _, _ = grid.middle(place[0] + away * north, place[1] + away * east)
            cell = (0,) * (stored.ndim - 3), np.abs(grid.y - y).argmin(), np.abs(grid.x - x).argmin()
            assert 0 <= stored[(12, *cell[0], *cell[1:])] < 1e7
        x, y, _, _ = grid.middle(*NOWHERE)
        cell = (0,) * (stored.ndim - 3), np.abs(grid.y - y).argmin(), np.abs(grid.x - x).argmin()
        assert stored[(12, *cell[0], *cell[1:])] == stored.attrs["_FillValue"]
        assert (tmp_path / "month.nc").stat().st_size < 2_000_000


FAULTS: tuple[tuple[dict[str, Any], str], ...] = (
    ({"mode": "error", "status": 503}, "HTTP 503"),
    ({"mode": "reset"}, "could not be read"),
    ({"mode": "truncate", "how": "file"}, "truncated"),
    ({"mode": "truncate", "fraction": 0.4}, "could not be read"),
    ({"mode": "garbage"}, "is not a NetCDF4 file"),
    ({"mode": "empty"}, "is empty"),
    ({"mode": "stale"}, "does not hold the 720 hours of 2005-06"),
    ({"mode": "wronggrid"}, "a corner are 100 km off"),
    ({"mode": "notfound"}, "200506.nc answered HTTP 404"),
)


async def test_faults_are_told_in_one_sentence(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.001)
    for fault, said in FAULTS:
        await client.post("/_misbehave", json={"path": "/nora3/*", **fault})
        with pytest.raises(SourceError) as caught:
            await month_of(client, "nora3", lambda opened: opened.read(np.array([200])))
        assert said in str(caught.value), fault
        assert "\n" not in str(caught.value)
        await client.delete("/_misbehave")


async def test_a_passing_fault_is_outlived(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.001)
    good = await month_of(client, "nora3", lambda opened: opened.read(np.array([200]))["ghi"])
    await client.post("/_misbehave", json={"path": "/nora3/*", "mode": "error", "times": 2})
    again = await month_of(client, "nora3", lambda opened: opened.read(np.array([200]))["ghi"])
    np.testing.assert_array_equal(again, good)
    await client.post("/_misbehave", json={"path": "/nora3/*", "mode": "slow", "seconds": 0.2, "times": 1})
    begun = time.monotonic()
    assert (await client.head(NORA3)).status == 200
    assert time.monotonic() - begun > 0.2
