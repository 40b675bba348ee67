"""The turbidity of a place, from the tile that is published."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from api import texts
from api.errors import Unavailable
from api.forecast.body import RETRY_S
from api.published import Followed
from catalog.versions import Entry
from tiles.clock import Clock
from tiles.grid import Cell
from tiles.hydrated import HydratedTile
from tiles.product import CORRUPT

_VARIABLE = "linke_turbidity"


def _prepare(_: Entry, tile: HydratedTile) -> HydratedTile:
    return tile


PREPARE: dict[str, Any] = {_VARIABLE: _prepare}
"""What is made of the product's variables when a tile is opened."""


class Turbidity:
    """Reads points.

    Parameters
    ----------
    followed : Followed
        The product.
    clock : Clock
    """

    def __init__(self, followed: Followed, clock: Clock) -> None:
        self._followed, self._clock = followed, clock

    def months(self, cell: Cell) -> NDArray[np.float64]:
        """Return Linke turbidity from January to December, (12,).

        Raises
        ------
        Unavailable
            None is published, or the cell is damaged.
        """
        serving = self._followed.current(_VARIABLE, self._clock.now())
        if serving is None:
            raise Unavailable(texts.NO_TURBIDITY, RETRY_S)
        tile: HydratedTile = serving.prepared
        packed = np.frombuffer(tile.raw(_VARIABLE, *cell), "<u2")
        if len(packed) != 12 or packed.max() >= CORRUPT:
            raise Unavailable(texts.DAMAGED_CELL, RETRY_S)
        scale, offset = tile.scale(_VARIABLE)
        return packed * scale + offset
