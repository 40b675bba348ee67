"""In which municipality a site lies: by the borders themselves, for rules differ from one side of them to the other.

The borders are generalised, and cut at a coast that has neither piers nor small islets: a site that lies in none is
given to the nearest, and one near another municipality hears of it.
"""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catalog.versions import Entry
from kernels.polygons import Rings, holding, rings, within
from tiles.chunked import ChunkedTile
from tiles.products.municipality_borders import STEPS_PER_KM

VARIABLE = "number"
REACH_M = 2000.0
"""So far from the nearest municipality a site may lie."""
NEAR_M = 500.0
"""A municipality that is farther by no more than this from a site than its own is named beside it."""

_STEPS_PER_M = STEPS_PER_KM / 1000


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
    by: Literal["inside", "nearest"]
    away_m: float
    neighbour: str | None
    neighbour_m: float | None


class Municipalities:
    """Published borders.

    Parameters
    ----------
    borders : Rings
        Steps of 0.1 m in UTM 33.
    of : int64 (m,)
        Whose each ring is: its place in the list.
    listed : sequence of Municipality
    version, data_origin : str
    """

    def __init__(
        self, borders: Rings, of: NDArray[np.int64], listed: Sequence[Municipality], version: str, data_origin: str
    ) -> None:
        self._borders, self._of, self._listed = borders, of, listed
        self.version, self.data_origin = version, data_origin

    def at(self, x: float, y: float) -> Located | None:
        """Return the municipality that a site lies in, or the nearest; None where all are farther than 2 km.

        Parameters
        ----------
        x, y : float
            Easting and northing in UTM 33, m.
        """
        where = round(x * _STEPS_PER_M), round(y * _STEPS_PER_M)
        of_each = np.bincount(self._of[holding(self._borders, *where)], minlength=len(self._listed))
        inside = np.flatnonzero(of_each % 2)
        reach = NEAR_M if inside.size else REACH_M + NEAR_M
        ring, steps = within(self._borders, *where, reach * _STEPS_PER_M)
        away = np.full(len(self._listed), np.inf)
        np.minimum.at(away, self._of[ring], steps / _STEPS_PER_M)
        away[inside] = -1.0  # before one whose border runs through the site
        first, *others = np.argsort(away, kind="stable")[:2].tolist()
        if away[first] > REACH_M:
            return None
        away = np.maximum(away, 0.0)
        near = next(((self._listed[k].name, float(away[k])) for k in others if away[k] - away[first] <= NEAR_M), None)
        number, name, county = self._listed[first]
        by: Literal["inside", "nearest"] = "inside" if inside.size else "nearest"
        return Located(number, name, county, by, float(away[first]), *(near or (None, None)))


def _open(entry: Entry, tile: ChunkedTile) -> Municipalities:
    listed = [Municipality(*one) for one in tile.manifest.provenance["municipalities"]]
    place = {one.number: k for k, one in enumerate(listed)}
    first = np.flatnonzero(np.diff(tile.table("ring").astype(np.int32), prepend=-1))
    of = np.array([place[number] for number in tile.table(VARIABLE)[first].tolist()], np.int64)
    borders = rings(_steps(tile, "easting"), _steps(tile, "northing"), first)
    tile.close()  # what was read is not read again
    return Municipalities(borders, of, listed, entry.version, entry.data_origin)


def _steps(tile: ChunkedTile, axis: str) -> NDArray[np.int64]:
    whole, rest = tile.table(f"{axis}_km").astype(np.int64), tile.table(f"{axis}_m")
    return (whole + int(tile.scale(f"{axis}_km")[1])) * STEPS_PER_KM + rest


PREPARE: dict[str, Any] = {VARIABLE: _open}
"""What is made of the product's variable when a version is opened."""
