"""The albedo of the ground at a place, from the tile that is published or as it was asked for."""

import logging
from datetime import datetime
from typing import Literal, NamedTuple

import numpy as np

from api import texts
from api.errors import Unavailable
from api.published import Followed
from catalog.versions import Entry
from tiles.chunked import ChunkedTile
from tiles.errors import TileError
from tiles.grid import Cell

log = logging.getLogger("solflis.api")

_VARIABLE = "albedo"
_BARE = 0.2
_RETRY_S = 120


class Ground(NamedTuple):
    """Albedo of the ground.

    Parameters
    ----------
    albedo : tuple of 12 floats
        By month.
    told : str
        Which one it is, for `method`.
    data_origin : str or None
        `live` or `simulated`; None where it is no data.
    """

    albedo: tuple[float, ...]
    told: str
    data_origin: str | None = None


BARE_GROUND = Ground((_BARE,) * 12, f"{_BARE:g} in all months: no albedo is built for this cell yet")


def _prepare(_: Entry, tile: ChunkedTile) -> ChunkedTile:
    return tile


PREPARE = {_VARIABLE: _prepare}
"""What is made of the product's variable when a version is opened."""


def ground_of(followed: Followed, asked: float | Literal["tile"], cell: Cell, now: datetime) -> Ground:
    """Return the albedo of a cell; a bare ground where none is built.

    Parameters
    ----------
    followed : Followed
        The product.
    asked : float or "tile"
    cell : (row, column)
    now : datetime

    Raises
    ------
    Unavailable
        It is built, and cannot be read.
    """
    if asked != "tile":
        return Ground((asked,) * 12, f"{asked:g} in all months, as asked")
    serving = followed.current(_VARIABLE, now)
    if serving is None:
        return BARE_GROUND
    tile: ChunkedTile = serving.prepared
    try:
        values = tile.values(_VARIABLE, cell)
    except (TileError, OSError) as error:
        log.error("damaged albedo in cell %s of %s: %r", cell, serving.entry.path, error)
        raise Unavailable(texts.PV_NO_ALBEDO, _RETRY_S) from error
    if np.isnan(values).any():
        return BARE_GROUND
    entry, shown = serving.entry, ", ".join(f"{value:.2f}" for value in values)
    about = f"{entry.product} {entry.version} ({entry.data_origin}): {tile.manifest.provenance['method']}"
    return Ground(tuple(values.tolist()), f"of this cell, January to December {shown}; {about}", entry.data_origin)
