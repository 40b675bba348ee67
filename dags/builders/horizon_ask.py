"""What horizons need before they are begun: terrain wherever they are asked for."""

from collections.abc import Sequence

from catalog.versions import read_index
from dags.areas import Area
from dags.builders import terrain, terrain_ask
from dags.builders.block_build import Report
from dags.builders.horizon_block import base_of
from dags.builders.terrain_reading import Terrain
from kernels import utm
from kernels.horizon.levels import MISSING
from tiles.clock import Clock
from tiles.products.terrain import GRIDS, name_of
from tiles.store import Store


def ensure_terrain(areas: Sequence[Area], *, url: str, store: Store, clock: Clock, report: Report) -> None:
    """Build the national terrain for areas of which nothing is published; heights that are there stay.

    Parameters
    ----------
    areas : sequence of Area
        None of them is the whole country, which counts as there when any terrain is.
    url : str
        Of the national height model.
    store : Store
    clock : Clock
    report : callable
        Takes one line of progress.

    Raises
    ------
    SourceError
        The heights cannot be had.
    ValueError
        An area lies outside the grid; for the whole country, the land is not published.
    """
    there = Terrain(store) if read_index(store, name_of(max(GRIDS))).entries else None
    lacking = [area for area in areas if there is None or not _known(there, area)]
    if not lacking and (areas or there is not None):
        report("the terrain of these areas is published")
        return
    layers = terrain_ask.layers_of(None, (), None, lacking, url=url, store=store, clock=clock)
    terrain.build(terrain.Ask(store.url, clock.text(), layers), report)


def _known(there: Terrain, area: Area) -> bool:
    """Say whether any ground of an area's square is known, as near as a horizon needs it."""
    x, y = (float(value) for value in utm.forward(area.lat, area.lon))
    half = area.side_km * 500
    z = there.surface(base_of(there.cells), x - half, y - half, x + half, y + half).z
    return bool((z != MISSING).any())
