"""The simulated satellite: it shows the one weather, at the moment of its scan, when it is out, and says what it is."""

from datetime import UTC, datetime
from pathlib import Path

import h5netcdf
import numpy as np
import pytest
from aiohttp.test_utils import TestClient

from infra.simulator import meteosat
from infra.simulator.weather import truth

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


async def test_the_server_holds_what_is_out(client: TestClient) -> None:
    """Its clock stands at 12:30: the image of 12:15 has just come."""
    answer = await client.get(PATH.format(15))
    assert answer.status == 200
    assert (await answer.read())[:4] == b"\x89HDF"
    late = await client.get(PATH.format(30))
    assert late.status == 404
    assert "12:45" in await late.text()
    assert (await client.get(PATH.format(20))).status == 404
