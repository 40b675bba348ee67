"""The simulated climate archives: their files, of which cells they are, their weather, and their faults."""

import asyncio
import io
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import h5netcdf
import numpy as np
import pytest
from aiohttp.test_utils import TestClient, TestServer
from numpy.typing import NDArray

from catalog.sources.climate_archive import ArchiveMonth, open_month
from catalog.sources.errors import NotYetAvailable, SourceError
from infra.simulator.archive import FIELDS, grid_of, make_month_file
from infra.simulator.archive_error import regional_bias
from infra.simulator.server import create_app
from infra.simulator.weather import true_hour_mean_ghi, truth
from tests.infra.simulator.conftest import SPACING_KM
from tiles.clock import Clock

NORA3 = "/nora3/arome3km_1hr_200506.nc"
SARAH3 = "/sarah3/SIShm200506010000004231000101MA.nc"
JUNE = datetime(2005, 6, 1, tzinfo=UTC)
AREA_SPACING_KM = 30.0
OSLO, BERGEN, NOWHERE = (59.91, 10.75), (60.39, 5.32), (60.5, 8.8)
TROMSO_STATION = (69.654, 18.910)
Read = Callable[[ArchiveMonth], Any]


def month_of(client: TestClient, archive: str, use: Read, year: int = 2005, month: int = 6) -> Awaitable[Any]:
    """Open a month as a builder does, in another thread, and use it."""

    def work() -> Any:
        url = str(client.make_url(f"/{archive}"))
        with open_month(archive, url, year, month, user_agent="test", deadline_s=60) as opened:
            return use(opened)

    return asyncio.to_thread(work)


def some_places(opened: ArchiveMonth) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Return cells that lie apart, and their latitudes and longitudes."""
    rows = np.array([4, 5, 8, 12])
    columns = np.array([8, 9, 6, 14])
    lat, lon = grid_of(opened.archive.name, SPACING_KM).places(rows, columns)
    return rows * opened.x.size + columns, lat, lon


async def test_months_beyond_the_archive_are_not_there(client: TestClient) -> None:
    for path in (NORA3.replace("200506", "199011"), NORA3.replace("200506", "202602"), "/nora3/other.nc"):
        assert (await client.head(path)).status == 404
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


async def test_areas_of_an_earlier_start_still_have_data(tmp_path: Path) -> None:
    """Cells that are published of them are read again with the block in which a new area lies."""
    clock = Clock.parse("2015-06-21T12:30:00Z!")
    for area in (OSLO, BERGEN):
        app = create_app(clock, tmp_path, 400.0, archive_spacing_km=AREA_SPACING_KM, areas=[area])
        async with TestClient(TestServer(app)) as client:
            body = await (await client.get(NORA3)).read()
    grid = grid_of("nora3", AREA_SPACING_KM)
    with h5netcdf.File(io.BytesIO(body)) as file:
        stored = file["air_temperature_2m"]
        for place, there in ((OSLO, True), (BERGEN, True), (NOWHERE, False)):
            x, y, _, _ = grid.middle(*place)
            value = stored[12, 0, np.abs(grid.y - y).argmin(), np.abs(grid.x - x).argmin()]
            assert bool(value < 400) is there, place


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


async def test_a_month_of_another_time_or_place_is_refused(client: TestClient) -> None:
    for mode, said in (("stale", "does not hold the 720 hours of 2005-06"), ("wronggrid", "a corner are 100 km off")):
        await client.post("/_misbehave", json={"path": "/nora3/*", "mode": mode})
        with pytest.raises(SourceError, match=said):
            await month_of(client, "nora3", lambda opened: opened.read(np.array([200])))
        await client.delete("/_misbehave")
