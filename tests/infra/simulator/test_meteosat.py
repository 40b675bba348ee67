"""The simulated satellite: it shows the one weather, at the moment of its scan, when it is out, and says what it is."""

import io
from datetime import UTC, datetime, timedelta
from pathlib import Path

import h5netcdf
import numpy as np
import pytest
from aiohttp.test_utils import TestClient

from infra.simulator import meteosat
from infra.simulator.server import parse_path, unavailable
from infra.simulator.weather import truth
from tests.support.clouds import translating

NOMINAL = datetime(2015, 6, 21, 12, 15, tzinfo=UTC)
PATH = "/meteosat/2015/06/21/NETCDF4_LSASAF_MSG_MDSSFTD_MSG-Disk_2015062112{:02}.nc"


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("images") / "image.nc"
    meteosat.make_image_file(path, "meteosat", NOMINAL, 80)
    return path


def read(path: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    with h5netcdf.File(path) as file:
        packed = file["DSSF_TOT"][0]
        ghi = np.where(packed == -32768, np.nan, packed * 0.1)
        return file["lat"][:].astype(float), file["lon"][:].astype(float), ghi


def test_it_says_that_it_is_simulated(image: Path) -> None:
    with h5netcdf.File(image) as file:
        assert file.attrs["data_origin"] == "simulated"
        assert "SIMULATED" in file.attrs["title"]
        assert file.attrs["real_spacing_deg"] == 0.05
        assert file.attrs["simulated_spacing_deg"] == 0.8
        assert file["time"][0] == NOMINAL.timestamp()


def test_it_shows_the_truth_of_the_moment_of_its_scan_with_its_noise(image: Path) -> None:
    lat, lon, ghi = read(image)
    assert lat[0] == pytest.approx(80), "from north to south"
    rows, columns = np.argwhere(np.isfinite(ghi)).T
    assert lat[rows].min() > 54
    assert lon[columns].max() < 35
    places = lat[rows], lon[columns]
    at_scan = truth(*places, [NOMINAL.timestamp() + 714])["ghi"][0]
    errors = ghi[rows, columns] / at_scan - 1
    assert abs(errors.mean()) < meteosat.GAIN + 0.005
    assert np.std(errors) == pytest.approx(meteosat.NOISE, rel=0.1)
    earlier = truth(*places, [NOMINAL.timestamp()])["ghi"][0]
    assert np.std(ghi[rows, columns] / earlier - 1) > 1.5 * np.std(errors), "it is not of the nominal time"


def test_where_the_sun_is_low_there_is_nothing(tmp_path: Path) -> None:
    meteosat.make_image_file(tmp_path / "dawn.nc", "meteosat", datetime(2015, 3, 21, 5, 45, tzinfo=UTC), 80)
    lat, lon, ghi = read(tmp_path / "dawn.nc")
    row = ghi[np.abs(lat - 60).argmin()]
    east, west = row[np.abs(lon - 32).argmin()], row[np.abs(lon - 4).argmin()]
    assert east > 50, "the sun has risen in the east"
    assert np.isnan(west)


def test_the_same_image_is_the_same_file(image: Path, tmp_path: Path) -> None:
    meteosat.make_image_file(tmp_path / "again.nc", "meteosat", NOMINAL, 80)
    assert (tmp_path / "again.nc").read_bytes() == image.read_bytes()
    assert (tmp_path / "again.nc").stat().st_mtime == NOMINAL.timestamp()


def test_planted_clouds_travel_as_they_were_told(tmp_path: Path) -> None:
    """Half an hour at 20 m/s northwards is 36 km."""
    clouds = translating(3, 0.0, 20.0)
    lat, lon = np.full(40, 60.0), np.linspace(5, 25, 40)
    later = clouds(lat + 36 / 111.195, lon, NOMINAL.timestamp() + 1800)
    np.testing.assert_allclose(later, clouds(lat, lon, NOMINAL.timestamp()), atol=1e-4)
    assert np.ptp(later) > 1
    meteosat.make_image_file(
        tmp_path / "clear.nc", "meteosat", NOMINAL, 80, lambda lat, lon, time: np.full(lat.shape, -30, "f4")
    )
    _, _, ghi = read(tmp_path / "clear.nc")
    meteosat.make_image_file(
        tmp_path / "dark.nc", "meteosat", NOMINAL, 80, lambda lat, lon, time: np.full(lat.shape, 9, "f4")
    )
    _, _, dark = read(tmp_path / "dark.nc")
    assert np.nanmean(dark) < 0.3 * np.nanmean(ghi)


def test_a_time_that_names_no_image_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="quarter of an hour"):
        meteosat.make_image_file(tmp_path / "x.nc", "meteosat", NOMINAL + timedelta(minutes=5), 80)
    assert list(tmp_path.iterdir()) == []


async def test_the_server_holds_what_is_out(client: TestClient) -> None:
    """Its clock stands at 12:30: the image of 12:15 has just come."""
    answer = await client.get(PATH.format(15))
    assert answer.status == 200
    assert answer.headers["X-Data-Origin"] == "simulated"
    assert (await answer.read())[:4] == b"\x89HDF"
    part = await client.get(PATH.format(15), headers={"Range": "bytes=1-3"})
    assert await part.read() == b"HDF"
    late = await client.get(PATH.format(30))
    assert late.status == 404
    assert "12:45" in await late.text()
    assert (await client.get(PATH.format(20))).status == 404


async def test_it_misbehaves(client: TestClient) -> None:
    for mode, status in (("notfound", 404), ("error", 500), ("wronggrid", 200), ("garbage", 200)):
        rule = {"path": "/meteosat/*", "mode": mode, "times": 1}
        assert (await client.post("/_misbehave", json=rule)).status == 200
        answer = await client.get(PATH.format(15))
        assert answer.status == status
        if mode == "wronggrid":
            with h5netcdf.File(io.BytesIO(await answer.read())) as file:
                assert file["lon"][0] == pytest.approx(-78)


def test_paths() -> None:
    assert parse_path(PATH.format(15)) == ("meteosat", NOMINAL)
    assert parse_path(PATH.format(16)) is None
    assert parse_path(PATH.format(15).replace("/21/", "/22/")) is None, "folder and name disagree"
    now = NOMINAL + timedelta(minutes=15)
    assert unavailable("meteosat", NOMINAL, now) is None
    assert unavailable("meteosat", NOMINAL, now - timedelta(seconds=1))
    assert unavailable("meteosat", NOMINAL, now + timedelta(hours=73))
