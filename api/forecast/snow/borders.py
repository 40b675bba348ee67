"""In which municipality a position lies, as the borders that are published say."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.versions import Entry
from tiles.chunked import ChunkedTile
from tiles.grid import NORWAY3KM, Cell, OutsideGrid
from tiles.product import FILL

VARIABLE = "number"
REACH_KM = 6.0
"""So far from a position a cell may lie that answers for it, where its own lies in no municipality."""
# A plant is asked for again every hour, and looking around in a fjord costs 2 ms.
_REMEMBERED = 4096


class Borders:
    """A published version.

    Parameters
    ----------
    number : uint16 (n_rows, n_cols)
        Kommunenummer of each cell of NORWAY3KM; `FILL` where there is none.
    version : str
        Tells it from all other versions.
    """

    def __init__(self, number: NDArray[np.uint16], version: str) -> None:
        self._number, self.version = number, version
        self._known = number != FILL
        self._remembered = lru_cache(_REMEMBERED)(self._look)

    def number_at(self, lat: float, lon: float) -> int | None:
        """Return the kommunenummer of the cell that holds a position, or of the nearest that has one; None beyond 6 km.

        Parameters
        ----------
        lat, lon : float
            Degrees north and east.
        """
        return self._remembered(lat, lon)

    def _look(self, lat: float, lon: float) -> int | None:
        try:
            cell: Cell | None = NORWAY3KM.cell_at(lat, lon)
        except OutsideGrid:
            cell = None
        if cell is None or not self._known[cell]:
            found = NORWAY3KM.nearest(lat, lon, self._known, REACH_KM)
            cell = None if found is None else found[0]
        return None if cell is None else int(self._number[cell])


def _open(entry: Entry, tile: ChunkedTile) -> Borders:
    return Borders(tile.table(VARIABLE), entry.path)


PREPARE: dict[str, Any] = {VARIABLE: _open}
"""What is made of the product's variable when a version is opened."""
