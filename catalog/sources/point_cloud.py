"""Point clouds of laser scanning (LAS, LAZ): first returns and ground of a window, and heights of cells from them."""

import datetime as dt
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catalog.sources.errors import Origin, beginning
from catalog.sources.land_cover import Bounds

Floats = NDArray[np.float64]

MOST_POINTS = 400_000
"""Kept of a window and kind; of more, every second, fourth and so on. Ten times what 10 points/m2 give on 60 x 60 m."""

LONGEST_M = 3.0
"""Edge of the longest triangle between first returns; beyond is water, or a gap between flight lines."""

GROUND_GAP_M = 100.0
"""The same of ground: under a hall there are no points."""

_GROUND, _NOISE = 2, (7, 18)
_CHUNK_BYTES = 64_000_000
_FIRST_CELLS = 0.25, 0.5
_DENSE = 8.0
_SIGNATURE = b"LASF"
_HEADER = struct.Struct("<4s100xH8xI")
_MOST_RECORDS = 1000
# GPS time of point formats with standard time: seconds after 1e9 s from this moment
_GPS_START = dt.datetime(1980, 1, 6, tzinfo=dt.UTC)
_GPS_SHIFT = 1e9


class Cloud(NamedTuple):
    """Points of a window.

    Parameters
    ----------
    surface, ground : float64 (n, 3)
        First returns, and returns of class 2, without noise: easting, northing, height, m in the file's CRS.
    year : int or None
        Of the scanning, where the points tell their time.
    """

    surface: Floats
    ground: Floats
    year: int | None


class Extent(NamedTuple):
    """Where a file lies: its horizontal CRS (of pyproj), and bounds in it."""

    crs: Any
    bounds: Bounds


@contextmanager
def _opened(origin: Origin, path: Path) -> Iterator[Any]:
    """Yield a reader of laspy; whatever it says of a damaged file becomes one sentence."""
    import laspy
    import lazrs
    from pyproj.exceptions import CRSError

    try:
        with path.open("rb") as file:
            head = file.read(_HEADER.size)
        # checked here: laspy reads as many records as a header claims
        if len(head) < _HEADER.size or head[:4] != _SIGNATURE or _HEADER.unpack(head)[2] > _MOST_RECORDS:
            raise origin.error("is no point cloud (LAS, LAZ)")
        with laspy.open(path, read_evlrs=False, laz_backend=laspy.LazBackend.Lazrs) as reader:
            yield reader
    except (
        laspy.LaspyException, lazrs.LazrsError, CRSError, OSError, EOFError, ValueError, TypeError, KeyError,
        IndexError, AttributeError, OverflowError, MemoryError, struct.error,
    ) as error:  # fmt: skip
        raise origin.error(f"cannot be read as a point cloud: {beginning(str(error)) or 'damaged'}") from error


def extent_of(origin: Origin, path: Path) -> Extent:
    """Return where a point cloud lies.

    Raises
    ------
    SourceError
        It cannot be read, or names no projected CRS.
    """
    with _opened(origin, path) as reader:
        crs = reader.header.parse_crs()
        (west, south), (east, north) = reader.header.mins[:2], reader.header.maxs[:2]
    if crs is None:
        raise origin.error("names no coordinate reference system")
    crs = horizontal(crs)
    bounds = float(west), float(south), float(east), float(north)
    if not crs.is_projected or not np.isfinite(bounds).all():
        raise origin.error("is not in metres of a projected coordinate reference system")
    return Extent(crs, bounds)


def horizontal(crs: Any) -> Any:
    """Return the horizontal part of a CRS of pyproj."""
    return crs.sub_crs_list[0] if crs.is_compound else crs.to_2d()


def read_points(origin: Origin, path: Path, bounds: Bounds, most: int | None = None) -> Cloud:
    """Return the points within bounds in the file's CRS, at most `most` or `MOST_POINTS` of a kind, read in chunks.

    Raises
    ------
    SourceError
        It cannot be read.
    """
    west, south, east, north = bounds
    surface, ground, latest = _Sample(most or MOST_POINTS), _Sample(most or MOST_POINTS), 0.0
    with _opened(origin, path) as reader:
        if not reader.header.mins[0] <= east or not reader.header.maxs[0] >= west:
            return Cloud(surface.points(), ground.points(), None)
        is_timed = "gps_time" in reader.header.point_format.dimension_names
        is_timed &= bool(reader.header.global_encoding.gps_time_type.value)
        size = max(1000, _CHUNK_BYTES // max(1, reader.header.point_format.size))
        for chunk in reader.chunk_iterator(size):
            x, y, kind = np.asarray(chunk.x), np.asarray(chunk.y), np.asarray(chunk.classification)
            inside = (x >= west) & (x <= east) & (y >= south) & (y <= north) & ~np.isin(kind, _NOISE)
            if "withheld" in chunk.point_format.dimension_names:
                inside &= np.asarray(chunk.withheld) == 0
            if not inside.any():
                continue
            xyz = np.column_stack([x[inside], y[inside], np.asarray(chunk.z)[inside]])
            surface.add(xyz[np.asarray(chunk.return_number)[inside] <= 1])
            ground.add(xyz[kind[inside] == _GROUND])
            if is_timed:
                latest = max(latest, float(np.abs(np.asarray(chunk.gps_time)[inside]).max()))
    return Cloud(surface.points(), ground.points(), _year(latest))


class _Sample:
    """Points that are added in chunks, thinned evenly where they are too many."""

    def __init__(self, most: int) -> None:
        self.most, self.step, self.count, self.seen = most, 1, 0, 0
        self.parts: list[Floats] = []

    def add(self, xyz: Floats) -> None:
        finite = xyz[np.isfinite(xyz).all(axis=1)]
        part = finite[-self.seen % self.step :: self.step]
        self.seen += len(finite)
        self.parts.append(part)
        self.count += len(part)
        while self.count > self.most:
            merged = np.concatenate(self.parts)[::2]
            self.parts, self.count, self.step = [merged], len(merged), 2 * self.step

    def points(self) -> Floats:
        return np.concatenate([np.empty((0, 3)), *self.parts])


def _year(seconds: float) -> int | None:
    """Return the year of a standard GPS time; None where none was written or it is absurd."""
    if not 0 < seconds < _GPS_SHIFT:
        return None
    return (_GPS_START + dt.timedelta(seconds=seconds + _GPS_SHIFT)).year


def cell_for(count: int, area: float) -> float:
    """Return the cell that so many points on an area, m2, support, m: 0.25 from 8 points/m2, else 0.5."""
    fine, coarse = _FIRST_CELLS
    return fine if count >= _DENSE * area else coarse


def gridded(
    points: Floats, west: float, south: float, cell: float, shape: tuple[int, int], longest: float = LONGEST_M
) -> NDArray[np.float32]:
    """Return heights at cells' centres, linear in a Delaunay triangulation, (rows, columns), row 0 in the south.

    NaN outside of it, and in triangles with an edge longer than `longest`, m.
    """
    from scipy.spatial import Delaunay, QhullError

    z = np.full(shape, np.nan, np.float32)
    if len(points) < 3:
        return z
    xy = points[:, :2] - (west, south)
    try:
        mesh = Delaunay(xy)
    except QhullError:  # all on one line
        return z
    i, j = (axis.ravel() for axis in np.indices(shape))
    centres = np.column_stack([(j + 0.5) * cell, (i + 0.5) * cell])
    corners = xy[mesh.simplices]
    edges = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2)
    inside = mesh.find_simplex(centres)
    good = inside >= 0
    good[good] = edges[inside[good]].max(axis=1) <= longest
    inside = inside[good]
    first = np.einsum("nij,nj->ni", mesh.transform[inside, :2], centres[good] - mesh.transform[inside, 2])
    weights = np.column_stack([first, 1 - first.sum(axis=1)])
    z.ravel()[good] = (weights * points[:, 2][mesh.simplices[inside]]).sum(axis=1)
    return z
