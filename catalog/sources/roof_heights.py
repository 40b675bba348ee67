"""Heights finer than 1 m that the operator has: GeoTIFFs and point clouds, a file or a folder (`SOLFLIS_ROOF_HEIGHTS`).

No source of the registry: whose heights they are and under which licence is the operator's to say. Every file names its
CRS. GeoTIFFs whose names hold `dtm` are the ground; without one, class 2 of the point clouds is.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from catalog.sources.errors import Origin, SourceError, beginning
from catalog.sources.height_rasters import crs_of, open_raster, resampled
from catalog.sources.kartverket.heights import year_of
from catalog.sources.land_cover import EPSG, Bounds, path_of
from catalog.sources.point_cloud import GROUND_GAP_M, Cloud, cell_for, extent_of, gridded, read_points

NAME = "roof_heights"
MOST_M = 300.0
"""Side of the largest window."""

SUFFIXES = (".tif", ".tiff", ".las", ".laz")

_CLOUDS = (".las", ".laz")
_COVERED = 0.95
_COARSEST, _FINEST = 0.75, 0.1  # cells of surfaces that are read
_LEAST_M, _MOST_CELLS = 0.25, 360_000  # of a window: an analysis of finer cells, or more, takes a minute and a gigabyte
_STRIP_CELLS = 1_000_000  # read at once
_AROUND_M = 5.0  # of points, so that triangles reach over the window's edge
_MOST_FILES = 10_000
_STEP_DEGREES = 1e-9

_Item = TypeVar("_Item")
_Found = TypeVar("_Found")

log = logging.getLogger("solflis.sources")


class FineHeights(NamedTuple):
    """Heights of a window.

    Parameters
    ----------
    z : float32 (rows, columns)
        Of the surface, m; row 0 is the southernmost; NaN where there are none.
    ground : float32 (rows, columns) or None
    west, south : float
        Corner of the first cell, m in UTM 33: at most a cell beyond the bounds that were asked for.
    cell : float
        m.
    year : int or None
        Of the data; None where no file says.
    """

    z: NDArray[np.float32]
    ground: NDArray[np.float32] | None
    west: float
    south: float
    cell: float
    year: int | None


class _File(NamedTuple):
    """A file and where it lies: bounds in UTM 33, cell in m (0 of a point cloud), its first column and row's corner."""

    path: Path
    bounds: Bounds
    cell: float
    corner: tuple[float, float]
    crs: Any


def window(path: str, bounds: Bounds) -> FineHeights | None:
    """Return the finest heights that cover a window, or None where none cover 95 % of its cells.

    Files of one cell size are put together, and so are all point clouds; cells that are too fine or too many are
    averaged. Files that cannot be read are logged and left out.

    Parameters
    ----------
    path : str
        Of a file or folder; `file://` may stand before it.
    bounds : (float, float, float, float)
        West, south, east, north, m in UTM 33.

    Raises
    ------
    SourceError
        There is no such file, or none that says where it lies.
    ValueError
        The window has a side of more than `MOST_M`.
    """
    west, south, east, north = bounds
    if not 0 < min(east - west, north - south) <= max(east - west, north - south) <= MOST_M:
        raise ValueError(f"a window is 0 to {MOST_M:g} m wide and high")
    paths = _files(path)
    known = list(_readable(_described, paths)) or [_described(paths[0])]
    files = [file for file in known if _share(file.bounds, bounds) > 0]
    surfaces = [file for file in files if file.cell and not _is_ground(file.path) and file.cell <= _COARSEST]
    clouds = [file for file in files if not file.cell]
    grounds = sorted((file for file in files if _is_ground(file.path)), key=lambda file: file.cell)
    found = _from_clouds(clouds, bounds) if clouds else None
    for cell in sorted({file.cell for file in surfaces}):
        if found is not None and found.cell <= cell:
            break
        same = [file for file in surfaces if file.cell == cell]
        if (finer := _from_rasters(same, bounds, cell)) is not None:
            found = finer
            break
    if found is None or not grounds:
        return found
    ground = _mosaic(grounds, found.west, found.south, found.cell, found.z.shape)[0]
    return found._replace(ground=ground) if np.isfinite(ground).mean() >= _COVERED else found


def _files(path: str) -> list[Path]:
    place = Path(path_of(path) or path)
    origin = Origin(NAME, str(place))
    try:
        files = sorted(place.iterdir()) if place.is_dir() else [place]
    except OSError as error:
        raise origin.error(f"cannot be read: {error.strerror}") from error
    files = [file for file in files if file.suffix.lower() in SUFFIXES]
    if not files or len(files) > _MOST_FILES or not files[0].is_file():
        raise origin.error(f"is no file, or folder of at most {_MOST_FILES}, of {', '.join(SUFFIXES)}")
    return files


def _readable(read: Callable[[_Item], _Found], items: Iterable[_Item]) -> Iterator[_Found]:
    """Yield what is read of items; those that cannot be read are logged."""
    for item in items:
        try:
            found = read(item)
        except SourceError as error:
            log.warning("%s", error)
        else:
            yield found


def _is_ground(path: Path) -> bool:
    return "dtm" in path.name.lower() and path.suffix.lower() not in _CLOUDS


def _described(path: Path) -> _File:
    try:
        about = path.stat()
    except OSError as error:
        raise Origin(NAME, path.name).error(f"cannot be read: {error.strerror}") from error
    return _described_as(path, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=_MOST_FILES)
def _described_as(path: Path, _mtime: int, _size: int) -> _File:
    """Return where a file lies, read once of each of its states."""
    from pyproj import Transformer
    from pyproj.exceptions import ProjError

    origin = Origin(NAME, path.name)
    try:
        if path.suffix.lower() in _CLOUDS:
            crs, native = extent_of(origin, path)
            step, corner = 0.0, native[:2]
        else:
            with open_raster(origin, path) as raster:
                crs, native = crs_of(raster), tuple(raster.bounds)
                step, corner = abs(raster.transform.a), (raster.transform.c, raster.transform.f)
        to_map = Transformer.from_crs(crs, EPSG, always_xy=True)
        bounds: Bounds = to_map.transform_bounds(*native, densify_pts=5)
    except ProjError as error:
        raise origin.error(f"names a reference system that cannot be used: {beginning(str(error))}") from error
    if not np.isfinite(bounds).all():
        raise origin.error("lies outside of UTM 33")
    if step and crs.is_geographic:
        step = (bounds[3] - bounds[1]) * step / max(native[3] - native[1], _STEP_DEGREES)
    if 0 < step < _FINEST - 0.01:
        raise origin.error(f"has cells finer than {_FINEST:g} m: resample it")
    return _File(path, bounds, max(_FINEST, round(20 * step) / 20) if step else 0.0, corner, crs)


def _share(found: Bounds, bounds: Bounds) -> float:
    """Return the share of bounds that others cover."""
    wide = min(found[2], bounds[2]) - max(found[0], bounds[0])
    high = min(found[3], bounds[3]) - max(found[1], bounds[1])
    return max(0.0, wide) * max(0.0, high) / ((bounds[2] - bounds[0]) * (bounds[3] - bounds[1]))


def _grid(bounds: Bounds, cell: float, corner: tuple[float, float]) -> tuple[float, float, tuple[int, int]]:
    """Return corner and shape of the cells that hold a window, on a lattice through a corner."""
    west, south = (c + np.floor(round((b - c) / cell, 6)) * cell for b, c in zip(bounds[:2], corner, strict=True))
    rows, columns = (int(np.ceil(round((b - c) / cell, 6))) for b, c in ((bounds[3], south), (bounds[2], west)))
    return float(west), float(south), (rows, columns)


def _from_rasters(files: list[_File], bounds: Bounds, cell: float) -> FineHeights | None:
    # cells of a file in UTM 33 are taken as they are: resampling wears ridges down
    aligned = next((file for file in files if file.crs.to_epsg() == EPSG), None)
    many = int(np.ceil(round(_least_cell(bounds) / cell, 6)))
    west, south, (rows, columns) = _grid(bounds, many * cell, aligned.corner if aligned else (0.0, 0.0))
    step = max(1, _STRIP_CELLS // (columns * many**2))
    strips, years = list[NDArray[np.float32]](), list[int | None]()
    for first in range(0, rows, step):
        shape = min(step, rows - first) * many, columns * many
        z, year = _mosaic(files, west, south + first * many * cell, cell, shape)
        strips.append(_averaged(z, many))
        years.append(year)
    z = np.concatenate(strips)
    if np.isfinite(z).mean() < _COVERED:
        return None
    return FineHeights(z, None, west, south, round(many * cell, 6), _earliest(years))


def _least_cell(bounds: Bounds) -> float:
    """Return the smallest cell that an analysis of a window gets, m."""
    return max(_LEAST_M, float(np.sqrt((bounds[2] - bounds[0]) * (bounds[3] - bounds[1]) / _MOST_CELLS)))


def _averaged(z: NDArray[np.float32], many: int) -> NDArray[np.float32]:
    """Return the means of so many cells a side, without those that are missing."""
    blocks = z.reshape(z.shape[0] // many, many, z.shape[1] // many, many)
    count = np.isfinite(blocks).sum(axis=(1, 3))
    with np.errstate(invalid="ignore"):
        mean: NDArray[np.float64] = np.nansum(blocks, axis=(1, 3), dtype=np.float64) / count
    return mean.astype(np.float32)


def _earliest(years: Iterable[int | None]) -> int | None:
    return min((year for year in years if year), default=None)


def _mosaic(
    files: list[_File], west: float, south: float, cell: float, shape: tuple[int, int]
) -> tuple[NDArray[np.float32], int | None]:
    """Return heights on a grid from files, the first that has any, and the earliest year."""

    def read(file: _File) -> tuple[NDArray[np.float32], int | None]:
        with open_raster(Origin(NAME, file.path.name), file.path) as raster:
            return resampled(raster, EPSG, west, south, cell, shape), year_of(raster.tags().get("TIFFTAG_DATETIME"))

    z, years = np.full(shape, np.nan, np.float32), list[int | None]()
    for found, year in _readable(read, files):
        z = np.where(np.isnan(z), found, z)
        years.append(year)
        if np.isfinite(z).all():
            break
    return z, _earliest(years)


def _from_clouds(files: list[_File], bounds: Bounds) -> FineHeights | None:
    from pyproj import Transformer

    around = bounds[0] - _AROUND_M, bounds[1] - _AROUND_M, bounds[2] + _AROUND_M, bounds[3] + _AROUND_M

    def read(file: _File) -> Cloud:
        to_map = Transformer.from_crs(file.crs, EPSG, always_xy=True)
        native = to_map.transform_bounds(*around, direction="INVERSE", densify_pts=5)
        cloud = read_points(Origin(NAME, file.path.name), file.path, native)
        return cloud._replace(surface=_moved(cloud.surface, to_map), ground=_moved(cloud.ground, to_map))

    if not (parts := list(_readable(read, files))):
        return None
    merged = Cloud(
        np.concatenate([part.surface for part in parts]), np.concatenate([part.ground for part in parts]),
        _earliest(part.year for part in parts),
    )  # fmt: skip
    inside = (merged.surface[:, :2] >= bounds[:2]) & (merged.surface[:, :2] <= bounds[2:])
    dense = cell_for(int(inside.all(axis=1).sum()), (bounds[2] - bounds[0]) * (bounds[3] - bounds[1]))
    cell = max(dense, float(np.ceil(round(20 * _least_cell(bounds), 6)) / 20))
    west, south, shape = _grid(bounds, cell, (0.0, 0.0))
    z = gridded(merged.surface, west, south, cell, shape)
    if np.isfinite(z).mean() < _COVERED:
        return None
    ground = gridded(merged.ground, west, south, cell, shape, GROUND_GAP_M)
    has_ground = np.isfinite(ground).mean() >= 0.5
    return FineHeights(z, ground if has_ground else None, west, south, cell, merged.year)


def _moved(points: NDArray[np.float64], to_map: Any) -> NDArray[np.float64]:
    x, y = to_map.transform(points[:, 0], points[:, 1])
    return np.column_stack([x, y, points[:, 2]])
