"""Relief and turbidity for the clear sky, from the maps of 1/12 degree that pvlib ships.

Altitude: ETOPO-based, in steps of 28 m. Linke turbidity: monthly climatology (Remund et al. 2003, SoDa).
"""

from datetime import datetime
from functools import cache
from pathlib import Path

import h5py
import numpy as np
import pvlib
from numpy.typing import NDArray

_STEP = 1 / 12
_DATA = Path(pvlib.__file__).parent / "data"
# The part of the world that any source reaches, with a margin: rows from north, columns from 180 W.
_NORTH, _SOUTH, _WEST, _EAST = 80.0, 45.0, -30.0, 60.0
_ROWS = slice(round((90 - _NORTH) / _STEP), round((90 - _SOUTH) / _STEP))
_COLUMNS = slice(round((_WEST + 180) / _STEP), round((_EAST + 180) / _STEP))


def altitude(lat: NDArray[np.float64], lon: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the relief's height, m above sea level and not below it, bilinear; of the shape of `lat`."""
    return _bilinear(_relief(), lat, lon)


def linke_turbidity(lat: NDArray[np.float64], lon: NDArray[np.float64], day: datetime) -> NDArray[np.float32]:
    """Return the climatological Linke turbidity of a day: bilinear in space, linear between mid-months."""
    middle = day.month - 1 + (day.day - 15) / 30.4
    before = int(np.floor(middle))
    weight = middle - before
    first, second = (_bilinear(_month(m % 12), lat, lon) for m in (before, before + 1))
    return first + np.float32(weight) * (second - first)


def linke_turbidity_of_months(lat: float, lon: float) -> NDArray[np.float64]:
    """Return the climatological Linke turbidity of a place in the middle of each month, (12,)."""
    place = np.array([lat]), np.array([lon])
    return np.array([_bilinear(_month(month), *place)[0] for month in range(12)], np.float64)


@cache
def _relief() -> NDArray[np.float32]:
    with h5py.File(_DATA / "Altitude.h5") as file:
        coded = file["Altitude"][_ROWS, _COLUMNS]
    # steps of 28 m from -450 m; 255 is open sea
    return np.where(coded == 255, 0.0, np.maximum(coded * 28.0 - 450.0, 0.0)).astype(np.float32)


@cache
def _month(month: int) -> NDArray[np.float32]:
    with h5py.File(_DATA / "LinkeTurbidities.h5") as file:
        return np.asarray(file["LinkeTurbidity"][_ROWS, _COLUMNS, month], np.float32) / np.float32(20)


def _bilinear(field: NDArray[np.float32], lat: NDArray[np.float64], lon: NDArray[np.float64]) -> NDArray[np.float32]:
    row = np.clip((_NORTH - lat) / _STEP - 0.5, 0, field.shape[0] - 1.001)
    column = np.clip((lon - _WEST) / _STEP - 0.5, 0, field.shape[1] - 1.001)
    i, j = row.astype(np.int32), column.astype(np.int32)
    u, v = (row - i).astype(np.float32), (column - j).astype(np.float32)
    north = field[i, j] * (1 - v) + field[i, j + 1] * v
    south = field[i + 1, j] * (1 - v) + field[i + 1, j + 1] * v
    return np.asarray(north * (1 - u) + south * u, np.float32)
