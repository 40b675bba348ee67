"""What all simulated NetCDF files have in common: how they appear, what they say of themselves, and their fields."""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5netcdf
import h5py
import numpy as np

from infra.simulator.grids import RADIUS
from infra.simulator.layout import Variable

SINCE = "seconds since 1970-01-01 00:00:00 +00:00"
PACKING = {"compression": "gzip", "compression_opts": 2, "shuffle": True}
FILL = 9.96921e36


@contextmanager
def new_file(path: Path, modified: float) -> Iterator[tuple[Any, Any]]:
    """Give a file as NetCDF and as HDF5 (quicker in small pieces), which appears complete or not at all.

    Parameters
    ----------
    path : Path
        An existing file is replaced.
    modified : float
        Its modification time, unix seconds: of a file that is made again, the same.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{uuid.uuid4().hex}")
    try:
        with h5py.File(temporary, "w") as stored, h5netcdf.File(stored, "r+") as file:
            yield file, stored
        os.utime(temporary, (modified, modified))
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def describe(file: Any, title: str, **more: Any) -> None:
    """Write the global attributes: first that no weather service made this."""
    file.attrs.update(
        {
            "Conventions": "CF-1.6",
            "title": f"SIMULATED {title}",
            "institution": "SIMULATED: no weather service made this file",
            "source": "SIMULATED by the upstream simulator of Solflis, infra/simulator",
            "data_origin": "simulated",
            **more,
        }
    )


def add(file: Any, name: str, dimensions: tuple[str, ...], data: Any, units: str, **attributes: str) -> None:
    """Write a variable; a plane is compressed, in one chunk."""
    packing = {"chunks": data.shape, **PACKING} if data.ndim > 1 else {}
    stored = file.create_variable(name, dimensions, data=data, **packing)
    stored.attrs.update({"units": units, **attributes})


def add_field(file: Any, about: Variable, chunk: tuple[int, int, int], horizontal: tuple[str, str]) -> None:
    """Create a variable in time and place; `chunk` is in time, y and x."""
    level = () if about.level is None else (about.level,)
    stored = file.create_variable(
        about.name,
        ("time", *level, *horizontal),
        dtype=about.dtype,
        fillvalue=np.dtype(about.dtype).type(FILL if about.dtype == "f4" else -999),
        chunks=(chunk[0], *(1 for _ in level), *chunk[1:]),
        **PACKING,
    )
    for name in ("standard_name", "long_name", "units", "cell_methods"):
        if value := getattr(about, name):
            stored.attrs[name] = value
    if horizontal == ("y", "x"):
        stored.attrs.update({"grid_mapping": "projection_lambert", "coordinates": "longitude latitude"})


def add_lambert(file: Any, parallel: float, longitude: float, proj4: str) -> None:
    """Write the grid mapping of a Lambert projection with one standard parallel."""
    mapping = file.create_variable("projection_lambert", (), dtype="i4")
    mapping.attrs.update(
        {
            "grid_mapping_name": "lambert_conformal_conic",
            "standard_parallel": np.array([parallel, parallel]),
            "longitude_of_central_meridian": longitude,
            "latitude_of_projection_origin": parallel,
            "earth_radius": RADIUS,
            "proj4": proj4,
        }
    )
