"""A terrain model in a projection of its own, and what points of our grid see of it."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyproj
import rasterio

from kernels.horizon.levels import Level
from tests.kernels.horizon import reference
from tests.kernels.horizon.reference import Floats, Truth
from tiles.grid import HORIZON, Cell


def seen_from(file: Path, cells: Sequence[Cell], reach: float, eye: float) -> tuple[list[Truth | None], Floats]:
    """The truth over the file's own bilinear surface, None where it has none, and the ground of each cell, m."""
    with rasterio.open(file) as model:
        z, cell, box = model.read(1)[::-1].astype(np.float64), model.res[0], model.bounds
        crs = pyproj.CRS(model.crs.to_wkt())
    own = Level(z, box.left + cell / 2, box.bottom + cell / 2, cell)  # type: ignore[arg-type]
    theirs = pyproj.Proj(crs)

    def turned(x: float, y: float) -> float:
        return float(theirs.get_factors(*theirs(x, y, inverse=True)).meridian_convergence)

    rows, columns = np.array(cells).T
    to_theirs = pyproj.Transformer.from_crs(25833, crs, always_xy=True)
    points = np.column_stack(
        to_theirs.transform(HORIZON.x0 + (columns + 0.5) * HORIZON.size, HORIZON.y0 + (rows + 0.5) * HORIZON.size)
    )
    ground = np.array([reference.ground(own, x, y) for x, y in points])
    return reference.horizons(own, points, reach, eye, turned=turned), ground


def middle(file: Path) -> Cell:
    """The cell of our grid in the middle of a file."""
    with rasterio.open(file) as model:
        box, crs = model.bounds, model.crs.to_wkt()
    to_lonlat = pyproj.Transformer.from_crs(crs, 4326, always_xy=True)
    lon, lat = to_lonlat.transform((box.left + box.right) / 2, (box.bottom + box.top) / 2)
    return HORIZON.cell_at(lat, lon)
