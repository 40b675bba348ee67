"""The simulated climate archives: what their monthly files hold, on which grid, and of which cells.

A month of the whole grid takes 20 s and 140 MB: a file holds the cells of the areas that somebody asks for, and of the
stations. The pieces of all others were never written.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyproj import Proj

from infra.simulator import cf
from infra.simulator.archive_error import archive_error, regional_bias
from infra.simulator.frost import PLACES
from infra.simulator.grids import RADIUS, Domain
from infra.simulator.layout import Variable
from infra.simulator.relief import ground
from infra.simulator.weather import Weather

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

HOUR = 3600
SUBSTEPS = 3
"""Moments to an hour mean; the forecasts have more."""

NORA3_LATITUDE, NORA3_LONGITUDE = 66.3, -42.0
NORA3_PROJ4 = f"+proj=lcc +lat_0=66.3 +lon_0=-42 +lat_1=66.3 +lat_2=66.3 +no_defs +R={RADIUS:g}"
# The part of the real grid (889 x 1489 cells of 3 km from x 778360.9, y -1270477) that holds 57-71.5 N, 4-31.5 E.
_NORA3 = Domain(x0=778_360.9 + 236 * 3000, y0=-1_270_477.0 + 407 * 3000, spacing_m=3000, nx=653, ny=664)
# Of the satellite's grid: cell centres of 0.05 degrees; it sees no further than 65 N.
_SARAH3_STEP, _SARAH3_SOUTH, _SARAH3_NORTH, _SARAH3_WEST, _SARAH3_EAST = 0.05, 57.025, 65.0, 4.025, 31.5
_SARAH3_SPACINGS = (0.05, 0.1, 0.2, 0.25, 0.5, 1.0)
_LOWEST_SUN = np.sin(np.radians(-1.0))
_AREA_KM, _STATION_KM = 18.0, 2.5  # from the middle of an area, of a station: half the side of a square
_KM_PER_DEGREE = 111.2
_PIECES_AT_ONCE = 128  # the temporaries then stay in the processor's cache


@dataclass(frozen=True)
class Kind:
    """One archive: the cells of a stored piece (rows, columns), its fields, and where a mean is stamped.

    `stamped_after_s` is the time from the start of an hour to the stamp of its mean.
    """

    title: str
    chunk: tuple[int, int]
    fields: tuple[Variable, ...]
    stamped_after_s: int


_SHORTWAVE = "integral_of_surface_downwelling_shortwave_flux_in_air_wrt_time"

KINDS = {
    "nora3": Kind(
        "hourly reanalysis on the grid of NORA3",
        (1, 2),
        (
            Variable(_SHORTWAVE, "ghi", "W s/m^2", 16.0, _SHORTWAVE,
                     "Surface SW downwelling radiation of the hour that ends at the stamp", "height0",
                     factor=float(HOUR), cell_methods="time: sum (interval: 1 hour)"),
            Variable("air_temperature_2m", "temp_air", "K", 2**-6, "air_temperature",
                     "Screen level temperature (T2M)", "height1", offset=273.15, cell_methods="time: point"),
            Variable("relative_humidity_2m", "relative_humidity", "1", 2**-10, "relative_humidity",
                     "Screen level relative humidity (RH2M)", "height1", cell_methods="time: point"),
            Variable("wind_speed", "wind_speed", "m/s", 2**-6, "wind_speed", "Wind speed in 10 metre", "height4",
                     cell_methods="time: point"),
            Variable("air_pressure_at_sea_level", "mslp", "Pa", 4.0, "air_pressure_at_sea_level",
                     "Mean Sea Level Pressure (MSLP)", "height_above_msl", factor=100.0, cell_methods="time: point"),
        ),
        stamped_after_s=HOUR,
    ),
    "sarah3": Kind(
        "hourly surface irradiance on the grid of SARAH-3",
        (1, 2),
        (
            Variable("SIS", "ghi", "W m-2", 1.0, "surface_downwelling_shortwave_flux_in_air",
                     "Surface Downwelling Shortwave Radiation", dtype="i2", cell_methods="time: mean"),
        ),
        stamped_after_s=0,
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Grid:
    """Axes of a file, ascending: m in the projection, or degrees; and the spacing as its attributes tell it."""

    x: Doubles
    y: Doubles
    spacing: float
    real_spacing: float
    unit: str

    def places(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> tuple[Doubles, Doubles]:
        """Return latitude and longitude of cells, degrees."""
        x, y = self.x[columns], self.y[rows]
        if self.unit == "degrees":
            return y, x
        lon, lat = _nora3_projection()(x, y, inverse=True)
        return np.asarray(lat, dtype=np.float64), np.asarray(lon, dtype=np.float64)

    def middle(self, lat: float, lon: float) -> tuple[float, float, float, float]:
        """Return x and y of a place, and how many km a unit of each is there."""
        if self.unit == "degrees":
            return lon, lat, _KM_PER_DEGREE * float(np.cos(np.radians(lat))), _KM_PER_DEGREE
        return (*_nora3_projection()(lon, lat), 1e-3, 1e-3)


@cache
def _nora3_projection() -> Proj:
    return Proj(NORA3_PROJ4)


def grid_of(kind: str, spacing_km: float) -> Grid:
    """Return the grid of an archive's files; never finer than the real one, and for degrees a spacing near the km."""
    if kind == "nora3":
        x, y = _NORA3.axes(spacing_km)
        return Grid(x, y, float(x[1] - x[0]), _NORA3.spacing_m, "m")
    step = max((s for s in _SARAH3_SPACINGS if s <= spacing_km / 100), default=_SARAH3_STEP)
    x, y = np.arange(_SARAH3_WEST, _SARAH3_EAST, step), np.arange(_SARAH3_SOUTH, _SARAH3_NORTH, step)
    return Grid(x, y, step, _SARAH3_STEP, "degrees")


def stamps_of(month: datetime) -> Doubles:
    """Return the stamps of a month's file: every whole hour of it, unix seconds."""
    after = datetime(month.year + month.month // 12, month.month % 12 + 1, 1, tzinfo=UTC).timestamp()
    return np.arange(month.timestamp(), after, HOUR)


def make_month_file(
    path: Path, kind: str, month: datetime, spacing_km: float, areas: Sequence[tuple[float, float]] = ()
) -> None:
    """Write the file of a month; it appears complete or not at all, and is the same file whenever it is written.

    Parameters
    ----------
    path : Path
        Where; an existing file is replaced.
    kind : {"nora3", "sarah3"}
    month : datetime
        Its first moment, aware UTC.
    spacing_km : float
        Of the grid.
    areas : sequence of (lat, lon)
        Squares of 36 km around them are filled, and the cells of the stations; the whole grid where there are none.
    """
    about, grid, stamps = KINDS[kind], grid_of(kind, spacing_km), stamps_of(month)
    horizontal = ("y", "x") if grid.unit == "m" else ("lat", "lon")
    with cf.new_file(path, month.timestamp()) as (file, stored):
        _describe(file, about, grid, stamps, month)
        chunk = (stamps.size, *about.chunk)
        for field in about.fields:
            cf.add_field(file, field, chunk, horizontal)
        corners = _corners(kind, spacing_km, tuple(areas))
        high, wide = np.divmod(np.arange(chunk[1] * chunk[2]), chunk[2])
        for first in range(0, len(corners), _PIECES_AT_ONCE):
            pieces = corners[first : first + _PIECES_AT_ONCE]
            # beyond the grid the last cell comes again: it is cut off below
            rows = np.minimum(np.add.outer(pieces[:, 0], high).ravel(), grid.y.size - 1)
            columns = np.minimum(np.add.outer(pieces[:, 1], wide).ravel(), grid.x.size - 1)
            values = shown(kind, *grid.places(rows, columns), stamps - about.stamped_after_s, stamps)
            for field in about.fields:
                target = stored[field.name]
                encoded = field.encode(values[field.field]).reshape(stamps.size, -1, *about.chunk)
                for piece, (row, column) in zip(encoded.swapaxes(0, 1).copy(), pieces.tolist(), strict=True):
                    here = piece[:, : grid.y.size - row, : grid.x.size - column]
                    part = slice(row, row + here.shape[1]), slice(column, column + here.shape[2])
                    target[(slice(None), *(0,) * (target.ndim - 3), *part)] = here


@lru_cache(maxsize=2)  # of every month the same
def _corners(kind: str, spacing_km: float, areas: tuple[tuple[float, float], ...]) -> NDArray[np.int64]:
    """Return row and column at which the pieces begin that are filled, (n, 2)."""
    grid, (high, wide) = grid_of(kind, spacing_km), KINDS[kind].chunk
    near = np.full((grid.y.size, grid.x.size), not areas)
    squares = [(*area, _AREA_KM) for area in areas] + [(lat, lon, _STATION_KM) for _, lat, lon, _ in PLACES]
    for lat, lon, half_km in squares:
        x, y, km_x, km_y = grid.middle(lat, lon)
        in_rows = np.abs(grid.y - y) * km_y <= half_km + km_y * grid.spacing / 2
        in_columns = np.abs(grid.x - x) * km_x <= half_km + km_x * grid.spacing / 2
        near |= in_rows[:, None] & in_columns
    rows, columns = np.nonzero(near)
    return np.unique(np.stack([rows // high * high, columns // wide * wide], axis=1), axis=0)


def _describe(file: Any, about: Kind, grid: Grid, stamps: Doubles, month: datetime) -> None:
    """Write everything but the fields."""
    cf.describe(
        file,
        about.title,
        history=f"SIMULATED month {month:%Y-%m}",
        comment=f"Grid spacing {grid.spacing:g} {grid.unit}; the real archive's is {grid.real_spacing:g}.",
        simulated_spacing=grid.spacing,
        real_spacing=grid.real_spacing,
    )
    levels = sorted({field.level for field in about.fields if field.level})
    y, x = ("y", "x") if grid.unit == "m" else ("lat", "lon")
    file.dimensions = {"time": stamps.size, y: grid.y.size, x: grid.x.size, **dict.fromkeys(levels, 1)}
    cf.add(file, "time", ("time",), stamps, cf.SINCE, standard_name="time")
    for level in levels:
        cf.add(file, level, (level,), np.zeros(1), "m", standard_name="height")
    if grid.unit == "degrees":
        cf.add(file, "lat", ("lat",), grid.y, "degrees_north", standard_name="latitude")
        cf.add(file, "lon", ("lon",), grid.x, "degrees_east", standard_name="longitude")
        file["time"].attrs["bounds"] = "time_bnds"
        file.dimensions["bnds"] = 2
        cf.add(file, "time_bnds", ("time", "bnds"), np.stack([stamps, stamps + HOUR], axis=1), cf.SINCE)
        return
    for name, axis in (("x", grid.x), ("y", grid.y)):
        cf.add(file, name, (name,), axis, "m", standard_name=f"projection_{name}_coordinate")
    cf.add_lambert(file, NORA3_LATITUDE, NORA3_LONGITUDE, NORA3_PROJ4)
    lat, lon, altitude = _planes(grid.spacing / 1000)
    cf.add(file, "latitude", ("y", "x"), lat, "degree_north", standard_name="latitude")
    cf.add(file, "longitude", ("y", "x"), lon, "degree_east", standard_name="longitude")
    cf.add(file, "altitude", ("y", "x"), altitude, "m", standard_name="surface_altitude")


@lru_cache(maxsize=1)
def _planes(spacing_km: float) -> tuple[Floats, ...]:
    """Return latitude, longitude and altitude of NORA3's cells, (ny, nx): the same in every month."""
    grid = grid_of("nora3", spacing_km)
    shape = (grid.y.size, grid.x.size)
    lat, lon = grid.places(*np.indices(shape).reshape(2, -1))
    return tuple(values.astype(np.float32).reshape(shape) for values in (lat, lon, ground(lat, lon).altitude))


def shown(kind: str, lat: Doubles, lon: Doubles, hour_starts: Doubles, stamps: Doubles) -> dict[str, Floats]:
    """Return what an archive says of places, its own error included.

    Parameters
    ----------
    kind : {"nora3", "sarah3"}
    lat, lon : (n,) float64
        Degrees.
    hour_starts, stamps : (n_hours,) float64
        Of the means, and of the moments of the other fields, unix seconds.

    Returns
    -------
    dict of (n_hours, n) float32
        `ghi` (W/m2, hour means), and for the reanalysis what `weather.truth` has besides.
    """
    weather = Weather(lat, lon)
    moments = hour_starts[:, None] + HOUR * (np.arange(SUBSTEPS) + 0.5) / SUBSTEPS
    answer = {} if kind == "sarah3" else weather.surface(stamps, archive_error(kind, stamps))
    answer["ghi"] = np.zeros((hour_starts.size, lat.size), dtype=np.float32)
    up = weather.sine_of_height(moments.ravel()).max(axis=1) > _LOWEST_SUN
    lit = up.reshape(-1, SUBSTEPS).any(axis=1)
    if lit.any():
        ghi = weather.ghi(moments[lit].ravel(), archive_error(kind, moments[lit].ravel()))
        answer["ghi"][lit] = ghi.reshape(-1, SUBSTEPS, lat.size).mean(axis=1)
    months = hour_starts.astype("datetime64[s]").astype("datetime64[M]").astype(np.int64) % 12 + 1
    for month in np.unique(months):
        answer["ghi"][months == month] *= regional_bias(kind, lat, lon, int(month)).astype(np.float32)
    return answer
