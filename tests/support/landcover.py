"""Made-up land cover of whole blocks, published through the real writer."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import geopandas
import numpy as np
import shapely
from numpy.typing import NDArray

from catalog.versions import Entry
from tests.support.terrain import ABOUT
from tests.support.tiles import draft_of_blocks, publish_at
from tiles.building import Corner
from tiles.products.landcover import CHUNK, GRID, PRODUCT, SIDE
from tiles.store import Store

BUILT = datetime(2026, 4, 1, tzinfo=UTC)
OSLO: Corner = (20_000, 33_000)
"""The first cell of a block in Oslo."""

Codes = Callable[[NDArray[np.float64], NDArray[np.float64]], Any]
"""Of x (columns) and y (rows, 1), m in UTM 33."""


def forest(x: NDArray[np.float64], y: NDArray[np.float64]) -> Any:
    return np.full(np.broadcast_shapes(x.shape, y.shape), 30)


def publish_landcover(
    store: Store, codes: Codes = forest, corners: Sequence[Corner] = (OSLO,), version: str = "2026-04-01T00"
) -> Entry:
    """Publish blocks of land cover, by default forest; only their first 2 km were looked through for buildings."""
    buildings = np.full((SIDE, SIDE), np.nan)
    buildings[:CHUNK, :CHUNK] = 0
    within = GRID.size * (np.arange(SIDE) + 0.5)
    blocks = {}
    for row, column in corners:
        x, y = GRID.x0 + GRID.size * column + within, (GRID.y0 + GRID.size * row + within)[:, None]
        values = {"cover": codes(x, y).astype(np.float64), "built": buildings, "height": buildings}
        blocks[row, column] = {name: PRODUCT.variable(name).pack(found) for name, found in values.items()}
    return publish_at(draft_of_blocks(store, PRODUCT, version, {}, blocks, ABOUT), BUILT)


def write_forest(file: Path) -> str:
    """Write a GeoPackage in which all of the country is forest, for AR50 and AR5; return its path."""
    country = shapely.box(-100_000, 6_400_000, 1_200_000, 8_000_000)
    forest = geopandas.GeoDataFrame({"arealtype": [30]}, geometry=[country], crs=25833)
    forest.to_file(file, driver="GPKG")
    return str(file)
