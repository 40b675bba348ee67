"""Norway's relief and the turbidity of its air, from the two 1/12 degree world maps that pvlib ships.

pvlib's own look-ups answer one position a call and open the file each time; here the part around the Nordic
countries is read once and interpolated bilinearly for whole arrays.
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

import h5py
import numpy as np
import pvlib
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter, map_coordinates

Floats = NDArray[np.float32]

SOUTH, NORTH, WEST, EAST = 45.0, 82.0, -20.0, 70.0
_PER_DEGREE = 12
_BROAD_CELLS = 6  # half a degree: what the weather sees of the mountains


class Ground(NamedTuple):
    """What lies under n places; arrays (n,) except `turbidity` (12, n)."""

    altitude: Floats  # m, sea 0
    inland: Floats  # 0 open sea .. 1 far inland
    rise_east: Floats  # broad slope, m per m eastwards
    rise_north: Floats  # broad slope, m per m northwards
    turbidity: Floats  # Linke turbidity in the middle of each month


@cache
def _maps() -> Floats:
    """Return the fields of `Ground`, the months' turbidities last, (16, rows from the south, columns)."""
    folder = Path(pvlib.__file__).parent / "data"
    rows = slice(round((90 - NORTH) * _PER_DEGREE), round((90 - SOUTH) * _PER_DEGREE))
    columns = slice(round((180 + WEST) * _PER_DEGREE), round((180 + EAST) * _PER_DEGREE))
    with h5py.File(folder / "Altitude.h5", "r") as file:
        steps = file["Altitude"][rows, columns][::-1]
    with h5py.File(folder / "LinkeTurbidities.h5", "r") as file:
        turbidity = file["LinkeTurbidity"][rows, columns, :][::-1].transpose(2, 0, 1) / np.float32(20)
    # 28 m steps from -450 m; 255 is no data, and the sea reads as -2 m
    altitude = np.where(steps == 255, 0, np.maximum(steps.astype(np.float32) * 28 - 450, 0)).astype(np.float32)
    inland = gaussian_filter((altitude > 0).astype(np.float32), _BROAD_CELLS * 1.5)
    lat = SOUTH + (np.arange(altitude.shape[0]) + 0.5) / _PER_DEGREE
    rise_north, rise_east = np.gradient(gaussian_filter(altitude, _BROAD_CELLS), 111_200 / _PER_DEGREE)
    rise_east = rise_east / np.cos(np.radians(lat))[:, None]
    return np.array([altitude, inland, rise_east, rise_north, *turbidity], dtype=np.float32)


def ground(lat: NDArray[np.float64], lon: NDArray[np.float64]) -> Ground:
    """Interpolate the maps at places.

    Parameters
    ----------
    lat, lon : (n,) float64
        Degrees north and east.

    Raises
    ------
    ValueError
        A place lies outside 45-82 N, 20 W - 70 E, or is not a number.
    """
    if not bool(np.all((lat >= SOUTH) & (lat <= NORTH) & (lon >= WEST) & (lon <= EAST))):
        raise ValueError(f"the synthetic weather covers {SOUTH:g}-{NORTH:g} N, {-WEST:g} W - {EAST:g} E only")
    cell = (lat - SOUTH) * _PER_DEGREE - 0.5, (lon - WEST) * _PER_DEGREE - 0.5
    fields = [map_coordinates(field, cell, np.float32, order=1, mode="nearest") for field in _maps()]
    altitude, inland, rise_east, rise_north, *turbidity = fields
    return Ground(altitude, inland, rise_east, rise_north, np.array(turbidity))
