"""Why there is no horizon at a position, and where the nearest one is."""

import numpy as np
from numpy.typing import NDArray

from api import texts
from api.errors import NotFound
from api.horizons import Horizons, tile_key
from tiles.grid import HORIZON, OutsideGrid, distance_km
from tiles.products.horizon import BLOCK


def on_grid(lat: float, lon: float) -> bool:
    """Say whether a position may ever have a tile."""
    try:
        HORIZON.cell_at(lat, lon)
    except OutsideGrid:
        return False
    return True


def no_tile(horizons: Horizons, lat: float, lon: float) -> NotFound:
    """Return the refusal of a position without a horizon; it tells why, as far as that is known.

    Sea, abroad and land that is not built yet are one thing here: no tile knows what it would be of.
    """
    built = horizons.built()
    if not built.size:
        return NotFound(texts.HORIZON_NOT_PUBLISHED)
    if not on_grid(lat, lon):
        return NotFound(texts.HORIZON_OFF_GRID.format(nearest=_nearest(built, lat, lon)))
    row, column = HORIZON.cell_at(lat, lon)
    key = tile_key((row, column))
    if (built == (row // BLOCK, column // BLOCK)).all(axis=1).any():
        return NotFound(texts.HORIZON_NO_GROUND.format(tile_key=key))
    return NotFound(texts.HORIZON_NOT_BUILT.format(tile_key=key, nearest=_nearest(built, lat, lon)))


def _nearest(built: NDArray[np.int64], lat: float, lon: float) -> str:
    row, column = HORIZON.fractional(lat, lon)
    row, column = row / BLOCK - 0.5, column / BLOCK - 0.5
    nearest = built[np.argmin(((built - (row, column)) ** 2).sum(axis=1))].tolist()
    middle = nearest[0] * BLOCK + BLOCK // 2, nearest[1] * BLOCK + BLOCK // 2
    there = HORIZON.centre(middle)
    km = distance_km(lat, lon, *there)
    return texts.HORIZON_NEAREST.format(tile_key=tile_key(middle), km=km, lat=there[0], lon=there[1])
