"""The clear sky over a plant, read from the store itself: for jobs and commands, which hydrate nothing."""

import numpy as np
from numpy.typing import NDArray

from api.core.settings import Settings
from api.data.versions import damaged, not_published
from catalog.versions import read_index
from tiles.chunked import ChunkedTile
from tiles.errors import TileError
from tiles.grid import FORECAST
from tiles.products.turbidity import PRODUCT
from tiles.store import open_store

_VARIABLE = "linke_turbidity"


def turbidity_at(settings: Settings, lat: float, lon: float) -> NDArray[np.float64]:
    """Return Linke turbidity from January to December at a place, float64 (12,).

    Raises
    ------
    ApiError
        The product `turbidity` is not published, or damaged.
    """
    store = open_store(settings.store)
    entry = read_index(store, PRODUCT.name).newest(settings.clock.now(), _VARIABLE)
    if entry is None:
        raise not_published(PRODUCT.name)
    try:
        months = ChunkedTile(store, PRODUCT, entry.manifest).values(_VARIABLE, FORECAST.cell_at(lat, lon))
    except TileError as error:
        raise damaged(PRODUCT.name, "") from error
    return months
