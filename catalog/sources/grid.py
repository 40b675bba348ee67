"""The grid of an upstream file: even axes, a projection, and whether its fields lie on it."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyproj
from numpy.typing import NDArray

from catalog.sources.netcdf import NetcdfFile
from catalog.sources.storage import Storage, Stored
from catalog.sources.units import CONVERSIONS, Packing, conversion

_CORNER_TOLERANCE_M = 1000.0
_WRONG = "has a wrong grid: "
_DEGREES = (("latitude", "lat"), 90.0), (("longitude", "lon"), 360.0)


@dataclass(frozen=True)
class Grid:
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

    @property
    def shape(self) -> tuple[int, int]:
        """Cells (y, x)."""
        return self.y.size, self.x.size

    def ascending(self, field: NDArray[Any]) -> NDArray[Any]:
        """Return an array (..., y, x) of the file south to north and west to east."""
        rows = slice(None, None, -1) if self.flip_y else slice(None)
        columns = slice(None, None, -1) if self.flip_x else slice(None)
        return np.ascontiguousarray(field[..., rows, columns])

    def in_file(self, points: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the file's own rows and columns of cells j * nx + i."""
        if points.ndim != 1 or points.size == 0 or points.min() < 0 or points.max() >= self.x.size * self.y.size:
            raise ValueError(f"points are cells 0 to {self.x.size * self.y.size - 1} of the file, at least one")
        rows, columns = np.divmod(points, self.x.size)
        return (
            self.y.size - 1 - rows if self.flip_y else rows,
            self.x.size - 1 - columns if self.flip_x else columns,
        )


def read_grid(file: NetcdfFile, mapped: str) -> Grid:
    """Return the grid in m of the variable `mapped` (its projection is the one it names).

    Raises
    ------
    SourceError for a missing or uneven axis, or a projection that is not understood.
    """
    y, x = _metres(file, "y"), _metres(file, "x")
    return _ascending(_projection(file, mapped), ("y", "x"), y, x)


def read_degrees(file: NetcdfFile) -> Grid:
    """Return a grid of latitudes and longitudes.

    Raises
    ------
    SourceError for a missing, uneven or impossible axis.
    """
    names, axes = [], []
    for known, limit in _DEGREES:
        name = next((name for name in known if file.has(name)), known[0])
        values = even_axis(file, name)
        _possible(file, name, values, limit)
        names.append(name)
        axes.append(values)
    y, x = axes
    return _ascending("EPSG:4326", (names[0], names[1]), y, x - 360 if x.min() > 180 else x)


def _ascending(proj4: str, names: tuple[str, str], y: NDArray[np.float64], x: NDArray[np.float64]) -> Grid:
    return Grid(proj4, np.sort(x), np.sort(y), names, bool(x[0] > x[-1]), bool(y[0] > y[-1]))


def read_places(file: NetcdfFile, grid: Grid) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return latitude and longitude of the cells of a grid in m, degrees (y, x).

    Raises
    ------
    SourceError where they are absent or absurd, or a corner is more than 1 km from where x and y put it.
    """

    def all_of(storage: Storage) -> Stored:
        [unpack] = file.fetch([(storage, storage.plane(0, 1))])
        return grid.ascending(unpack()[0])

    lat, lon = _coordinates(file, grid, all_of)
    corners = np.ix_((0, -1), (0, -1))
    _check_corners(file, grid, lat[corners].ravel(), lon[corners].ravel())
    return lat, lon


def check_places(file: NetcdfFile, grid: Grid) -> None:
    """Refuse a file as `read_places` does, of which the corners alone are read."""
    ny, nx = grid.shape
    rows, columns = grid.in_file(np.array([0, nx - 1, (ny - 1) * nx, ny * nx - 1]))
    _check_corners(file, grid, *_coordinates(file, grid, lambda storage: file.cells(storage, rows, columns, 1)[0]))


def _coordinates(
    file: NetcdfFile, grid: Grid, read: Callable[[Storage], Stored]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    found = []
    for name, limit in (("latitude", 90.0), ("longitude", 360.0)):
        if not file.has(name):
            raise file.origin.error(f"{_WRONG}it has no {name}")
        storage = file.storage(name)
        if storage.shape[1:] != grid.shape:
            raise file.origin.error(f"{_WRONG}{name} has shape {storage.shape[1:]}, y and x {grid.shape}")
        found.append(file.packing(name, storage.dtype).unpack_exact(read(storage)))
        _possible(file, name, found[-1], limit)
    return found[0], found[1]


def _check_corners(file: NetcdfFile, grid: Grid, lat: NDArray[np.float64], lon: NDArray[np.float64]) -> None:
    x, y = (axis.ravel() for axis in np.meshgrid(grid.x[[0, -1]], grid.y[[0, -1]]))
    expected = pyproj.Proj(grid.proj4)(x, y, inverse=True)
    away = float(np.max(pyproj.Geod(ellps="sphere").inv(*expected, lon, lat)[2]))
    if not away <= _CORNER_TOLERANCE_M:
        raise file.origin.error(f"{_WRONG}latitude, longitude of a corner are {away / 1000:.0f} km off its x, y")


def _possible(file: NetcdfFile, name: str, degrees: NDArray[np.float64], limit: float) -> None:
    if not np.isfinite(degrees).all() or (np.abs(degrees) > limit).any():
        raise file.origin.error(f"{_WRONG}{name} has missing or absurd values")


def even_axis(file: NetcdfFile, name: str, fewest: int = 2, tolerance: float = 0.1) -> NDArray[np.float64]:
    """Return an axis in its own units and direction, evenly spaced.

    Parameters
    ----------
    file : NetcdfFile
    name : str
    fewest : int
        Cells that it must have.
    tolerance : float
        How far a cell may lie from its even place, in spacings.
    """
    if not file.has(name):
        raise file.origin.error(f"{_WRONG}it has no {name}")
    values = file.numbers(name)
    if values.ndim != 1 or values.size < fewest or not np.isfinite(values).all():
        raise file.origin.error(f"{_WRONG}{name} is no axis: it has gaps, or its shape {values.shape}")
    even = np.linspace(values[0], values[-1], values.size)
    if even[0] == even[-1] or np.abs(values - even).max() > tolerance * abs(even[1] - even[0]):
        raise file.origin.error(f"{_WRONG}{name} is not evenly spaced")
    return even


def _metres(file: NetcdfFile, name: str) -> NDArray[np.float64]:
    values = even_axis(file, name, tolerance=1e-2)
    units = file.text("units", name)
    change = conversion("length", units)
    if change is None:
        raise file.origin.error(f"{_WRONG}{name} is in units that are not understood: {units!r}")
    return values * change[0]


def read_field(
    file: NetcdfFile, name: str, kind: str, names: tuple[str, str], shape: tuple[int, int]
) -> tuple[Storage, Packing]:
    """Return where a field lies and how it becomes ours, its units and its grid checked.

    Parameters
    ----------
    file : NetcdfFile
    name : str
    kind : str
        Of `units.CONVERSIONS`.
    names, shape : tuple
        Of the grid's dimensions, (y, x).
    """
    units = file.text("units", name)
    change = conversion(kind, units)
    if change is None:
        known = ", ".join(CONVERSIONS[kind])
        raise file.origin.error(f"has {name} in units that are not understood: {units!r} (known: {known})")
    own = file.horizontal(name)
    if own not in (names, ("", "")):
        raise file.origin.error(f"{_WRONG}{name} lies on ({', '.join(own)}), not on ({', '.join(names)})")
    storage = file.storage(name)
    if storage.shape[1:] != shape:
        raise file.origin.error(f"{_WRONG}{name} is {storage.shape[1:]}, {' and '.join(names)} are {shape}")
    return storage, file.packing(name, storage.dtype).then(*change)


def _projection(file: NetcdfFile, mapped: str) -> str:
    """Return the projection that a variable names, as PROJ text."""
    name = file.text("grid_mapping", mapped)
    wrong = f"{_WRONG}its projection is not understood"
    if name is None or not file.has(name):
        raise file.origin.error(f"{wrong}: {mapped} names {name!r}")
    attributes = file.attributes(name)
    proj4 = attributes.get("proj4") or attributes.get("proj4_string")
    try:
        if not proj4:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # "a PROJ string loses information"
                proj4 = pyproj.CRS.from_cf(attributes).to_proj4()
        if pyproj.CRS(proj4).is_geographic:
            raise file.origin.error(f"{wrong}: x and y in m need a projection, not {proj4!r}")
        pyproj.Proj(proj4)
    except (pyproj.exceptions.ProjError, KeyError, TypeError, ValueError) as error:
        raise file.origin.error(f"{wrong}: {error}") from error
    return str(proj4)
