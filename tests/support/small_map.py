"""A small map of land cover: polygons, and the codes that they give on a grid."""

from collections.abc import Sequence

import numpy as np
import shapely

from catalog.sources.land_cover import FARMLAND, FOREST, LAKE

WEST, SOUTH = 262_000.0, 6_649_000.0
BOX = (WEST, SOUTH, WEST + 400, SOUTH + 300)
CELL = 10.0
SHAPE = (30, 40)
# Forest in the west; a lake with an island of farmland.
FOREST_BOX = shapely.box(WEST, SOUTH, WEST + 200, SOUTH + 300)
ISLAND = shapely.box(WEST + 300, SOUTH + 100, WEST + 350, SOUTH + 150)
LAKE_BOX = shapely.box(WEST + 200, SOUTH, WEST + 400, SOUTH + 300).difference(ISLAND)
Pieces = Sequence[tuple[shapely.Polygon, object]]
PIECES: Pieces = [(FOREST_BOX, 30), (LAKE_BOX, 81), (ISLAND, 20)]
EXPECTED = np.full(SHAPE, FOREST, np.uint8)
EXPECTED[:, 20:] = LAKE
EXPECTED[10:15, 30:35] = FARMLAND
