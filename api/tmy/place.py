"""From a position to the cell of land that answers for it."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from api import texts
from api.errors import BadRequest, NotFound
from tiles.grid import NORWAY3KM, Cell

LAT = (57.0, 71.5)
LON = (4.0, 31.5)
REACH_KM = 6.0
# A site is asked for again in other formats, and looking costs 2 ms.
_REMEMBERED = 4096


class Place(NamedTuple):
    """The cell that answers for a position.

    Parameters
    ----------
    cell : (int, int)
        Of NORWAY3KM.
    distance_km : float
        From the position to its centre.
    """

    cell: Cell
    distance_km: float

    @property
    def cell_id(self) -> str:
        """The cell's name, such as `N3-066-112`."""
        return f"N3-{self.cell[0]:03d}-{self.cell[1]:03d}"


def require_coverage(lat: float, lon: float) -> None:
    """Refuse a position that the TMY endpoints do not cover.

    Raises
    ------
    BadRequest
    """
    if not (LAT[0] <= lat <= LAT[1] and LON[0] <= lon <= LON[1]):
        raise BadRequest(texts.TMY_OUTSIDE)


class Land:
    """The cells that hold land.

    Parameters
    ----------
    mask : (n_rows, n_cols) bool array
        On NORWAY3KM.
    version : str
        Names what the mask was read from.
    """

    def __init__(self, mask: NDArray[np.bool_], version: str) -> None:
        self._mask, self.version = mask, version
        self._nearest = lru_cache(_REMEMBERED)(self._look)

    def nearest(self, lat: float, lon: float) -> Place:
        """Return the cell of land that is nearest by true distance.

        Parameters
        ----------
        lat, lon : float
            Degrees north and east.

        Raises
        ------
        NotFound
            None lies within 6 km.
        """
        place = self._nearest(lat, lon)
        if place is None:
            raise NotFound(texts.TMY_NO_CELL)
        return place

    def _look(self, lat: float, lon: float) -> Place | None:
        found = NORWAY3KM.nearest(lat, lon, self._mask, REACH_KM)
        return None if found is None else Place(*found)
