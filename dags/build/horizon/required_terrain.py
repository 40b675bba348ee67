"""What horizons need before they are begun: terrain wherever they are asked for."""

from collections.abc import Iterable, Sequence

import numpy as np

from catalog.versions import read_index
from dags.areas import Area
from dags.build.blocks import Report
from dags.build.terrain import selection as terrain_ask
from dags.build.terrain import terrain
from dags.build.terrain.layer import Bounds, intersection
from dags.build.terrain.reading import Terrain
from kernels import utm
from tiles.clock import Clock
from tiles.products.terrain import GRIDS, name_of
from tiles.store import Store


def ensure_terrain(areas: Sequence[Area], *, url: str, store: Store, clock: Clock, report: Report) -> None:
    """Build the national terrain for areas that what is published does not cover; there it lies over older heights.

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
    """Say whether layers cover an area's square, each as far as its own finest cells reach.

    Around another area the national model is known in coarser cells too: those are for what is far away.
    """
    x, y = (float(value) for value in utm.forward(area.lat, area.lon))
    half = area.side_km * 500
    grid = GRIDS[max(GRIDS)]
    ours = grid.x0, grid.y0, grid.x0 + grid.n_x * grid.size, grid.y0 + grid.n_y * grid.size
    square = intersection((x - half, y - half, x + half, y + half), ours)
    finest = (min((int(cell), tuple(bounds)) for cell, bounds in layer["bounds"].items())[1] for layer in there.layers)
    return square is not None and _covered(square, finest)


def _covered(square: Bounds, by: Iterable[Bounds]) -> bool:
    """Say whether rectangles cover a square, all of them together."""
    parts = [part for bounds in by if (part := intersection(square, bounds)) is not None]
    x, y = (np.unique([edge for part in (square, *parts) for edge in part[axis::2]]) for axis in (0, 1))
    covered = np.zeros((len(y) - 1, len(x) - 1), bool)
    for west, south, east, north in parts:
        left, right = np.searchsorted(x, (west, east))
        bottom, top = np.searchsorted(y, (south, north))
        covered[bottom:top, left:right] = True
    return bool(covered.all())
