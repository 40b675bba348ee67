"""Footprints of buildings, of OpenStreetMap or FKB, from GeoPackages that the operator has."""

import numpy as np
from numpy.typing import NDArray

from catalog.sources.errors import Origin
from catalog.sources.land_cover import Bounds, of_geopackages, path_of

NAME = "buildings"
# FKB's `fkb_bygning_omrade`, Geofabrik's `gis_osm_buildings_a_free`
_CALLED = ("bygning", "building")


def footprints(url: str, bounds: Bounds, cell: float) -> NDArray[np.bool_]:
    """Return which cells' centres are inside a building, (rows, columns), row 0 in the south.

    Parameters
    ----------
    url : str
        Path of a GeoPackage, or of a folder of them: their polygons are buildings, or where layers of a file are
        called so, those.
    bounds : (float, float, float, float)
        West, south, east, north, m in UTM 33: whole cells apart.
    cell : float
        m.

    Raises
    ------
    SourceError
        There is no such file, or it cannot be read.
    """
    return of_geopackages(Origin(NAME, url), path_of(url) or url, bounds, cell, called=_CALLED) > 0
