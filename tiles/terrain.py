"""Heights of the published terrain, as kernels take them."""

import math

import numpy as np

from kernels.horizon.levels import MISSING, Level
from tiles.manifest import Manifest
from tiles.product import FILL
from tiles.products.terrain import BY_CELL, GRIDS
from tiles.store import Store
from tiles.windows import Windows


class TerrainLevels:
    """The levels of a version.

    Parameters
    ----------
    store : Store
    key : str
        Of the manifest of the coarsest level, which names the levels that were published together: in the same hour
        there may have been others.

    Raises
    ------
    TileCorrupt
        A manifest is damaged.
    SchemaUnsupported

    Attributes
    ----------
    provenance : mapping
        Of the coarsest level.
    manifests : dict of int to str
        Key of the manifest by the side of a cell.
    levels : dict of int to Windows
    cells : tuple of int
        The levels that exist, by the side of their cells, m; the finest first.
    """

    def __init__(self, store: Store, key: str) -> None:
        self.provenance = Manifest.read(store, key).provenance
        # as numbers: in a manifest "250" comes before "50"
        self.manifests = dict(sorted((int(cell), own) for cell, own in self.provenance["levels"].items()))
        self.levels = {cell: Windows(store, BY_CELL[cell], own) for cell, own in self.manifests.items()}
        self.cells = tuple(self.levels)

    def surface(self, cell: int, west: float, south: float, east: float, north: float) -> Level:
        """Return the ground of a window, and the sea: 0 where there is no ground; MISSING where nothing is known.

        Parameters
        ----------
        cell : int
            One of `cells`.
        west, south, east, north : float
            m in UTM 33; taken outward to whole cells.

        Raises
        ------
        TileCorrupt
            A shard is absent or damaged.
        """
        top = self._level("top", cell, west, south, east, north)
        ground = self._level("ground", cell, west, south, east, north)
        # not its top, which at the shore is that of the surface to the land
        sea = (ground.z == MISSING) & (top.z != MISSING)
        return ground._replace(z=np.where(sea, np.float32(0), ground.z))

    def tops(self, cell: int, west: float, south: float, east: float, north: float) -> Level:
        """Return the highest of each cell of a window; see `surface`."""
        return self._level("top", cell, west, south, east, north)

    def years(self, cell: int, west: float, south: float, east: float, north: float) -> Level:
        """Return the year of the heights of a window, MISSING where it is unknown; see `surface`."""
        return self._level("year", cell, west, south, east, north)

    def _level(self, name: str, cell: int, west: float, south: float, east: float, north: float) -> Level:
        grid, variable = GRIDS[cell], BY_CELL[cell].variable(name)
        row, column = math.floor((south - grid.y0) / cell), math.floor((west - grid.x0) / cell)
        rows, columns = math.ceil((north - grid.y0) / cell) - row, math.ceil((east - grid.x0) / cell) - column
        packed = self.levels[cell].window(name, row, column, rows, columns)
        z = packed.astype(np.float32) * np.float32(variable.scale) + np.float32(variable.offset)
        z[packed == FILL] = MISSING
        return Level(z, grid.x0 + (column + 0.5) * cell, grid.y0 + (row + 0.5) * cell, float(cell))
