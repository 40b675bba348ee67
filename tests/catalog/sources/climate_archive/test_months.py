"""Months as they should be, in every manner of storage: the right numbers of the right hours, and few bytes read."""

from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from catalog.sources.climate_archive import ARCHIVES, open_month
from tests.support.archives import (
    DEFLATED,
    FIRST,
    HOURS,
    NX,
    NY,
    SHORTWAVE,
    altitude,
    opened,
    read,
    truth,
    write_era5,
    write_era5_now,
    write_nora3,
    write_sarah3,
)
from tests.support.http_files import FileServer

WEATHER = ("temp_air", "rel_hum", "wind_speed", "mslp")


@pytest.mark.parametrize(
    "storage",
    [
        pytest.param({"chunks": (30, 1, 3, 4), **DEFLATED}, id="30 hours of 3 x 4 cells, deflated"),
        pytest.param({"chunks": (HOURS, 1, 4, 4)}, id="the month of 4 x 4 cells"),
        pytest.param({"chunks": (1, 1, NY, NX), "compression": "gzip"}, id="one deflated plane an hour"),
        pytest.param({}, id="contiguous"),
        pytest.param({"chunks": (30, 1, 3, 4), "scaleoffset": 12}, id="a filter that HDF5 must undo"),
    ],
)
@pytest.mark.parametrize("descending", [False, True])
def test_the_reanalysis_of_a_few_cells(tmp_path: Path, storage: dict[str, Any], descending: bool) -> None:
    write_nora3(tmp_path, storage=storage, descending=descending)
    points = np.array([2 * NX + 5, 0, NY * NX - 1, 2 * NX + 6])
    with opened(tmp_path, "nora3") as month:
        assert month.variables == ("ghi", *WEATHER)
        assert month.missing_variables == ()
        assert (np.diff(month.y) > 0).all()
        values = month.read(points)
        heights = month.altitude(points)
    rows, columns = np.divmod(points, NX)
    for name, expected in truth().items():
        np.testing.assert_allclose(values[name], expected[:, rows, columns], atol=2e-3, err_msg=name)
    assert heights is not None
    np.testing.assert_allclose(heights, altitude()[rows, columns])


def test_an_hour_is_named_by_its_start(tmp_path: Path) -> None:
    write_nora3(tmp_path)
    write_sarah3(tmp_path)
    with opened(tmp_path, "nora3") as month:
        np.testing.assert_array_equal(month.instants, FIRST + 3600 * np.arange(HOURS))
        np.testing.assert_array_equal(month.hours, month.instants - 3600)
    with opened(tmp_path, "sarah3") as month:
        np.testing.assert_array_equal(month.hours, FIRST + 3600 * np.arange(HOURS))
        assert month.instants.size == 0


def test_the_solar_model_and_its_gaps(tmp_path: Path) -> None:
    write_sarah3(tmp_path)
    with opened(tmp_path, "sarah3") as month:
        assert (month.proj4, month.variables, month.missing_variables) == ("EPSG:4326", ("ghi",), ())
        assert month.data_origin == "simulated"
        assert month.altitude(np.array([0])) is None
        assert (month.x[0], month.y[0]) == (10.0, 59.0)
        ghi = month.read(np.arange(NY * NX))["ghi"].reshape(HOURS, NY, NX)
    assert np.argwhere(np.isnan(ghi)).tolist() == [[5, 2, 3]]
    np.testing.assert_allclose(np.delete(ghi, 5, axis=0), np.delete(np.round(truth()["ghi"]), 5, axis=0))


def test_bounds_say_that_stamps_are_the_ends_of_hours(tmp_path: Path) -> None:
    def ends(file: Any) -> None:
        file["time_bnds"][...] -= 3600

    write_sarah3(tmp_path, ends)
    with opened(tmp_path, "sarah3") as month:
        assert month.hours[0] == FIRST - 3600


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("unlimited", [False, True])
def test_netcdf_3(tmp_path: Path, version: int, unlimited: bool) -> None:
    write_era5(tmp_path, version, unlimited)
    points = np.array([3, 4 * NX + 2, 6 * NX])
    with opened(tmp_path, "era5") as month:
        assert month.variables == ("ghi", "temp_air", "wind_speed", "mslp")
        assert month.missing_variables == ("rel_hum",)
        assert month.altitude(points) is None
        assert month.data_origin == "live"
        values = month.read(points)
    rows, columns = np.divmod(points, NX)
    for name in month.variables:
        np.testing.assert_allclose(values[name], truth()[name][:, rows, columns], atol=4e-3, err_msg=name)


def test_era5_as_it_is_delivered_now(tmp_path: Path) -> None:
    """NetCDF 4, `valid_time`, longitudes to 360, wind speed as such."""
    write_era5_now(tmp_path)
    with opened(tmp_path, "era5") as month:
        assert month.variables == ("ghi", "wind_speed")
        assert month.missing_variables == ("temp_air", "rel_hum", "mslp")
        np.testing.assert_allclose(month.x, -3 + 0.25 * np.arange(NX))
        values = month.read(np.arange(NY * NX))
    for name in month.variables:
        np.testing.assert_allclose(values[name].reshape(HOURS, NY, NX), truth()[name], atol=1e-3, err_msg=name)


def test_a_cell_is_read_by_ranges(tmp_path: Path) -> None:
    data = write_nora3(tmp_path, storage={"chunks": (HOURS, 1, 1, 1)}).read_bytes()
    with FileServer() as server:
        server.put("/" + ARCHIVES["nora3"].filename.format(year=2001, month=2), data)
        with opened(server.url, "nora3") as month:
            values = month.read(np.array([NX + 1]), ["ghi"])
            receipt = month.receipt()
    assert list(values) == ["ghi"]
    assert receipt["bytes_read"] == HOURS * 4, "of the radiation this one cell, and nothing else"
    assert receipt["bytes"] == len(data)
    assert receipt["url"].endswith("arome3km_1hr_200102.nc")
    assert len(receipt["sha256"]) == 64


def test_what_was_read_tells_the_hash(tmp_path: Path) -> None:
    write_nora3(tmp_path)

    def hash_of(points: list[int]) -> str:
        with opened(tmp_path, "nora3") as month:
            month.read(np.array(points), ["ghi"])
            return str(month.receipt()["sha256"])

    assert hash_of([0]) == hash_of([0])
    assert hash_of([0]) != hash_of([NY * NX - 1])


def test_a_plane_of_the_nation_is_not_read_for_a_cell(tmp_path: Path) -> None:
    """Of planes without filters the rows that are wanted are read."""
    write_nora3(tmp_path, storage={})
    with opened(tmp_path, "nora3") as month:
        month.read(np.array([0]), ["ghi"])
        assert month.receipt()["bytes_read"] == HOURS * NX * 4


def test_wind_of_components_and_pressure_of_the_surface(tmp_path: Path) -> None:
    def others(file: Any) -> None:
        speed = file["wind_speed"][...]
        for name, factor in (("x_wind_10m", -0.6), ("y_wind_10m", 0.8)):
            file[name] = speed * factor
            file[name].attrs["units"] = "m/s"
        del file["wind_speed"]
        kelvin = file["air_temperature_2m"][...]
        rise = 0.0065 * altitude()
        file["surface_air_pressure"] = file["air_pressure_at_sea_level"][...] * (1 - rise / (kelvin + rise)) ** 5.257
        file["surface_air_pressure"].attrs["units"] = "Pa"
        del file["air_pressure_at_sea_level"]

    write_nora3(tmp_path, others)
    values = read(tmp_path, "nora3")
    for name in ("wind_speed", "mslp"):
        np.testing.assert_allclose(values[name].reshape(HOURS, NY, NX), truth()[name], atol=0.01, err_msg=name)


def test_night_is_no_negative_radiation_and_fog_no_more_than_full(tmp_path: Path) -> None:
    def packed(file: Any) -> None:
        file[SHORTWAVE][0] = -40.0  # packing of 16 bits leaves as much
        file["relative_humidity_2m"][0] = 1.004

    write_nora3(tmp_path, packed)
    values = read(tmp_path, "nora3")
    assert (values["ghi"][0] == 0).all()
    assert (values["rel_hum"][0] == 100).all()


def test_points_that_are_no_cells_are_the_callers_mistake(tmp_path: Path) -> None:
    write_nora3(tmp_path)
    for points in ([NY * NX], [-1], []):
        with pytest.raises(ValueError, match="cells 0 to 62"):
            read(tmp_path, "nora3", np.array(points, dtype=np.int64))


def test_a_client_of_ones_own_stays_open(tmp_path: Path) -> None:
    write_nora3(tmp_path)
    with httpx.Client() as client:
        with open_month("nora3", str(tmp_path), 2001, 2, user_agent="t", deadline_s=5, client=client):
            pass
        assert not client.is_closed
