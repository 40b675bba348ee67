"""Heights around a building from a GeoTIFF or a point cloud, as the field that the analysis takes."""

from pathlib import Path
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from pyproj import Transformer
from scipy import ndimage

from catalog.sources.errors import Origin
from catalog.sources.height_rasters import crs_of, heights_at, open_raster, read_cells
from catalog.sources.land_cover import Bounds
from catalog.sources.point_cloud import GROUND_GAP_M, cell_for, extent_of, gridded, read_points
from infra.roofs.frame import LocalFrame
from kernels.roof.analysis import AROUND_M
from kernels.roof.field import Field

Floats = NDArray[np.float64]

NAME = "roof"
MARGIN_M = AROUND_M + 1.0
_MOST_POINTS = 10_000_000


class RasterHeights:
    """Heights of GeoTIFFs: the surface's cells as they are, the ground between its cells."""

    def __init__(self, path: Path, ground: Path | None) -> None:
        if ground is None:
            raise Origin(NAME, path.name).error("has no ground beside it: name one with --ground")
        self.path, self.ground = path, ground
        with open_raster(Origin(NAME, path.name), path) as raster:
            self.crs, self.extent = crs_of(raster), shapely.box(*raster.bounds)

    def field(self, frame: LocalFrame, box: Bounds) -> Field:
        """Return the heights of a box of the frame."""
        around = frame.native(np.array(shapely.box(*box).segmentize(10.0).exterior.coords))
        with open_raster(Origin(NAME, self.path.name), self.path) as raster:
            t = raster.transform
            cells = read_cells(raster, (around[:, 1] - t.f) / t.e - 0.5, (around[:, 0] - t.c) / t.a - 0.5)
        rows, columns = cells.z.shape
        i, j = np.mgrid[:rows, :columns][:, ::-1] + np.array([cells.row + 0.5, cells.column + 0.5])[:, None, None]
        x, y = t.c + j * t.a, t.f + i * t.e
        with open_raster(Origin(NAME, self.ground.name), self.ground) as raster:
            ground = heights_at(raster, self.crs, x, y).astype(np.float64)
        return _field(frame, cells.z[::-1].copy(), ground, (x[0, 0], y[0, 0], t.a, -t.e))


class CloudHeights:
    """Heights of a point cloud, put on cells building by building; without a GeoTIFF its class 2 is the ground."""

    def __init__(self, path: Path, ground: Path | None) -> None:
        self.path, self.ground, self.origin = path, ground, Origin(NAME, path.name)
        found = extent_of(self.origin, path)
        self.crs, self.extent = found.crs, shapely.box(*found.bounds)
        self.points: Any = None

    def read(self, bounds: Bounds) -> None:
        """Read the points that the fields of outlines within bounds need."""
        west, south, east, north = bounds
        wide = west - 2 * MARGIN_M, south - 2 * MARGIN_M, east + 2 * MARGIN_M, north + 2 * MARGIN_M
        self.points = read_points(self.origin, self.path, wide, _MOST_POINTS)
        if self.ground is None and not len(self.points.ground):
            raise self.origin.error("has no points of class 2 (ground) there: name a terrain with --ground")

    def field(self, frame: LocalFrame, box: Bounds) -> Field:
        """Return the heights of a box of the frame."""
        ring = frame.native(np.array(shapely.box(*box).exterior.coords))
        (west, south), (east, north) = ring.min(axis=0), ring.max(axis=0)
        near = _within(self.points.surface, (west, south, east, north), 5.0)
        cell = cell_for(len(_within(near, (west, south, east, north), 0.0)), (east - west) * (north - south))
        shape = int(np.ceil((north - south) / cell)), int(np.ceil((east - west) / cell))
        x, y = np.meshgrid(west + (np.arange(shape[1]) + 0.5) * cell, south + (np.arange(shape[0]) + 0.5) * cell)
        if self.ground is None:
            below = _within(self.points.ground, (west, south, east, north), GROUND_GAP_M / 2)
            ground = gridded(below, west, south, cell, shape, GROUND_GAP_M)
        else:
            with open_raster(Origin(NAME, self.ground.name), self.ground) as raster:
                ground = heights_at(raster, self.crs, x, y)
        z = gridded(near, west, south, cell, shape).astype(np.float64)
        return _field(frame, z, ground.astype(np.float64), (x[0, 0], y[0, 0], cell, cell))


def require_ground(ground: Path, crs: Any, buildings: Any) -> None:
    """Refuse a ground that does not reach any building, m in a CRS.

    Raises
    ------
    SourceError
        It does not, or cannot be read.
    """
    origin = Origin(NAME, ground.name)
    with open_raster(origin, ground) as raster:
        way = Transformer.from_crs(crs_of(raster), crs, always_xy=True)
        extent = shapely.box(*way.transform_bounds(*raster.bounds))
    if not shapely.intersects(extent, buildings).any():
        raise origin.error("is the ground of another place: it reaches none of the buildings")


def _within(points: Floats, bounds: Bounds, around: float) -> Floats:
    inside = (points[:, :2] >= np.subtract(bounds[:2], around)) & (points[:, :2] <= np.add(bounds[2:], around))
    return points[inside.all(axis=1)]


def _field(frame: LocalFrame, z: Floats, ground: Floats, grid: tuple[float, float, float, float]) -> Field:
    """Return cells (row 0 in the south) with axes in the frame; gaps of the ground take the nearest height."""
    if np.isfinite(ground).any():
        nearest = ndimage.distance_transform_edt(np.isnan(ground), return_distances=False, return_indices=True)
        ground = ground[tuple(nearest)]
    west, south, dx, dy = grid
    rows, columns = z.shape
    corners = frame.local(
        np.array([(west, south), (west + (columns - 1) * dx, south), (west, south + (rows - 1) * dy)])
    )
    first, along, up = corners
    return Field(
        z, ground, np.concatenate([first, (along - first) / max(1, columns - 1), (up - first) / max(1, rows - 1)])
    )
