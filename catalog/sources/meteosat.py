"""Meteosat: surface irradiance of EUMETSAT's LSA SAF (MDSSFTD), one NetCDF4 file for each quarter of an hour.

`DSSF_TOT` is the global irradiance at the ground at the moment at which the scan passes, and that is not the time in
the file's name: the scan begins in the south, and reaches Norway about twelve minutes later.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.sources import geostationary
from catalog.sources.data_origin import DataOrigin, origin_of
from catalog.sources.grid import even_axis, read_field
from catalog.sources.http import Deadline, make_client
from catalog.sources.locate import open_first
from catalog.sources.netcdf import NetcdfFile
from catalog.sources.times import instant, read_times

NAME = "meteosat"
EVERY_MIN = 15
IRRADIANCE = "DSSF_TOT"
STEEPEST_VIEW_DEG = 78.0
"""Beyond this angle a pixel is a smear of tens of kilometres and the sides of clouds: 69.5 N at 10 E, 67 N at 26 E."""

_EDGE_DEG = 80.0  # the grid runs from 80 S to 80 N and 80 W to 80 E
_FEWEST_CELLS = 81  # 2 degrees; the real grid has 3201
_HIGHEST = 1500.0  # W/m2


@dataclass(frozen=True)
class Window:
    """The part of the world that is read, degrees."""

    south: float
    north: float
    west: float
    east: float


@dataclass(frozen=True)
class Image:
    """One image of a window.

    Attributes
    ----------
    nominal : the time that names it, aware UTC
    scanned : (n_lat,) unix seconds at which the scan passed each row
    lats, lons : (n_lat,), (n_lon,) degrees of the cell centres, ascending, evenly spaced
    ghi : (n_lat, n_lon) W/m2 at that moment, NaN where missing or not seen
    seen : (n_lat, n_lon) whether the satellite looks down steeply enough
    input : what was read, as `NetcdfFile.receipt` says it
    data_origin : "simulated" where the file's global attribute of that name says so
    """

    nominal: datetime
    scanned: NDArray[np.float64]
    lats: NDArray[np.float64]
    lons: NDArray[np.float64]
    ghi: NDArray[np.float32]
    seen: NDArray[np.bool_]
    input: dict[str, Any]
    data_origin: DataOrigin


def file_urls(url: str, nominal: datetime) -> list[str]:
    """Return where an image's file may lie under a base: by date (the archive's way), then flat."""
    base = url.rstrip("/")
    name = f"NETCDF4_LSASAF_MSG_MDSSFTD_MSG-Disk_{nominal:%Y%m%d%H%M}.nc"
    return [f"{base}/{nominal:%Y/%m/%d}/{name}", f"{base}/{name}"]


def read_image(url: str, nominal: datetime, window: Window, *, user_agent: str, deadline_s: float) -> Image:
    """Read a window of the image of a quarter of an hour under a base URL or folder.

    Parameters
    ----------
    url : str
    nominal : datetime
        Aware, a whole quarter of an hour.
    window : Window
    user_agent : str
    deadline_s : float
        Seconds that all reading may take.

    Raises
    ------
    NotYetAvailable where the upstream does not hold the image; SourceError for everything else.
    """
    if nominal.tzinfo is None or nominal.timestamp() % (EVERY_MIN * 60):
        raise ValueError(f"an image is named by an aware quarter of an hour: {nominal}")
    nominal, deadline = nominal.astimezone(UTC), Deadline(deadline_s)
    with make_client(user_agent) as client:
        file = open_first(NAME, file_urls(url, nominal), client, deadline)
        try:
            return _read(file, nominal, window)
        finally:
            file.close()


def _read(file: NetcdfFile, nominal: datetime, window: Window) -> Image:
    if not file.has(IRRADIANCE):
        raise file.origin.error(f"lacks the required variable {IRRADIANCE}")
    held, asked = read_times(file), round(nominal.timestamp())
    if held.size != 1 or held[0] != asked:
        images = " and ".join(instant(value) for value in held[:2].tolist())
        raise file.origin.error(f"holds the image of {images}, not of {instant(asked)}")
    lats, lons = _axis(file, "lat"), _axis(file, "lon")
    rows, columns = _span(lats, window.south, window.north), _span(lons, window.west, window.east)
    storage, packing = read_field(file, IRRADIANCE, "irradiance", ("lat", "lon"), (lats.size, lons.size))
    if storage.shape[0] != 1:
        raise file.origin.error(f"has {storage.shape[0]} steps of {IRRADIANCE}")
    [unpack] = file.fetch([(storage, (slice(0, 1), rows, columns))])
    ghi = packing.unpack(np.ascontiguousarray(unpack()[0]))
    if (ghi < 0).any() or (ghi > _HIGHEST).any():
        raise file.origin.error(f"has {IRRADIANCE} outside 0 to {_HIGHEST:g} W/m2")
    lats, lons = lats[rows], lons[columns]
    if lats[0] > lats[-1]:
        lats, ghi = lats[::-1], ghi[::-1]
    if lons[0] > lons[-1]:
        lons, ghi = lons[::-1], ghi[:, ::-1]
    seen = geostationary.zenith(lats[:, None], lons) <= STEEPEST_VIEW_DEG
    # from one end of a row to the other the scan's time differs by four seconds
    scanned = asked + geostationary.scanned_after_s(lats, (window.west + window.east) / 2)
    return Image(
        nominal=nominal,
        scanned=scanned,
        lats=lats,
        lons=lons,
        ghi=np.where(seen, ghi, np.float32(np.nan)),
        seen=seen,
        input=file.receipt(),
        data_origin=origin_of(file.text("data_origin")),
    )


def _axis(file: NetcdfFile, name: str) -> NDArray[np.float64]:
    even = even_axis(file, name, _FEWEST_CELLS)
    if abs(min(even[0], even[-1]) + _EDGE_DEG) > 0.1 or abs(max(even[0], even[-1]) - _EDGE_DEG) > 0.1:
        raise file.origin.error(
            f"has a wrong grid: {name} runs from {even[0]:g} to {even[-1]:g}, not over 80 degrees both ways"
        )
    return even


def _span(axis: NDArray[np.float64], low: float, high: float) -> slice:
    """Return the cells of an axis of either direction that lie in a range, and one more at each end."""
    inside = np.flatnonzero((axis >= low) & (axis <= high))
    return slice(max(0, int(inside[0]) - 1), min(axis.size, int(inside[-1]) + 2))
