"""The simulated climate archives: what their monthly files hold, on which grid, and what a piece of them shows.

No month is ever made whole. Its bytes are known without it (see `archive_file`), and the weather of one stored piece, a
few cells and all the hours of the month, is made when somebody asks for it.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyproj import Proj

from infra.simulator.archive_error import archive_error, regional_bias
from infra.simulator.clearsky import ClearSky, sun_at
from infra.simulator.grids import RADIUS, Domain
from infra.simulator.relief import ground
from infra.simulator.weather import Weather

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

HOUR = 3600
SUBSTEPS = 3
"""Moments to an hour mean; the forecasts have more."""

NORA3_PROJ4 = f"+proj=lcc +lat_0=66.3 +lon_0=-42 +lat_1=66.3 +lat_2=66.3 +no_defs +R={RADIUS:g}"
# The part of the real grid (889 x 1489 cells of 3 km from x 778360.9, y -1270477) that holds 57-71.5 N, 4-31.5 E.
_NORA3 = Domain(x0=778_360.9 + 236 * 3000, y0=-1_270_477.0 + 407 * 3000, spacing_m=3000, nx=653, ny=664)
# Of the satellite's grid: cell centres of 0.05 degrees; it sees no further than 65 N.
_SARAH3_STEP, _SARAH3_SOUTH, _SARAH3_NORTH, _SARAH3_WEST, _SARAH3_EAST = 0.05, 57.025, 65.0, 4.025, 31.5
_SARAH3_SPACINGS = (0.05, 0.1, 0.2, 0.25, 0.5, 1.0)
_LOWEST_SUN = np.sin(np.radians(-1.0))


@dataclass(frozen=True)
class Field:
    """A variable in time and place.

    `shows` is `ghi` or one of `weather.truth`. The file holds `offset + factor * value`, in steps of `quantum`.
    """

    name: str
    shows: str
    units: str
    dtype: str
    quantum: float
    standard_name: str
    long_name: str
    cell_methods: str
    level: str | None = None
    factor: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class Kind:
    """One archive: its name, the cells of a stored piece (rows, columns), its fields, and where a mean is stamped.

    `stamped_after_s` is the time from the start of an hour to the stamp of its mean.
    """

    name: str
    title: str
    filename: str
    chunk: tuple[int, int]
    fields: tuple[Field, ...]
    stamped_after_s: int


_SHORTWAVE = "integral_of_surface_downwelling_shortwave_flux_in_air_wrt_time"

KINDS: dict[str, Kind] = {
    "nora3": Kind(
        "nora3",
        "SIMULATED hourly reanalysis on the grid of NORA3",
        "arome3km_1hr_{year:04d}{month:02d}.nc",
        (4, 4),
        (
            Field(_SHORTWAVE, "ghi", "W s/m^2", "<f4", 16.0, _SHORTWAVE,
                  "Surface SW downwelling radiation of the hour that ends at the stamp", "time: sum (interval: 1 hour)",
                  "height0", factor=float(HOUR)),
            Field("air_temperature_2m", "temp_air", "K", "<f4", 2**-6, "air_temperature",
                  "Screen level temperature (T2M)", "time: point", "height1", offset=273.15),
            Field("relative_humidity_2m", "relative_humidity", "1", "<f4", 2**-10, "relative_humidity",
                  "Screen level relative humidity (RH2M)", "time: point", "height1"),
            Field("wind_speed", "wind_speed", "m/s", "<f4", 2**-6, "wind_speed", "Wind speed in 10 metre",
                  "time: point", "height4"),
            Field("air_pressure_at_sea_level", "mslp", "Pa", "<f4", 4.0, "air_pressure_at_sea_level",
                  "Mean Sea Level Pressure (MSLP)", "time: point", "height_above_msl", factor=100.0),
        ),
        stamped_after_s=HOUR,
    ),
    "sarah3": Kind(
        "sarah3",
        "SIMULATED hourly surface irradiance on the grid of SARAH-3",
        "SIShm{year:04d}{month:02d}010000004231000101MA.nc",
        (4, 8),
        (
            Field("SIS", "ghi", "W m-2", "<i2", 1.0, "surface_downwelling_shortwave_flux_in_air",
                  "Surface Downwelling Shortwave Radiation", "time: mean"),
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


def stamps_of(year: int, month: int) -> Doubles:
    """Return the stamps of a month's file: every whole hour of it, unix seconds."""
    first = datetime(year, month, 1, tzinfo=UTC).timestamp()
    after = datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC).timestamp()
    return np.arange(first, after, HOUR)


def piece(kind: str, year: int, month: int, grid: Grid, number: int) -> list[NDArray[Any]]:
    """Return what a stored piece holds: for each field an array (n_hours, rows, columns) in the file's type.

    Pieces are counted row by row. Where one reaches beyond the grid it repeats the last cell, which nobody reads.
    """
    about = KINDS[kind]
    high, wide = about.chunk
    down, across = divmod(number, -(-grid.x.size // wide))
    rows = np.minimum(np.arange(down * high, (down + 1) * high), grid.y.size - 1)
    columns = np.minimum(np.arange(across * wide, (across + 1) * wide), grid.x.size - 1)
    lat, lon = grid.places(np.repeat(rows, wide), np.tile(columns, high))
    stamps = stamps_of(year, month)
    values = shown(kind, lat, lon, stamps - about.stamped_after_s, stamps)
    stored = []
    for field in about.fields:
        packed = np.round((field.offset + field.factor * values[field.shows]) / field.quantum) * field.quantum
        stored.append(packed.astype(field.dtype).reshape(stamps.size, high, wide))
    return stored


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
    answer = {} if kind == "sarah3" else weather.surface(stamps, archive_error(kind, stamps))
    answer["ghi"] = np.zeros((hour_starts.size, lat.size), dtype=np.float32)
    lit = _sunlit(lat, lon, hour_starts)
    if lit.any():
        moments = _moments(hour_starts[lit])
        ghi = weather.ghi(moments, archive_error(kind, moments))
        answer["ghi"][lit] = ghi.reshape(-1, SUBSTEPS, lat.size).mean(axis=1)
    months = hour_starts.astype("datetime64[s]").astype("datetime64[M]").astype(np.int64) % 12 + 1
    for month in np.unique(months):
        answer["ghi"][months == month] *= regional_bias(kind, lat, lon, int(month)).astype(np.float32)
    return answer


def _moments(hour_starts: Doubles) -> Doubles:
    parts = HOUR * (np.arange(SUBSTEPS) + 0.5) / SUBSTEPS
    return np.asarray((hour_starts[:, None] + parts).ravel())


def _sunlit(lat: Doubles, lon: Doubles, hour_starts: Doubles) -> NDArray[np.bool_]:
    """Return in which hours the sun may shine somewhere around the places.

    The answer is that of a box of 2 x 5 degrees: pieces near each other then ask for the sun of the same moments, which
    is found once, and what a piece holds depends on nothing but itself.
    """
    south, west = np.floor(lat.mean() / 2) * 2 - 1, np.floor(lon.mean() / 5) * 5 - 2
    corners_lat = np.array([south, south, south + 4, south + 4])
    corners_lon = np.array([west, west + 9, west, west + 9])
    moments = _moments(hour_starts)
    sky = ClearSky(corners_lat, corners_lon, ground(corners_lat, corners_lon))
    up = sky.sine_of_height(sun_at(moments)).max(axis=1) > _LOWEST_SUN
    return np.asarray(up.reshape(-1, SUBSTEPS).any(axis=1))
