"""The time axis and the grid of an upstream file, checked before anything else of it is believed."""

import warnings
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyproj
from numpy.typing import NDArray

from catalog.sources.netcdf import NetcdfFile
from catalog.sources.units import conversion, parse_epoch

HOUR = 3600
_CALENDARS = {"standard", "gregorian", "proleptic_gregorian"}
_EARTH_M = 6371000.0
CORNER_TOLERANCE_M = 1000.0


@dataclass(frozen=True)
class Orientation:
    """Whether a file runs east to west, or north to south."""

    flip_x: bool
    flip_y: bool

    def apply(self, field: NDArray[Any]) -> NDArray[Any]:
        """Return an array (..., y, x) of the file south to north and west to east."""
        rows = slice(None, None, -1) if self.flip_y else slice(None)
        columns = slice(None, None, -1) if self.flip_x else slice(None)
        return np.ascontiguousarray(field[..., rows, columns])


@dataclass(frozen=True)
class Grid:
    """x and y in m, ascending; lat and lon in degrees on (y, x); how the file's own order gets there."""

    proj4: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    lat: NDArray[np.float64]
    lon: NDArray[np.float64]
    order: Orientation


def instant(seconds: float) -> str:
    """Return a unix time as text, to the minute."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%MZ")


def read_times(file: NetcdfFile, name: str = "time") -> NDArray[np.int64]:
    """Return the instants of a time variable in unix seconds.

    Raises
    ------
    SourceError where the variable is absent or its units are not understood.
    """
    if not file.has(name):
        raise file.origin.error(f"has no {name}")
    units = file.text("units", name)
    epoch = parse_epoch(units) if units else None
    if epoch is None:
        raise file.origin.error(f"has a {name} in units that are not understood: {units!r}")
    calendar = (file.text("calendar", name) or "standard").lower()
    if calendar not in _CALENDARS:
        raise file.origin.error(f"has a {name} in a calendar that is not supported: {calendar}")
    values = file.numbers(name).ravel() * epoch[0] + epoch[1]
    if not np.isfinite(values).all() or (np.abs(values) > 1e11).any():
        raise file.origin.error(f"has a {name} with missing or absurd values")
    return np.round(values).astype(np.int64)


def read_hours(file: NetcdfFile) -> NDArray[np.int64]:
    """Return the file's time axis, which must be hourly, on the hour, and complete."""
    times = read_times(file)
    if times.size < 2:
        raise file.origin.error(f"is empty: it holds {times.size} time steps, an hour needs two")
    for before, after in zip(times.tolist(), times[1:].tolist(), strict=False):
        if after - before == HOUR:
            continue
        if after <= before:
            raise file.origin.error(f"has a time axis that does not ascend at {instant(after)}")
        if (after - before) % HOUR:
            raise file.origin.error(f"has a time axis that is not hourly at {instant(after)}")
        raise file.origin.error(f"has a missing time step: {instant(before + HOUR)}")
    if times[0] % HOUR:
        raise file.origin.error(f"has a time axis that is not on the hour: it begins at {instant(times[0])}")
    return times


def read_grid(file: NetcdfFile, mapped: str) -> Grid:
    """Return the grid of the variable `mapped` (its projection is the one it names).

    Raises
    ------
    SourceError for a missing or uneven axis, shapes that disagree, a projection that is not understood, and
    latitudes and longitudes more than 1 km from where x, y and the projection put the corners.
    """
    x, y = axis(file, "x"), axis(file, "y")
    proj4 = projection(file, mapped)
    lat, lon = (_plane(file, name, (y.size, x.size)) for name in ("latitude", "longitude"))
    order = Orientation(bool(x[0] > x[-1]), bool(y[0] > y[-1]))
    grid = Grid(proj4, np.sort(x), np.sort(y), order.apply(lat), order.apply(lon), order)
    _check_corners(file, grid)
    return grid


def axis(file: NetcdfFile, name: str) -> NDArray[np.float64]:
    """Return an axis of a projected grid in m, evenly spaced, in the file's own direction."""
    wrong = "has a wrong grid: "
    if not file.has(name):
        raise file.origin.error(f"{wrong}it has no {name}")
    units = file.text("units", name)
    change = conversion("length", units)
    if change is None:
        raise file.origin.error(f"{wrong}{name} is in units that are not understood: {units!r}")
    values = file.numbers(name) * change[0]
    if values.ndim != 1 or values.size < 2:
        raise file.origin.error(f"{wrong}{name} has shape {values.shape}")
    steps = np.diff(values)
    spacing = (values[-1] - values[0]) / (values.size - 1)
    if not np.isfinite(values).all() or spacing == 0 or (np.abs(steps - spacing) > 1e-3 * abs(spacing)).any():
        raise file.origin.error(f"{wrong}{name} is not evenly spaced")
    return values


def _plane(file: NetcdfFile, name: str, shape: tuple[int, int]) -> NDArray[np.float64]:
    if not file.has(name):
        raise file.origin.error(f"has a wrong grid: it has no {name}")
    if file.shape(name) != shape:
        raise file.origin.error(f"has a wrong grid: {name} has shape {file.shape(name)}, y and x {shape}")
    layout = file.layout(name)
    [fetched] = file.fetch([(name, layout, 0)])
    values = file.packing(name).unpack_exact(file.decode(layout, 0, fetched)[0])
    limit = 90.0 if name == "latitude" else 360.0
    if not np.isfinite(values).all() or (np.abs(values) > limit).any():
        raise file.origin.error(f"has a wrong grid: {name} has missing or absurd values")
    return values


def projection(file: NetcdfFile, mapped: str) -> str:
    """Return the projection that a variable names, as PROJ text."""
    name = file.text("grid_mapping", mapped)
    wrong = "has a wrong grid: its projection is not understood"
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


def _check_corners(file: NetcdfFile, grid: Grid) -> None:
    transform = pyproj.Proj(grid.proj4)
    for j in (0, -1):
        for i in (0, -1):
            lon, lat = transform(grid.x[i], grid.y[j], inverse=True)
            away = distance_m(lat, lon, grid.lat[j, i], grid.lon[j, i])
            if not away <= CORNER_TOLERANCE_M:
                raise file.origin.error(
                    f"has a wrong grid: latitude, longitude of a corner are {away / 1000:.0f} km off its x, y"
                )


def distance_m(lat1: float, lon1: float, lat2: float, lon2: float) -> float:
    """Return how far two places are apart, m; infinite where one is none."""
    a, b = np.radians(lat1), np.radians(lat2)
    half = np.sin((b - a) / 2) ** 2 + np.cos(a) * np.cos(b) * np.sin(np.radians(lon2 - lon1) / 2) ** 2
    return float(2 * _EARTH_M * np.arcsin(np.sqrt(min(1.0, half)))) if np.isfinite(half) else float("inf")
