"""Norway's relief and the turbidity of its air, from the two 1/12 degree world maps that pvlib ships.

pvlib's own look-ups answer one position a call and open the file each time; here the part around the Nordic
countries is read once and interpolated bilinearly for whole arrays.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import h5py
import numpy as np
import pvlib
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

Floats = NDArray[np.float32]

SOUTH, NORTH, WEST, EAST = 45.0, 82.0, -20.0, 70.0
_PER_DEGREE = 12
_BROAD_CELLS = 6  # half a degree: what the weather sees of the mountains


@dataclass(frozen=True)
class Maps:
    """The maps around the Nordic countries; rows run from south to north."""

    altitude: Floats  # (rows, columns) m, sea 0
    turbidity: Floats  # (12, rows, columns) Linke turbidity in the middle of each month
    inland: Floats  # (rows, columns) 0 open sea .. 1 far inland
    rise_east: Floats  # (rows, columns) broad slope, m per m eastwards
    rise_north: Floats  # (rows, columns) broad slope, m per m northwards


@cache
def maps() -> Maps:
    """Read the maps, once for each process."""
    folder = Path(pvlib.__file__).parent / "data"
    rows = slice(round((90 - NORTH) * _PER_DEGREE), round((90 - SOUTH) * _PER_DEGREE))
    columns = slice(round((180 + WEST) * _PER_DEGREE), round((180 + EAST) * _PER_DEGREE))
    with h5py.File(folder / "Altitude.h5", "r") as file:
        steps = file["Altitude"][rows, columns][::-1]
    with h5py.File(folder / "LinkeTurbidities.h5", "r") as file:
        turbidity = file["LinkeTurbidity"][rows, columns, :][::-1].transpose(2, 0, 1) / np.float32(20)
    # 28 m steps from -450 m; 255 is no data, and the sea reads as -2 m
    altitude = np.where(steps == 255, 0, np.maximum(steps.astype(np.float32) * 28 - 450, 0)).astype(np.float32)
    broad = gaussian_filter(altitude, _BROAD_CELLS)
    inland = gaussian_filter((altitude > 0).astype(np.float32), _BROAD_CELLS * 1.5)
    north_m = 111_200 / _PER_DEGREE
    lat = SOUTH + (np.arange(altitude.shape[0]) + 0.5) / _PER_DEGREE
    rise_north, rise_east = np.gradient(broad, north_m)
    rise_east = rise_east / np.cos(np.radians(lat))[:, None]
    return Maps(
        altitude,
        np.ascontiguousarray(turbidity, dtype=np.float32),
        inland,
        rise_east.astype(np.float32),
        rise_north.astype(np.float32),
    )


@dataclass(frozen=True)
class Ground:
    """What lies under a list of places; arrays (n,) except `turbidity` (12, n). Units as in `Maps`."""

    altitude: Floats
    turbidity: Floats
    inland: Floats
    rise_east: Floats
    rise_north: Floats


def ground(lat: NDArray[np.float64], lon: NDArray[np.float64]) -> Ground:
    """Interpolate the maps at places.

    Parameters
    ----------
    lat, lon : (n,) float64
        Degrees north and east.

    Returns
    -------
    Ground

    Raises
    ------
    ValueError
        A place lies outside 45-82 N, 20 W - 70 E, or is not a number.
    """
    if not bool(np.all((lat >= SOUTH) & (lat <= NORTH) & (lon >= WEST) & (lon <= EAST))):
        raise ValueError(f"the synthetic weather covers {SOUTH:g}-{NORTH:g} N, {-WEST:g} W - {EAST:g} E only")
    fields = maps()
    n_rows, n_columns = fields.altitude.shape
    row = np.clip((lat - SOUTH) * _PER_DEGREE - 0.5, 0, n_rows - 1)
    column = np.clip((lon - WEST) * _PER_DEGREE - 0.5, 0, n_columns - 1)
    i = np.minimum(row.astype(np.int64), n_rows - 2)
    j = np.minimum(column.astype(np.int64), n_columns - 2)
    p, q = (row - i).astype(np.float32), (column - j).astype(np.float32)

    def at(field: Floats) -> Floats:
        south = field[..., i, j] * (1 - q) + field[..., i, j + 1] * q
        north = field[..., i + 1, j] * (1 - q) + field[..., i + 1, j + 1] * q
        return np.asarray(south * (1 - p) + north * p, dtype=np.float32)

    return Ground(
        at(fields.altitude),
        at(fields.turbidity),
        at(fields.inland),
        at(fields.rise_east),
        at(fields.rise_north),
    )
