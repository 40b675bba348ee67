"""What horizons need before they are begun: terrain wherever they are asked for."""

from dataclasses import replace

import shapely

from dags.areas import Area
from dags.build.context import BuildContext
from dags.build.terrain import terrain
from dags.build.terrain.reading import Terrain
from dags.build.terrain.resample import EXTENT, square


def ensure_terrain(context: BuildContext) -> None:
    """Build the national terrain for areas that what is published does not cover; there it lies over older heights.

    The whole country counts as there when any terrain is.

    Raises
    ------
    SourceError
        The heights cannot be had.
    ValueError
        An area lies outside the grid; for the whole country, the land is not published.
    """
    there = terrain.newest(context.store)
    lacking = tuple(area for area in context.areas if there is None or not _known(there, area))
    if not lacking and (context.areas or there is not None):
        context.report("the terrain of these areas is published")
        return
    terrain.build(replace(context, areas=lacking, source=None, paths=(), year=None, run=f"{context.run}-terrain"))


def _known(there: Terrain, area: Area) -> bool:
    """Say whether layers cover an area's square, each as far as its own finest cells reach.

    Around another area the national model is known in coarser cells too: those are for what is far away.
    """
    land = shapely.box(*square(area)) & shapely.box(*EXTENT)
    finest = (min((int(cell), bounds) for cell, bounds in layer["bounds"].items())[1] for layer in there.layers)
    return not land.is_empty and shapely.union_all([shapely.box(*bounds) for bounds in finest]).covers(land)
