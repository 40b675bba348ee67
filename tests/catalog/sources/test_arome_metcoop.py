"""Two real AROME-MetCoOp cycles, against plain h5py, and how the two files of a cycle are joined."""

import shutil
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import h5py
import numpy as np
import pytest

from catalog.sources import arome_metcoop
from catalog.sources.cycle import Cycle
from catalog.sources.errors import SourceError
from tests.support.http_files import FileServer
from tests.support.netcdf import SHORTWAVE, MadeUp, write

RUNS = [datetime(2015, 8, 24, hour, tzinfo=UTC) for hour in (0, 6)]
TEST2 = "arome_metcoop_red_test2_5km_20150824_00.nc"
DEFAULT2 = "arome_metcoop_red_default2_5km_20150824_00.nc"


@pytest.fixture
def folder(shared_data: Path) -> Path:
    return shared_data / "arome_metcoop"


def open_cycle(base: Path | str, partition: datetime = RUNS[0]) -> AbstractContextManager[Cycle]:
    return arome_metcoop.open_cycle(str(base), partition, user_agent="tests", deadline_s=20)


@pytest.mark.parametrize(("run", "over_http"), [(RUNS[0], False), (RUNS[1], True)])
def test_a_real_cycle_is_read_as_h5py_reads_it(run: datetime, over_http: bool, folder: Path) -> None:
    with FileServer(folder) as server, open_cycle(server.url if over_http else folder, run) as cycle:
        fields = list(cycle.instants())
        receipts = cycle.inputs()
    with (
        h5py.File(folder / f"arome_metcoop_red_test2_5km_20150824_{run:%H}.nc") as light,
        h5py.File(folder / f"arome_metcoop_red_default2_5km_20150824_{run:%H}.nc") as weather,
    ):
        shortwave = light[SHORTWAVE][:, 0]
        kelvin = weather["air_temperature_2m"][:, 0].astype(float)
        speed = np.hypot(weather["x_wind_10m"][()].astype(float), weather["y_wind_10m"][()])
        altitude, lat, lon = weather["altitude"][()], light["latitude"][()], light["longitude"][()]
    assert cycle.times.tolist() == [int(run.timestamp()) + 3600 * i for i in range(67)]
    assert cycle.reference_time == run
    assert cycle.missing_variables == ("cloud",)
    assert cycle.data_origin == "live"
    assert len(fields) == 67
    assert all(set(step) == {"ghi_acc", "temp_air", "wind_speed"} for step in fields)
    np.testing.assert_array_equal(np.stack([step["ghi_acc"] for step in fields]), shortwave)
    np.testing.assert_allclose(np.stack([step["temp_air"] for step in fields]), kelvin - 273.15, atol=1e-4)
    np.testing.assert_allclose(np.stack([step["wind_speed"] for step in fields]), speed, rtol=1e-6)
    np.testing.assert_array_equal(cycle.altitude, altitude)
    np.testing.assert_array_equal(cycle.lat, lat)
    np.testing.assert_array_equal(cycle.lon, lon)
    assert np.diff(cycle.x) == pytest.approx(2500, abs=0.1)
    assert len({receipt["sha256"] for receipt in receipts}) == 2


def test_altitude_of_the_geopotential_where_the_weather_file_is_absent(folder: Path, tmp_path: Path) -> None:
    shutil.copy(folder / TEST2, tmp_path / TEST2)
    with h5py.File(folder / TEST2) as light:
        expected = light["surface_geopotential"][0, 0] / 9.80665
    with open_cycle(tmp_path) as cycle:
        assert cycle.missing_variables == ("cloud", "temp_air", "wind_speed")
        assert set(next(cycle.instants())) == {"ghi_acc"}
        assert cycle.altitude is not None
        np.testing.assert_allclose(cycle.altitude, expected, rtol=1e-6)


def test_file_names_may_lack_the_cut_out_mark(folder: Path, tmp_path: Path) -> None:
    for name in (TEST2, DEFAULT2):
        shutil.copy(folder / name, tmp_path / name.replace("red_", ""))
    with open_cycle(tmp_path) as cycle:
        assert cycle.missing_variables == ("cloud",)


def test_a_weather_file_that_is_there_but_broken_is_an_error(folder: Path, tmp_path: Path) -> None:
    shutil.copy(folder / TEST2, tmp_path / TEST2)
    (tmp_path / DEFAULT2).write_bytes((folder / DEFAULT2).read_bytes()[:2_000_000])
    with pytest.raises(SourceError, match=rf"arome_metcoop: .*{DEFAULT2} is truncated"):
        open_cycle(tmp_path).__enter__()


def test_another_cycle_under_the_name_is_refused(folder: Path, tmp_path: Path) -> None:
    shutil.copy(folder / TEST2, tmp_path / TEST2)
    shutil.copy(folder / DEFAULT2.replace("_00", "_06"), tmp_path / DEFAULT2)
    with pytest.raises(SourceError, match="holds the cycle 2015-08-24T06:00Z, not 2015-08-24T00:00Z"):
        open_cycle(tmp_path).__enter__()


def made_up_pair(folder: Path, weather: MadeUp) -> None:
    write(folder / TEST2, MadeUp(start=RUNS[0], names={"ghi_acc": SHORTWAVE}, reference_time=None))
    write(folder / DEFAULT2, weather)


def test_the_two_files_are_joined_by_time(tmp_path: Path) -> None:
    names = {"temp_air": "air_temperature_2m"}
    earlier = MadeUp(start=RUNS[0] - timedelta(hours=2), steps=9, chunks=(3, 4, 5), names=names, reference_time=RUNS[0])
    made_up_pair(tmp_path, earlier)
    with open_cycle(tmp_path) as cycle:
        assert cycle.missing_variables == ("cloud", "wind_speed")
        values = np.stack([step["temp_air"] for step in cycle.instants()])
    np.testing.assert_allclose(values, earlier.truth()["temp_air"][2:7], atol=1e-3)


def test_files_that_do_not_fit_each_other_are_refused(tmp_path: Path) -> None:
    names = {"temp_air": "air_temperature_2m"}
    for other, says in (
        ({"steps": 4}, "lacks the time step 2015-08-24T04:00Z"),
        ({"nx": 12}, f"{DEFAULT2} has a wrong grid: it is not that of the cycle's first file"),
    ):
        made_up_pair(tmp_path, MadeUp(start=RUNS[0], names=names, reference_time=None, **other))  # type: ignore[arg-type]
        with pytest.raises(SourceError, match=says):
            open_cycle(tmp_path).__enter__()
