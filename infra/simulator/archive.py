"""The simulated climate archives: what their monthly files hold, on which grid, and of which cells.

A month of the whole grid takes 20 s and 140 MB: a file holds the cells of the areas that somebody asks for, and of the
stations. The pieces of all others were never written.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infra.simulator import cf
from infra.simulator.archive_error import archive_error, regional_bias
from infra.simulator.cf import HUMIDITY, SHORTWAVE, TEMPERATURE, Variable
from infra.simulator.frost import PLACES
from infra.simulator.grids import NORA3, REAL_DEGREES, degrees
from infra.simulator.relief import ground
from infra.simulator.weather import Weather

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

HOUR = 3600
SUBSTEPS = 3
"""Moments to an hour mean; the forecasts have more."""

# Of the satellite's grid: cell centres of 0.05 degrees; it sees no further than 65 N.
_SARAH3_SOUTH, _SARAH3_NORTH, _SARAH3_WEST, _SARAH3_EAST = 57.025, 65.0, 4.025, 31.5
_LOWEST_SUN = np.sin(np.radians(-1.0))
_AREA_KM, _STATION_KM = 18.0, 2.5  # from the middle of an area, of a station: half the side of a square
_KM_PER_DEGREE = 111.2
_PIECE = (1, 2)  # rows and columns of cells that are stored together
_PIECES_AT_ONCE = 128  # the temporaries then stay in the processor's cache


_SUM = (("cell_methods", "time: sum (interval: 1 hour)"),)
_FLUX = (("standard_name", "surface_downwelling_shortwave_flux_in_air"),)
FIELDS = {
    "nora3": (
        SHORTWAVE.at("height0", field="ghi", factor=float(HOUR), about=_SUM),
        TEMPERATURE.at("height1"),
        HUMIDITY.at("height1"),
        Variable("wind_speed", "wind_speed", "m/s", 2**-6, level="height4"),
        Variable("air_pressure_at_sea_level", "mslp", "Pa", 4.0, factor=100.0, level="height_above_msl"),
    ),
    "sarah3": (Variable("SIS", "ghi", "W m-2", 1.0, dtype="i2", about=_FLUX),),
}


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
        lon, lat = NORA3.project(x, y, inverse=True)
        return np.asarray(lat, dtype=np.float64), np.asarray(lon, dtype=np.float64)

    def middle(self, lat: float, lon: float) -> tuple[float, float, float, float]:
        """Return x and y of a place, and how many km a unit of each is there."""
        if self.unit == "degrees":
            return lon, lat, _KM_PER_DEGREE * float(np.cos(np.radians(lat))), _KM_PER_DEGREE
        return (*NORA3.project(lon, lat), 1e-3, 1e-3)


def grid_of(kind: str, spacing_km: float) -> Grid:
    """Return the grid of an archive's files; never finer than the real one, and for degrees a spacing near the km."""
    if kind == "nora3":
        x, y = NORA3.axes(spacing_km)
        return Grid(x, y, float(x[1] - x[0]), NORA3.spacing_m, "m")
    step = degrees(spacing_km)
    x, y = np.arange(_SARAH3_WEST, _SARAH3_EAST, step), np.arange(_SARAH3_SOUTH, _SARAH3_NORTH, step)
    return Grid(x, y, step, REAL_DEGREES, "degrees")


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
    grid, stamps = grid_of(kind, spacing_km), stamps_of(month)
    with cf.new_file(
        path,
        month.timestamp(),
        f"hourly archive in the format of {kind}",
        history=f"SIMULATED month {month:%Y-%m}",
        comment=f"Grid spacing {grid.spacing:g} {grid.unit}; the real archive's is {grid.real_spacing:g}.",
        simulated_spacing=grid.spacing,
        real_spacing=grid.real_spacing,
    ) as (file, stored):
        horizontal = _write_grid(file, grid, stamps)
        for field in FIELDS[kind]:
            cf.add_field(file, field, (stamps.size, *_PIECE), horizontal)
        corners = _corners(kind, spacing_km, tuple(areas))
        high, wide = np.indices(_PIECE).reshape(2, -1)
        for first in range(0, len(corners), _PIECES_AT_ONCE):
            pieces = corners[first : first + _PIECES_AT_ONCE]
            # beyond the grid the last cell comes again: it is cut off below
            rows = np.minimum(np.add.outer(pieces[:, 0], high).ravel(), grid.y.size - 1)
            columns = np.minimum(np.add.outer(pieces[:, 1], wide).ravel(), grid.x.size - 1)
            values = shown(kind, *grid.places(rows, columns), stamps)
            for field in FIELDS[kind]:
                target = stored[field.name]
                encoded = field.encode(values[field.field]).reshape(stamps.size, -1, *_PIECE)
                for piece, (row, column) in zip(encoded.swapaxes(0, 1).copy(), pieces.tolist(), strict=True):
                    here = piece[:, : grid.y.size - row, : grid.x.size - column]
                    part = slice(row, row + here.shape[1]), slice(column, column + here.shape[2])
                    target[(slice(None), *(0,) * (target.ndim - 3), *part)] = here


@lru_cache(maxsize=2)  # of every month the same
def _corners(kind: str, spacing_km: float, areas: tuple[tuple[float, float], ...]) -> NDArray[np.int64]:
    """Return row and column at which the pieces begin that are filled, (n, 2)."""
    grid, (high, wide) = grid_of(kind, spacing_km), _PIECE
    near = np.full((grid.y.size, grid.x.size), not areas)
    squares = [(*area, _AREA_KM) for area in areas] + [(lat, lon, _STATION_KM) for _, lat, lon, _ in PLACES]
    for lat, lon, half_km in squares:
        x, y, km_x, km_y = grid.middle(lat, lon)
        in_rows = np.abs(grid.y - y) * km_y <= half_km + km_y * grid.spacing / 2
        in_columns = np.abs(grid.x - x) * km_x <= half_km + km_x * grid.spacing / 2
        near |= in_rows[:, None] & in_columns
    rows, columns = np.nonzero(near)
    return np.unique(np.stack([rows // high * high, columns // wide * wide], axis=1), axis=0)


def _write_grid(file: Any, grid: Grid, stamps: Doubles) -> tuple[str, str]:
    """Write everything but the fields; return the names of the horizontal dimensions."""
    cf.add(file, "time", ("time",), stamps, cf.SINCE, standard_name="time")
    if grid.unit == "degrees":
        cf.add(file, "lat", ("lat",), grid.y, "degrees_north", standard_name="latitude")
        cf.add(file, "lon", ("lon",), grid.x, "degrees_east", standard_name="longitude")
        file["time"].attrs["bounds"] = "time_bnds"
        cf.add(file, "time_bnds", ("time", "bnds"), np.stack([stamps, stamps + HOUR], axis=1), cf.SINCE)
        return "lat", "lon"
    *positions, altitude = _planes(grid.spacing / 1000)
    cf.add_lambert(file, NORA3, (grid.x, grid.y), positions)
    cf.add(file, "altitude", ("y", "x"), altitude, "m", standard_name="surface_altitude")
    return "y", "x"


@lru_cache(maxsize=1)
def _planes(spacing_km: float) -> tuple[Floats, ...]:
    """Return latitude, longitude and altitude of NORA3's cells, (ny, nx): the same in every month."""
    lat, lon = NORA3.positions(*NORA3.axes(spacing_km))
    altitude = ground(lat.ravel(), lon.ravel()).altitude.reshape(lat.shape)
    return tuple(plane.astype(np.float32) for plane in (lat, lon, altitude))


def shown(kind: str, lat: Doubles, lon: Doubles, stamps: Doubles) -> dict[str, Floats]:
    """Return what an archive says of places, its own error included.

    Parameters
    ----------
    kind : {"nora3", "sarah3"}
    lat, lon : (n,) float64
        Degrees.
    stamps : (n_hours,) float64
        Of the means and of the moments of the other fields, unix seconds: the reanalysis stamps a mean with the end of
        its hour, the solar model with the start.

    Returns
    -------
    dict of (n_hours, n) float32
        `ghi` (W/m2, hour means), and for the reanalysis what `weather.truth` has besides.
    """
    weather, hour_starts = Weather(lat, lon), stamps - (HOUR if kind == "nora3" else 0)
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
