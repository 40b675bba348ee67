"""The cycle files show the truth with the documented error, and are shaped like the real ones."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import h5netcdf
import numpy as np
import pyproj
import pytest

from infra.simulator import grids
from infra.simulator.netcdf import LAYOUTS, Source, make_cycle_file
from infra.simulator.weather import true_hour_mean_ghi, truth

CYCLE = datetime(2015, 6, 21, tzinfo=UTC)
SHORTWAVE = "integral_of_surface_downwelling_shortwave_flux_in_air_wrt_time"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[Source, Path]:
    folder = tmp_path_factory.mktemp("cycles")
    paths = {source: folder / f"{source}.nc" for source in LAYOUTS}
    for source, path in paths.items():
        make_cycle_file(path, source, CYCLE, 60)
    return paths


def attributes(thing: Any) -> dict[str, Any]:
    return {name: value for name, value in thing.attrs.items() if not name.startswith("_")}


def test_met_nordic_file_is_complete(files: dict[Source, Path]) -> None:
    with h5netcdf.File(files["met_nordic"]) as file:
        names = (
            SHORTWAVE,
            "cloud_area_fraction",
            "air_temperature_2m",
            "wind_speed_10m",
            "relative_humidity_2m",
        )
        for name in names:
            variable = file[name]
            assert variable.dimensions == ("time", "y", "x")
            assert variable.dtype == np.float32
            assert variable.chunks == (1, *variable.shape[1:])
            assert variable.compression == "gzip"
            assert variable.shuffle
            assert variable.attrs["grid_mapping"] == "projection_lambert"
            assert np.isfinite(variable[...]).all()
        units = [file[name].attrs["units"] for name in names]
        assert units == ["W s/m^2", "1", "K", "m/s", "1"]
        times = file["time"][...]
        assert times[0] == file["forecast_reference_time"][()] == CYCLE.timestamp()
        assert len(times) == 67
        assert set(np.diff(times)) == {3600}
        assert file.attrs["data_origin"] == "simulated"
        assert "SIMULATED" in file.attrs["title"]
        assert "SIMULATED" in file.attrs["source"]
        assert file.attrs["simulated_spacing_m"] == 60_000
        assert file.attrs["real_spacing_m"] == 1000
        assert file["altitude"].shape == file["latitude"].shape == file[SHORTWAVE].shape[1:]
        assert file["altitude"][...].max() > 800


def test_projection_puts_the_cells_where_latitude_and_longitude_say(files: dict[Source, Path]) -> None:
    for path in files.values():
        with h5netcdf.File(path) as file:
            project = pyproj.Proj(file["projection_lambert"].attrs["proj4"])
            lon, lat = project(*np.meshgrid(file["x"][...], file["y"][...]), inverse=True)
            np.testing.assert_allclose(file["latitude"][...], lat, atol=1e-4)
            np.testing.assert_allclose(file["longitude"][...], lon, atol=1e-4)


def test_real_domains() -> None:
    for domain, sizes in ((grids.MET_NORDIC, (1796, 2321)), (grids.AROME_METCOOP, (739, 949))):
        x, y = domain.axes(0.1)  # never finer than the real grid
        assert (x.size, y.size) == sizes
        coarse_x, coarse_y = domain.axes(5)
        assert np.isin(coarse_x, x).all()
        assert np.isin(coarse_y, y).all()
        assert np.diff(coarse_x) == pytest.approx(5000)
    lat, lon = grids.MET_NORDIC.positions(*grids.MET_NORDIC.axes(60))
    inside = (lat.min(), lat.max(), lon.min(), lon.max())
    assert inside[0] < 57.5
    assert inside[1] > 71.5, "North Cape"
    assert inside[2] < 4.5
    assert inside[3] > 31.5


@pytest.mark.parametrize("source", ["met_nordic", "arome_metcoop_test2"])
def test_accumulated_shortwave_is_the_truth_at_short_lead(files: dict[Source, Path], source: Source) -> None:
    with h5netcdf.File(files[source]) as file:
        accumulated = file[SHORTWAVE][...].astype(float).reshape(67, *file["latitude"].shape)
        lat, lon, times = file["latitude"][...], file["longitude"][...], file["time"][...]
    assert (accumulated[0] == 0).all()
    falls = np.diff(accumulated, axis=0)
    assert falls.min() >= 0
    hour_mean = falls / 3600
    true = true_hour_mean_ghi(lat, lon, times[:-1])
    assert hour_mean[true == 0].max(initial=0) < 1, "night is zero"
    day = true.mean(axis=(1, 2)) > 50
    errors = np.abs(hour_mean - true).mean(axis=(1, 2))[day] / true.mean(axis=(1, 2))[day]
    hours = np.flatnonzero(day)
    assert errors[hours < 4].max() < 0.08, "hardly any error in the first hours"
    assert errors[hours >= 48].mean() > 2 * errors[hours < 4].mean(), "the error grows"
    assert errors.max() < 0.6


def test_screen_level_is_the_truth_within_the_documented_error(files: dict[Source, Path]) -> None:
    with h5netcdf.File(files["met_nordic"]) as file:
        lat, lon, times = file["latitude"][...], file["longitude"][...], file["time"][...]
        true = truth(lat, lon, times[:2])
        assert np.abs(file["air_temperature_2m"][:2] - 273.15 - true["temp_air"]).max() < 1.5
        assert np.abs(file["cloud_area_fraction"][:2] - true["cloud"]).mean() < 0.03
        assert np.abs(file["wind_speed_10m"][:2] / true["wind_speed"] - 1).mean() < 0.06
        assert np.abs(file["relative_humidity_2m"][:2] - true["relative_humidity"]).mean() < 0.02


def test_both_models_show_the_same_weather(files: dict[Source, Path]) -> None:
    with h5netcdf.File(files["arome_metcoop_default2"]) as file:
        lat, lon, times = file["latitude"][...], file["longitude"][...], file["time"][...]
        true = truth(lat, lon, times[:1])
        speed = np.hypot(file["x_wind_10m"][0], file["y_wind_10m"][0])
        assert np.abs(speed / true["wind_speed"][0] - 1).mean() < 0.1
        assert np.abs(file["air_temperature_2m"][0, 0] - 273.15 - true["temp_air"][0]).max() < 2
        altitude = file["altitude"][...]
    with h5netcdf.File(files["arome_metcoop_test2"]) as file:
        np.testing.assert_allclose(file["surface_geopotential"][0, 0] / 9.80665, altitude, atol=0.1)


@pytest.mark.parametrize("kind", ["test2", "default2"])
def test_arome_files_have_the_structure_of_the_real_ones(
    files: dict[Source, Path], shared_data: Path, kind: str
) -> None:
    real_path = shared_data / "arome_metcoop" / f"arome_metcoop_red_{kind}_5km_20150824_00.nc"
    with h5netcdf.File(real_path) as real, h5netcdf.File(files[f"arome_metcoop_{kind}"]) as ours:
        not_simulated = {"precipitation_amount"}
        assert set(ours.variables) == set(real.variables) - not_simulated
        for name in ours.variables:
            assert ours[name].dimensions == real[name].dimensions, name
            assert ours[name].dtype == real[name].dtype, name
            theirs = attributes(real[name])
            for attribute in ("units", "standard_name", "grid_mapping", "coordinates"):
                if attribute in theirs and name != "altitude":
                    ours_says = str(ours[name].attrs[attribute]).replace("+00:00", "+0000")
                    theirs_says = str(np.ravel(theirs[attribute])[0]).replace("+00:00", "+0000")
                    assert ours_says == theirs_says, (name, attribute)
            if ours[name].ndim > 2:
                assert ours[name].shape[:-2] == real[name].shape[:-2]
        same_mapping = attributes(real["projection_lambert"])
        for attribute, value in attributes(ours["projection_lambert"]).items():
            if attribute == "proj4":
                assert pyproj.CRS(value) == pyproj.CRS(str(np.ravel(same_mapping[attribute])[0]))
            else:
                assert _same(value, same_mapping[attribute]), attribute
        # the cut-out's cells are cells of the whole domain
        x, y = grids.AROME_METCOOP.axes(2.5)
        for name, axis in (("x", x), ("y", y)):
            away = np.abs(axis[:, None] - real[name][...]).min(axis=0)
            assert away.max() < 1, name


def _same(ours: Any, theirs: Any) -> bool:
    return bool(np.all(np.ravel(ours) == np.ravel(theirs)))


def test_written_again_it_is_the_same_file(files: dict[Source, Path], tmp_path: Path) -> None:
    again = tmp_path / "again.nc"
    make_cycle_file(again, "met_nordic", CYCLE, 60)
    assert again.read_bytes() == files["met_nordic"].read_bytes()
    assert again.stat().st_mtime == files["met_nordic"].stat().st_mtime == CYCLE.timestamp()
    assert [path.name for path in tmp_path.iterdir()] == ["again.nc"]


@pytest.mark.parametrize(
    ("cycle", "spacing_km"),
    [
        (CYCLE.replace(tzinfo=None), 60),
        (CYCLE + timedelta(minutes=30), 60),
        (CYCLE, 0),
        (CYCLE, float("nan")),
    ],
)
def test_nonsense_is_refused_and_leaves_nothing(tmp_path: Path, cycle: datetime, spacing_km: float) -> None:
    with pytest.raises(ValueError, match=r"whole UTC hour|can be made"):
        make_cycle_file(tmp_path / "x.nc", "met_nordic", cycle, spacing_km)
    assert not list(tmp_path.iterdir())


def test_a_failed_file_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.nc"
    path.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("infra.simulator.netcdf._write_fields", fail)
    with pytest.raises(OSError, match="disk full"):
        make_cycle_file(path, "met_nordic", CYCLE, 200)
    assert path.read_bytes() == b"old"
    assert [left.name for left in tmp_path.iterdir()] == ["x.nc"]
