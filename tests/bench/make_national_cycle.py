"""Write a file of MET Nordic's full size: python -m tests.bench.make_national_cycle PATH [--steps 67].

1796 x 2321 cells x 67 hours of shortwave, cloud, temperature and wind speed as NetCDF4 float32, one chunk
per time step, shuffle and deflate level 2, smooth fields on MET Nordic's real grid, a cycle of a summer day. Fields
are made on coarse control points and spread by Gaussian weights, so that any process can make any step.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import h5py
import numpy as np
import pyproj
from isal import isal_zlib
from numpy.typing import NDArray

NX, NY = 1796, 2321
X0, Y0, SPACING = -897442.0, -1104322.0, 1000.0
PROJ4 = "+proj=lcc +lat_0=63 +lon_0=15 +lat_1=63 +lat_2=63 +no_defs +R=6.371e+06"
CYCLE = datetime(2026, 6, 20, tzinfo=UTC)
COARSE_M = 20_000.0
SHORTWAVE = "integral_of_surface_downwelling_shortwave_flux_in_air_wrt_time"
UNITS = {SHORTWAVE: "W s/m^2", "cloud_area_fraction": "1", "air_temperature_2m": "K", "wind_speed_10m": "m/s"}

Field = NDArray[np.float32]


def axes() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return x and y in m."""
    return X0 + SPACING * np.arange(NX), Y0 + SPACING * np.arange(NY)


def coarse_fields(steps: int) -> dict[str, Field]:
    """Return each variable on the control points, (steps, y, x)."""
    full_x, full_y = axes()
    x = np.arange(full_x[0] - COARSE_M, full_x[-1] + 2 * COARSE_M, COARSE_M)
    y = np.arange(full_y[0] - COARSE_M, full_y[-1] + 2 * COARSE_M, COARSE_M)
    gx, gy = np.meshgrid(x, y)
    lon, lat = pyproj.Proj(PROJ4)(gx, gy, inverse=True)
    shape = (steps, *gx.shape)
    fields = {name: np.empty(shape, np.float32) for name in UNITS}
    accumulated = np.zeros(gx.shape)
    for step in range(steps):
        drift = step * 36_000.0  # the weather moves east at 10 m/s
        wave = np.sin((gx - drift) / 210_000) * np.cos(gy / 170_000) + 0.5 * np.sin((gx + gy - drift) / 95_000)
        cloud = np.clip(0.5 + 0.45 * wave, 0, 1)
        sin_h = _sin_elevation(lat, lon, step + 0.5)
        if step > 0:
            rate = 1098 * sin_h * np.exp(-0.057 / np.maximum(sin_h, 0.01)) * (1 - 0.75 * cloud**3.4)
            accumulated += 3600 * np.where(sin_h > 0, rate, 0)
        fields[SHORTWAVE][step] = accumulated
        fields["cloud_area_fraction"][step] = cloud
        fields["air_temperature_2m"][step] = 285 - 0.6 * (lat - 60) + 5 * sin_h - 2 * cloud
        fields["wind_speed_10m"][step] = 6 + 4 * wave
    return fields


def _sin_elevation(lat: NDArray[np.float64], lon: NDArray[np.float64], hour: float) -> NDArray[np.float64]:
    declination = np.radians(23.43)
    angle = np.radians(15 * (hour - 12) + lon)
    phi = np.radians(lat)
    result: NDArray[np.float64] = np.sin(phi) * np.sin(declination) + np.cos(phi) * np.cos(declination) * np.cos(angle)
    return result


def weights(full: NDArray[np.float64]) -> Field:
    """Return the weights (cells, control points) of one axis."""
    points = np.arange(full[0] - COARSE_M, full[-1] + 2 * COARSE_M, COARSE_M)
    w = np.exp(-0.5 * ((full[:, None] - points[None, :]) / (0.8 * COARSE_M)) ** 2)
    return (w / w.sum(axis=1, keepdims=True)).astype(np.float32)


def compress(field: NDArray[np.generic], level: int = 2) -> bytes:
    """Return a chunk's bytes as HDF5 stores them with shuffle and deflate."""
    planes = np.ascontiguousarray(field).view(np.uint8).reshape(-1, field.dtype.itemsize)
    return isal_zlib.compress(np.ascontiguousarray(planes.T).data, level)


def make_chunk(coarse: Field) -> bytes:
    """Return one compressed time step of one variable from its control points."""
    x, y = axes()
    return compress(weights(y) @ coarse @ weights(x).T)


def write(path: Path, steps: int = 67) -> None:
    """Write the file."""
    fields = coarse_fields(steps)
    x, y = axes()
    with h5py.File(path, "w", libver=("earliest", "v110")) as file:
        for name, values in (("x", x), ("y", y)):
            file[name] = values
            file[name].attrs.update({"units": "m", "standard_name": f"projection_{name}_coordinate"})
            file[name].make_scale(name)
        start = int(CYCLE.timestamp())
        file["time"] = start + 3600.0 * np.arange(steps)
        file["time"].make_scale("time")
        file["forecast_reference_time"] = float(start)
        for name in ("time", "forecast_reference_time"):
            file[name].attrs["units"] = "seconds since 1970-01-01 00:00:00 +00:00"
        file["projection_lcc"] = np.int32(0)
        file["projection_lcc"].attrs.update({"proj4": PROJ4, "grid_mapping_name": "lambert_conformal_conic"})
        lon, lat = pyproj.Proj(PROJ4)(*np.meshgrid(x, y), inverse=True)
        for name, values in (("latitude", lat), ("longitude", lon)):
            _plane(file, name, values)
        file.attrs.update({"Conventions": "CF-1.6", "data_origin": "simulated"})
        with ProcessPoolExecutor() as pool:
            for name, coarse in fields.items():
                _series(file, name, steps)
                for step, chunk in enumerate(pool.map(make_chunk, coarse)):
                    file[name].id.write_direct_chunk((step, 0, 0), chunk)


def _plane(file: h5py.File, name: str, values: NDArray[np.float64]) -> None:
    unit = "degree_north" if name == "latitude" else "degree_east"
    held = file.create_dataset(name, data=values, chunks=(31, NX), shuffle=True, compression="gzip", compression_opts=2)
    held.attrs.update({"units": unit, "standard_name": name})
    held.dims[0].attach_scale(file["y"])
    held.dims[1].attach_scale(file["x"])


def _series(file: h5py.File, name: str, steps: int) -> None:
    held = file.create_dataset(
        name,
        (steps, NY, NX),
        np.float32,
        chunks=(1, NY, NX),
        shuffle=True,
        compression="gzip",
        compression_opts=2,
    )
    held.attrs.update({"units": UNITS[name], "grid_mapping": "projection_lcc", "coordinates": "longitude latitude"})
    held.attrs["_FillValue"] = np.float32(9.96921e36)
    for i, axis in enumerate(("time", "y", "x")):
        held.dims[i].attach_scale(file[axis])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("--steps", type=int, default=67)
    arguments = parser.parse_args()
    arguments.path.parent.mkdir(parents=True, exist_ok=True)
    write(arguments.path, arguments.steps)
