"""Small made-up forecast cycles as NetCDF4 files, in every manner of storage, with the values they hold."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pyproj
from numpy.typing import NDArray

PROJ4 = "+proj=lcc +lat_0=63 +lon_0=15 +lat_1=63 +lat_2=63 +no_defs +R=6.371e+06"
SHORTWAVE = "integral_of_surface_downwelling_shortwave_flux_in_air_wrt_time"
MET_NAMES = {"ghi_acc": SHORTWAVE, "cloud": "cloud_area_fraction", "temp_air": "air_temperature_2m",
             "wind_speed": "wind_speed_10m"}  # fmt: skip
CYCLE = datetime(2026, 6, 20, 6, tzinfo=UTC)
DEFLATED = {"shuffle": True, "compression": "gzip", "compression_opts": 2}


@dataclass
class MadeUp:
    """What to write; the defaults are a plain MET Nordic file of 9 x 11 cells and 5 instants."""

    start: datetime = CYCLE
    steps: int = 5
    nx: int = 11
    ny: int = 9
    spacing: float = 1000.0
    names: dict[str, str] = field(default_factory=lambda: dict(MET_NAMES))
    storage: dict[str, Any] = field(default_factory=lambda: dict(DEFLATED))
    chunks: tuple[int, ...] | None = None
    """(time, y, x); None is one chunk a step, or contiguous where `storage` is empty."""
    dtype: str = "<f4"
    descending_y: bool = False
    descending_x: bool = False
    percent: bool = False
    celsius: bool = False
    singleton: bool = False
    gap: bool = False
    """Cell (y 1, x 2) of every field is missing."""
    reference_time: datetime | None = CYCLE
    attributes: dict[str, str] = field(default_factory=dict)

    def axes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return x and y ascending, m."""
        return -50_000 + self.spacing * np.arange(self.nx), -200_000 + self.spacing * np.arange(self.ny)

    def truth(self) -> dict[str, NDArray[np.float64]]:
        """Return the canonical (time, y, x) values."""
        t, y, x = np.meshgrid(np.arange(self.steps), np.arange(self.ny), np.arange(self.nx), indexing="ij")
        fields: dict[str, NDArray[np.float64]] = {
            "ghi_acc": 3600.0 * 50 * t * (1 + (x + 3 * y) / 40),
            "cloud": (t + x + 2 * y) % 21 / 20.0,
            "temp_air": 12.0 + t - 0.5 * y + 0.25 * x,
            "wind_speed": 3.0 + 0.5 * t + 0.125 * x + 0.0625 * y,
        }
        if self.gap:
            for values in fields.values():
                values[:, 1, 2] = np.nan
        return fields


def write(path: Path, made: MadeUp | None = None, edit: Callable[[h5py.File], None] | None = None) -> Path:
    """Write the file; `edit` may break it before it is closed."""
    made = made or MadeUp()
    path.parent.mkdir(parents=True, exist_ok=True)
    with h5py.File(path, "w") as file:
        _coordinates(file, made)
        for quantity, values in made.truth().items():
            if quantity in made.names:
                _field(file, made, quantity, values)
        file.attrs.update(made.attributes)
        if edit is not None:
            edit(file)
    return path


Edit = Callable[[h5py.File], None]


def replace(name: str, values: Any) -> Edit:
    """Put other values in a variable's place, with its attributes."""

    def edit(file: h5py.File) -> None:
        of_scales = ("DIMENSION_LIST", "REFERENCE_LIST", "CLASS", "NAME")
        attributes = {key: value for key, value in file[name].attrs.items() if key not in of_scales}
        del file[name]
        file[name] = values
        file[name].attrs.update(attributes)

    return edit


def attribute(name: str, key: str, value: Any) -> Edit:
    """Change a variable's attribute; None removes it."""
    return lambda file: file[name].attrs.pop(key) if value is None else file[name].attrs.__setitem__(key, value)


def drop(name: str) -> Edit:
    """Remove a variable."""
    return lambda file: file.__delitem__(name)


def met_nordic_path(folder: Path, start: datetime = CYCLE) -> Path:
    """Return where MET Nordic keeps a cycle's file under a folder."""
    return folder / f"{start:%Y/%m/%d}" / f"met_forecast_1_0km_nordic_{start:%Y%m%dT%H}Z.nc"


def _coordinates(file: h5py.File, made: MadeUp) -> None:
    x, y = made.axes()
    lon, lat = pyproj.Proj(PROJ4)(*np.meshgrid(x, y), inverse=True)
    for name, values in (
        ("x", x[:: -1 if made.descending_x else 1]),
        ("y", y[:: -1 if made.descending_y else 1]),
    ):
        file[name] = values
        file[name].attrs["units"] = "m"
        file[name].make_scale(name)
    file["time"] = made.start.timestamp() + 3600.0 * np.arange(made.steps)
    file["time"].make_scale("time")
    file["time"].attrs["units"] = "seconds since 1970-01-01 00:00:00 +00:00"
    if made.reference_time is not None:
        file["forecast_reference_time"] = made.reference_time.timestamp()
        file["forecast_reference_time"].attrs["units"] = "seconds since 1970-01-01 00:00:00 +00:00"
    file["projection_lcc"] = np.int32(0)
    file["projection_lcc"].attrs["proj4"] = PROJ4
    for name, values in (("latitude", lat), ("longitude", lon), ("altitude", 100 + 10 * np.round(lat, 1))):
        file[name] = _turned(values, made)
        file[name].attrs["units"] = {"latitude": "degree_north", "longitude": "degree_east"}.get(name, "m")


def _turned(values: NDArray[Any], made: MadeUp) -> NDArray[Any]:
    return values[..., :: -1 if made.descending_y else 1, :: -1 if made.descending_x else 1]


def _field(file: h5py.File, made: MadeUp, quantity: str, values: NDArray[np.float64]) -> None:
    units = {"ghi_acc": "W s/m^2", "cloud": "1", "temp_air": "K", "wind_speed": "m/s"}[quantity]
    if quantity == "temp_air":
        units, values = ("degC", values) if made.celsius else (units, values + 273.15)
    if quantity == "cloud" and made.percent:
        units, values = "%", values * 100
    scale, offset, fill = 1.0, 0.0, 9.969209968386869e36
    if made.dtype[1] == "i":
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        scale, offset, fill = (high - low) / 60_000 or 1.0, (high + low) / 2, -32767
        values = np.round((values - offset) / scale)
    stored = _turned(np.where(np.isnan(values), fill, values), made).astype(made.dtype)
    chunks = made.chunks or ((1, made.ny, made.nx) if made.storage else None)
    if made.singleton:
        stored = stored[:, None]
        chunks = chunks and (chunks[0], 1, *chunks[1:])
    name = made.names[quantity]
    held = file.create_dataset(name, data=stored, chunks=chunks, **made.storage)
    held.attrs.update({"units": units, "grid_mapping": "projection_lcc"})
    if made.dtype[1] == "i":
        held.attrs.update({"scale_factor": scale, "add_offset": offset})
    held.attrs["_FillValue"] = np.array([fill], made.dtype)
    for axis, scale_name in ((0, "time"), (-2 % held.ndim, "y"), (-1 % held.ndim, "x")):
        held.dims[axis].attach_scale(file[scale_name])
