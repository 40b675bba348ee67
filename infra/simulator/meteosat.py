"""Writes the simulated satellite images: NetCDF4 files that read like those of EUMETSAT's LSA SAF (MDSSFTD)."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyproj
from numpy.typing import NDArray

from infra.simulator import cf, clouds
from infra.simulator.clearsky import ClearSky, sun_at
from infra.simulator.weather import BLOCK, Weather

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Sky = Callable[[Doubles, Doubles, float], Floats]
"""Gives the logit of cloud fraction (see `clouds`) of places at a moment: (lat, lon, unix time), (n,) and a number."""

EVERY_S = 900
REAL_SPACING_DEG = 0.05
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
_BAND_ROWS = 8  # rows that are given one time: the scan takes two seconds for them
_FILL = np.int16(-32768)


def make_image_file(
    path: Path, nominal: datetime, spacing_deg: float = REAL_SPACING_DEG, sky: Sky | None = None
) -> None:
    """Write one simulated image; it appears complete or not at all, and is the same file whenever it is written.

    Parameters
    ----------
    path : Path
        Where; an existing file is replaced.
    nominal : datetime
        The time that names it, aware, a whole quarter of an hour.
    spacing_deg : float
        Of the grid, at least the real one's; it must divide 80.
    sky : callable, optional
        Clouds in place of the simulator's weather, for tests that must know how they move.

    Raises
    ------
    ValueError
        The time or the spacing makes no image.
    """
    if nominal.tzinfo is None or nominal.timestamp() % EVERY_S:
        raise ValueError(f"an image is of a whole quarter of an hour, not {nominal.isoformat()}")
    half = round(_EDGE_DEG / spacing_deg)
    if not REAL_SPACING_DEG <= spacing_deg <= 1 or abs(half * spacing_deg - _EDGE_DEG) > 1e-9:
        raise ValueError(f"no image of {spacing_deg} degrees can be made")
    axis = np.arange(-half, half + 1, dtype=np.float64) * spacing_deg
    rows = np.flatnonzero((axis >= _SOUTH) & (axis <= _NORTH))
    columns = np.flatnonzero((axis >= _WEST) & (axis <= _EAST))
    reference = int(nominal.timestamp())
    whole = np.full((axis.size, axis.size), _FILL)
    whole[np.ix_(rows, columns)] = _packed(reference, axis[rows], axis[columns], sky)
    with cf.new_file(path, reference) as (file, _):
        _write(file, reference, axis, whole[::-1], spacing_deg)


def make_image(path: Path, _source: str, nominal: datetime, spacing_deg: float) -> None:
    """Write one simulated image, as every maker of files is called: see `make_image_file`."""
    make_image_file(path, nominal, spacing_deg)


def scan_times(nominal: float, lat: Doubles, lon: float) -> Doubles:
    """Return when the scan passes places on a meridian, unix seconds, by the lines of the real image."""
    _, y = _GEOS(np.full(lat.shape, lon), lat)
    return np.asarray(nominal + _FIRST_LINE_S + _LINE_S * (_LINES / 2 + y / _HEIGHT_M / _LINE_RAD))


def irradiance(lat: Doubles, lon: Doubles, time: float, sky: Sky | None = None) -> Floats:
    """Return the true irradiance of places at one moment, W/m2, NaN where the sun is too low; all (n,)."""
    moment = np.array([time])
    parts = []
    for first in range(0, lat.size, BLOCK):
        places = slice(first, first + BLOCK)
        weather = Weather(lat[places], lon[places])
        heaven = ClearSky(lat[places], lon[places], weather.ground)
        if sky is None:
            ghi = weather.ghi(moment)[0]
        else:
            clear, mu = heaven.ghi(sun_at(moment), moment)
            ghi = clear[0] * clouds.transmission(sky(lat[places], lon[places], time), mu[0])
        low = heaven.sine_of_height(sun_at(moment))[0] < np.sin(np.radians(LOWEST_SUN_DEG))
        parts.append(np.where(low, np.float32(np.nan), ghi))
    return np.concatenate(parts)


def _packed(reference: int, lat: Doubles, lon: Doubles, sky: Sky | None) -> NDArray[np.int16]:
    """Return what the satellite measures, tenths of W/m2, (n_lat, n_lon)."""
    times = scan_times(reference, lat, float(lon.mean()))
    bands = []
    for first in range(0, lat.size, _BAND_ROWS):
        rows = slice(first, first + _BAND_ROWS)
        lats, lons = np.meshgrid(lat[rows], lon, indexing="ij")
        ghi = irradiance(lats.ravel(), lons.ravel(), float(times[rows].mean()), sky)
        bands.append(ghi.reshape(lats.shape))
    ghi = np.concatenate(bands)
    draw = np.random.default_rng(reference)  # the same image always has the same noise
    gain = 1 + GAIN * (2 * draw.random() - 1)
    noise = 1 + NOISE * np.sqrt(12) * (draw.random(ghi.shape) - 0.5)
    with np.errstate(invalid="ignore"):
        measured = np.round(ghi * gain * noise * 10)
    return np.where(np.isnan(measured), _FILL, measured).astype(np.int16)


def _write(file: Any, reference: int, axis: Doubles, packed: NDArray[np.int16], spacing_deg: float) -> None:
    """Write the file; `packed` runs from north to south, as the authority's does."""
    nominal = np.datetime_as_string(np.datetime64(reference, "s"))
    cf.describe(
        file,
        "total downwelling surface shortwave flux on the grid of LSA SAF's MDSSFTD",
        institution="SIMULATED: no satellite saw this",
        time_coverage_start=f"{nominal}Z",
        comment=f"Grid spacing {spacing_deg:g} degrees; the real product's is {REAL_SPACING_DEG:g} degrees.",
        simulated_spacing_deg=spacing_deg,
        real_spacing_deg=REAL_SPACING_DEG,
    )
    file.dimensions = {"time": 1, "lat": axis.size, "lon": axis.size}
    cf.add(file, "time", ("time",), np.array([float(reference)]), cf.SINCE, standard_name="time")
    for name, values, units in (("lat", axis[::-1], "degrees_north"), ("lon", axis, "degrees_east")):
        cf.add(file, name, (name,), values.astype(np.float32), units)
    chunks = (1, *(min(256, axis.size) for _ in range(2)))
    stored = file.create_variable(
        "DSSF_TOT", ("time", "lat", "lon"), dtype="i2", fillvalue=_FILL, chunks=chunks, **cf.PACKING
    )
    stored.attrs.update({"units": "W/m2", "scale_factor": 0.1, "add_offset": 0.0})
    stored.attrs["long_name"] = "total downwelling surface shortwave flux"
    stored[0] = packed
