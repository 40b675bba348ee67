"""The published terrain read back: windows of heights for whoever looks at the land."""

from hashlib import sha256

from catalog.versions import read_index
from dags.build.terrain import own_grid
from dags.build.terrain.own_grid import OwnGrid
from dags.build.terrain.resample import Bounds, overlap
from tiles.products.terrain import FAMILY, GRIDS, name_of
from tiles.store import Store
from tiles.terrain import TerrainLevels

_COARSEST = max(GRIDS)


class Terrain(TerrainLevels):
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
        super().__init__(store, entry.manifest)
        self.layers, self.sources = self.provenance["layers"], self.provenance["sources"]

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
