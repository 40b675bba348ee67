"""Writes the simulated satellite images: NetCDF4 files that read like those of EUMETSAT's LSA SAF (MDSSFTD)."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pyproj
from numpy.typing import NDArray

from infra.simulator import cf
from infra.simulator.cf import Variable
from infra.simulator.grids import REAL_DEGREES, degrees
from infra.simulator.weather import Weather

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Sky = Callable[[Doubles, Doubles, float], Floats]
"""Gives the logit of cloud fraction (see `clouds`) of places at a moment: (lat, lon, unix time), (n,) and a number."""

EVERY_S = 900
LOWEST_SUN_DEG = 2.0
"""Below it nothing is retrieved."""
NOISE = 0.04
"""Standard deviation of a pixel, as a share of its value; white."""
GAIN = 0.01
"""Largest share by which all of an image is too bright or too dark."""

_EDGE_DEG = 80.0
# What is filled; the rest of the disc stays missing.
_SOUTH, _NORTH, _WEST, _EAST = 54.5, 72.5, -0.5, 34.5
_GEOS = pyproj.Proj("+proj=geos +h=35785831 +lon_0=0 +a=6378169 +b=6356583.8 +sweep=y")
_HEIGHT_M, _LINE_RAD, _LINES, _LINE_S, _FIRST_LINE_S = 35_785_831.0, 83.8427e-6, 3712, 0.2, 10.0
_BAND_ROWS = 6  # rows that are given one time: the scan takes a second or two for them
_IRRADIANCE = Variable(
    "DSSF_TOT", "ghi", "W/m2", 1.0, factor=10.0, dtype="i2", about=(("scale_factor", 0.1), ("add_offset", 0.0))
)


def make_image_file(path: Path, _source: str, nominal: datetime, spacing_km: float, sky: Sky | None = None) -> None:
    """Write one simulated image; it appears complete or not at all, and is the same file whenever it is written.

    Parameters
    ----------
    path : Path
        Where; an existing file is replaced.
    _source : str
        Every maker of files is given one.
    nominal : datetime
        The time that names it, aware, a whole quarter of an hour.
    spacing_km : float
        Of the grid, hundredths of a degree: see `grids.degrees`.
    sky : callable, optional
        Clouds in place of the simulator's weather, for tests that must know how they move.

    Raises
    ------
    ValueError
        The time makes no image.
    """
    if nominal.tzinfo is None or nominal.timestamp() % EVERY_S:
        raise ValueError(f"an image is of a whole quarter of an hour, not {nominal.isoformat()}")
    spacing_deg = degrees(spacing_km)
    half = round(_EDGE_DEG / spacing_deg)
    axis = np.arange(-half, half + 1, dtype=np.float64) * spacing_deg
    rows = np.flatnonzero((axis >= _SOUTH) & (axis <= _NORTH))
    columns = np.flatnonzero((axis >= _WEST) & (axis <= _EAST))
    reference = int(nominal.timestamp())
    whole = np.full((axis.size, axis.size), np.nan, dtype=np.float32)
    whole[np.ix_(rows, columns)] = _measured(reference, axis[rows], axis[columns], sky)
    with cf.new_file(
        path,
        reference,
        "total downwelling surface shortwave flux on the grid of LSA SAF's MDSSFTD",
        time_coverage_start=f"{nominal.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        comment=f"Grid spacing {spacing_deg:g} degrees; the real product's is {REAL_DEGREES:g} degrees.",
        simulated_spacing_deg=spacing_deg,
        real_spacing_deg=REAL_DEGREES,
    ) as (file, _):
        cf.add(file, "time", ("time",), np.array([float(reference)]), cf.SINCE, standard_name="time")
        cf.add(file, "lat", ("lat",), axis[::-1].astype(np.float32), "degrees_north")
        cf.add(file, "lon", ("lon",), axis.astype(np.float32), "degrees_east")
        chunk = min(256, axis.size)
        # from north to south, as the authority's
        cf.add_field(file, _IRRADIANCE, (1, chunk, chunk), ("lat", "lon"))[0] = _IRRADIANCE.encode(whole[::-1])


def scan_times(nominal: float, lat: Doubles, lon: float) -> Doubles:
    """Return when the scan passes places on a meridian, unix seconds, by the lines of the real image."""
    _, y = _GEOS(np.full(lat.shape, lon), lat)
    return np.asarray(nominal + _FIRST_LINE_S + _LINE_S * (_LINES / 2 + y / _HEIGHT_M / _LINE_RAD))


def _measured(reference: int, lat: Doubles, lon: Doubles, sky: Sky | None) -> Floats:
    """Return what the satellite measures, W/m2, (n_lat, n_lon), NaN where the sun is too low."""
    times = scan_times(reference, lat, float(lon.mean()))
    ghi = np.empty((lat.size, lon.size), dtype=np.float32)
    for first in range(0, lat.size, _BAND_ROWS):
        rows = slice(first, first + _BAND_ROWS)
        lats, lons = (axis.ravel() for axis in np.meshgrid(lat[rows], lon, indexing="ij"))
        weather, moment = Weather(lats, lons), np.array([times[rows].mean()])
        logit = None if sky is None else sky(lats, lons, float(moment[0]))[None]
        low = weather.sine_of_height(moment) < np.sin(np.radians(LOWEST_SUN_DEG))
        ghi[rows] = np.where(low, np.float32(np.nan), weather.ghi(moment, logit=logit)).reshape(-1, lon.size)
    draw = np.random.default_rng(reference)  # the same image always has the same noise
    gain = 1 + GAIN * (2 * draw.random() - 1)
    noise = 1 + NOISE * np.sqrt(12) * (draw.random(ghi.shape) - 0.5)
    return np.asarray(ghi * gain * noise, dtype=np.float32)
