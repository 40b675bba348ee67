"""What all simulated NetCDF files have in common: how they appear, what they say of themselves, and their fields."""

import os
import re
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import h5netcdf
import h5py
import numpy as np
from numpy.typing import NDArray

from infra.simulator.grids import RADIUS, Domain

SINCE = "seconds since 1970-01-01 00:00:00 +00:00"
_PACKING = {"compression": "gzip", "compression_opts": 2, "shuffle": True}


@dataclass(frozen=True)
class Variable:
    """One variable that varies in time and place.

    `field` names what it shows: one of `weather.truth`, or `ghi_acc` or `geopotential`. The file holds
    `offset + factor * field` rounded to a multiple of `quantum`, of floats a power of two so that the bits left over
    compress.
    """

    name: str
    field: str
    units: str
    quantum: float
    offset: float = 0.0
    factor: float = 1.0
    dtype: str = "f4"
    level: str | None = None  # the singleton height dimension, where the real file has one
    about: tuple[tuple[str, Any], ...] = ()  # further attributes

    def at(self, level: str, **changed: Any) -> "Variable":
        """Return the same at another level, or changed in other ways."""
        return replace(self, level=level, **changed)

    @property
    def fill(self) -> Any:
        """Return the fill value."""
        return np.dtype(self.dtype).type(9.96921e36 if self.dtype == "f4" else -32768)

    def encode(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return what the file holds of values of the field, which may be missing."""
        stored = np.round((self.offset + self.factor * values) / self.quantum) * self.quantum
        return np.nan_to_num(stored, nan=self.fill).astype(self.dtype)


SHORTWAVE = Variable("integral_of_surface_downwelling_shortwave_flux_in_air_wrt_time", "ghi_acc", "W s/m^2", 16.0)
TEMPERATURE = Variable("air_temperature_2m", "temp_air", "K", 2**-6, offset=273.15)
HUMIDITY = Variable("relative_humidity_2m", "relative_humidity", "1", 2**-10)


@contextmanager
def new_file(path: Path, modified: float, title: str, **more: Any) -> Iterator[tuple[Any, Any]]:
    """Give a file as NetCDF and as HDF5 (quicker in small pieces), which appears complete or not at all.

    Parameters
    ----------
    path : Path
        An existing file is replaced.
    modified : float
        Its modification time, unix seconds: of a file that is made again, the same.
    title
        Of the file; and more global attributes.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{uuid.uuid4().hex}")
    about = {
        "Conventions": "CF-1.6",
        "title": f"SIMULATED {title}",
        "institution": "SIMULATED: no weather service made this file",
        "source": "SIMULATED by the upstream simulator of Solflis, infra/simulator",
        "data_origin": "simulated",
    }
    try:
        with h5py.File(temporary, "w") as stored, h5netcdf.File(stored, "r+") as file:
            file.attrs.update({**about, **more})
            yield file, stored
        os.utime(temporary, (modified, modified))
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def add(file: Any, name: str, dimensions: tuple[str, ...], data: Any, units: str, **attributes: Any) -> None:
    """Write a variable, and the dimensions that are new; a plane is compressed, in one chunk."""
    for dimension, size in zip(dimensions, np.shape(data), strict=True):
        file.dimensions.setdefault(dimension, size)
    packing = {"chunks": data.shape, **_PACKING} if len(dimensions) > 1 else {}
    stored = file.create_variable(name, dimensions, data=data, **packing)
    stored.attrs.update({"units": units, **attributes})


def add_field(file: Any, about: Variable, chunk: tuple[int, int, int], horizontal: tuple[str, str]) -> Any:
    """Create and return a variable in time and place; `chunk` is in time, y and x."""
    level = () if about.level is None else (about.level,)
    for dimension in level:
        file.dimensions.setdefault(dimension, 1)
    stored = file.create_variable(
        about.name,
        ("time", *level, *horizontal),
        dtype=about.dtype,
        fillvalue=about.fill,
        chunks=(chunk[0], *(1 for _ in level), *chunk[1:]),
        **_PACKING,
    )
    stored.attrs.update({"units": about.units, "standard_name": re.sub(r"_\d+m$", "", about.name), **dict(about.about)})
    if horizontal == ("y", "x"):
        stored.attrs.update({"grid_mapping": "projection_lambert", "coordinates": "longitude latitude"})
    return stored


def add_lambert(file: Any, domain: Domain, axes: Sequence[NDArray[Any]], positions: Sequence[NDArray[Any]]) -> None:
    """Write the grid mapping, the axes x and y, and latitude and longitude of the cells."""
    mapping = file.create_variable("projection_lambert", (), dtype="i4")
    mapping.attrs.update(
        {
            "grid_mapping_name": "lambert_conformal_conic",
            "standard_parallel": np.array([domain.parallel, domain.parallel]),
            "longitude_of_central_meridian": domain.longitude,
            "latitude_of_projection_origin": domain.parallel,
            "earth_radius": RADIUS,
            "proj4": domain.proj4,
        }
    )
    for name, axis in zip("xy", axes, strict=True):
        add(file, name, (name,), axis.astype(np.float32), "m", standard_name=f"projection_{name}_coordinate")
    for name, plane, units in zip(("latitude", "longitude"), positions, ("degree_north", "degree_east"), strict=True):
        add(file, name, ("y", "x"), plane, units, standard_name=name)
