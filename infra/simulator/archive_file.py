"""The bytes of a simulated monthly archive file around its fields: metadata and axes, and where every piece would lie.

HDF5 writes the file with its fields allocated and never filled (a sparse file of some 100 kB); their pieces then have
computable addresses, and what lies there is made by `archive.piece`. One month is one piece in time, so that a few
cells cost a few pieces: the 4 x 4 cells of NORA3's 12 km are 48 km, and 60 kB for each field and month.
"""

import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from infra.simulator.archive import KINDS, NORA3_PROJ4, Grid, Kind, grid_of, stamps_of
from infra.simulator.grids import RADIUS
from infra.simulator.relief import ground

_ALIGNED_FROM, _ALIGNMENT, _METADATA_BLOCK = 40_000, 1 << 18, 1 << 15
_SPATIAL = {"m": ("y", "x"), "degrees": ("lat", "lon")}


@dataclass(frozen=True)
class FieldPlace:
    """Where a field's pieces lie: one after the other from byte `first` on, each of `size` bytes."""

    first: int
    size: int


@dataclass(frozen=True)
class Skeleton:
    """A file without its fields.

    Attributes
    ----------
    size : bytes of the file
    parts : (offset, bytes) of everything that is no field
    fields : in the order in which `archive.piece` gives them
    pieces : how many pieces each field has
    """

    size: int
    parts: tuple[tuple[int, bytes], ...]
    fields: tuple[FieldPlace, ...]
    pieces: int


def make_skeleton(kind: str, year: int, month: int, spacing_km: float, shift_x: float = 0.0) -> Skeleton:
    """Return a month's file without its fields.

    Parameters
    ----------
    kind : {"nora3", "sarah3"}
    year, month : int
    spacing_km : float
        Of the grid.
    shift_x : float
        Added to x alone, for a file that contradicts itself.
    """
    about, grid = KINDS[kind], grid_of(kind, spacing_km)
    with tempfile.TemporaryDirectory(prefix="solflis-archive-") as folder:
        path = Path(folder) / "month.nc"
        with _create(path) as file:
            places = _write(file, about, grid, year, month, shift_x)
        return _without_fields(path, about, places, grid)


def _create(path: Path) -> Any:
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    # the newest layouts keep no index of pieces of known number and size: they follow each other
    access.set_libver_bounds(h5py.h5f.LIBVER_V110, h5py.h5f.LIBVER_V110)
    access.set_alignment(_ALIGNED_FROM, _ALIGNMENT)
    access.set_meta_block_size(_METADATA_BLOCK)
    return h5py.File(h5py.h5f.create(str(path).encode(), h5py.h5f.ACC_TRUNC, fapl=access))


def _write(file: Any, about: Kind, grid: Grid, year: int, month: int, shift_x: float) -> list[int]:
    """Write everything but the numbers of the fields; return where those begin."""
    file.attrs.update(
        {
            "Conventions": "CF-1.6",
            "title": about.title,
            "institution": "SIMULATED: no weather service made this file",
            "source": "SIMULATED by the upstream simulator of Solflis, infra/simulator",
            "data_origin": "simulated",
            "history": f"SIMULATED month {year:04d}-{month:02d}",
            "comment": f"Grid spacing {grid.spacing:g} {grid.unit}; the real archive's is {grid.real_spacing:g}.",
            "simulated_spacing": grid.spacing,
            "real_spacing": grid.real_spacing,
        }
    )
    stamps = stamps_of(year, month)
    y, x = _SPATIAL[grid.unit]
    scales = {"time": stamps, y: grid.y, x: grid.x + shift_x}
    scales |= {level: np.zeros(1) for level in sorted({field.level for field in about.fields if field.level})}
    for name, values in scales.items():
        _scale(file, name, values)
    if grid.unit == "m":
        _projected(file, grid)
    else:
        _bounds(file, stamps)
    return [_field(file, about, field, (y, x), grid) for field in about.fields]


def _scale(file: Any, name: str, values: Any) -> None:
    held = file.create_dataset(name, data=np.asarray(values, dtype=np.float64), track_times=False)
    held.make_scale(name)
    held.attrs.update(
        {
            "time": {"standard_name": "time", "units": "seconds since 1970-01-01 00:00:00 +00:00"},
            "x": {"standard_name": "projection_x_coordinate", "units": "m"},
            "y": {"standard_name": "projection_y_coordinate", "units": "m"},
            "lat": {"standard_name": "latitude", "units": "degrees_north"},
            "lon": {"standard_name": "longitude", "units": "degrees_east"},
        }.get(name, {"standard_name": "height", "units": "m"})
    )


def _projected(file: Any, grid: Grid) -> None:
    mapping = file.create_dataset("projection_lambert", data=np.int32(0), track_times=False)
    mapping.attrs.update(
        {
            "grid_mapping_name": "lambert_conformal_conic",
            "standard_parallel": np.array([66.3, 66.3]),
            "longitude_of_central_meridian": -42.0,
            "latitude_of_projection_origin": 66.3,
            "earth_radius": RADIUS,
            "proj4": NORA3_PROJ4,
        }
    )
    latitude, longitude, altitude = _planes(grid.spacing / 1000)
    planes = {
        "latitude": (latitude, "latitude", "degree_north"),
        "longitude": (longitude, "longitude", "degree_east"),
        "altitude": (altitude, "surface_altitude", "m"),
    }
    for name, (plane, standard_name, units) in planes.items():
        held = file.create_dataset(name, data=plane, track_times=False)
        held.attrs.update({"standard_name": standard_name, "units": units})
        for number, axis in enumerate(("y", "x")):
            held.dims[number].attach_scale(file[axis])


@lru_cache(maxsize=1)
def _planes(spacing_km: float) -> tuple[NDArray[np.float32], ...]:
    """Return latitude, longitude and altitude of NORA3's cells, (ny, nx): the same in every month."""
    grid = grid_of("nora3", spacing_km)
    rows, columns = np.divmod(np.arange(grid.y.size * grid.x.size), grid.x.size)
    lat, lon = grid.places(rows, columns)
    shape = (grid.y.size, grid.x.size)
    return tuple(values.astype(np.float32).reshape(shape) for values in (lat, lon, ground(lat, lon).altitude))


def _bounds(file: Any, stamps: Any) -> None:
    held = file.create_dataset("time_bnds", data=np.stack([stamps, stamps + 3600], axis=1), track_times=False)
    held.dims[0].attach_scale(file["time"])
    file["time"].attrs["bounds"] = "time_bnds"


def _field(file: Any, about: Kind, field: Any, horizontal: tuple[str, str], grid: Grid) -> int:
    """Create a field with room for all of it and no numbers; return where its first piece lies."""
    names = ("time", *((field.level,) if field.level else ()), *horizontal)
    shape = tuple(file[name].shape[0] for name in names)
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_chunk((shape[0], *(1,) * (len(shape) - 3), *about.chunk))
    properties.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    properties.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    properties.set_obj_track_times(False)
    dtype = np.dtype(field.dtype)
    space, stored = h5py.h5s.create_simple(shape), h5py.h5t.py_create(dtype)
    held = h5py.Dataset(h5py.h5d.create(file.id, field.name.encode(), stored, space, properties))
    for number, name in enumerate(names):
        held.dims[number].attach_scale(file[name])
    held.attrs.update(
        {
            "standard_name": field.standard_name,
            "long_name": field.long_name,
            "units": field.units,
            "cell_methods": field.cell_methods,
            "_FillValue": dtype.type(-999 if dtype.kind == "i" else 9.96921e36),
        }
    )
    if grid.unit == "m":
        held.attrs.update({"grid_mapping": "projection_lambert", "coordinates": "longitude latitude"})
    return int(held.id.get_chunk_info(0).byte_offset)


def _without_fields(path: Path, about: Kind, firsts: list[int], grid: Grid) -> Skeleton:
    high, wide = about.chunk
    pieces = -(-grid.y.size // high) * -(-grid.x.size // wide)
    with h5py.File(path, "r") as file:
        hours = file["time"].shape[0]
    sizes = [hours * high * wide * np.dtype(field.dtype).itemsize for field in about.fields]
    fields = tuple(FieldPlace(first, size) for first, size in zip(firsts, sizes, strict=True))
    parts, at, size = [], 0, path.stat().st_size
    with path.open("rb") as file:
        for place in (*sorted(fields, key=lambda place: place.first), FieldPlace(size, 0)):
            file.seek(at)
            data = file.read(place.first - at).rstrip(b"\0")
            if data:
                parts.append((at, data))
            at = place.first + pieces * place.size
    return Skeleton(size, tuple(parts), fields, pieces)
