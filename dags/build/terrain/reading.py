"""The published terrain read back: windows of heights for whoever looks at the land."""

from functools import cached_property, lru_cache
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from catalog.versions import read_index
from dags.build.terrain import own_grid
from dags.build.terrain.own_grid import OwnGrid
from dags.build.terrain.resample import Bounds, Part, overlap
from kernels.horizon.levels import MISSING, Level
from tiles.arrays import PublishedShards
from tiles.building import Corner
from tiles.manifest import Manifest
from tiles.product import FILL
from tiles.products.terrain import BY_CELL, FAMILY, GRIDS, SIDE, name_of
from tiles.store import Store

# Of 2 MB each.
SHARDS_HELD = 48
_COARSEST = max(GRIDS)


class LevelTiles(PublishedShards):
    """One published level, read by shards, each checked against its manifest; the last ones are kept.

    Parameters
    ----------
    store : Store
    cell : int
        Side of its cells, m.
    key : str
        Of its manifest.

    Raises
    ------
    TileCorrupt
        The manifest is damaged.
    SchemaUnsupported
    """

    def __init__(self, store: Store, cell: int, key: str) -> None:
        super().__init__(store, Manifest.read(store, key))
        self.manifest.require_schema(BY_CELL[cell])
        self.shard = lru_cache(maxsize=SHARDS_HELD)(self._shard)

    @cached_property
    def corners(self) -> frozenset[Corner]:
        """Row and column of the first cell of each shard that holds heights."""
        shards = (name.split("/")[2:] for name in self.manifest.objects if name.startswith("top/c/"))
        return frozenset((int(row) * SIDE, int(column) * SIDE) for row, column in shards)

    def _shard(self, name: str, corner: Corner) -> NDArray[np.uint16]:
        return self.read(name, corner, np.full((SIDE, SIDE), FILL, np.uint16))

    def window(self, name: str, row: int, column: int, rows: int, columns: int) -> NDArray[np.uint16]:
        """Return a window of a variable, packed; FILL also beyond the grid.

        Raises
        ------
        TileCorrupt
            A shard is absent or damaged.
        """
        found = np.full((rows, columns), FILL, np.uint16)
        for first in range(row // SIDE * SIDE, row + rows, SIDE):
            for left in range(column // SIDE * SIDE, column + columns, SIDE):
                if (first, left) not in self.corners:
                    continue
                tops, lefts = max(first, row), max(left, column)
                bottoms, rights = min(first + SIDE, row + rows), min(left + SIDE, column + columns)
                part = self.shard(name, (first, left))[tops - first : bottoms - first, lefts - left : rights - left]
                found[tops - row : bottoms - row, lefts - column : rights - column] = part
        return found


class Terrain:
    """The levels of the newest version, whatever the clock shows: land does not age.

    Parameters
    ----------
    store : Store

    Raises
    ------
    ValueError
        There is no terrain.
    TileCorrupt
        A manifest is damaged.

    Attributes
    ----------
    version : str
    origin : {"live", "simulated"}
    manifests : dict of int to str
        Key of the manifest by the side of a cell.
    levels : dict of int to LevelTiles
    cells : tuple of int
        The levels that exist, by the side of their cells, m; the finest first.
    layers : list of dict
        What it was made of, the newest last: `fingerprint`, `model` and `bounds` by level.
    sources : list of dict
        Where its heights are from: name, licence, attribution, origin and what was read.
    """

    def __init__(self, store: Store) -> None:
        entries = read_index(store, name_of(_COARSEST)).entries
        if not entries:
            raise ValueError(f"no terrain is published: build it with 'solflis build {FAMILY}'")
        entry = entries[-1]
        self._store = store
        self.version, self.origin = entry.version, entry.data_origin
        said = Manifest.read(store, entry.manifest).provenance
        # the levels that were published together: in the same hour there may have been others
        # as numbers: in a manifest "250" comes before "50"
        self.manifests = dict(sorted((int(cell), key) for cell, key in said["levels"].items()))
        self.layers, self.sources = said["layers"], said["sources"]
        self.levels = {cell: LevelTiles(store, cell, key) for cell, key in self.manifests.items()}
        self.cells = tuple(self.levels)

    @property
    def fingerprint(self) -> str:
        """The same of the same heights."""
        return sha256(repr(sorted(self.manifests.items())).encode()).hexdigest()

    @property
    def own_grids(self) -> list[OwnGrid]:
        """The heights of coarse sources in their own cells, the newest first; each once."""
        grids = [grid for source in reversed(self.sources) if "heights" in (grid := source.get("grid", {}))]
        return [own_grid.read(self._store, grid) for grid in {grid["heights"]: grid for grid in grids}.values()]

    @property
    def made_of(self) -> dict[str, str]:
        """The Zarr group of each level, by its product."""
        return {name_of(cell): key.removesuffix(".manifest.json") for cell, key in self.manifests.items()}

    def fingerprint_in(self, window: Bounds) -> str:
        """Return the fingerprint of the heights in a window: of the layers that lie there, in their order."""
        there = [layer for layer in self.layers if any(overlap(bounds, window) for bounds in layer["bounds"].values())]
        return sha256(repr([layer["fingerprint"] for layer in there]).encode()).hexdigest()[:16]

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
        part = Part.covering(cell, (west, south, east, north))
        packed = self.levels[cell].window(name, *part[1:])
        z = packed.astype(np.float32) * np.float32(variable.scale) + np.float32(variable.offset)
        z[packed == FILL] = MISSING
        return Level(z, grid.x0 + (part.column + 0.5) * cell, grid.y0 + (part.row + 0.5) * cell, float(cell))
