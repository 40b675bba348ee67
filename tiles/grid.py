"""The grids that tiles lie on: from a position to a cell, and back.

Cells are named by two integers. On a regular grid these are (row from south, column from west); on a UTM grid
likewise, counted from its south-western corner.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kernels import utm

Cell = tuple[int, int]
EARTH_RADIUS_KM = 6371.0088


def distance_km(lat1: float, lon1: float, lat2: float, lon2: float) -> float:
    """Return the great-circle distance between two positions in degrees (haversine, mean Earth radius)."""
    p1, p2 = math.radians(lat1), math.radians(lat2)
    h = math.sin((p2 - p1) / 2) ** 2 + math.cos(p1) * math.cos(p2) * math.sin(math.radians(lon2 - lon1) / 2) ** 2
    return 2 * EARTH_RADIUS_KM * math.asin(min(1.0, math.sqrt(h)))


class OutsideGrid(ValueError):
    """A position that lies on no cell of the grid."""


def nearest_cell(
    grid: "RegularGrid | UtmGrid", lat: float, lon: float, mask: NDArray[np.bool_] | None, max_km: float
) -> tuple[Cell, float] | None:
    """Find the cell, among those that `mask` allows, whose centre is nearest by true distance.

    Parameters
    ----------
    grid : RegularGrid or UtmGrid
    lat, lon : float
        Degrees north and east.
    mask : (n_rows, n_cols) bool array, optional
        The cells that count; all of them when absent.
    max_km : float
        The farthest centre that counts, km.

    Returns
    -------
    ((row, column), distance in km) or None
        None where no allowed cell lies within reach.
    """
    row_float, col_float = grid.fractional(lat, lon)
    # columns are narrowest on the poleward side of the window; the margin of one cell covers the rounding
    rows_km, cols_km = grid.spacing_km(min(abs(lat) + max_km / 110, 89.9))
    reach_rows = max_km * 1.02 / rows_km + 1.5
    reach_cols = max_km * 1.02 / cols_km + 1.5
    best: tuple[Cell, float] | None = None
    n_rows, n_cols = grid.shape
    for row in range(max(0, math.floor(row_float - reach_rows)), min(n_rows, math.ceil(row_float + reach_rows) + 1)):
        for col in range(
            max(0, math.floor(col_float - reach_cols)), min(n_cols, math.ceil(col_float + reach_cols) + 1)
        ):
            if mask is not None and not mask[row, col]:
                continue
            away = distance_km(lat, lon, *grid.centre((row, col)))
            if away <= max_km and (best is None or away < best[1]):
                best = ((row, col), away)
    return best


@dataclass(frozen=True)
class RegularGrid:
    """Cells of a fixed step in degrees; `lat0` and `lon0` are the centre of the south-western cell."""

    lat0: float
    lon0: float
    step: float
    n_lat: int
    n_lon: int
    dims: tuple[str, str] = ("lat", "lon")
    epsg: int = 4326

    @property
    def shape(self) -> tuple[int, int]:
        """Rows (south to north) and columns (west to east)."""
        return self.n_lat, self.n_lon

    @cached_property
    def lats(self) -> NDArray[np.float64]:
        """Latitudes of the cell centres, degrees north, (n_lat,)."""
        return np.round(self.lat0 + self.step * np.arange(self.n_lat), 6)

    @cached_property
    def lons(self) -> NDArray[np.float64]:
        """Longitudes of the cell centres, degrees east, (n_lon,)."""
        return np.round(self.lon0 + self.step * np.arange(self.n_lon), 6)

    @property
    def axes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The two coordinate axes, in the order of `dims`."""
        return self.lats, self.lons

    def fractional(self, lat: float, lon: float) -> tuple[float, float]:
        """Return row and column as real numbers; whole at the centres."""
        return (lat - self.lat0) / self.step, (lon - self.lon0) / self.step

    def spacing_km(self, lat: float) -> tuple[float, float]:
        """Return the distance between neighbouring rows and columns at a latitude, km."""
        degree = math.radians(1) * EARTH_RADIUS_KM * self.step
        return degree, max(degree * math.cos(math.radians(lat)), 1e-6)

    def cell_at(self, lat: float, lon: float) -> Cell:
        """Return the cell (i_lat, i_lon) whose area holds a position in degrees.

        The outermost cells also own what lies up to one step beyond their centres, so that the whole coverage of
        57-72 N, 4-32 E belongs to a cell.

        Raises
        ------
        OutsideGrid
            The position is more than one step outside the outermost centres.
        """
        row, col = self.fractional(lat, lon)
        if 0 <= row + 0.5 < self.n_lat and 0 <= col + 0.5 < self.n_lon:  # nearly all; `min` and `max` take 1 us
            return int(row + 0.5), int(col + 0.5)
        if not (-1 <= row <= self.n_lat and -1 <= col <= self.n_lon):
            raise OutsideGrid(f"{lat}, {lon} lies outside the grid")
        i, j = math.floor(row + 0.5), math.floor(col + 0.5)
        return min(max(i, 0), self.n_lat - 1), min(max(j, 0), self.n_lon - 1)

    def centre(self, cell: Cell) -> tuple[float, float]:
        """Return latitude and longitude of a cell's centre, degrees."""
        return round(self.lat0 + self.step * cell[0], 6), round(self.lon0 + self.step * cell[1], 6)

    nearest = nearest_cell


@dataclass(frozen=True)
class UtmGrid:
    """Square cells in UTM 33 (EPSG:25833); `x0`, `y0` is the south-western corner of the grid, metres."""

    x0: float
    y0: float
    size: float
    n_y: int
    n_x: int
    dims: tuple[str, str] = ("y", "x")
    epsg: int = 25833

    @property
    def shape(self) -> tuple[int, int]:
        """Rows (south to north) and columns (west to east)."""
        return self.n_y, self.n_x

    @property
    def axes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Northings and eastings of the cell centres, metres, in the order of `dims`."""
        rows, columns = np.arange(self.n_y, dtype=np.float64), np.arange(self.n_x, dtype=np.float64)
        return self.y0 + self.size * (rows + 0.5), self.x0 + self.size * (columns + 0.5)

    @cached_property
    def positions(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Latitudes and longitudes of all cell centres, degrees, (n_y, n_x) each; for grids that are not too large."""
        rows, columns = self.axes
        return utm.inverse(*np.meshgrid(columns, rows))

    def fractional(self, lat: float, lon: float) -> tuple[float, float]:
        """Return row and column as real numbers; whole at the centres."""
        x, y = utm.forward(lat, lon)
        return (float(y) - self.y0) / self.size - 0.5, (float(x) - self.x0) / self.size - 0.5

    def spacing_km(self, lat: float) -> tuple[float, float]:  # noqa: ARG002 - the same on every row
        """Return the distance between neighbouring rows and columns, km (the map's scale is within 1 %)."""
        return self.size / 1010, self.size / 1010

    def cell_at(self, lat: float, lon: float) -> Cell:
        """Return the cell (row, column) that holds a position in degrees.

        Raises
        ------
        OutsideGrid
            The position lies outside the grid.
        """
        row, col = self.fractional(lat, lon)
        cell = math.floor(row + 0.5), math.floor(col + 0.5)
        if not self.holds(cell):
            raise OutsideGrid(f"{lat}, {lon} lies outside the grid")
        return cell

    def holds(self, cell: Cell) -> bool:
        """Return whether a cell is one of the grid's."""
        return 0 <= cell[0] < self.n_y and 0 <= cell[1] < self.n_x

    def cell_around(self, x: float, y: float) -> Cell:
        """Return the cell (row, column) around a position in metres, also beyond the grid."""
        return int((y - self.y0) // self.size), int((x - self.x0) // self.size)

    def middle(self, cell: Cell) -> tuple[int, int]:
        """Return easting and northing of a cell's centre, whole metres."""
        return round(self.x0 + self.size * (cell[1] + 0.5)), round(self.y0 + self.size * (cell[0] + 0.5))

    def centre(self, cell: Cell) -> tuple[float, float]:
        """Return latitude and longitude of a cell's centre, degrees."""
        lat, lon = utm.inverse(self.x0 + self.size * (cell[1] + 0.5), self.y0 + self.size * (cell[0] + 0.5))
        return float(lat), float(lon)

    nearest = nearest_cell


Grid = RegularGrid | UtmGrid

FORECAST = RegularGrid(lat0=57.0, lon0=4.0, step=0.03, n_lat=501, n_lon=934)
# The snow authority's grid: corner (-75 000, 6 450 000), 1195 x 1550 cells of 1 km.
SENORGE1KM = UtmGrid(x0=-75_000, y0=6_450_000, size=1_000, n_y=1550, n_x=1195)
# Aligned with it: 3 x 3 snow cells to a cell, the last column and row reaching past its edge.
NORWAY3KM = UtmGrid(x0=-75_000, y0=6_450_000, size=3_000, n_y=517, n_x=399)
HORIZON = UtmGrid(x0=-75_000, y0=6_450_000, size=100, n_y=15_500, n_x=11_950)
# The corner and the area of the snow grid in finer cells, each 5 x 5 of the one before.
TERRAIN10 = UtmGrid(x0=-75_000, y0=6_450_000, size=10, n_y=155_000, n_x=119_500)
TERRAIN50 = UtmGrid(x0=-75_000, y0=6_450_000, size=50, n_y=31_000, n_x=23_900)
TERRAIN250 = UtmGrid(x0=-75_000, y0=6_450_000, size=250, n_y=6_200, n_x=4_780)
