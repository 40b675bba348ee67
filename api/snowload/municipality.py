"""The municipality of a site, by the published borders.

The borders are generalised, and cut at a coast that has neither piers nor small islets: a site that lies in none gets
the nearest, and one near another municipality gets that as its neighbour.

Not by shapely: a lookup takes 0.08 ms here and 0.03 ms there, but it takes 10.4 MB of a worker's private memory
(3.2 MB of them the import), these arrays 2.9 MB.
"""

from collections.abc import Sequence
from io import BytesIO
from typing import Literal, NamedTuple

import numpy as np

from catalog.versions import Entry
from kernels.polygons import Rings
from tiles.chunked import ChunkedTile
from tiles.products.municipality_borders import CORNERS, STEPS_PER_M

By = Literal["inside", "nearest"]
VARIABLE = "number"
REACH_M = 2000.0
"""So far from the nearest municipality a site may lie."""
NEAR_M = 500.0
"""A municipality that is farther by no more than this from a site than its own is named beside it."""


class Municipality(NamedTuple):
    """A municipality, and its county where that is known."""

    number: int
    name: str
    county: str | None


class Located(NamedTuple):
    """The municipality of a site.

    Parameters
    ----------
    number : int
        Kommunenummer.
    name : str
    county : str or None
    by : {"inside", "nearest"}
    away_m : float
        How far it is; 0 inside.
    neighbour : str or None
        The nearest other municipality, where it is hardly farther (`NEAR_M`).
    neighbour_m : float or None
        How far that is.
    """

    number: int
    name: str
    county: str | None
    by: By
    away_m: float
    neighbour: str | None
    neighbour_m: float | None


class Municipalities:
    """Published borders.

    Parameters
    ----------
    borders : Rings
        Steps of 0.1 m in UTM 33, of areas in the order of the list.
    listed : sequence of Municipality
    version, data_origin : str
    """

    def __init__(self, borders: Rings, listed: Sequence[Municipality], version: str, data_origin: str) -> None:
        self._borders, self._listed = borders, listed
        self.version, self.data_origin = version, data_origin

    def at(self, x: float, y: float) -> Located | None:
        """Return the municipality that a site lies in, or the nearest; None where all are farther than 2 km.

        Parameters
        ----------
        x, y : float
            Easting and northing in UTM 33, m.
        """
        reach = (REACH_M + NEAR_M) * STEPS_PER_M
        holds, steps = self._borders.around(round(x * STEPS_PER_M), round(y * STEPS_PER_M), reach)
        away = np.where(holds, -1.0, steps / STEPS_PER_M)  # before one whose border runs through the site
        first, *others = np.argsort(away, kind="stable")[:2].tolist()
        if away[first] > REACH_M:
            return None
        away = np.maximum(away, 0.0)
        near = next(((self._listed[k].name, float(away[k])) for k in others if away[k] - away[first] <= NEAR_M), None)
        number, name, county = self._listed[first]
        by: By = "inside" if holds[first] else "nearest"
        return Located(number, name, county, by, float(away[first]), *(near or (None, None)))


def open_municipalities(entry: Entry, tile: ChunkedTile) -> Municipalities:
    """Open a version of the borders."""
    with np.load(BytesIO(tile.attached(CORNERS))) as corners:
        borders = Rings(**corners)
    listed = [Municipality(*fields) for fields in tile.manifest.provenance["municipalities"]]
    return Municipalities(borders, listed, entry.version, entry.data_origin)
