"""The grid of a monthly file: even axes south to north and west to east, and where our cells lie in the file."""

from dataclasses import dataclass

import numpy as np
import pyproj
from numpy.typing import NDArray

from catalog.sources.axes import CORNER_TOLERANCE_M, axis, distance_m, projection
from catalog.sources.climate_archive.archives import Archive
from catalog.sources.climate_archive.points import read_points
from catalog.sources.netcdf import NetcdfFile

_NAMES = {"x": (("longitude", "lon"), 360.0), "y": (("latitude", "lat"), 90.0)}
_WRONG = "has a wrong grid: "


@dataclass(frozen=True)
class MonthGrid:
    """The grid of a file.

    Attributes
    ----------
    proj4 : projection of x and y; EPSG:4326 where they are degrees
    x, y : (nx,), (ny,) cell centres, ascending
    names : of the file's own last two dimensions, (y, x)
    flip_x, flip_y : whether the file runs east to west, north to south
    """

    proj4: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    names: tuple[str, str]
    flip_x: bool
    flip_y: bool

    def in_file(self, points: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the file's own rows and columns of cells j * nx + i."""
        if points.ndim != 1 or points.size == 0 or points.min() < 0 or points.max() >= self.x.size * self.y.size:
            raise ValueError(f"points are cells 0 to {self.x.size * self.y.size - 1} of the file, at least one")
        rows, columns = np.divmod(points, self.x.size)
        if self.flip_y:
            rows = self.y.size - 1 - rows
        if self.flip_x:
            columns = self.x.size - 1 - columns
        return rows, columns


def read_month_grid(file: NetcdfFile, archive: Archive, mapped: str) -> MonthGrid:
    """Return the grid of a file, `mapped` being the variable whose projection counts.

    Raises
    ------
    SourceError
        An axis is absent, uneven or impossible; the projection is not understood; or latitude and longitude put a
        corner more than 1 km from where x, y and the projection do.
    """
    if archive.grid == "degrees":
        (x_name, x), (y_name, y) = _degrees(file, "x"), _degrees(file, "y")
        if x.min() > 180:
            x = x - 360
        proj4 = "EPSG:4326"
    else:
        x_name, y_name = "x", "y"
        x, y = axis(file, "x"), axis(file, "y")
        proj4 = projection(file, mapped)
    grid = MonthGrid(proj4, np.sort(x), np.sort(y), (y_name, x_name), bool(x[0] > x[-1]), bool(y[0] > y[-1]))
    if archive.grid == "projected":
        _check_corners(file, grid)
    return grid


def _degrees(file: NetcdfFile, which: str) -> tuple[str, NDArray[np.float64]]:
    names, limit = _NAMES[which]
    name = next((name for name in names if file.has(name)), None)
    if name is None:
        raise file.origin.error(f"{_WRONG}it has no {names[0]}")
    values = file.numbers(name)
    if values.ndim != 1 or values.size < 2 or not np.isfinite(values).all() or (np.abs(values) > limit).any():
        raise file.origin.error(f"{_WRONG}{name} is no axis of degrees")
    even = np.linspace(values[0], values[-1], values.size)
    if even[0] == even[-1] or np.abs(values - even).max() > 0.1 * abs(even[1] - even[0]):
        raise file.origin.error(f"{_WRONG}{name} is not evenly spaced")
    return name, even


def _check_corners(file: NetcdfFile, grid: MonthGrid) -> None:
    nx, ny = grid.x.size, grid.y.size
    corners = np.array([0, nx - 1, (ny - 1) * nx, ny * nx - 1])
    rows, columns = grid.in_file(corners)
    places = []
    for name in ("latitude", "longitude"):
        if not file.has(name):
            raise file.origin.error(f"{_WRONG}it has no {name}")
        if file.shape(name)[-2:] != (ny, nx):
            raise file.origin.error(f"{_WRONG}{name} has shape {file.shape(name)}, y and x {(ny, nx)}")
        layout = file.layout(name, (rows.tolist(), columns.tolist()))
        stored = read_points(file, name, layout, rows, columns)[0]
        places.append(file.packing(name).unpack_exact(stored))
    lon, lat = pyproj.Proj(grid.proj4)(grid.x[corners % nx], grid.y[corners // nx], inverse=True)
    away = max(map(distance_m, lat, lon, *places))
    if not away <= CORNER_TOLERANCE_M:
        raise file.origin.error(f"{_WRONG}latitude, longitude of a corner are {away / 1000:.0f} km off its x, y")
