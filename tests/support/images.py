"""Small made-up satellite images in the format of LSA SAF's MDSSFTD, with the values they hold."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

NOMINAL = datetime(2026, 6, 21, 10, 15, tzinfo=UTC)
FILL = -32768
Values = Callable[[NDArray[np.float64], NDArray[np.float64]], Any]


def plane(lat: NDArray[np.float64], lon: NDArray[np.float64]) -> NDArray[np.float64]:
    """A value for each place that tells a row from a column, W/m2."""
    return 10 * (lat - 50) + 5 * (lon + 5)


def path_of(folder: Path, nominal: datetime = NOMINAL) -> Path:
    """Where the archive keeps an image."""
    name = f"NETCDF4_LSASAF_MSG_MDSSFTD_MSG-Disk_{nominal:%Y%m%d%H%M}.nc"
    return folder / f"{nominal:%Y/%m/%d}" / name


def write(
    folder: Path,
    nominal: datetime = NOMINAL,
    values: Values = plane,
    *,
    step: float = 0.8,
    storage: dict[str, Any] | None = None,
    edit: Callable[[h5py.File], Any] | None = None,
) -> Path:
    """Write an image; NaN among the values is missing, and so is everything south of 50 N.

    Parameters
    ----------
    step : float
        Degrees; it divides 80.
    storage : dict
        Of the irradiance, for h5py.
    edit : callable
        Gets the open file when it is finished.
    """
    half = round(80 / step)
    axis = np.linspace(-80, 80, 2 * half + 1)
    lat, lon = np.meshgrid(axis[::-1], axis, indexing="ij")
    with np.errstate(invalid="ignore"):
        packed = np.round(np.asarray(values(lat, lon), np.float64) * 10)
    packed = np.where(np.isnan(packed) | (lat < 50) | (lon < -10) | (lon > 45), FILL, packed).astype("i2")
    path = path_of(folder, nominal)
    path.parent.mkdir(parents=True, exist_ok=True)
    with h5py.File(path, "w") as file:
        file.attrs["data_origin"] = "simulated"
        file["time"] = np.array([nominal.timestamp()])
        file["time"].attrs["units"] = "seconds since 1970-01-01 00:00:00"
        file["lat"], file["lon"] = axis[::-1].astype("f4"), axis.astype("f4")
        how = {"chunks": (1, 64, 64), "compression": "gzip", "shuffle": True} if storage is None else storage
        held = file.create_dataset("DSSF_TOT", data=packed[None], **how)
        held.attrs.update({"units": "W/m2", "scale_factor": 0.1, "add_offset": 0.0, "_FillValue": np.int16(FILL)})
        if edit is not None:
            edit(file)
    return path
