"""Small made-up monthly files of the climate archives, with the values they hold."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pyproj
from numpy.typing import NDArray
from scipy.io import netcdf_file

from catalog.sources.climate_archive import ARCHIVES, ArchiveMonth, open_month

SHORTWAVE = "integral_of_surface_downwelling_shortwave_flux_in_air_wrt_time"
PROJ4 = "+proj=lcc +lat_0=66.3 +lon_0=-42 +lat_1=66.3 +lat_2=66.3 +no_defs +R=6.371e+06"
YEAR, MONTH = 2001, 2
HOURS = 672
FIRST = int(datetime(YEAR, MONTH, 1, tzinfo=UTC).timestamp())
NY, NX = 7, 9
DEFLATED = {"shuffle": True, "compression": "gzip", "compression_opts": 1}
Edit = Callable[[h5py.File], None]


def truth() -> dict[str, NDArray[np.float64]]:
    """Return what a file holds in our units, (time, y, x), rows from south to north; the radiation by its own hour."""
    t, y, x = np.meshgrid(np.arange(HOURS), np.arange(NY), np.arange(NX), indexing="ij")
    return {
        "ghi": np.maximum(0.0, 300 * np.sin(2 * np.pi * (t - 6) / 24)) * (1 + x / 20 + y / 50),
        "temp_air": -5.0 + 3 * np.sin(t / 20) + 0.5 * y - 0.25 * x,
        "rel_hum": 60.0 + (t + x + y) % 30,
        "wind_speed": 3.0 + (t % 7) + 0.125 * x,
        "mslp": 1000.0 + (t % 50) * 0.5 + 0.25 * y,
    }


def altitude() -> NDArray[np.float64]:
    """Return the height of the ground, m, (y, x)."""
    return 100.0 + 40 * np.arange(NY)[:, None] + 10 * np.arange(NX)


def path_of(folder: Path, archive: str) -> Path:
    """Return where a month's file lies in a folder."""
    return Path(folder) / ARCHIVES[archive].filename.format(year=YEAR, month=MONTH)


def read(folder: Path | str, archive: str, points: Any = None) -> dict[str, NDArray[np.float32]]:
    """Return the month at cells, all of them where none are named."""
    with opened(folder, archive) as month:
        return month.read(np.arange(NY * NX) if points is None else np.asarray(points))


def opened(folder: Path | str, archive: str) -> AbstractContextManager[ArchiveMonth]:
    """Open the month."""
    return open_month(archive, str(folder), YEAR, MONTH, user_agent="test", deadline_s=10)


def write_nora3(
    folder: Path, edit: Edit | None = None, storage: dict[str, Any] | None = None, descending: bool = False
) -> Path:
    """Write a reanalysis of 3 km: accumulations over the hour that ends at the stamp."""
    storage = {"chunks": (30, 1, 3, 4), **DEFLATED} if storage is None else storage
    x, y = 2.0e6 + 3000.0 * np.arange(NX), 4.0e5 + 3000.0 * np.arange(NY)
    lon, lat = pyproj.Proj(PROJ4)(*np.meshgrid(x, y), inverse=True)
    rows = slice(None, None, -1 if descending else 1)
    fields = truth()
    with h5py.File(path_of(folder, "nora3"), "w") as file:
        _axes(file, {"time": FIRST + 3600.0 * np.arange(HOURS), "height0": [0.0], "y": y[rows], "x": x})
        file["x"].attrs["units"] = file["y"].attrs["units"] = "m"
        mapping = file.create_dataset("projection_lambert", data=0)
        mapping.attrs["proj4"] = PROJ4
        for name, plane in (("latitude", lat), ("longitude", lon), ("altitude", altitude())):
            file[name] = plane[rows]
        file["altitude"].attrs["units"] = "m"
        for name, quantity, units, factor, offset in (
            (SHORTWAVE, "ghi", "W s/m^2", 3600.0, 0.0),
            ("air_temperature_2m", "temp_air", "K", 1.0, 273.15),
            ("relative_humidity_2m", "rel_hum", "1", 0.01, 0.0),
            ("wind_speed", "wind_speed", "m/s", 1.0, 0.0),
            ("air_pressure_at_sea_level", "mslp", "Pa", 100.0, 0.0),
        ):
            values = (fields[quantity][:, None, rows] * factor + offset).astype("f4")
            held = file.create_dataset(name, data=values, **storage)
            held.attrs.update({"units": units, "grid_mapping": "projection_lambert"})
            _attach(file, held, ("time", "height0", "y", "x"))
        file[SHORTWAVE].attrs["cell_methods"] = "time: sum (interval: 1 hour)"
        if edit is not None:
            edit(file)
    return path_of(folder, "nora3")


def write_sarah3(folder: Path, edit: Edit | None = None) -> Path:
    """Write a solar model: means of the hours that the bounds name, with gaps, as 16-bit numbers."""
    times = FIRST + 3600.0 * np.arange(HOURS)
    with h5py.File(path_of(folder, "sarah3"), "w") as file:
        _axes(file, {"time": times, "lat": 59 + 0.05 * np.arange(NY), "lon": 10 + 0.05 * np.arange(NX)})
        file["time_bnds"] = np.stack([times, times + 3600], axis=1)
        file["time"].attrs["bounds"] = "time_bnds"
        values = np.round(truth()["ghi"]).astype("i2")
        values[5, 2, 3] = -999
        held = file.create_dataset("SIS", data=values, chunks=(1, 1, NX), **DEFLATED)
        held.attrs.update({"units": "W m-2", "_FillValue": np.int16(-999)})
        _attach(file, held, ("time", "lat", "lon"))
        file.attrs["data_origin"] = "simulated"
        if edit is not None:
            edit(file)
    return path_of(folder, "sarah3")


def write_era5(folder: Path, version: int = 2, unlimited: bool = False) -> Path:
    """Write an ERA5 month as NetCDF 3, from north to south, with wind components and sea level pressure."""
    fields = truth()
    with netcdf_file(path_of(folder, "era5"), "w", version=version) as file:
        file.createDimension("time", None if unlimited else HOURS)
        file.createDimension("longitude", NX)
        file.createDimension("latitude", NY)
        for name, dtype, values, units in (
            ("longitude", "f4", 10 + 0.25 * np.arange(NX), "degrees_east"),
            ("latitude", "f4", (59 + 0.25 * np.arange(NY))[::-1], "degrees_north"),
            ("time", "i4", FIRST // 3600 + np.arange(HOURS), "hours since 1970-01-01 00:00:00.0"),
        ):
            axis = file.createVariable(name, dtype, (name,))
            axis[:], axis.units = values, units
        for name, values, units in (
            ("ssrd", fields["ghi"] * 3600, "J m**-2"),
            ("t2m", fields["temp_air"] + 273.15, "K"),
            ("u10", fields["wind_speed"] * 0.6, "m s**-1"),
            ("v10", fields["wind_speed"] * -0.8, "m s**-1"),
            ("msl", fields["mslp"] * 100, "Pa"),
        ):
            held = file.createVariable(name, "f4", ("time", "latitude", "longitude"))
            held[:], held.units = values[:, ::-1], units
    return path_of(folder, "era5")


def write_era5_now(folder: Path) -> Path:
    """Write an ERA5 month as NetCDF 4, west of Greenwich."""
    fields = truth()
    axes = {"valid_time": FIRST + 3600.0 * np.arange(HOURS), "latitude": (59 + 0.25 * np.arange(NY))[::-1],
            "longitude": 357 + 0.25 * np.arange(NX)}  # fmt: skip
    with h5py.File(path_of(folder, "era5"), "w") as file:
        _axes(file, axes)
        for name, values, units in (
            ("ssrd", fields["ghi"] * 3600, "J m**-2"),
            ("si10", fields["wind_speed"], "m s**-1"),
        ):
            held = file.create_dataset(name, data=values[:, ::-1].astype("f4"), chunks=(100, NY, NX), **DEFLATED)
            held.attrs["units"] = units
            _attach(file, held, ("valid_time", "latitude", "longitude"))
    return path_of(folder, "era5")


def _axes(file: h5py.File, axes: dict[str, Any]) -> None:
    for name, values in axes.items():
        file[name] = np.asarray(values, dtype=np.float64)
        file[name].make_scale(name)
    time = next(name for name in axes if name.endswith("time"))
    file[time].attrs["units"] = "seconds since 1970-01-01 00:00:00"


def _attach(file: h5py.File, held: h5py.Dataset, names: tuple[str, ...]) -> None:
    for number, name in enumerate(names):
        held.dims[number].attach_scale(file[name])
