"""Months in every manner of storage: the right numbers of the right hours, few bytes read, and what is refused."""

import re
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from numpy.typing import NDArray

from catalog.sources.climate_archive import ARCHIVES, open_month
from catalog.sources.errors import NotYetAvailable, SourceError
from tests.catalog.sources.climate_archive.months import (
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
from tests.support.netcdf import attribute, replace
from tests.support.reading import sentence_of

WEATHER = ("temp_air", "rel_hum", "wind_speed", "mslp")


@pytest.mark.parametrize(
    "storage",
    [
        pytest.param({"chunks": (30, 1, 3, 4), **DEFLATED}, id="30 hours of 3 x 4 cells, deflated"),
        pytest.param({"chunks": (HOURS, 1, 4, 4)}, id="the month of 4 x 4 cells"),
        pytest.param({}, id="contiguous"),
        pytest.param({"chunks": (30, 1, 3, 4), "scaleoffset": 12}, id="a filter that HDF5 must undo"),
    ],
)
def test_a_reanalysis_is_read_by_cells_however_it_is_stored(tmp_path: Path, storage: dict[str, Any]) -> None:
    write_nora3(tmp_path, storage=storage, descending="chunks" in storage)
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


def test_a_solar_model_keeps_its_gaps(tmp_path: Path) -> None:
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


@pytest.mark.parametrize(("version", "unlimited"), [(1, True), (2, False)])
def test_an_era5_month_of_netcdf_3_is_read(tmp_path: Path, version: int, unlimited: bool) -> None:
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


def test_an_era5_month_as_it_is_delivered_now_is_read(tmp_path: Path) -> None:
    """NetCDF 4, `valid_time`, longitudes to 360, wind speed as such."""
    write_era5_now(tmp_path)
    with opened(tmp_path, "era5") as month:
        assert month.variables == ("ghi", "wind_speed")
        assert month.missing_variables == ("temp_air", "rel_hum", "mslp")
        np.testing.assert_allclose(month.x, -3 + 0.25 * np.arange(NX))
        values = month.read(np.arange(NY * NX))
    for name in month.variables:
        np.testing.assert_allclose(values[name].reshape(HOURS, NY, NX), truth()[name], atol=1e-3, err_msg=name)


def test_over_http_only_the_bytes_of_the_cell_are_read(tmp_path: Path) -> None:
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


def test_pressure_at_sea_level_comes_of_that_at_the_surface(tmp_path: Path) -> None:
    def others(file: Any) -> None:
        kelvin = file["air_temperature_2m"][...]
        rise = 0.0065 * altitude()
        file["surface_air_pressure"] = file["air_pressure_at_sea_level"][...] * (1 - rise / (kelvin + rise)) ** 5.257
        file["surface_air_pressure"].attrs["units"] = "Pa"
        del file["air_pressure_at_sea_level"]

    write_nora3(tmp_path, others)
    mslp = read(tmp_path, "nora3")["mslp"].reshape(HOURS, NY, NX)
    np.testing.assert_allclose(mslp, truth()["mslp"], atol=0.01)


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


def sentence(folder: Path | str, archive: str, kind: type[SourceError] = SourceError) -> str:
    text = sentence_of(archive, lambda: read(folder, archive), kind)
    assert "2001" in text, "the file is named"
    return text


def _set(name: str, value: Any, where: Any = Ellipsis) -> Callable[[h5py.File], None]:
    def edit(file: h5py.File) -> None:
        file[name][where] = value

    return edit


def _other_times(change: Callable[[np.ndarray], np.ndarray]) -> Callable[[h5py.File], None]:
    def edit(file: h5py.File) -> None:
        file["time"][...] = change(file["time"][...])

    return edit


def _net_only(file: h5py.File) -> None:
    file["surface_net_shortwave_radiation"] = file[SHORTWAVE][...]
    del file[SHORTWAVE]


def _since_the_cycle(file: h5py.File) -> None:
    file[SHORTWAVE][...] = np.cumsum(file[SHORTWAVE][...], axis=0)


HOUR = 3600
BAD_REANALYSIS = {
    "net radiation": (_net_only, "net shortwave alone"),
    "accumulated over what": (attribute(SHORTWAVE, "cell_methods", None), "does not say over what"),
    "accumulated since the cycle": (_since_the_cycle, "accumulated over more than an hour"),
    "units": (attribute(SHORTWAVE, "units", "MJ/m2"), "units that are not understood: 'MJ/m2'"),
    "absurd temperature": (_set("air_temperature_2m", 0.0), "impossible temp_air: -273.15"),
    "negative radiation": (_set(SHORTWAVE, -1e6, 7), "impossible ghi: -277"),
    "percent said to be fractions": (_set("relative_humidity_2m", 70.0), "impossible rel_hum"),
    "hPa said to be Pa": (_set("air_pressure_at_sea_level", 1013.0), "impossible mslp: 10.13"),
    "wrong month": (_other_times(lambda t: t + 28 * 24 * HOUR), "it has 672, 2001-03-01T00:00Z to 2001-03-28"),
    "beyond": (_other_times(lambda t: t + HOUR * (t >= FIRST + 48 * HOUR)), "and not 2001-02-03T00:00Z"),
    "half hours": (_other_times(lambda t: t + 1800), "it has 672, 2001-02-01T00:30Z to"),
}


@pytest.mark.parametrize(("edit", "said"), BAD_REANALYSIS.values(), ids=BAD_REANALYSIS)
def test_a_bad_reanalysis_is_refused_in_a_sentence(tmp_path: Path, edit: Any, said: str) -> None:
    write_nora3(tmp_path, edit)
    assert said in sentence(tmp_path, "nora3")


def _only(hours: NDArray[np.int64]) -> Callable[[h5py.File], Any]:
    """Leave some hours of a solar model's month."""
    return lambda file: [replace(name, file[name][hours])(file) for name in ("time", "time_bnds", "SIS")]


BAD_SOLAR_MODEL = {
    "ends": (_only(np.arange(600)), "to 2001-02-25T23:00Z, and not 2001-02-26T00:00Z"),
    "gap": (
        _only(np.delete(np.arange(672), 100)),
        "it has 671, 2001-02-01T00:00Z to 2001-02-28T23:00Z, and not 2001-02-05T04:00Z",
    ),
    "no bounds": (attribute("time", "bounds", None), "does not say of which hour a mean is"),
    "half an hour": (_set("time_bnds", FIRST + 1800, (0, 1)), "do not begin or end the hours"),
}


@pytest.mark.parametrize(("edit", "said"), BAD_SOLAR_MODEL.values(), ids=BAD_SOLAR_MODEL)
def test_a_bad_solar_model_is_refused_in_a_sentence(tmp_path: Path, edit: Any, said: str) -> None:
    write_sarah3(tmp_path, edit)
    assert said in sentence(tmp_path, "sarah3")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (lambda whole: whole[: len(whole) // 2], "truncated"),
        (lambda whole: whole[:200], "truncated or damaged"),
        (lambda whole: whole[:8], "truncated or damaged"),
        (lambda _: b"", "empty"),
        (lambda _: b"CDF\x09" + bytes(100), "unknown version: 09"),
        (lambda _: b"CDF\x01" + bytes(4) + b"\xff" * 92, "truncated or damaged"),
        (lambda _: b"CDF\x01" + b"\xff" * 4 + bytes(92), "does not say how many records"),
        (lambda whole: re.sub(rb"latitude.{4}", b"latitude" + bytes(4), whole, count=1), "truncated or damaged"),
    ],
)
def test_a_damaged_classic_file_is_refused(tmp_path: Path, content: Callable[[bytes], bytes], said: str) -> None:
    path = write_era5(tmp_path)
    path.write_bytes(content(path.read_bytes()))
    assert said in sentence(tmp_path, "era5")


def test_a_header_with_records_beyond_number_costs_nothing(tmp_path: Path) -> None:
    """Before the file was seen to be short, each of them was listed: 3 GB and 86 s."""
    path = write_era5(tmp_path, unlimited=True)
    data = bytearray(path.read_bytes())
    data[4:8] = (200_000_000).to_bytes(4, "big")
    path.write_bytes(data)
    tracemalloc.start()
    try:
        assert "truncated or damaged" in sentence(tmp_path, "era5")
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_an_absent_month_is_not_yet_available_and_no_address_is_said(tmp_path: Path) -> None:
    assert "200102.nc does not exist" in sentence(tmp_path, "nora3", NotYetAvailable)
    with pytest.raises(SourceError, match=r"era5: no address .* set SOLFLIS_ERA5_URL"):
        open_month("era5", "", 2001, 2, user_agent="test", deadline_s=5).__enter__()
